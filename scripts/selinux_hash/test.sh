#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test.sh BASE...: every test of the series, for each base. Each result is a line
# "pass", "FAIL" or "skip" with a name; the last line counts them. Logs go to
# build/test/.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

passed=0 failed=0 skipped=0
logs=$build/test
rm -rf "$logs"
mkdir -p "$logs"

pass() { passed=$((passed + 1)); echo "pass $base: $*"; }
skip() { skipped=$((skipped + 1)); echo "skip $base: $1: $2"; }

# fail NAME [LOG]
fail()
{
	failed=$((failed + 1))
	echo "FAIL $base: $1"
	[ -z "${2:-}" ] || { tail -n 8 "$2" | sed 's/^/  | /'; echo "  the log is $2"; }
}

# check NAME COMMAND...: a test that is one command
check()
{
	local name=$1 log=$logs/$base-${1//[^A-Za-z0-9._-]/_}.log

	shift
	if run "$@" >"$log" 2>&1; then pass "$name"; else fail "$name" "$log"; fi
}

#
# The text of the series
#

checkpatch()
{
	# no Signed-off-by, which whoever submits adds; and no tree here has the
	# history in which it could look for the commit that a Fixes: names
	"$tree/scripts/checkpatch.pl" --strict --no-tree --root="$tree" \
		--codespell --codespellfile="$dictionary" \
		--ignore MISSING_SIGN_OFF,UNKNOWN_COMMIT_ID "$1"
}

spelling()
{
	printf '%s\n' "${new_files[@]/#/$tree/}" "$series"/*.patch "$top/README.patches" \
		"$top/Makefile" "$here"/*.{sh,awk,c} "$here"/config/* |
		xargs codespell --ignore-words-list=extraversion
}

shell_scripts() { shellcheck -x -S warning -P "$top" "$here"/*.sh "$top/.ci/run"; }

kernel_doc()
{
	local files=()

	mapfile -t files < <(printf '%s\n' "${new_files[@]}" | grep '\.[ch]$' | grep -v '^tools/')
	env -C "$tree" scripts/kernel-doc -none -Wall -Werror "${files[@]}"
}

abi()
{
	local get_abi=scripts/get_abi.pl file

	[ -e "$tree/$get_abi" ] || get_abi=tools/docs/get_abi.py
	# it warns, and succeeds
	env -C "$tree" "$get_abi" --dir Documentation/ABI validate >"$tmp/abi" 2>&1 || { cat "$tmp/abi"; return 1; }
	! grep -F -f <(printf '%s\n' "${new_files[@]}" | grep ABI | xargs -n1 basename) "$tmp/abi" || return 1
	# nor does it ask for every tag, or know which there are
	while read -r file; do
		diff <(printf '%s\n' What: Date: KernelVersion: Contact: Description: '(text)' Users:) \
		     <(awk '/^[^\t]/ { print $1; tag = $1 }
			/^\t/ && tag == "Description:" { print "(text)"; tag = "" }' "$tree/$file") ||
			{ echo "these are not the tags of $file"; return 1; }
	done < <(printf '%s\n' "${new_files[@]}" | grep ABI)
}

maintainers()
{
	local file

	for file in "${new_files[@]}"; do
		env -C "$tree" scripts/get_maintainer.pl --no-git --no-git-fallback --sections -f "$file" |
			grep -x 'SELINUX HASHING' >/dev/null || { echo "no entry for $file"; return 1; }
	done
	diff <(sed -n "/^SELINUX HASHING\$/,/^\$/p" "$tree/MAINTAINERS" | grep .) \
	     <(sed -n "/^SELINUX HASHING\$/,/^\$/p" "$top/MAINTAINERS" | grep .)
}

every_file_is_brought()
{
	diff <(printf '%s\n' "${new_files[@]}" | sort) \
	     <(git -C "$top" ls-files -c -o --exclude-standard -- Documentation security tools | sort)
}

# On a tree with nothing but what the mails touch, which git lays out quickly.
round_trip()
{
	local scratch=$tmp/am rc=0

	rm -rf "$tmp/am.mails"
	"${git[@]}" worktree add --quiet --no-checkout --detach "$scratch" pristine &&
	"${git[@]}" diff --name-only pristine "$tip" |
		git -C "$scratch" sparse-checkout set --no-cone --stdin &&
	git -C "$scratch" checkout -q --detach pristine &&
	GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester \
		git -C "$scratch" am -q --empty=drop "$series"/*.patch &&
	[ "$(git -C "$scratch" rev-parse 'HEAD^{tree}')" = "$("${git[@]}" rev-parse "$tip^{tree}")" ] &&
	git -C "$scratch" format-patch --quiet --zero-commit --no-signature --abbrev=12 \
		--no-thread --numbered -o "$tmp/am.mails" pristine.. &&
	diff -r -x '0000-*' "$series" "$tmp/am.mails" || rc=1
	"${git[@]}" worktree remove --force "$scratch"
	return $rc
}

test_text()
{
	local mail

	say "the text of the series for $base"
	run "$here/series.sh" mails "$tree" >"$logs/mails" 2>&1 || die_with_log "no mails" "$logs/mails"
	for mail in "$series"/*.patch; do
		case $mail in
		*/0000-*) ;;
		*) check "checkpatch: $(basename "$mail")" checkpatch "$mail" ;;
		esac
	done
	check "spelling" spelling
	check "kernel-doc" kernel_doc
	check "ABI entries are valid" abi
	check "MAINTAINERS names every new file, as here" maintainers
	check "every kernel file here is brought by a step" every_file_is_brought
	check "git am on a pristine tree, then git format-patch, gives the same mails" round_trip
}

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

test_steps()
{
	local i configuration

	"${git[@]}" diff --name-only pristine "$tip" | grep '^security/' >"$tmp/touched"
	say "each of the ${#steps[@]} steps for $base compiled, in ${#compile[@]} configurations"
	for i in "${!steps[@]}"; do
		"${git[@]}" checkout -qf --detach "${steps[i]}"
		for configuration in "${compile[@]}"; do
			# the symbol comes with the first test
			"${git[@]}" grep -q SECURITY_SELINUX_KUNIT_TEST -- security/selinux/Kconfig ||
				configuration=${configuration/ kunit/}
			# shellcheck disable=SC2086
			set -- $configuration
			check "step $((i + 1)) compiles: $1" compile_step "$@"
		done
	done
	check "sparse finds nothing that it does not find without the series" sparse_is_silent
}

# What sparse says of the files that the series touches, without line numbers.
sparse()
{
	local fragments=(guest x86_64 kunit)

	"${git[@]}" grep -q SECURITY_SELINUX_KUNIT_TEST -- security/selinux/Kconfig ||
		unset 'fragments[2]'
	MAKEFLAGS_EXTRA="C=2" "$here/kernel.sh" "$tree" sparse x86_64 security/selinux/ \
		-- "${fragments[@]}" >/dev/null || return 1
	{ grep -E '(warning|error):' "$build/kernel-sparse.log" || :; } |
		sed 's/^\([^:]*\):[0-9]*:[0-9]*/\1/; s,^.*/security/,security/,' | sort >"$1"
}

sparse_is_silent()
{
	local rc=0

	sparse "$tmp/sparse.series" || return 1
	"${git[@]}" diff --name-only pristine "$tip" | grep -F -f - "$tmp/sparse.series" >"$tmp/sparse.ours" || return 0
	"${git[@]}" checkout -qf --detach pristine
	sparse "$tmp/sparse.pristine" || rc=1
	"${git[@]}" checkout -qf --detach "$tip"
	[ $rc = 0 ] && ! comm -23 "$tmp/sparse.ours" "$tmp/sparse.pristine" | grep .
}

#
# KUnit, in User Mode Linux
#

# run_kunit NAME LINUX: run SELinux's suites in a kernel, and count the cases.
run_kunit()
{
	local log=$logs/$base-$1.log

	run timeout -k 5 300 "$2" kunit.enable=1 kunit.autorun=1 'kunit.filter_glob=selinux*' mem=1G \
		con0=null,fd:1 con=null console=tty0 kunit_shutdown=halt ncpus=2 seccomp=on \
		>"$log" 2>&1 </dev/null || :
	count_ktap "$1" "$log"
	check "$1: the kernel log has no complaint" no_complaint "$log"
}

# count_ktap NAME LOG: count the cases of KUnit in a kernel log
count_ktap()
{
	local name=$1 log=$logs/$base-$1.ktap txt=$logs/$base-$1.txt result case

	# a serial console ends its lines with a carriage return as well
	tr -d '\r' <"$2" >"$log"
	run "$tree/tools/testing/kunit/kunit.py" parse "$log" >"$txt" 2>&1 || :
	while read -r result case; do
		case $result in
		PASSED) pass "$name: $case" ;;
		SKIPPED) skip "$name: $case" "see $log" ;;
		*) fail "$name: $case ($result)" "$log" ;;
		esac
	done < <(awk '/=+ .* \([0-9]+ subtests?\) =+/ { suite = $3 }
		 match($0, /\[(PASSED|FAILED|SKIPPED|CRASHED|ERROR|TIMED OUT|NO TESTS RUN)\] /) && !/=====/ {
			print substr($0, RSTART + 1, RLENGTH - 3), suite ": " substr($0, RSTART + RLENGTH)
		 }' "$txt")
	# a suite that vanished, or a case, fails nothing by itself
	{
		sed -n 's/^	\.name = "\(selinux.*\)",$/\1/p; s/^	KUNIT_CASE(\(.*\)),$/\1/p' \
			"${new_files[@]/#/$tree/}"
	} | sort >"$tmp/written"
	sed -n 's/^    # Subtest: //p; s/^    \(not \)\{0,1\}ok [0-9]* \([^ ]*\).*/\2/p' "$log" |
		sort >"$tmp/ran"
	check "$name: every case of every suite ran" diff "$tmp/written" "$tmp/ran"
}

#
# kselftests, in a booted guest
#

kselftests=$tmp/kselftests

# Count the TAP lines in what a guest said, each program's against its plan.
count_tap()
{
	local machine=$1 out=$2 line test='' plan=0 seen=0 red=0

	while IFS= read -r line; do
		case $line in
		"guest: test "*" begins")
			[ -z "$test" ] || fail "$machine: $test did not end" "$out"
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

# What "stats" prints of the kernel log: a line for every kind of table, each in
# the format, and figures that the policy's own numbers bear out.
debug_lines()
{
	local number='[0-9]+' line table

	grep '^SELinux: .* buckets used, ' "$1" >"$tmp/lines"
	line="entries and $number/$number buckets used, longest chain length $number"
	line="$line, non-zero q1/med/q3 $number/$number/$number, sum of chain length\\^2 $number"
	if grep -vE "^SELinux: [^:]*:  $number $line\$" "$tmp/lines"; then
		echo "these lines are not in the format"
		return 1
	fi
	for table in rules conditional_rules roletr rangetr filenametr "common prefixes" classes roles types \
		     users bools levels categories common_permissions@file class_permissions@process; do
		grep "^SELinux: $table:  [1-9]" "$tmp/lines" || {
			echo "no line, or an empty table: $table"
			return 1
		}
	done
	# Entries, buckets used, buckets, longest chain, quartiles and squares that
	# no table has. (Of the text, q1, q3 and ^2 remain as 5, 6 and 10.)
	if sed 's/.*:  //; s/[^0-9][^0-9]*/ /g' "$tmp/lines" |
		awk '$2 > $1 || $2 > $3 || $4 > $1 || $1 > $2 * $4 || $7 < 1 || $7 > $8 || $8 > $9 ||
			$9 > $4 || $11 * $2 < $1 * $1 || $11 > $1 * $4 { print NR ": " $0 }' | grep .; then
		echo "the figures of these lines cannot be"
		return 1
	fi
	# policy_rules counts them in another way
	diff <(sed -n 's/^\(\|conditional \)rules: \([0-9]*\).*/\2/p
		s/^\(role\|range\) transitions: \([0-9]*\).*/\2/p' "$1") \
	     <(for table in rules conditional_rules roletr rangetr; do
			sed -n "s/^SELinux: $table:  \([0-9]*\) .*/\1/p" "$tmp/lines" | tail -n 1
	       done)
}

# The lab works the same figures out from the policy's file, by the same hash.
lab_agrees()
{
	local table

	for table in rules conditional_rules roletr rangetr; do
		grep "^SELinux: $table:  " "$1" | tail -n 1
	done >"$tmp/logged"
	"$kselftests/tests/hashlab" boot-log "$policy/policy" | diff - "$tmp/logged"
}

cache_is_full()
{
	sed -n '/avc.hash_stats$/,/^$/s/^entries: //p' "$1" | tail -n 1 | {
		read -r entries && echo "$entries entries" &&
		[ "$entries" -ge $((500 * $(sed -n '/avc.cache_threshold$/{n;p;}' "$1") / 512)) ]
	}
}

kselftests_in()
{
	local machine=$1 obj=$2 name=test-$1 log=$logs/$base-guest-$1.log

	if GUEST_FILES=$kselftests run "$here/guest.sh" "$machine" "$obj" "$name" tests workload stats rules >"$log"; then
		pass "$machine: the guest boots, works and ends"
	else
		fail "$machine: the guest boots, works and ends" "$log"
	fi
	count_tap "$machine" "$build/$name.out"
	# a program that did not come along fails nothing by itself
	sed -n 's/^guest: test \(.*\) begins$/\1/p' "$build/$name.out" | sort >"$tmp/ran"
	check "$machine: every kselftest program ran" diff \
		<(cd "$tree/tools/testing/selftests/selinux_hash" && printf '%s\n' *_test.c | sed 's/\.c$//' | sort) "$tmp/ran"
	check "$machine: the log has the figures of every table of the policy" debug_lines "$build/$name.out"
	check "$machine: the lab has the same figures of the rules and transitions" lab_agrees "$build/$name.out"
	check "$machine: the cache is full" cache_is_full "$build/$name.out"
	check "$machine: the kernel log has no complaint" no_complaint "$build/$name.console"
}

#
# A whole Debian
#

test_debian()
{
	local debian='' name=test-debian log=$logs/$base-image.log status=0

	say "a whole Debian, enforcing, on the kernel for $base"
	run "$here/image.sh" >"$log" 2> >(tee -a "$log" >&2) || status=$?
	case $status in
	0) ;;
	3)
		skip "debian" "$(sed -n 's/^error: //p' "$log" | tail -n 1)"
		return
		;;
	*)
		fail "debian: the image is made" "$log"
		return
		;;
	esac
	build_kernel debian "x86-64, for a whole Debian" x86_64-debian x86_64 bzImage -- \
		guest x86_64 debian || return 0
	if GUEST_APPEND="enforcing=1" run "$here/guest.sh" debian "$debian" $name "$here/test_job.sh" \
		>"$logs/$base-guest-debian.log"; then
		pass "debian: the guest boots, works and ends"
	else
		fail "debian: the guest boots, works and ends" "$logs/$base-guest-debian.log"
	fi
	count_tap debian "$build/$name.out"
	check "debian: the kernel log has no complaint" no_complaint "$build/$name.console"
}

#
# The hash lab
#

# On no set of keys may hash3() be worse than MurmurHash3, beyond what is chance.
hash3_is_even()
{
	awk '/^Of +[0-9]+ sets/ { sets += $2 }
	     /^hash3.h/ && NF > 5 && $6 ~ /^[0-9.]+$/ && $4 ~ /^[0-9]+$/ && worse_line { worse += $4; lines++ }
	     { worse_line = /^Of +[0-9]+ sets/ || (worse_line && NF) }
	     END { print sets, "sets,", worse, "of them worse,", lines, "summaries"
		   exit !(sets > 30 && lines > 2 && worse == 0) }' "$build/lab/report.txt"
}

lab_is_complete()
{
	local file

	for file in report.txt evenness.csv chains.csv avc-time.csv choice.csv cost-64.csv cost-32.csv \
		    cost-evenness.csv chains.svg chains.png cost-evenness.svg cost-evenness.png; do
		[ -s "$build/lab/$file" ] || { echo "no $file"; return 1; }
	done
	! grep -n 'nan' "$build/lab"/*.csv
}

test_lab()
{
	local hashlab=$build/lab/64/hashlab

	say "the hash lab"
	check "the lab reports" "$here/lab.sh"
	check "the lab's report is complete" lab_is_complete
	check "hash3() is no worse than MurmurHash3 on any set of keys" hash3_is_even
	: >"$tmp/empty.avc"
	printf '# only a comment\n' >"$tmp/comment.avc"
	printf '1 2 3\n4 5' >"$tmp/truncated.avc"
	printf '1 2 3\n4 5 70000\n' >"$tmp/class.avc"
	check "refused: a capture that is empty" refuses "no keys in it" "$hashlab" avc "$tmp/empty.avc"
	check "refused: a capture without keys" refuses "no keys in it" "$hashlab" avc "$tmp/comment.avc"
	check "refused: a capture that is truncated" refuses "line 2: cut off" "$hashlab" avc "$tmp/truncated.avc"
	check "refused: a capture with a class that is none" refuses "line 2: not a source SID" "$hashlab" avc "$tmp/class.avc"
	check "refused: what is not a policy" refuses "not a policy" "$hashlab" policy /bin/sh
	check "refused: a seed that is none" refuses "not a seed" "$hashlab" --seed 1x made-up
	check "refused: a CAPTURE that does not exist" refuses "is not a file that can be read" \
		"$here/lab.sh" "$tmp/none"
}

# Of a kernel's log. An allocation that KUnit makes fail shows its stack: a trace
# that does not come from there soon is another one.
no_complaint()
{
	[ -s "$1" ] || { echo "$1 is empty"; return 1; }
	! awk '/FAULT_INJECTION: forcing a failure/ { wanted = 1 }
		/should_fail/ { held = "" }
		held != "" && ++lines > 15 { print held; held = "" }
		/Call Trace/ && wanted { if (held != "") print held; held = $0; lines = wanted = 0; next }
		/BUG:|WARNING:|Oops|general protection|rcu: INFO|Call Trace/ ||
		/inconsistent lock state|possible .* (dead)?lock|DEBUG_LOCKS_WARN|turning off the locking/
		END { if (held != "") print held }' "$1" |
		grep -a .
}

# A kernel that checks itself: it must find nothing, neither in KUnit's cases
# nor in the kselftests.
test_debug()
{
	local debug='' name=test-debug

	say "a kernel that checks locks, RCU and memory, for $base"
	build_kernel debug "x86-64, with lockdep and KASAN" x86_64-debug x86_64 bzImage -- \
		guest x86_64 kunit debug || return 0
	if GUEST_FILES=$kselftests GUEST_SECONDS=1500 GUEST_APPEND="kunit.enable=1 kunit.autorun=1" \
		run "$here/guest.sh" qemu "$debug" $name tests \
		>"$logs/$base-guest-debug.log"; then
		pass "debug: the guest boots, works and ends"
	else
		fail "debug: the guest boots, works and ends" "$logs/$base-guest-debug.log"
	fi
	count_ktap debug "$build/$name.console"
	count_tap debug "$build/$name.out"
	check "debug: the kernel checks itself" grep -aE 'kasan: KernelAddressSanitizer initialized' "$build/$name.console"
	check "debug: the kernel finds nothing to complain about" no_complaint "$build/$name.console"

	if GUEST_FILES=$kselftests GUEST_APPEND="audit=1" run "$here/guest.sh" qemu "$debug" $name-softirq softirq \
		>"$logs/$base-guest-debug-softirq.log"; then
		pass "debug: the guest with audit boots, works and ends"
	else
		fail "debug: the guest with audit boots, works and ends" "$logs/$base-guest-debug-softirq.log"
	fi
	count_tap debug "$build/$name-softirq.out"
	check "debug: the kernel finds nothing to complain about, with audit" no_complaint "$build/$name-softirq.console"
}

# Its userspace dies at once on some CPUs.
um_runs_userspace()
{
	GUEST_SECONDS=60 run "$here/guest.sh" um "$1" probe-um >"$logs/$base-probe-um.log" 2>&1 || :
	[ -s "$build/probe-um.console" ] && ! grep 'ptrace set fp regs failed' "$build/probe-um.console"
}

# What must not change: the rules that are read back from the kernel.
read_back() { grep -E '^[a-z ]*(rules|size|digest|transitions|allows):' "$build/test-$1.out"; }

same_rules()
{
	read_back "$1" | grep '^digest:' &&
	diff <(read_back pristine) <(read_back "$1")
}

# build NAME CHECKED-OUT KERNEL-ARGUMENT...: set NAME to the folder of the objects
build_kernel()
{
	local variable=$1 what=$2 log=$logs/$base-kernel-$3.log
	shift 2

	if run "$here/kernel.sh" "$tree" "$@" >"$tmp/built" 2> >(tee "$log" >&2); then
		printf -v "$variable" %s "$(cat "$tmp/built")"
		pass "the kernel builds: $what"
	else
		printf -v "$variable" %s ''
		fail "the kernel builds: $what" "$log"
		return 1
	fi
}

# The guest on whose kernel the rules with and without the series are compared.
test_pristine()
{
	local machine=$1 name=$2 arch=$3 target=$4 pristine=''
	shift 4

	say "the kernel of $base without the series"
	"${git[@]}" checkout -qf --detach pristine
	if build_kernel pristine "$arch, without the series" "$name" "$arch" "$target" -- "$@"; then
		GUEST_FILES=$kselftests run "$here/guest.sh" "$machine" "$pristine" test-pristine workload stats rules \
			>"$logs/$base-pristine.log" || :
		check "the policy read back has the size and the rules that it has without the series" \
			same_rules "$machine"
	fi
	"${git[@]}" checkout -qf --detach "$tip"
}

test_guests()
{
	local um='' bits=''

	say "KUnit in User Mode Linux, for $base"
	if build_kernel um "User Mode Linux" um um linux -- guest um kunit; then
		run_kunit kunit "$um/linux"
	fi

	say "kselftests in a QEMU guest, for $base"
	if build_kernel x86 "x86-64" x86_64 x86_64 bzImage -- guest x86_64; then
		check "the kselftests build" "$here/kselftests.sh" "$tree" "$x86" "$kselftests"
		kselftests_in qemu "$x86"
		test_pristine qemu x86_64-pristine x86_64 bzImage guest x86_64
	fi

	[ "$um" ] || return 0
	say "kselftests in User Mode Linux, for $base"
	if um_runs_userspace "$um"; then
		kselftests_in um "$um"
	else
		skip "um: kselftests" "User Mode Linux $base cannot run userspace on this CPU"
	fi

	"${git[@]}" grep -q SECURITY_SELINUX_AVC_HASH_BITS -- security/selinux/Kconfig || return 0
	say "an AVC of 8,192 buckets and a cache of one string, for $base"
	if build_kernel bits "User Mode Linux, 13 bits for the AVC and one string cached" um-13 um linux -- guest um kunit avc13; then
		run_kunit kunit-13 "$bits/linux"
		if um_runs_userspace "$bits"; then
			kselftests_in um "$bits"
			check "the AVC has the buckets that the configuration asks for" \
				grep '^buckets used: [0-9]*/8192$' "$build/test-um.out"
		fi
	fi
}

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

# Another kernel: what the series touches, with a line of avc.c edited by sed.
edited_kernel()
{
	local scratch=$tmp/edited

	rm -rf "$scratch"
	git init -q "$scratch" &&
	"${git[@]}" diff --name-only --diff-filter=MD pristine "$tip" |
		xargs "${git[@]}" archive pristine Makefile Kconfig scripts/checkpatch.pl .gitignore |
		tar -x -C "$scratch" &&
	sed -i "$1" "$scratch/security/selinux/avc.c" &&
	capture other env KSRC="$scratch" "$here/source.sh"
}

offset()
{
	local rc=0

	edited_kernel '1i /* one line more */' || return 1
	"$here/series.sh" try "$other" >"$tmp/try" || rc=1
	cat "$tmp/try"
	rm -rf "$other"
	[ $rc = 0 ] && [ "$(grep -c '^ *[0-9]*  ' "$tmp/try")" = ${#steps[@]} ] &&
		grep 'offset 1  selinux: hash access vectors in the AVC' "$tmp/try" &&
		grep 'clean  selinux: hash role and range transitions' "$tmp/try"
}

# a kernel on which step 1 applies and a later one does not
conflict()
{
	local rc=0

	edited_kernel 's/avc_hash(u32 ssid, /avc_hash(u32 ssid,  /' || return 1
	refuses "step: selinux: hash access vectors in the AVC" "$here/series.sh" mails "$other" &&
		refuses "file: security/selinux/avc.c" "$here/series.sh" mails "$other" &&
		refuses "CONFLICT  selinux: hash access vectors in the AVC" "$here/series.sh" try "$other" || rc=1
	rm -rf "$other"
	return $rc
}
# A folder to put before PATH, with commands that say what the test wants.
stub()
{
	mkdir -p "$tmp/stub-$1"
	printf '#!/bin/sh\n%s\n' "$3" >"$tmp/stub-$1/$2"
	chmod +x "$tmp/stub-$1/$2"
}

# fresh_cache STUB COMMAND...: with an empty cache, and a stub of some command
fresh_cache()
{
	local stub=$1
	shift

	rm -rf "$tmp/cache"
	env PATH="$tmp/stub-$stub:$PATH" CACHE="$tmp/cache" SELINUX_HASH_LOCKED="$tmp/cache" "$@"
}

nothing_is_left()
{
	refuses "is the network there?" fresh_cache offline "$here/source.sh" &&
	refuses "is the network there?" fresh_cache offline "$here/policy.sh" &&
	! find "$tmp/cache" -type f | grep .
}

# The base of another suite, as if that had moved on.
no_longer_carried()
{
	local suite other_base status=0

	suite=$(find "$top/patches" -name suite | sort | tail -n 1)
	other_base=$(basename "$(dirname "$suite")")
	stub moved apt-cache "case \"\$*\" in *pkgnames*) exec $(command -v apt-cache) \"\$@\" ;; esac"
	BASE=$other_base refuses "has no linux-source-$other_base; it has linux-source-" \
		fresh_cache moved "$here/source.sh" || return 1
	BASE=$other_base fresh_cache moved "$here/source.sh" || status=$?
	echo "exit status $status"
	[ "$status" = 3 ]
}

# Ctrl-C sends SIGINT to the process group of what runs in the foreground.
interrupted()
{
	local pid status=0 i

	set -m
	"$here/guest.sh" qemu "$x86" interrupted hang &
	pid=$!
	set +m
	for i in $(seq 120); do
		grep '^guest: hang' "$build/interrupted.out" 2>/dev/null && break
		sleep 0.5
	done
	kill -INT -- "-$pid"
	for i in $(seq 20); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.5
	done
	kill -0 "$pid" 2>/dev/null && { echo "it still runs"; return 1; }
	wait "$pid" || status=$?
	echo "exit status $status"
	[ "$status" = 130 ] && ! grep -la 'interrupted[.]console' /proc/[0-9]*/cmdline 2>/dev/null
}

test_bad_input()
{
	local bad base=harness

	say "bad input"
	stub user id 'echo 1000'
	stub user dpkg-query 'exit 1'
	stub offline apt-get 'echo "E: Failed to fetch: no network" >&2; exit 100'
	stub full df 'printf "a\nb 1 1 10 1 /\n"'
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

	check "refused: a missing package without root, with the command to run" \
		refuses "sudo apt-get install -y --no-install-recommends" fresh_cache user "$here/packages.sh" run
	check "refused: no network, and nothing half-written is left" nothing_is_left
	check "refused: no space" refuses "which has 10 MB free" fresh_cache full "$here/source.sh"
	check "tried: a kernel on which steps apply with an offset, which is told" offset
	check "refused: a kernel on which a step does not apply, which is named" conflict
	check "told: a base that its suite no longer carries, and what it has" no_longer_carried

	if [ ! "$x86" ]; then
		fail "bad input to a guest, since there is no kernel to boot"
	else
		check "stopped: a guest, by Ctrl-C, and nothing is left running" interrupted
		for bad in empty truncated other; do
			check "refused: a policy file that is $bad, by the kernel" \
				refuses "the kernel refused the policy" \
				env POLICY="$tmp/policy.$bad" "$here/guest.sh" qemu "$x86" bad-policy workload
		done
		check "reported: a guest that hangs" refuses "the guest hung" \
			env GUEST_SECONDS=20 "$here/guest.sh" qemu "$x86" hang hang
		check "reported: a guest that panics" refuses "the guest's kernel panicked" \
			"$here/guest.sh" qemu "$x86" panic panic
		check "reported: an action that the guest does not know" refuses "unknown action dance" \
			"$here/guest.sh" qemu "$x86" unknown dance
	fi
}

run "$here/packages.sh" test
dictionary=$(dpkg -L codespell | grep '/dictionary.txt$')
policy=''
capture policy "$here/policy.sh"

base='harness' check "shellcheck" shell_scripts
tried=
for base; do
	export BASE=$base
	tree='' tip='' other='' x86=''
	series=$build/series/$base
	status=0
	capture tree "$here/source.sh" || status=$?
	case $status in
	0) ;;
	3)
		skip "the whole series" "Debian no longer has a source package for it"
		continue
		;;
	*)
		fail "its source can be had"
		continue
		;;
	esac
	capture tip "$here/series.sh" checkout "$tree" || {
		fail "every step applies to $(git -C "$tree" log -1 --format=%s pristine)"
		continue
	}
	git=(git -C "$tree")
	mapfile -t steps < <("${git[@]}" rev-list --reverse "pristine..$tip")
	mapfile -t new_files < <("${git[@]}" diff --name-only --diff-filter=A pristine "$tip")
	pass "every step applies to $("${git[@]}" log -1 --format=%s pristine)"

	test_text
	test_steps
	test_guests
	# once is enough
	[ "$tried" ] || test_debug
	[ "$tried" ] || test_debian
	[ "$tried" ] || test_lab
	[ "$tried" ] || test_bad_input
	tried=yes
done

say "the logs are in $logs"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
