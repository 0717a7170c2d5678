#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# packages.sh series|run|lab|compare|image|test: install the Debian packages that are needed
# and missing.
# They are named first. Without root, the command to run is printed instead.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"

series=(git xz-utils)
run=("${series[@]}" bc bison bzip2 ccache flex gcc libc6-dev libelf-dev libselinux1-dev libsepol-dev
     make patch perl policycoreutils qemu-system-x86)
lab=("${run[@]}" gnuplot-nox)
# Hashes are measured on 32 bits, too. gcc-multilib itself does not go with a cross
# compiler; what it depends on does.
if [ "$(uname -m)" = x86_64 ]; then
	multilib=$(apt-cache depends gcc-multilib 2>/dev/null |
		sed -n 's/^ *Depends: \(gcc-[0-9]*-multilib\)$/\1/p') || :
	lab+=("${multilib:-gcc-multilib}")
fi
test=("${lab[@]}" codespell python3 shellcheck sparse)
compare=("${run[@]}" dwarves gnuplot-nox)
image=("${run[@]}" debian-archive-keyring e2fsprogs mmdebstrap)

case "${1:-}" in
series)	wanted=("${series[@]}") ;;
run)	wanted=("${run[@]}") ;;
lab)	wanted=("${lab[@]}") ;;
compare) wanted=("${compare[@]}") ;;
test)	wanted=("${test[@]}") ;;
image)	wanted=("${image[@]}") ;;
*)	die "usage: packages.sh series|run|lab|compare|image|test" ;;
esac

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
	die "this is not a Debian system" \
	    "install what these Debian packages hold: ${wanted[*]}"

missing=()
for package in "${wanted[@]}"; do
	dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep '^ii' >/dev/null ||
		missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

install="apt-get install -y --no-install-recommends --no-remove ${missing[*]}"
say "Debian packages needed and not installed: ${missing[*]}"
[ "$(id -u)" = 0 ] ||
	die "installing packages needs root; run this, then try again:" "sudo $install"

lock
log=$build/packages.log
say "installing them (log: $log)"
export DEBIAN_FRONTEND=noninteractive
if ! run $install >"$log" 2>&1; then
	# the package lists may be missing or old
	run apt-get update >>"$log" 2>&1 ||
		die_with_log "cannot update the package lists: is the network there?" "$log"
	run $install >>"$log" 2>&1 ||
		die_with_log "cannot install ${missing[*]}" "$log"
fi
