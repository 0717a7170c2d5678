#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# source.sh: print the path of a git tree of the kernel to build.
#
# Its branch "pristine" is the kernel without the series: Debian's source
# package for $BASE, or the user's own tree if KSRC is set (which is only read).
# What is checked out there changes from command to command.
#
# Exit status 3: Debian no longer carries a source package for $BASE.

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
	local tree=$1 worktree=$2 commit id
	local git=(git -C "$worktree" --git-dir="$tree/.git" --work-tree="$worktree")

	export GIT_INDEX_FILE=$tree/.git/pristine.index
	# Debian's packaging makes the top .gitignore ignore the whole kernel,
	# and its dot-files; what is left to ignore is what a build leaves
	{
		sed '/^# Debian packaging: ignore everything/,$d' "$worktree/.gitignore"
		printf '%s\n' '!.*' '.*.cmd' '.*.d' '.config*' '.tmp_*' '.version' '.vmlinux*' '.[Mm]odule*'
	} >"$tmp/ignore"
	index_all()
	{
		"${git[@]}" ls-files -z --cached --others --exclude-from="$tmp/ignore" | grep -zv '/$' |
			"${git[@]}" update-index --add --remove -z --stdin
	}
	run index_all
	id=$("${git[@]}" hash-object -w "$tmp/ignore")
	"${git[@]}" update-index --add --cacheinfo "100644,$id,.gitignore"
	id=$("${git[@]}" write-tree)
	# not the time of today: the same source gives the same commit
	commit=$(echo "$3" |
		GIT_AUTHOR_NAME=pristine GIT_AUTHOR_EMAIL=pristine GIT_AUTHOR_DATE='@0 +0000' \
		GIT_COMMITTER_NAME=pristine GIT_COMMITTER_EMAIL=pristine GIT_COMMITTER_DATE='@0 +0000' \
		"${git[@]}" commit-tree "$id")
	unset GIT_INDEX_FILE
	"${git[@]}" update-ref refs/heads/pristine "$commit"
}

if [ "${KSRC:-}" ]; then
	[ -d "$KSRC" ] || die "KSRC=$KSRC is not a folder"
	ksrc=$(cd "$KSRC" && pwd)
	for f in .gitignore Makefile Kconfig scripts/checkpatch.pl security/selinux/avc.c; do
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
log=$build/source.log
apt_options=(-o APT::Sandbox::User=root)

candidate()
{
	apt-cache "${apt_options[@]}" policy "$package" 2>/dev/null |
		sed -n 's/^  Candidate: //p' | grep -v '^(none)$' || :
}

# The newest tree of this base in the cache, if there is one.
cached()
{
	[ ! -d "$cache/linux" ] || find "$cache/linux" -maxdepth 1 -name "$base-*" ! -name '*.tmp' | sort -V | tail -n 1
}

# The archive that this system takes Debian's packages from.
debian_archive() { apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 2>/dev/null | awk 'NR == 1'; }

version=$(candidate)
if [ -z "$version" ] && [ -z "$(debian_archive)" ] && [ "$(id -u)" = 0 ]; then
	say "updating the package lists"
	run apt-get update >"$log" 2>&1 ||
		die_with_log "cannot update the package lists: is the network there?" "$log"
	version=$(candidate)
fi

# A base of another suite: look there, with an apt state of its own, so that
# this system's apt stays as it is. Signatures are checked as always.
suite=$(cat "$top/patches/$base/suite" 2>/dev/null || :)
if [ -z "$version" ] && [ "$suite" ]; then
	archive=$(debian_archive)
	[ "$archive" ] || die "this system has no list of Debian's packages" "run 'apt-get update' as root"
	apt=$cache/apt/$suite
	mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
	printf '%s\n' 'Types: deb' "URIs: $archive" "Suites: $suite" 'Components: main' \
		'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' >"$apt/sources/debian.sources"
	apt_options+=(-o "Dir::State::Lists=$apt/lists" -o Dir::Etc::sourcelist=/dev/null
		      -o "Dir::Etc::sourceparts=$apt/sources" -o "Dir::Cache=$apt/cache")
	if ! run apt-get "${apt_options[@]}" -o APT::Update::Error-Mode=any update >"$log" 2>&1; then
		[ "$(cached)" ] || die_with_log "cannot read the package list of $suite: is the network there?" "$log"
		say "cannot read the package list of $suite: going on with what is cached"
	else
		version=$(candidate)
		[ "$version" ] || {
			say "$suite has no $package; it has $(apt-cache "${apt_options[@]}" pkgnames linux-source- | sort -V | paste -s -d' ')"
			[ "$(cached)" ] || {
				say "give your own tree: KSRC=/path/to/linux"
				exit 3
			}
		}
	fi
fi

if [ "$version" ]; then
	tree=$cache/linux/$base-$version
else
	tree=$(cached)
	[ "$tree" ] || die "this system's package sources have no $package" \
		"run 'apt-get update' as root, or give your own tree: KSRC=/path/to/linux"
	say "using the source in the cache: $(basename "$tree")"
fi

if [ ! -d "$tree" ]; then
	need_space "$cache" 7000 "the kernel source and its builds"
	mkdir -p "$cache/linux"
	rm -rf "$cache/linux"/*.tmp

	say "fetching $package $version (150 MB)"
	run env -C "$tmp" apt-get "${apt_options[@]}" download "$package=$version" >"$log" 2>&1 ||
		die_with_log "cannot download $package: is the network there?" "$log"

	say "unpacking it (1.7 GB), and putting it into git: 2 minutes"
	mkdir "$tree.tmp"
	{
		run dpkg-deb -x "$tmp"/*.deb "$tmp/deb" &&
		run tar -xJf "$tmp/deb/usr/src/$package.tar.xz" -C "$tree.tmp" --strip-components=1
	} >"$log" 2>&1 || die_with_log "cannot unpack $package" "$log"
	rm -rf "$tmp/deb" "$tmp"/*.deb
	init_tree "$tree.tmp"
	snapshot "$tree.tmp" "$tree.tmp" "Linux $(version_of "$tree.tmp"), Debian's $package $version"
	git -C "$tree.tmp" checkout -qf pristine
	mv "$tree.tmp" "$tree"
fi
echo "$tree"
