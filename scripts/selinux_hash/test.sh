#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test.sh: every test of the series for $BASE. Each result is a line "pass",
# "FAIL" or "skip" with a name; the last line counts them. Logs go to build/.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

passed=0 failed=0 skipped=0
logs=$build/test
rm -rf "$logs"
mkdir -p "$logs"

pass() { passed=$((passed + 1)); echo "pass $*"; }
skip() { skipped=$((skipped + 1)); echo "skip $1: $2"; }

# fail NAME [LOG]
fail()
{
	failed=$((failed + 1))
	echo "FAIL $1"
	[ -z "${2:-}" ] || { tail -n 8 "$2" | sed 's/^/  | /'; echo "  the log is $2"; }
}

# check NAME COMMAND...: a test that is one command
check()
{
	local name=$1 log=$logs/${1//[^A-Za-z0-9._-]/_}.log

	shift
	if run "$@" >"$log" 2>&1; then pass "$name"; else fail "$name" "$log"; fi
}

run "$here/packages.sh" test
tree='' policy='' tip='' other=''
capture tree "$here/source.sh"
capture policy "$here/policy.sh"
capture tip "$here/series.sh" checkout "$tree"
git=(git -C "$tree")
mapfile -t steps < <("${git[@]}" rev-list --reverse "pristine..$tip")
mapfile -t new_files < <("${git[@]}" diff --name-only --diff-filter=A pristine "$tip")
series=$build/series/$base

#
# The text of the series
#

say "the text of the series"
run "$here/series.sh" mails "$tree" >"$logs/mails" 2>&1 || die_with_log "no mails" "$logs/mails"

dictionary=$(dpkg -L codespell | grep '/dictionary.txt$')
checkpatch()
{
	"$tree/scripts/checkpatch.pl" --strict --no-tree --root="$tree" \
		--codespell --codespellfile="$dictionary" \
		--ignore MISSING_SIGN_OFF "$1"
}

for mail in "$series"/*.patch; do
	case $mail in
	*/0000-*) ;;
	*) check "checkpatch: $(basename "$mail")" checkpatch "$mail" ;;
	esac
done

new_text()
{
	printf '%s\n' "${new_files[@]/#/$tree/}" "$series"/*.patch "$top/README.patches" \
		"$top/Makefile" "$here"/*.sh "$here"/*.c "$here"/config/*
}

codespell_all() { new_text | xargs codespell --ignore-words-list=extraversion; }
check "codespell" codespell_all

shellcheck_all() { shellcheck -x -S warning -P "$top" "$here"/*.sh "$top/.ci/run"; }
check "shellcheck" shellcheck_all

kernel_doc()
{
	local files=()

	mapfile -t files < <(printf '%s\n' "${new_files[@]}" | grep '\.[ch]$' | grep -v '^tools/')
	env -C "$tree" scripts/kernel-doc -none -Wall -Werror "${files[@]}"
}
check "kernel-doc" kernel_doc

abi()
{
	# it warns, and succeeds
	! env -C "$tree" scripts/get_abi.pl --dir Documentation/ABI validate 2>&1 |
		tee /dev/stderr | grep -F -f <(printf '%s\n' "${new_files[@]}" | grep ABI | xargs -n1 basename)
}
check "ABI entries are valid" abi

maintainers()
{
	local file entry

	for file in "${new_files[@]}"; do
		env -C "$tree" scripts/get_maintainer.pl --no-git --no-git-fallback --sections -f "$file" |
			grep -x 'SELINUX HASHING' >/dev/null || { echo "no entry for $file"; return 1; }
	done
	entry=$(sed -n '/^SELINUX HASHING$/,/^$/p' "$tree/MAINTAINERS")
	diff <(echo "$entry") <(sed -n '/^SELINUX HASHING$/,/^$/p' "$top/MAINTAINERS")
}
check "MAINTAINERS names every new file, as here" maintainers

every_file_is_brought()
{
	diff <(printf '%s\n' "${new_files[@]}" | sort) \
	     <(git -C "$top" ls-files -c -o --exclude-standard -- Documentation security tools | sort)
}
check "every kernel file here is brought by a step" every_file_is_brought

# On a tree with nothing but what the mails touch, which git lays out quickly.
round_trip()
{
	local scratch=$tmp/am rc=0

	"${git[@]}" worktree add --quiet --no-checkout --detach "$scratch" pristine &&
	"${git[@]}" diff --name-only pristine "$tip" |
		git -C "$scratch" sparse-checkout set --no-cone --stdin &&
	git -C "$scratch" checkout -q --detach pristine &&
	GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester \
		git -C "$scratch" am -q "$series"/000[1-9]*.patch "$series"/00[1-9]*.patch &&
	[ "$(git -C "$scratch" rev-parse 'HEAD^{tree}')" = "$("${git[@]}" rev-parse "$tip^{tree}")" ] &&
	git -C "$scratch" format-patch --quiet --zero-commit --no-signature --abbrev=12 \
		--no-thread --numbered -o "$tmp/am.mails" pristine.. &&
	diff -r -x '0000-*' "$series" "$tmp/am.mails" || rc=1
	"${git[@]}" worktree remove --force "$scratch"
	return $rc
}
check "git am on a pristine tree, then git format-patch, gives the same mails" round_trip

#
# Every step compiles alone
#

# NAME ARCH FRAGMENT...
compile=(
	"um        um     guest um kunit"
	"um-plain  um     guest um kunit nodebug"
	"x86_64    x86_64 guest x86_64 kunit"
	"x86_64-plain x86_64 guest x86_64 nodebug"
	"i386      i386   guest i386 kunit"
)

# Without a warning in what the series touches. (In 6.12, W=1 has some to give
# of files that it does not touch.)
compile_step()
{
	local name=$1 arch=$2
	shift 2

	MAKEFLAGS_EXTRA=W=1 \
		"$here/kernel.sh" "$tree" "compile-$name" "$arch" security/selinux/ -- "$@" &&
	! grep -F -f "$tmp/touched" "$build/kernel-compile-$name.log" | grep -E '(warning|error):'
}

"${git[@]}" diff --name-only pristine "$tip" | grep '^security/' >"$tmp/touched"
say "each of the ${#steps[@]} steps compiled, in ${#compile[@]} configurations"
for i in "${!steps[@]}"; do
	"${git[@]}" checkout -qf --detach "${steps[i]}"
	for configuration in "${compile[@]}"; do
		# the symbol comes with the first test
		git -C "$tree" grep -q SECURITY_SELINUX_KUNIT_TEST -- security/selinux/Kconfig ||
			configuration=${configuration/ kunit/}
		# shellcheck disable=SC2086
		set -- $configuration
		check "step $((i + 1)) compiles: $1" compile_step "$@"
	done
done

# What sparse says of the files that the series touches, without line numbers.
sparse()
{
	MAKEFLAGS_EXTRA="C=2" "$here/kernel.sh" "$tree" sparse x86_64 security/selinux/ \
		-- guest x86_64 kunit >/dev/null 2>&1 || return 1
	grep -E '(warning|error):' "$build/kernel-sparse.log" |
		sed 's/^\([^:]*\):[0-9]*:[0-9]*/\1/; s,^.*/security/,security/,' | sort >"$1"
}

sparse_is_silent()
{
	sparse "$tmp/sparse.series" || return 1
	"${git[@]}" diff --name-only pristine "$tip" | grep -F -f - "$tmp/sparse.series" >"$tmp/sparse.ours" || return 0
	"${git[@]}" checkout -qf --detach pristine
	sparse "$tmp/sparse.pristine"
	"${git[@]}" checkout -qf --detach "$tip"
	! comm -23 "$tmp/sparse.ours" "$tmp/sparse.pristine" | grep .
}
check "sparse finds nothing that it does not find without the series" sparse_is_silent

#
# KUnit, in User Mode Linux
#

say "KUnit in User Mode Linux"
um=
if run "$here/kernel.sh" "$tree" um um linux -- guest um kunit >"$tmp/um"; then
	um=$(cat "$tmp/um")
	pass "the User Mode Linux kernel builds"
	run timeout -k 5 300 "$um/linux" kunit.enable=1 'kunit.filter_glob=selinux*' mem=1G \
		console=tty kunit_shutdown=halt >"$logs/kunit.log" 2>&1 </dev/null || :
	run "$tree/tools/testing/kunit/kunit.py" parse "$logs/kunit.log" >"$logs/kunit.txt" 2>&1 || :
	while read -r result name; do
		case $result in
		PASSED) pass "KUnit: $name" ;;
		SKIPPED) skip "KUnit: $name" "see $logs/kunit.log" ;;
		*) fail "KUnit: $name ($result)" "$logs/kunit.log" ;;
		esac
	done < <(awk '/=+ .* \([0-9]+ subtests?\) =+/ { suite = $3 }
		 match($0, /\[(PASSED|FAILED|SKIPPED|CRASHED|ERROR|TIMED OUT|NO TESTS RUN)\] /) && !/=====/ {
			print substr($0, RSTART + 1, RLENGTH - 3), suite ": " substr($0, RSTART + RLENGTH)
		 }' "$logs/kunit.txt")
	# a suite that vanished fails nothing by itself
	cat "${new_files[@]/#/$tree/}" | sed -n 's/^	\.name = "\(selinux.*\)",$/\1/p' | sort >"$tmp/suites"
	sed -n 's/^    # Subtest: //p' "$logs/kunit.log" | sort | check "KUnit: every suite ran" diff "$tmp/suites" -
else
	fail "the User Mode Linux kernel builds"
fi

#
# kselftests, in a booted guest
#

kselftests=$tmp/kselftests
build_kselftests()
{
	local log=$logs/kselftests.log

	{
		run make -C "$tree" "O=$1" ARCH=x86_64 headers &&
		mkdir -p "$kselftests/tests" "$tmp/kselftests.out" &&
		run make -C "$tree/tools/testing/selftests/selinux_hash" "OUTPUT=$tmp/kselftests.out" \
			"KHDR_INCLUDES=-isystem $1/usr/include"
	} >"$log" 2>&1 || return 1
	cp "$tmp/kselftests.out"/*_test "$tmp/kselftests.out/policy_rules" "$kselftests/tests/"
}

# Count the TAP lines in what a guest said, each program's against its plan.
count_tap()
{
	local machine=$1 out=$2 line test='' plan=0 seen=0 red=0

	while IFS= read -r line; do
		case $line in
		"guest: test "*" begins")
			test=${line#guest: test } test=${test% begins}
			plan=0 seen=0 red=0
			;;
		1..*)
			plan=${line#1..}
			;;
		"ok "*"# SKIP"*)
			seen=$((seen + 1))
			skip "$machine: $test: ${line%%# SKIP*}" "${line#*# SKIP}"
			;;
		"ok "*)
			seen=$((seen + 1))
			pass "$machine: $test: ${line#ok * }"
			;;
		"not ok "*)
			seen=$((seen + 1)) red=$((red + 1))
			fail "$machine: $test: ${line#not ok * }" "$out"
			;;
		"guest: test "*" ended: "*)
			line=${line#*ended: }
			if [ "$line" = "exit 4" ] && [ "$seen" = 0 ]; then
				skip "$machine: $test" "it says that it cannot run here, see $out"
			elif [ "$plan" != "$seen" ] || [ "$seen" = 0 ] ||
			     { [ "$line" != "exit 0" ] && [ "$red" = 0 ]; }; then
				fail "$machine: $test ran $seen of $plan tests and ended: $line" "$out"
			fi
			test=
			;;
		esac
	done <"$out"
	[ -z "$test" ] || fail "$machine: $test did not end" "$out"
}

kselftests_in()
{
	local machine=$1 obj=$2 name=test-$1 log=$logs/guest-$1.log
	shift 2

	if GUEST_FILES=$kselftests run "$here/guest.sh" "$machine" "$obj" "$name" tests workload "$@" >"$log"; then
		pass "$machine: the guest boots, works and ends"
	else
		fail "$machine: the guest boots, works and ends" "$log"
	fi
	count_tap "$machine" "$build/$name.out"
	if grep -aE 'BUG:|WARNING:|Oops|general protection|rcu: INFO|Call Trace' "$build/$name.console" >"$log.splat"; then
		fail "$machine: the kernel log has no complaint" "$log.splat"
	else
		pass "$machine: the kernel log has no complaint"
	fi
}

say "kselftests in a QEMU guest"
x86='' pristine=''
if run "$here/kernel.sh" "$tree" x86_64 x86_64 bzImage -- guest x86_64 >"$tmp/x86"; then
	x86=$(cat "$tmp/x86")
	pass "the x86-64 kernel builds"
	check "the kselftests build" build_kselftests "$x86"
	kselftests_in qemu "$x86" stats rules
else
	fail "the x86-64 kernel builds"
fi

if [ "$um" ]; then
	say "kselftests in User Mode Linux"
	# its userspace dies at once on some CPUs: a kernel that has booted says so
	UM_OPTIONS=kunit.enable=0 GUEST_SECONDS=60 run "$here/guest.sh" um "$um" probe-um >"$logs/um-probe.log" 2>&1 || :
	if grep -q 'ptrace set fp regs failed' "$build/probe-um.console"; then
		skip "um: kselftests" "User Mode Linux $base cannot run userspace on this CPU"
	else
		UM_OPTIONS=kunit.enable=0 kselftests_in um "$um" stats
	fi
fi

#
# The kernel without the series, for what must not change
#

same_rules()
{
	diff <(grep -E '^[a-z_ ]*(rules|size|digest|transitions|allows):' "$build/test-pristine.out") \
	     <(grep -E '^[a-z_ ]*(rules|size|digest|transitions|allows):' "$build/test-qemu.out") &&
	grep -q '^digest:' "$build/test-qemu.out"
}

say "the kernel without the series"
"${git[@]}" checkout -qf --detach pristine
if run "$here/kernel.sh" "$tree" x86_64-pristine x86_64 bzImage -- guest x86_64 >"$tmp/pristine"; then
	pristine=$(cat "$tmp/pristine")
	GUEST_FILES=$kselftests run "$here/guest.sh" qemu "$pristine" test-pristine workload stats rules \
		>"$logs/pristine.log" || :
	check "the policy read back has the size and the rules that it has without the series" same_rules
else
	fail "the x86-64 kernel without the series builds"
fi
"${git[@]}" checkout -qf --detach "$tip"

#
# What bad input gets: one clear message, and a failure
#

# refuses TEXT COMMAND...: the command must fail, and say TEXT
refuses()
{
	local text=$1 out
	shift

	if out=$("$@" 2>&1); then
		printf '%s\n' "$out"
		echo "this succeeded, and should have failed: $*"
		return 1
	fi
	printf '%s\n' "$out"
	grep -qF -- "$text" <<<"$out" || {
		echo "this was to say: $text"
		return 1
	}
}

say "bad input"
mkdir "$tmp/empty"
: >"$tmp/policy.empty"
head -c 100000 "$policy/policy" >"$tmp/policy.truncated"
head -c 100000 /bin/sh >"$tmp/policy.other"

check "refused: a KSRC that does not exist" refuses "is not a folder" \
	env KSRC="$tmp/none" "$here/source.sh"
check "refused: a KSRC that is no kernel" refuses "is not a Linux source tree" \
	env KSRC="$tmp/empty" "$here/source.sh"
check "refused: a base without a series" refuses "there is no series for BASE=5.4" \
	env BASE=5.4 "$here/source.sh"
check "refused: a POLICY that does not exist" refuses "is not a file that can be read" \
	env POLICY="$tmp/none" "$here/policy.sh"
check "refused: a second run on the same cache" refuses "another run is using" \
	env -u SELINUX_HASH_LOCKED "$here/source.sh"

# a kernel on which step 1 applies and a later one does not
conflict()
{
	local scratch=$tmp/conflict

	git init -q "$scratch" &&
	"${git[@]}" archive pristine MAINTAINERS Makefile Kconfig scripts/checkpatch.pl security/selinux \
		.gitignore | tar -x -C "$scratch" &&
	sed -i 's/tsid<<2/tsid<<3/' "$scratch/security/selinux/avc.c" || return 1
	capture other env KSRC="$scratch" "$here/source.sh"
	refuses "file: security/selinux/avc.c" "$here/series.sh" mails "$other"
	rm -rf "$other"
}
check "refused: a kernel on which a step does not apply, which is named" conflict

if [ "$x86" ]; then
	for bad in empty truncated other; do
		check "refused: a policy file that is $bad, by the kernel" \
			refuses "the kernel refused the policy" \
			env POLICY="$tmp/policy.$bad" "$here/guest.sh" qemu "$x86" bad-policy workload
	done
	check "reported: a guest that hangs" refuses "the guest hung" \
		env GUEST_SECONDS=2 "$here/guest.sh" qemu "$x86" hang workload
	check "reported: an action that the guest does not know" refuses "unknown action dance" \
		"$here/guest.sh" qemu "$x86" unknown dance
fi

say "the logs are in $logs"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
