#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guest of "passsec.sh journald" does once it is up: a logger sends lines to
# journald as fast as that takes them. For each context of the logger in each round,
# once as it is and once profiled, it prints a line like those of passsec_bench.
#
# The CPU time is that of journald's cgroup. It keeps every message, which is looked at
# afterwards: there are as many as were sent, and each has the logger's context. The
# profiler cannot tell one process from another one, so nobody else reads from sockets
# with SO_PASSSEC: rsyslog does not run.

messages=2000 rounds=3
trace=/sys/kernel/tracing
measured=security_secid_to_secctx
# what a shell does of its own accord, next to nothing
cheap=__x64_sys_umask

die()
{
	echo "guest: $*"
	exit 1
}

# What journald has used of the CPU, in ns.
cpu_time() { sed -n 's/^usage_usec \(.*\)/\1000/p' /sys/fs/cgroup/system.slice/systemd-journald.service/cpu.stat; }

# Hits of the cache since boot, nothing if this kernel does not count them.
hits() { sed -n 's/^hits: //p' /sys/fs/selinux/ss/sid2str_cache_stats 2>/dev/null; }

# profile_of FUNCTION: its calls, and the ns in it
profile_of()
{
	awk -v name="$1" '$1 == name { calls += $2; ns += 1000 * $3 } END { printf "%d %.0f\n", calls, ns }' \
		$trace/trace_stat/function*
}

# How many messages with the tag $1 and the context $2 journald has, and the ns from
# the first to the last.
kept()
{
	journalctl -q -t "$1" -o export --output-fields=_SELINUX_CONTEXT |
		awk -F= -v context="$2" '
			$1 == "__REALTIME_TIMESTAMP" { last = $2; if (!first) first = last }
			$1 == "_SELINUX_CONTEXT" && $2 == context { n++ }
			END { printf "%d %.0f\n", n, 1000 * (last - first) }'
}

# measure CASE ROUND MODE LEVEL
measure()
{
	tag=$1-$2-$3
	context=$(runcon -l "$4" cat /proc/self/attr/current | tr -d '\0\n')
	# 57 bytes are a line
	head -c $((messages * 57)) /dev/urandom | base64 >/tmp/lines
	# what was kept before is not to fill the file, and be thrown away, meanwhile
	journalctl -q --rotate
	journalctl -q --vacuum-time=1s
	sleep 1

	if [ "$3" = profiled ]; then
		echo 1 >$trace/function_profile_enabled
		for _ in $(seq 500); do
			umask 022
		done
	fi
	hits=$(hits) cpu=$(cpu_time)
	runcon -l "$4" logger -t "$tag" </tmp/lines || die "logger failed"
	# until journald has read what it was sent: there is a second of 10^9 instructions for it
	sleep 1
	cpu=$(($(cpu_time) - cpu)) hits=${hits:+$(($(hits) - hits))}
	profile="- - - -"
	if [ "$3" = profiled ]; then
		echo 0 >$trace/function_profile_enabled
		profile="$(profile_of $measured) $(profile_of $cheap)"
	fi
	kept=$(kept "$tag" "$context")
	[ "${kept% *}" = $messages ] ||
		die "journald has ${kept% *} of $messages messages from $context"
	echo "passsec: $1 $2 $3 ${#context} $messages ${kept#* } $cpu $profile ${hits:--}"
}

mkdir -p /run/systemd/journald.conf.d
printf '%s\n' '[Journal]' RateLimitIntervalSec=0 ForwardToSyslog=no >/run/systemd/journald.conf.d/measure.conf
systemctl stop syslog.socket rsyslog && systemctl restart systemd-journald || die "journald cannot be set up"
[ -f $trace/trace ] || mount -t tracefs tracefs $trace
# time in callees counts, time off the CPU does not
echo $measured >$trace/set_ftrace_filter && echo $cheap >>$trace/set_ftrace_filter &&
	echo 1 >$trace/options/graph-time && echo 0 >$trace/options/sleep-time ||
	die "there is no profiler in this kernel"

journalctl --version | sed -n '1s/^/journald of /p'
for round in $(seq $rounds); do
	for mode in plain profiled; do
		measure none "$round" $mode s0
		measure all "$round" $mode s0-s0:c0.c1023
	done
done
