#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# series.sh COMMAND [TREE]
#
# The series of $BASE is kept as patches/$BASE/: mails with a message and the
# hunks for files that the kernel already has. The new files that a step brings
# stand at their kernel path in this repository, and the step names them, in
# lines "new: PATH" below its "---". TREE is what source.sh prints.
#
#	checkout  make one commit per step on "pristine", and check the last one
#		  out in TREE; print it
#	mails     write self-contained mails to build/series/$BASE/
#	layout    lay the commits out in build/tree/$BASE, to work on them
#	takeback  turn the commits there back into patches and new files
#	try       say of every step whether TREE takes it: clean, with an offset, or
#		  not, and then which hunk
#	drop      remove build/tree/$BASE, if all that it holds was taken back

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

command=${1:-} tree=${2:-}
patches=$top/patches/$base
worktree=$build/tree/$base

case $command in
takeback | drop)
	[ -e "$worktree" ] || die "there is no $worktree" "lay it out with 'make tree BASE=$base'"
	tree=$(git -C "$worktree" rev-parse --path-format=absolute --git-common-dir 2>/dev/null) &&
	[ "$(git -C "$worktree" rev-parse --show-toplevel)" -ef "$worktree" ] ||
		die "$worktree is not a git tree of this series" "what it came from is gone; move it away"
	tree=$(dirname "$tree")
	;;
checkout | mails | layout | try)
	if [ -z "$tree" ]; then
		run "$here/packages.sh" series
		capture tree "$here/source.sh"
	fi
	;;
*)
	die "usage: series.sh checkout|mails|layout|takeback|try|drop [TREE]"
	;;
esac
git=(git -C "$tree")
# what the commits stand on: a later snapshot of KSRC moves "pristine" only
pristine=pristine
case $command in
takeback | drop)
	pristine=$(cat "$worktree.base" 2>/dev/null) ||
		die "$worktree.base is gone, so where the series begins is not known" "move $worktree away"
	;;
esac
linux=$("${git[@]}" log -1 --format=%s "$pristine")
made_on=$(cat "$patches/made-on" 2>/dev/null || echo "$linux")
[ "$linux" = "$made_on" ] || [ "$command" = takeback ] ||
	say "this is $linux; the series was made on $made_on"

steps() { find "$patches" -name '[0-9]*.patch' ! -name '0000-*' | sort; }

# Apply one step to the index, commit it on $parent, and set parent to that.
commit_step()
{
	local patch=$1 n=$2 subject files file mode id

	"${git[@]}" mailinfo "$tmp/message" "$tmp/diff" <"$patch" >"$tmp/info" ||
		die "$patch is not a patch in mail format"
	subject=$(sed -n 's/^Subject: //p' "$tmp/info")

	if grep -q '^diff --git' "$tmp/diff" &&
	   ! "${git[@]}" apply --cached --whitespace=error-all "$tmp/diff" 2>"$tmp/err"; then
		files=$(sed -n 's/^error: patch failed: \(.*\):[0-9]*$/\1/p; s/^error: \([^:]*\): does not .*/\1/p' \
			"$tmp/err" | sort -u | paste -s -d' ')
		sed 's/^/  | /' "$tmp/err" >&2
		die "step $n of the series for $base does not apply to $linux" \
		    "step: $subject" "file: ${files:-see above}"
	fi
	while read -r file; do
		[ -f "$top/$file" ] || die "step $n names the new file $file, which is not in this repository"
		! "${git[@]}" cat-file -e "$parent:$file" 2>/dev/null ||
			die "step $n of the series for $base does not apply to $linux" \
			    "step: $subject" "file: $file is new in the series, but is there already"
		mode=100644
		[ ! -x "$top/$file" ] || mode=100755
		id=$("${git[@]}" hash-object -w --no-filters "$top/$file")
		"${git[@]}" update-index --add --cacheinfo "$mode,$id,$file"
	done < <(sed -n '/^diff --git/q; s/^new: //p' "$tmp/diff")

	export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
	GIT_AUTHOR_NAME=$(sed -n 's/^Author: //p' "$tmp/info")
	GIT_AUTHOR_EMAIL=$(sed -n 's/^Email: //p' "$tmp/info")
	GIT_AUTHOR_DATE=$(sed -n 's/^Date: //p' "$tmp/info")
	id=$("${git[@]}" write-tree)
	# the same patches on the same kernel give the same commits
	parent=$({ printf '%s\n\n' "$subject"; cat "$tmp/message"; } | git stripspace |
		GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL \
		GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE \
		"${git[@]}" commit-tree -p "$parent" "$id")
}

# Print the last commit of the series.
commit()
{
	local patch n=0 parent

	parent=$("${git[@]}" rev-parse "$pristine")
	export GIT_INDEX_FILE=$tmp/index
	"${git[@]}" read-tree "$parent"
	while read -r patch; do
		n=$((n + 1))
		commit_step "$patch" "$n"
	done < <(steps)
	unset GIT_INDEX_FILE
	[ "$n" -gt 0 ] || die "there is no patch in $patches"
	echo "$parent"
}

# format_patch OPTION...: mails that are the same wherever they are made
format_patch()
{
	"${git[@]}" format-patch --quiet --zero-commit --no-signature --abbrev=12 \
		--no-thread --subject-prefix=PATCH "$@"
}

mails()
{
	local tip=$1 out=$build/series/$base name email

	name=$("${git[@]}" log -1 --format=%an "$tip")
	email=$("${git[@]}" log -1 --format=%ae "$tip")
	"${git[@]}" update-ref refs/heads/selinux_hash "$tip"
	"${git[@]}" mailinfo "$tmp/message" /dev/null <"$patches/0000-cover-letter.patch" >"$tmp/info"
	rm -rf "$out"
	mkdir -p "$out"
	GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email \
	git -C "$tree" -c "branch.selinux_hash.description=$(
		sed -n 's/^Subject: //p' "$tmp/info"
		echo
		cat "$tmp/message")" \
		format-patch --quiet --zero-commit --no-signature --abbrev=12 --no-thread \
		--subject-prefix=PATCH --cover-letter --cover-from-description=subject \
		-o "$out" pristine..selinux_hash
	say "$(find "$out" -name '*.patch' | wc -l) mails, the cover letter included, for $linux:"
	find "$out" -name '*.patch' | sort
}

# Does the developer's tree hold nothing that this repository does not have?
tree_is_taken_back()
{
	[ -z "$(git -C "$worktree" status --porcelain)" ] &&
	[ "$(git -C "$worktree" rev-parse 'HEAD^{tree}')" = "$("${git[@]}" rev-parse "$1^{tree}")" ] &&
	[ "$(git -C "$worktree" log --format=%B "$2..")" = "$("${git[@]}" log --format=%B "$pristine..$1")" ]
}

layout()
{
	local tip=$1

	if [ -e "$worktree/.git" ]; then
		git -C "$worktree" rev-parse -q --verify HEAD >/dev/null ||
			die "$worktree is not a git tree of this series" "what it came from is gone; move it away"
		tree_is_taken_back "$tip" "$(cat "$worktree.base")" ||
			die "$worktree holds work that patches/$base does not have" \
			    "take it back with 'make patches BASE=$base', or move it away"
		git -C "$worktree" checkout -q --detach "$tip"
	else
		need_space "$build" 2500 "a kernel tree"
		"${git[@]}" worktree prune
		mkdir -p "$build/tree"
		run "${git[@]}" worktree add --quiet --detach "$worktree" "$tip"
	fi
	"${git[@]}" rev-parse pristine >"$worktree.base"
	say "the series for $linux, one commit per step, is in $worktree"
	say "commit, amend and rebase there, then 'make patches BASE=$base'"
	git -C "$worktree" --no-pager log --oneline --reverse pristine..
}

takeback()
{
	local commit n=0 file name existing brought=" "

	git=(git -C "$worktree")
	[ -z "$("${git[@]}" status --porcelain)" ] ||
		die "$worktree has changes that are not committed" "commit or discard them first"
	"${git[@]}" merge-base --is-ancestor "$pristine" HEAD ||
		die "the commits in $worktree are not based on $linux" "rebase them onto $pristine"
	[ "$("${git[@]}" rev-list --count "$pristine..")" -gt 0 ] || die "$worktree has no commit of the series"

	mkdir "$tmp/patches" "$tmp/new"
	for commit in $("${git[@]}" rev-list --reverse "$pristine.."); do
		n=$((n + 1))
		name=$("${git[@]}" log -1 --format=%f "$commit")
		name=$(printf '%04d-%s.patch' "$n" "${name:0:52}")
		existing=()
		: >"$tmp/brings"
		while read -r file; do
			if "${git[@]}" cat-file -e "$pristine:$file" 2>/dev/null; then
				existing+=("$file")
				continue
			fi
			[[ "$brought" != *" $file "* ]] ||
				die "step $n changes $file, which an earlier step brings" \
				    "a new file comes whole, in one step: squash the change into that one"
			brought="$brought$file "
			echo "new: $file" >>"$tmp/brings"
			mkdir -p "$tmp/new/$(dirname "$file")"
			"${git[@]}" show "$commit:$file" >"$tmp/new/$file"
			case $("${git[@]}" ls-tree "$commit" -- "$file") in
			100755*) chmod +x "$tmp/new/$file" ;;
			esac
		done < <("${git[@]}" diff-tree -r --no-renames --name-only --no-commit-id "$commit")
		{
			format_patch -1 --stdout "$commit" | sed -n '1,/^---$/p'
			cat "$tmp/brings"
			echo
			[ ${#existing[@]} = 0 ] ||
				"${git[@]}" diff --no-renames --abbrev=12 "$commit^" "$commit" -- "${existing[@]}"
		} >"$tmp/patches/$name"
	done

	find "$patches" -name '[0-9]*.patch' ! -name '0000-*' -delete
	cp "$tmp/patches"/* "$patches/"
	# a path of the user's is nothing for the repository
	case $(basename "$tree") in
	ksrc-*) ;;
	*) echo "$linux" >"$patches/made-on" ;;
	esac
	cp -r "$tmp/new/." "$top/"
	say "$n steps taken back into patches/$base; see 'git status'"
}

# Print the hunk of $tmp/diff for a file that begins at a line.
hunk()
{
	awk -v file="$1" -v line="$2" '
		/^diff --git/ { here = ($0 == "diff --git a/" file " b/" file) }
		/^@@/ { shown = here && $2 ~ "^-" line "(,|$)" }
		/^diff --git/ { shown = 0 }
		shown { print "      " $0 }' "$tmp/diff"
}

# One line per step, and the hunks that do not apply. What does is kept in the
# index, so that later steps are tried on what they expect, as far as possible.
try()
{
	local patch n=0 file where conflicts=0 offset steps_n
	export GIT_INDEX_FILE=$tmp/index

	steps_n=$(steps | wc -l)
	say "the $steps_n steps of the series for $base, on $linux"
	"${git[@]}" read-tree pristine
	while read -r patch; do
		n=$((n + 1))
		"${git[@]}" mailinfo "$tmp/message" "$tmp/diff" <"$patch" >"$tmp/info"
		: >"$tmp/verbose"
		: >"$tmp/failed"
		while read -r file; do
			"${git[@]}" apply --cached --verbose --include="$file" "$tmp/diff" 2>>"$tmp/verbose" ||
				echo "$file" >>"$tmp/failed"
		done < <(sed -n 's,^diff --git a/\(.*\) b/.*,\1,p' "$tmp/diff")
		while read -r file; do
			if "${git[@]}" cat-file -e "pristine:$file" 2>/dev/null; then
				echo "error: $file: is there already" >>"$tmp/verbose"
				echo "$file" >>"$tmp/failed"
			fi
		done < <(sed -n '/^diff --git/q; s/^new: //p' "$tmp/diff")

		offset=$(sed -n 's/^Hunk #[0-9]* succeeded at [0-9]* (offset \(-\{0,1\}[0-9]*\) line.*/\1/p' "$tmp/verbose" |
			sort -n | uniq | paste -s -d' ')
		printf '%2d  ' "$n"
		if [ -s "$tmp/failed" ]; then
			conflicts=$((conflicts + 1))
			printf 'CONFLICT  '
		elif [ "$offset" ]; then
			printf 'offset %s  ' "$offset"
		else
			printf 'clean  '
		fi
		sed -n 's/^Subject: //p' "$tmp/info"
		sed -n 's/^error: \([^:]*: .*\)/      \1/p' "$tmp/verbose" | grep -v 'patch does not apply' || :
		while read -r where; do
			hunk "${where%:*}" "${where##*:}"
		done < <(sed -n 's/^error: patch failed: //p' "$tmp/verbose")
	done < <(steps)
	unset GIT_INDEX_FILE
	[ "$conflicts" = 0 ] || die "$conflicts of $steps_n steps do not apply to $linux"
	say "every step applies"
}

case $command in
takeback)
	takeback
	exit
	;;
try)
	try
	exit
	;;
esac

tip=$(commit)
case $command in
checkout)
	"${git[@]}" checkout -qf --detach "$tip"
	"${git[@]}" clean -fdq
	echo "$tip"
	;;
mails)
	mails "$tip"
	;;
layout)
	layout "$tip"
	;;
drop)
	tree_is_taken_back "$tip" "$pristine" ||
		die "$worktree holds work that patches/$base does not have" \
		    "take it back with 'make patches BASE=$base', or move it away"
	rm -f "$worktree.base"
	"${git[@]}" worktree remove --force "$worktree"
	;;
esac
