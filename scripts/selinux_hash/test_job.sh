#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What test.sh has a whole Debian do, that was booted with enforcing=1: what users rely
# on, as TAP. A check is a function; what it says if it fails is printed behind "#".

cd /sys/fs/selinux || exit 1
n=0
dir=/root/test
mkdir $dir

# check NAME COMMAND...
check()
{
	n=$((n + 1))
	name=$1
	shift
	if "$@" >/tmp/check 2>&1; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		sed 's/^/# /' /tmp/check
	fi
}

is() { [ "$1" = "$2" ] || { echo "$1 instead of $2"; return 1; }; }

# This job is the last one of the boot, so the system does not call itself "running" yet.
is_up()
{
	for unit in multi-user.target auditd cron dbus ssh systemd-journald systemd-udevd; do
		is "$unit $(systemctl is-active $unit)" "$unit active" || return 1
	done
	is "$(systemctl list-jobs --plain --no-legend | awk '{ print $2 }')" host-job.service
}

nothing_failed()
{
	systemctl --failed --plain --no-legend >/tmp/failed
	cat /tmp/failed
	[ ! -s /tmp/failed ]
}

is_enforcing() { is "$(getenforce) $(cat enforce)" "Enforcing 1"; }

daemons_are_confined()
{
	ps -eo label,comm
	for daemon in auditd:auditd_t cron:crond_t dbus-daemon:system_dbusd_t sshd:sshd_t \
		      systemd-journal:syslogd_t systemd-udevd:udev_t systemd:init_t; do
		ps -eo label,comm | awk -v comm="${daemon%:*}" -v type="${daemon#*:}" '
			$2 == comm && $1 ~ ":" type ":" { found = 1 }
			END { exit !found }' || { echo "no $daemon"; return 1; }
	done
}

# Debian's policy lets nobody become user_t in this way, not even root
denied()
{
	runcon -t unconfined_t true || return 1
	runcon user_u:user_r:user_t:s0 true 2>&1 | grep "Permission denied" || {
		echo "it was not denied"
		return 1
	}
}

# the kernel's words, with two contexts that it translated, in the log of auditd
denial_is_audited()
{
	for _ in 1 2 3 4 5; do
		grep 'denied  { transition } .*scontext=unconfined_u:unconfined_r:unconfined_t:s0-s0:c0\.c1023 tcontext=user_u:user_r:user_t:s0 tclass=process permissive=0' \
			/var/log/audit/audit.log && return
		sleep 1
	done
	grep user_t /var/log/audit/audit.log
	return 1
}

# hash_stats_is_sane FILE MOST
hash_stats_is_sane()
{
	cat "$1"
	awk -v most="$2" '
		NR == 1 && /^entries: [0-9]+$/ { entries = $2; good++ }
		NR == 2 && /^buckets used: [0-9]+\/[0-9]+$/ { split($3, used, "/"); good++ }
		NR == 3 && /^longest chain: [0-9]+$/ { longest = $3; good++ }
		NR == 4 && /^non-zero chain q1\/med\/q3: [0-9]+\/[0-9]+\/[0-9]+$/ { split($4, q, "/"); good++ }
		END {
			exit !(good == 4 && NR == 4 && entries > 100 && entries <= most &&
			       used[1] <= used[2] && used[1] <= entries && used[1] * longest >= entries &&
			       1 <= q[1] && q[1] <= q[2] && q[2] <= q[3] && q[3] <= longest &&
			       longest - 1 <= entries - used[1])
		}' "$1"
}

# An insertion above the threshold makes room, so the entries are never many more.
avc_figures() { hash_stats_is_sane avc/hash_stats $(($(cat avc/cache_threshold) + 64)); }

sidtab_figures() { hash_stats_is_sane ss/sidtab_hash_stats 100000; }

# All but one lookup in ten hit; each miss that was not somebody else's as well has made
# an entry; the entries that were made and not freed are those in the table, and
# those that wait to be freed.
avc_counts()
{
	cat avc/hash_stats avc/cache_stats
	awk 'NR == FNR && /^entries:/ { entries = $2 }
	     NR != FNR && /^[0-9]/ { lookups += $1; hits += $2; misses += $3; allocated += $4; reclaimed += $5; freed += $6 }
	     END {
		exit !(lookups == hits + misses && hits > 9 * misses && allocated > entries &&
		       allocated <= 1.1 * misses + 100 && reclaimed <= allocated &&
		       allocated - freed - entries > -64 && allocated - freed - entries < 512)
	     }' avc/hash_stats avc/cache_stats
}

# What was not kept was skipped, or only its length was asked for.
string_counts()
{
	cat ss/sid2str_cache_stats
	awk '{ value[substr($0, 1, index($0, ":") - 1)] = $NF }
	     END {
		split(value["entries"], entries, "/")
		made = value["misses"] - value["evictions"] - value["skipped"]
		exit !(NR == 5 && entries[1] > 10 && entries[1] <= entries[2] &&
		       made >= entries[1] && value["hits"] > value["misses"])
	     }' ss/sid2str_cache_stats
}

# label LEVEL LEVEL-AS-THE-KERNEL-PRINTS-IT
label()
{
	touch $dir/file && chcon -l "$1" $dir/file || return 1
	# made the first time, cached the second one
	is "$(ls -Z $dir/file | cut -d' ' -f1 | cut -d: -f4-)" "$2" &&
	is "$(ls -Z $dir/file | cut -d' ' -f1 | cut -d: -f4-)" "$2"
}

categories_of_a_file()
{
	label s0:c1,c2,c3,c7,c1023 s0:c1.c3,c7,c1023 &&
	label s0:c0.c1023 s0:c0.c1023 &&
	label s0:c4,c5 s0:c4,c5 &&
	label s0 s0
}

categories_of_a_process()
{
	is "$(runcon -l s0:c9,c10,c11-s0:c0.c1023 id -Z)" \
	   unconfined_u:unconfined_r:unconfined_t:s0:c9.c11-s0:c0.c1023
}

# More contexts than the cache has room for: those that were thrown out are made again.
many_contexts()
{
	most=$(sed -n 's,^entries: .*/,,p' ss/sid2str_cache_stats)
	evictions=$(sed -n 's/^evictions: //p' ss/sid2str_cache_stats)
	for i in $(seq $((most + 20))); do
		context=system_u:object_r:tmp_t:s0:c0,c$((i + 2))
		: >$dir/$i
		echo "$context $dir/$i"
	done >/tmp/expected
	awk '{ sub(/^[^:]*:[^:]*:[^:]*:/, "", $1); print "chcon -t tmp_t -u system_u -l " $1 " " $2 }' /tmp/expected |
		sh || return 1
	for _ in 1 2; do
		awk '{ print $2 }' /tmp/expected | xargs stat -c '%C %n' | diff /tmp/expected - || return 1
	done
	[ "$(sed -n 's/^evictions: //p' ss/sid2str_cache_stats)" -ge $((evictions + 20)) ]
}

# journald reads a sender's context with each message
context_in_the_journal()
{
	context=unconfined_u:unconfined_r:unconfined_t:s0:c1.c3,c1023
	runcon $context logger -t test_job "a message" || return 1
	for _ in 1 2 3 4 5; do
		journalctl -q -t test_job -o export | grep -xF "_SELINUX_CONTEXT=$context" && return
		sleep 1
	done
	journalctl -q -t test_job -o export
	return 1
}

echo "guest: test debian begins"
check "multi-user is reached" is_up
check "no unit has failed" nothing_failed
check "SELinux is enforcing" is_enforcing
check "daemons are in their domains" daemons_are_confined
check "what the policy does not allow is denied" denied
check "the denial is audited, with both contexts" denial_is_audited
check "a file's categories" categories_of_a_file
check "a process's categories" categories_of_a_process
check "more contexts than the cache of strings has room for" many_contexts
check "a sender's categories, in the journal" context_in_the_journal
check "figures of the access vector cache" avc_figures
check "figures of the table of SIDs" sidtab_figures
check "counts of the access vector cache" avc_counts
check "counts of the cache of strings" string_counts
echo "1..$n"
echo "guest: test debian ended: exit 0"
