# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by every script here: where things are, and how to say what happens.

set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C
# what git and make do here is not for the user's settings, or for the make that
# called, to decide
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
unset MAKEFLAGS MFLAGS MAKELEVEL GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034
here=$top/scripts/selinux_hash
build=$top/build
: "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selinux_hash}
base=${BASE:-6.12}
tmp=

say() { printf '%s %s\n' "--" "$*" >&2; }

die()
{
	printf 'error: %s\n' "$1" >&2
	shift
	[ $# = 0 ] || printf '       %s\n' "$@" >&2
	exit 1
}

# Die with the last lines of a log that hold an error, or its last lines.
die_with_log()
{
	local what=$1 log=$2 lines

	if grep -a 'No space left on device' "$log" >/dev/null; then
		what="$what: no space left in $cache, $build or /tmp"
	fi
	lines=$(grep -aE 'rror:|rror |Error|No space left|panic|cannot |Unable|failed|refus|^E: ' \
		"$log" | tail -n 4) || lines=$(tail -n 8 "$log")
	printf '%s\n' "$lines" | sed 's/^/  | /' >&2
	die "$what" "the log is $log"
}

cleanup()
{
	local status=$?

	trap - EXIT INT TERM HUP
	stop_jobs
	[ -z "$tmp" ] || rm -rf "$tmp"
	[ "$status" -lt 128 ] || printf 'stopped: %s\n' "$(basename "$0")" >&2
	exit "$status"
}

# End what run() has started, each with all of its process group.
stop_jobs()
{
	local pid

	for pid in $(jobs -p); do
		kill -TERM -- "-$pid" 2>/dev/null || :
	done
	wait 2>/dev/null || :
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

[ "$base" ] && [ -d "$top/patches/$base" ] ||
	die "there is no series for BASE=$base" \
	    "bases: $(cd "$top/patches" 2>/dev/null && echo [0-9]*)"

mkdir -p "$build" "$cache" 2>/dev/null ||
	die "cannot create $build or $cache" "set CACHE= to a folder that can be written"
cache=$(cd "$cache" && pwd)
tmp=$(mktemp -d "$build/tmp.XXXXXX")

# Run a command or function in the background and wait for it, so that a signal
# to this script is acted on at once and not when the command has ended. It gets
# a process group of its own, in which Ctrl-C reaches it by way of stop_jobs().
run()
{
	local pid

	set -m
	{
		{
			trap stop_jobs EXIT
			trap 'exit 143' HUP INT TERM
			"$@" <&8 8<&-
		} &
	} 8<&0
	pid=$!
	set +m
	wait "$pid"
}

# capture NAME COMMAND...: the same, and set NAME to what the command prints.
capture()
{
	local name=$1

	shift
	run "$@" >"$tmp/capture" || return
	printf -v "$name" %s "$(cat "$tmp/capture")"
}

# One user of a clone, whose build/ it is, and one of the cache at a time: source
# trees and objects are shared by all clones. Whoever comes second is told, and
# stops. Scripts called by the one that holds the locks find them held.
lock()
{
	[ "${SELINUX_HASH_LOCKED:-}" != "$cache" ] || return 0
	exec 7<"$top/Makefile" 9>>"$cache/lock"
	flock -n 7 || die "another run is using this clone, $top" "wait for it to end"
	flock -n 9 || die "another run is using $cache" \
		"$(cat "$cache/lock.owner" 2>/dev/null || echo 'its owner is not known')" \
		"wait for it to end, or set CACHE= to another folder"
	echo "it is process $$, started $(date '+%F %T') in $top" >"$cache/lock.owner"
	export SELINUX_HASH_LOCKED=$cache
}

# need_space DIR MEGABYTES WHAT
need_space()
{
	local free

	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$2" ] || die "$3 needs $2 MB in $1, which has $free MB free" \
		"make room there, or set CACHE= to a folder on a larger disk"
}

# refuse_debug_code OBJ: what would make a kernel slower than those that people use
refuse_debug_code()
{
	local bad

	bad=$(grep -xE 'CONFIG_(SLUB_TINY|CC_OPTIMIZE_FOR_SIZE|DEBUG_KERNEL|LOCKDEP|PROVE_LOCKING|KASAN|KCSAN|UBSAN|KUNIT|SLUB_DEBUG_ON|FAULT_INJECTION|UML_TIME_TRAVEL_SUPPORT)=[ym]' \
		"$1/.config" | paste -s -d' ') || :
	[ -z "$bad" ] || die "a kernel with $bad is not one to measure" "its options are in $1/.config"
}

# show_table DIR: what a measurement ends with. $tmp/table is its table, and DIR is where
# all of it goes.
show_table()
{
	cp "$tmp/table" "$1/table.txt"
	cat "$1/table.txt"
	say "the table is in $1, as text and as CSV, with every run and the guests' logs"
}

# Make a commit of a kernel tree: begin_commit TREE COMMIT, then put_file PATH FILE or "git
# apply --cached", then end_commit WHAT, which prints it. The same gives the same.
begin_commit()
{
	new_commit_tree=$1 new_commit_parent=$2
	export GIT_INDEX_FILE=$tmp/index
	git -C "$1" read-tree "$2"
}

put_file()
{
	local id

	id=$(git -C "$new_commit_tree" hash-object -w --no-filters "$2")
	git -C "$new_commit_tree" update-index --add --cacheinfo "100644,$id,$1"
}

end_commit()
{
	local id parent

	id=$(git -C "$new_commit_tree" write-tree)
	unset GIT_INDEX_FILE
	parent=$(git -C "$new_commit_tree" rev-parse "$new_commit_parent^{commit}")
	git -C "$new_commit_tree" log -1 --format="%s, with $1" "$parent" |
		GIT_AUTHOR_NAME=measure GIT_AUTHOR_EMAIL=measure GIT_AUTHOR_DATE='@0 +0000' \
		GIT_COMMITTER_NAME=measure GIT_COMMITTER_EMAIL=measure GIT_COMMITTER_DATE='@0 +0000' \
		git -C "$new_commit_tree" commit-tree -p "$parent" "$id"
}
