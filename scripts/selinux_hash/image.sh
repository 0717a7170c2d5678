#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# image.sh: print the path of a disk image with a whole Debian in it: ext4, labelled
# for its SELinux policy, permissive unless the kernel is told "enforcing=1".
#
# It is of the release that this machine has, from the archive that its apt uses.
# It is the machine's disk /dev/vda. Once the system is up, it runs what the host
# hands over as /dev/vdb, a shell script, as root in unconfined_t; what that says
# goes to ttyS1, followed by its exit status, and then the machine ends (see
# guest.sh). Nobody can log in.
#
# Exit status 3: there is none, and this machine cannot make one.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

packages=(auditd cron dbus kmod libpam-systemd login logrotate openssh-server passwd policycoreutils
	  procps rsyslog selinux-policy-default systemd systemd-sysv udev util-linux)
# whose .debs are in the image's cache of apt, with those that they need: for workload.sh
debs=(apache2 bind9 postfix)
log=$build/image.log

# Lines of sources.list for the release that this machine's own sources are of,
# with its updates. Others, and those that are not Debian's, are left out.
sources()
{
	apt-get indextargets --format '$(LABEL) $(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$1 == "Debian" && !release && $2 !~ /-/ { release = $2 }
		     { line[NR] = $0 }
		     END {
			for (i = 1; i <= NR; i++) {
				split(line[i], f, " ")
				if (f[1] ~ /^Debian(-Security)?$/ && release &&
				    (f[2] == release || f[2] ~ "^" release "-(updates|security)$"))
					print "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]", f[3], f[4], f[5]
			}
		     }'
}

# What this machine's apt is told about proxies, certificates, and a mirror that
# is behind; not about signatures, which are checked as always.
acquire_options()
{
	apt-config dump --no-empty --format '%F "%v";%n' Acquire |
		grep -E '^Acquire::(https?|Check-|ForceIPv|Retries)' || :
}

# What makes one image differ from another one.
key()
{
	{
		cat "$0"
		apt-cache policy "${packages[@]}" "${debs[@]}" | sed -n 's/^[^ ]*:$/&/p; s/^  Candidate: //p'
	} | sha256sum | cut -c1-16
}

# cannot MESSAGE...: say why, which is no fault of anybody's here
cannot() { (die "$@") || exit 3; }

command -v apt-get >/dev/null || cannot "making an image of Debian needs apt"
mapfile -t lines < <(sources)
key=$(key)
dir=$cache/image/$key
if [ ${#lines[@]} = 0 ]; then
	# what was made before will do
	dir=$(find "$cache/image" -mindepth 1 -maxdepth 1 ! -name '*.tmp' -printf '%T@ %p\n' 2>/dev/null |
		sort -n | sed -n '$s/^[^ ]* //p') || :
	[ "$dir" ] || cannot "this system has no list of Debian's packages" "run 'apt-get update' as root"
fi
if [ -d "$dir" ]; then
	echo "$dir/debian.ext4"
	exit
fi

# labels are attributes that root alone can give to files
[ "$(id -u)" = 0 ] || cannot "making an image of Debian needs root, to label its files" \
	"run this once as root, with the same CACHE=: sudo CACHE=$cache $0"
run "$here/packages.sh" image || exit 3
need_space "$cache" 2000 "an image of Debian"
need_space "$build" 1000 "what the image is made from"

# What is not in a package.
set_up()
{
	local root=$1

	echo debian >"$root/etc/hostname"
	rm -f "$root/etc/resolv.conf" "$root/etc/apt/apt.conf.d/99mmdebstrap"
	# not a first boot, with its questions, each time
	printf '%s\n' "$(printf %s "$key" | md5sum | cut -c1-32)" >"$root/etc/machine-id"
	echo "/dev/vda / ext4 defaults 0 1" >"$root/etc/fstab"
	printf 'SELINUX=permissive\nSELINUXTYPE=default\n' >"$root/etc/selinux/config"
	ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
	ln -sf /dev/null "$root/etc/systemd/system/serial-getty@.service"
	# what would ask the network
	ln -sf /dev/null "$root/etc/systemd/system/systemd-timesyncd.service"

	cat >"$root/usr/local/sbin/host-job" <<-'EOF'
		#!/bin/sh
		{
			sh /dev/vdb
			echo "guest: status $?"
		} </dev/null >/dev/ttyS1 2>&1
		systemctl --force --force reboot
	EOF
	chmod 755 "$root/usr/local/sbin/host-job"
	cat >"$root/etc/systemd/system/host-job.service" <<-'EOF'
		[Unit]
		Description=What the host hands over
		ConditionPathExists=/dev/vdb
		After=multi-user.target

		[Service]
		Type=oneshot
		SELinuxContext=unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023
		ExecStart=/usr/local/sbin/host-job
	EOF
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -sf ../host-job.service "$root/etc/systemd/system/multi-user.target.wants/"
}

label() { setfiles -F -r "$1" "$1/etc/selinux/default/contexts/files/file_contexts" "$1"; }

make_ext4()
{
	# what the guest would initialize later would disturb it; and it has to write
	mke2fs -q -t ext4 -L debian -d "$1" -E lazy_itable_init=0,lazy_journal_init=0 "$2" 2G &&
	# the one file that mke2fs adds
	debugfs -w -R 'ea_set /lost+found security.selinux system_u:object_r:lost_found_t:s0\000' "$2"
}

root=$tmp/root
rm -rf "$cache/image"/*.tmp
mkdir -p "$dir.tmp"
acquire_options >"$tmp/apt.conf"
say "making an image of Debian: ${#packages[@]} packages and what they need, 3 minutes (log: $log)"
run mmdebstrap --mode=root --variant=minbase --format=directory --aptopt="$tmp/apt.conf" \
	--dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-exclude='/usr/share/man/*' \
	--dpkgopt=path-exclude='/usr/share/locale/*' --skip=cleanup/apt/cache \
	--customize-hook='rm -f "$1"/var/cache/apt/archives/*.deb' \
	--customize-hook="APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG apt-get install -y --download-only \
		--no-install-recommends ${debs[*]}" \
	--include="$(IFS=,; echo "${packages[*]}")" \
	'' "$root" "${lines[@]}" >"$log" 2>&1 </dev/null ||
	(die_with_log "mmdebstrap cannot make a Debian" "$log") || exit 3
set_up "$root"
run label "$root" >>"$log" 2>&1 || die_with_log "setfiles cannot label the files" "$log"
run make_ext4 "$root" "$dir.tmp/debian.ext4" >>"$log" 2>&1 ||
	die_with_log "mke2fs cannot make the image" "$log"
mv -T "$dir.tmp" "$dir"
# those of older packages
find "$cache/image" -mindepth 1 -maxdepth 1 ! -name "$key" -exec rm -rf {} +
say "made the image of Debian in $SECONDS s"
echo "$dir/debian.ext4"
