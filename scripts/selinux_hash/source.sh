#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# source.sh: print the path of a git tree of the kernel to build.
#
# Its branch "pristine" is the kernel without the series: Debian's source
# package for $BASE, or the user's own tree if KSRC is set (which is only read).
# What is checked out there changes from command to command.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

# The version of the kernel in a tree, from its Makefile.
version_of()
{
	sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\|EXTRAVERSION\) *= *//p' "$1/Makefile" |
		paste -s -d. | sed 's/\.\(-\|$\)/\1/'
}

init_tree()
{
	git init -q "$1"
	git -C "$1" config core.compression 1
	git -C "$1" config gc.auto 0
	git -C "$1" config advice.detachedHead false
}

# snapshot TREE WORKTREE MESSAGE: make "pristine" in TREE what WORKTREE holds
snapshot()
{
	local tree=$1 worktree=$2 commit
	local git=(git -C "$worktree" --git-dir="$tree/.git" --work-tree="$worktree")

	export GIT_INDEX_FILE=$tree/.git/pristine.index
	# Debian's packaging makes the top .gitignore ignore the whole kernel,
	# and its dot-files; what is left to ignore is what a build leaves
	{
		sed '/^# Debian packaging: ignore everything/,$d' "$worktree/.gitignore"
		printf '%s\n' '!.*' '.*.cmd' '.*.d' '.config*' '.tmp_*' '.version' '.vmlinux*' '.[Mm]odule*'
	} >"$tmp/ignore"
	"${git[@]}" ls-files -z --cached --others --exclude-from="$tmp/ignore" | grep -zv '/$' |
		run "${git[@]}" update-index --add --remove -z --stdin
	"${git[@]}" update-index --add --cacheinfo \
		"100644,$("${git[@]}" hash-object -w "$tmp/ignore"),.gitignore"
	# not the time of today: the same source gives the same commit
	commit=$(echo "$3" |
		GIT_AUTHOR_NAME=pristine GIT_AUTHOR_EMAIL=pristine GIT_AUTHOR_DATE='@0 +0000' \
		GIT_COMMITTER_NAME=pristine GIT_COMMITTER_EMAIL=pristine GIT_COMMITTER_DATE='@0 +0000' \
		"${git[@]}" commit-tree "$("${git[@]}" write-tree)")
	unset GIT_INDEX_FILE
	"${git[@]}" update-ref refs/heads/pristine "$commit"
}

if [ "${KSRC:-}" ]; then
	[ -d "$KSRC" ] || die "KSRC=$KSRC is not a folder"
	ksrc=$(cd "$KSRC" && pwd)
	for f in Makefile Kconfig scripts/checkpatch.pl security/selinux/avc.c; do
		[ -f "$ksrc/$f" ] ||
			die "KSRC=$KSRC is not a Linux source tree: it has no $f" \
			    "give the top folder of an unpacked or cloned kernel"
	done
	tree=$cache/linux/ksrc-$(basename "$ksrc")-$(printf %s "$ksrc" | sha256sum | cut -c1-12)
	if [ ! -d "$tree/.git" ]; then
		need_space "$cache" 7000 "a copy of $KSRC and its builds"
		mkdir -p "$cache/linux"
		rm -rf "$tree.tmp"
		init_tree "$tree.tmp"
		mv "$tree.tmp" "$tree"
	fi
	say "taking a snapshot of $ksrc (Linux $(version_of "$ksrc"))"
	snapshot "$tree" "$ksrc" "Linux $(version_of "$ksrc"), from $ksrc"
	git -C "$tree" rev-parse -q --verify HEAD >/dev/null || git -C "$tree" checkout -qf pristine
	echo "$tree"
	exit
fi

command -v apt-get >/dev/null ||
	die "fetching a kernel source needs apt" "give your own tree: KSRC=/path/to/linux"

package=linux-source-$base
candidate() { apt-cache policy "$package" 2>/dev/null | sed -n 's/^  Candidate: //p'; }

version=$(candidate)
if [ -z "$version" ] || [ "$version" = '(none)' ]; then
	if [ "$(id -u)" = 0 ]; then
		say "updating the package lists"
		run apt-get update >"$build/source.log" 2>&1 ||
			die_with_log "cannot update the package lists: is the network there?" "$build/source.log"
		version=$(candidate)
	fi
	[ "$version" ] && [ "$version" != '(none)' ] ||
		die "this system's package sources have no $package" \
		    "try 'apt-get update' as root, or give your own tree: KSRC=/path/to/linux"
fi

tree=$cache/linux/$base-$version
if [ ! -d "$tree" ]; then
	need_space "$cache" 7000 "the kernel source and its builds"
	mkdir -p "$cache/deb" "$cache/linux"
	rm -rf "$cache/linux"/*.tmp

	say "fetching $package $version (150 MB)"
	run env -C "$tmp" apt-get -o APT::Sandbox::User=root download "$package=$version" \
		>"$build/source.log" 2>&1 ||
		die_with_log "cannot download $package: is the network there?" "$build/source.log"

	say "unpacking it (1.7 GB), and putting it into git: 2 minutes"
	mkdir "$tree.tmp"
	{
		run dpkg-deb -x "$tmp"/*.deb "$tmp/deb" &&
		run tar -xJf "$tmp/deb/usr/src/$package.tar.xz" -C "$tree.tmp" --strip-components=1
	} >"$build/source.log" 2>&1 ||
		die_with_log "cannot unpack $package" "$build/source.log"
	rm -rf "$tmp/deb" "$tmp"/*.deb
	init_tree "$tree.tmp"
	snapshot "$tree.tmp" "$tree.tmp" "Linux $(version_of "$tree.tmp"), Debian's $package $version"
	git -C "$tree.tmp" checkout -qf pristine
	mv "$tree.tmp" "$tree"
fi
echo "$tree"
