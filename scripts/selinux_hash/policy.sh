#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# policy.sh [default|mls]: print the path of a folder with Debian's SELinux policy:
#
#	policy         the binary policy
#	file_contexts  the contexts of files
#
# It is built from the package selinux-policy-default (or -mls) as its own installation
# does it, but in a folder of the cache: nothing on this machine is changed.
# POLICY=/path/to/a/binary/policy takes that one instead, with Debian's contexts.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

name=${1:-default}
case $name in
default)	versions=$cache/policy ;;
mls)		versions=$cache/policy-mls ;;
*)		die "usage: policy.sh [default|mls]" ;;
esac
package=selinux-policy-$name
command -v apt-get >/dev/null || die "fetching Debian's policy needs apt"
version=$(apt-cache policy "$package" | sed -n 's/^  Candidate: //p')
if [ -z "$version" ] || [ "$version" = '(none)' ]; then
	# what was built before will do
	version=$(find "$versions" -mindepth 1 -maxdepth 1 ! -name '*.tmp' -printf '%f\n' 2>/dev/null |
		sort -V | tail -n 1) || :
	[ "$version" ] || die "this system's package sources have no $package" \
		"run 'apt-get update' as root"
fi

dir=$versions/$version
if [ ! -d "$dir" ]; then
	log=$build/policy.log
	say "building Debian's policy ($package $version): half a minute"
	run env -C "$tmp" apt-get -o APT::Sandbox::User=root download "$package=$version" \
		>"$log" 2>&1 || die_with_log "cannot download $package: is the network there?" "$log"
	mkdir "$tmp/root"
	dpkg-deb -x "$tmp"/*.deb "$tmp/root"
	dpkg-deb -e "$tmp"/*.deb "$tmp/control"
	printf 'SELINUX=permissive\nSELINUXTYPE=%s\n' "$name" >"$tmp/root/etc/selinux/config"

	# the modules that the package leaves disabled
	notdefault=$(sed -n 's/^notdefault="\(.*\)"$/ \1 /p' "$tmp/control/postinst")
	modules=()
	while read -r module; do
		[[ "$notdefault" == *" $module "* ]] ||
			modules+=(-i "$tmp/root/usr/share/selinux/$name/$module.pp.bz2")
	done <"$tmp/root/usr/share/selinux/$name/.modules"
	run semodule -p "$tmp/root" -s "$name" -n -X 100 "${modules[@]}" >>"$log" 2>&1 ||
		die_with_log "semodule cannot build the policy" "$log"

	rm -rf "$dir.tmp"
	mkdir -p "$dir.tmp"
	cp "$tmp/root/etc/selinux/$name/policy"/policy.* "$dir.tmp/policy"
	cp "$tmp/root/etc/selinux/$name/contexts/files/file_contexts" "$dir.tmp/"
	mv -T "$dir.tmp" "$dir"
fi

if [ "${POLICY:-}" ]; then
	[ -f "$POLICY" ] && [ -r "$POLICY" ] || die "POLICY=$POLICY is not a file that can be read"
	rm -rf "$build/policy"
	mkdir "$build/policy"
	cp "$POLICY" "$build/policy/policy"
	cp "$dir/file_contexts" "$build/policy/"
	dir=$build/policy
fi
echo "$dir"
