#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh TREE NAME ARCH TARGET... -- FRAGMENT...
#
# Configure and build the kernel in TREE: what the named fragments of config/
# ask for (FRAGMENT, and FRAGMENT-$BASE if there is one), and nothing else that
# can be left out. The objects go to, and what is printed is, a folder of the
# cache for this tree and NAME. Variables in MAKEFLAGS_EXTRA are passed to make.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

[ $# -ge 4 ] || die "usage: kernel.sh TREE NAME ARCH TARGET... -- FRAGMENT..."
tree=$1 name=$2 arch=$3
shift 3
targets=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	targets+=("$1")
	shift
done
shift

obj=$cache/obj/$(basename "$tree")/$name
log=$build/kernel-$name.log
export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$cache CCACHE_MAXSIZE=5G CCACHE_DEPEND=1
# In this mode ccache does not see what an .incbin brings in, and may give back
# the object of another kernel: of the compressed kernel in a bzImage, for one.
# The compiler's path is in every command, so it has to be the same for each clone.
cat >"$tmp/cc" <<'EOF'
#!/bin/sh
case "$*" in
*.S*) exec gcc "$@" ;;
*) exec ccache gcc "$@" ;;
esac
EOF
cmp -s "$tmp/cc" "$cache/cc" || install -m 755 "$tmp/cc" "$cache/cc"
# Whether there is a pahole, and which, would be one of the kernel's options.
make=(make -C "$tree" "O=$obj" "ARCH=$arch" "CC=$cache/cc" "HOSTCC=ccache gcc" PAHOLE=false)
# the objects do not depend on who builds them, where and when
export KBUILD_BUILD_USER=selinux_hash KBUILD_BUILD_HOST=selinux_hash
export KBUILD_BUILD_TIMESTAMP='1970-01-01'

mkdir -p "$obj"
fragments=()
for fragment; do
	fragments+=("$here/config/$fragment.config")
	# what only this base has
	[ ! -f "$here/config/$fragment-$base.config" ] ||
		fragments+=("$here/config/$fragment-$base.config")
done
# of two fragments that name an option, the later one counts
cat "${fragments[@]}" | grep -E '^(CONFIG_|# CONFIG_[A-Z0-9_]* is not set)' | tac |
	awk '{ o = $0; sub(/^# /, "", o); sub(/[= ].*/, "", o) } !seen[o]++' >"$tmp/config"

# Configure only when the fragments, the kernel's options or the result changed.
config_key()
{
	git -C "$tree" ls-tree -r HEAD | grep -E 'Kconfig|scripts/kconfig' |
		cat - "$tmp/config" "$obj/.config" | sha256sum
}

if [ ! -f "$obj/.config" ] || [ "$(cat "$obj/config.key" 2>/dev/null)" != "$(config_key)" ]; then
	run "${make[@]}" "KCONFIG_ALLCONFIG=$tmp/config" allnoconfig >"$log" 2>&1 ||
		die_with_log "cannot configure the kernel $name" "$log"
	# a misspelt option, or one whose dependencies are not met, is not taken
	while read -r option; do
		grep -qxF "$option" "$obj/.config" ||
			die "the kernel $name does not take '$option'" "its options are in $obj/.config"
	done <"$tmp/config"
	config_key >"$obj/config.key"
fi

# Print how far the build is, every ten seconds, and keep all of it in the log.
progress()
{
	local line objects=0 said=$SECONDS

	while IFS= read -r line; do
		printf '%s\n' "$line"
		case $line in
		"  CC "* | "  AS "* | "  HOSTCC "*)
			objects=$((objects + 1))
			if [ $((SECONDS - said)) -ge 10 ]; then
				said=$SECONDS
				say "$name: $objects objects${expected:+ of about $expected}"
			fi
			;;
		esac
	done >"$log"
}

# how many objects a build from nothing has
expected=$(sed -n "s/^# objects: //p" "${fragments[@]}" | tail -n 1)
[ ! -f "$obj/vmlinux.o" ] || expected=
start=$SECONDS
say "building the kernel $name ($(git -C "$tree" log -1 --format=%s))"
build_targets()
{
	# shellcheck disable=SC2086
	"${make[@]}" -j"$(nproc)" ${MAKEFLAGS_EXTRA:-} "${targets[@]}" 2>&1 | progress
}
run build_targets ||
	die_with_log "the build of the kernel $name failed" "$log"
say "built the kernel $name in $((SECONDS - start)) s"
echo "$obj"
