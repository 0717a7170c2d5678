#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guest of capture.sh does once it is up: a short day of a Debian, with the
# events recorded, and then everything that was recorded since boot onto /dev/vdc.

trace=/sys/kernel/tracing
[ -f $trace/trace ] || mount -t tracefs tracefs $trace || exit 1

# Put the kernel's own count of lookups and misses into the trace, for the host to
# compare with the events. Others may work between the count and its line: try again.
mark()
{
	for i in 1 2 3 4 5; do
		echo "$1 $(awk 'NR > 1 { lookups += $1; misses += $3 } END { print lookups, misses }' \
			/sys/fs/selinux/avc/cache_stats)" >$trace/trace_marker
	done
}

# What a process does in whatever domain; this is permissive.
in_domain()
{
	runcon "$1" sh -c '
		id; ls -l / /etc /tmp /var/log /proc/self/fd; cat /etc/passwd /etc/shadow /proc/loadavg
		echo x >/tmp/capture.$$; rm /tmp/capture.$$; logger "a line from $$"; ps'
}

work()
{
	id -Z
	sestatus
	systemctl list-units --all --no-pager
	systemctl status --no-pager
	ps -eZ
	ls -lZR /etc /usr/bin /usr/sbin /usr/lib/systemd /var /run /dev /sys/fs/selinux
	journalctl --no-pager -n 200
	journalctl --no-pager -o verbose -n 50

	for type in crond sshd syslogd auditd system_dbusd ntpd named httpd mysqld postfix_master \
		    udev getty init initrc kernel systemd_logind NetworkManager dhcpc; do
		in_domain "system_u:system_r:${type}_t:s0"
	done
	for context in user_u:user_r:user_t staff_u:staff_r:staff_t sysadm_u:sysadm_r:sysadm_t; do
		in_domain $context:s0
	done
	# containers and virtual machines are told apart by their categories
	for i in 1 2 3 4 5 6 7 8; do
		in_domain "system_u:system_r:svirt_t:s0:c$i,c$((100 + i))"
	done

	runcon system_u:system_r:system_cronjob_t:s0-s0:c0.c1023 run-parts /etc/cron.daily
	for unit in systemd-tmpfiles-clean logrotate dpkg-db-backup; do
		systemctl start $unit.service
	done
	systemctl restart rsyslog cron ssh
	useradd -m somebody
	su somebody -c 'id; touch a b c; ls -laZ'
	userdel -r somebody
	restorecon -nR /etc /var
	dpkg -l
	ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub
	find / -xdev -newer /etc/fstab -type f
	sleep 2
	journalctl --no-pager -n 500
	ps -eZ
}

mark work
work >/tmp/work.log 2>&1
mark end
echo 0 >$trace/tracing_on
echo "guest: the work is done, up $(cut -d' ' -f1 /proc/uptime) s"
systemctl --no-pager --failed --plain --no-legend | sed 's/^/guest: failed: /'

# the lines of events need nothing before them
echo 0 >$trace/options/context-info
{
	echo "debian: $(cat /etc/debian_version)"
	cat $trace/per_cpu/cpu*/stats
	echo "missed: $(awk '{ missed += $3 } END { print missed + 0 }' $trace/kprobe_profile)"
	cat /sys/fs/selinux/avc/hash_stats
	cat $trace/trace
	echo "end of trace"
} >/dev/vdc && sync
