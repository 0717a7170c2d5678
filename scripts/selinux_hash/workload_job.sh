#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guest of workload.sh does once it is up: it installs the packages that the
# image has in apt's cache. Before, every fifth of a second meanwhile, and afterwards it
# prints the files with the figures of SELinux's tables, as lines
#
#	workload: boot|install|end FILE LINE

cd /sys/fs/selinux || exit 1
files=$(ls avc/hash_stats ss/sidtab_hash_stats avc/cache_stats ss/sid2str_cache_stats 2>/dev/null)

sample() { awk -v phase="$1" '{ print "workload:", phase, FILENAME, $0 }' $files; }

sample boot
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /var/cache/apt/archives/*.deb \
	>/tmp/apt.log 2>&1 &
apt=$!
while kill -0 $apt 2>/dev/null; do
	sample install
	sleep 0.2
done
wait $apt || {
	tail -n 20 /tmp/apt.log
	echo "guest: apt-get failed"
	exit 1
}
sample end

echo "workload: installed $(grep -c '^Unpacking ' /tmp/apt.log) packages"
for unit in apache2 named postfix@-; do
	systemctl --quiet is-active $unit || {
		echo "guest: $unit is installed, and not active"
		exit 1
	}
done
