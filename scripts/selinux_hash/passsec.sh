#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# passsec.sh [journald]: measure what the context of a sender costs whoever reads its
# datagrams.
#
# A journald reads its sockets with SO_PASSSEC: each message brings the sender's
# context as a string, which the kernel makes in security_secid_to_secctx(). Here
# the sender's context has no category (none); all 1,024, which print as one range
# (all); or every second one, which prints long (alternate). Three kernels of $BASE
# let passsec_bench read such messages, or with "journald" the real one, of the Debian
# that image.sh makes, from a logger at full speed (none and all; see journald_job.sh):
#
#	off        the series, without a cache of context strings
#	unpatched  the kernel without the series
#	patched    the series
#
# Each boots $ROUNDS times (default 3), and measures every case a few times, each
# time once as it is and once with the profiler on security_secid_to_secctx() and
# on a system call that does next to nothing, which shows what the profiler adds:
#
#	         time in the function, profiled - calls * time of the cheap call
#	share = ------------------------------------------------------------------
#	           CPU time of the reader for as many messages, not profiled
#
# The guests run in QEMU, as User Mode Linux has no profiler, and a clock under an
# emulator tells the emulator's time. So theirs counts instructions: see
# GUEST_ICOUNT in guest.sh. A second is 10^9 instructions here, of sender and reader
# on one CPU, and the share is one of the instructions that the reader executes. It
# can be compared from machine to machine, and from kernel to kernel.
#
# passsec_bench does nothing but read, so the share is larger than in any daemon. For
# the aim, the table also says how much a reader has to do to keep within it.
#
# The table goes to build/passsec/$BASE/, or build/journald/$BASE/, as table.txt and
# table.csv, beside every single run (runs.csv) and the guests' logs. An aim that is
# not met is no failure.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

case "$*" in
'')
	name=passsec machine=qemu job=passsec packages=run cases="none all alternate"
	fragments=(guest x86_64 profile)
	what="Reading datagrams with SO_PASSSEC"
	;;
journald)
	name=journald machine=debian job=$here/journald_job.sh packages=image cases="none all"
	fragments=(guest x86_64 debian profile)
	what="journald and a logger at full speed"
	;;
*)
	die "usage: passsec.sh [journald]"
	;;
esac
rounds=${ROUNDS:-3}
[[ "$rounds" =~ ^[1-9][0-9]{0,2}$ ]] || die "ROUNDS=$rounds is not a number of rounds"
out=$build/$name/$base
rm -rf "$out"
mkdir -p "$out"

run "$here/packages.sh" $packages
tree='' tip=''
capture tree "$here/source.sh"
capture tip "$here/series.sh" checkout "$tree"
git=(git -C "$tree")

# build_kernel NAME COMMIT [FRAGMENT]: set NAME to the folder of the objects
build_kernel()
{
	"${git[@]}" checkout -qf --detach "$2"
	capture "$1" "$here/kernel.sh" "$tree" "$name-$1" x86_64 bzImage -- "${fragments[@]}" "${@:3}"
	refuse_debug_code "${!1}"
}

# shellcheck disable=SC2034
off='' unpatched='' patched=''
build_kernel unpatched pristine
build_kernel off "$tip" nocache
build_kernel patched "$tip"
[ $machine != qemu ] ||
	run "$here/kselftests.sh" "$tree" "$patched" "$tmp/files" >"$out/kselftests.log" 2>&1 ||
	die_with_log "the kselftests do not build" "$out/kselftests.log"

# Not with the redirection around "run": what a signal makes this script say is
# not for the file.
boot()
{
	GUEST_FILES=$tmp/files GUEST_ICOUNT=1 GUEST_SECONDS=${GUEST_SECONDS:-1800} \
		"$here/guest.sh" $machine "$1" "$2" "$job" >"$tmp/guest" 2>&1
}

# measure KERNEL ROUND: boot a kernel, and add what it says to runs.csv
measure()
{
	local kernel=$1 round=$2 guest=$name/$base/$1-$2

	run boot "${!kernel}" "$guest" || {
		cat "$tmp/guest" >&2
		die "the guest $kernel of round $round did not measure everything" \
		    "its log is $build/$guest.console, what it said $build/$guest.out"
	}
	sed -n 's/^passsec: //p' "$build/$guest.out" |
		awk -v OFS=, -v kernel="$kernel" -v boot="$round" '
			NF != 12 { print "not understood: " $0 >"/dev/stderr"; exit 1 }
			{ $1 = kernel OFS boot OFS $1; print }' \
		>>"$out/runs.csv" || die "what the guest said is not understood" "it is in $build/$guest.out"
}

echo "kernel,boot,case,run,mode,context_length,messages,wall,cpu,calls,time,cheap_calls,cheap_time,hits" >"$out/runs.csv"
say "measuring: $rounds rounds of three boots"
for round in $(seq "$rounds"); do
	# no kernel is always the first
	if [ $((round % 2)) = 1 ]; then order=(off unpatched patched); else order=(patched unpatched off); fi
	for kernel in "${order[@]}"; do
		measure "$kernel" "$round"
		say "measured the kernel $kernel, round $round of $rounds"
	done
done

# The table of runs.csv, also as table.csv; the aims.
table()
{
	awk -F, -v rounds="$rounds" -v cases="$cases" -v csv="$out/table.csv" "$(cat "$here/median.awk")"'
	function wrong(what) {
		print what >"/dev/stderr"
		failed = 1
	}
	function csv_range(key, format) {
		return sprintf(format "," format "," format, med[key], min[key], max[key])
	}

	NR == 1 { next }
	{
		key = $1 SUBSEP $3
		len[key] = $6
		if ($14 != "-") {
			counted[key] = 1
			messages[key] += $7
			hits[key] += $14
			if ($1 != "off" && $14 < 0.99 * $7)
				wrong($1 ", " $3 ": only " $14 " of " $7 " messages hit in the cache, in boot " $2)
		}
	}
	$5 == "plain" {
		i = ++plain[key]
		speed[key, i] = 1e9 * $7 / $8
		reader[key, i] = $9 / $7
	}
	# follows the plain run of the same number
	$5 == "profiled" {
		i = ++profiled[key]
		# somebody else may have asked as well, now and then
		if ($10 < $7 || $10 > 1.01 * $7 || $12 + 0 <= 0)
			wrong($1 ", " $3 ": " $10 " calls of the function for " $7 " messages, " \
				$12 + 0 " of the cheap one, in boot " $2)
		else {
			inside[key, i] = $11 / $10 - $13 / $12
			share[key, i] = 100 * inside[key, i] / reader[key, i]
		}
	}
	END {
		kernels_n = split("off unpatched patched", kernels, " ")
		cases_n = split(cases, case_of, " ")
		for (c = 1; c <= cases_n; c++) {
			for (k = 1; k <= kernels_n; k++) {
				key = kernels[k] SUBSEP case_of[c]
				n = plain[key]
				# any boot says as much as any other
				if (!n || n != profiled[key] || n % rounds || n != plain["off", "none"])
					wrong("runs are missing: " kernels[k] ", " case_of[c])
				if (kernels[k] == "patched" && !counted[key])
					wrong("the patched kernel does not count hits: " case_of[c])
			}
		}
		if (failed)
			exit 1

		printf "%-10s %6s  %-10s %-26s %7s %9s  %-24s %s\n", "case", "length", "kernel",
			"messages per s", "reader", "function", "share, %", "hits"
		print "case,context_length,kernel,messages_per_s,messages_per_s_min,messages_per_s_max," \
			"reader,reader_min,reader_max,function,function_min,function_max," \
			"share,share_min,share_max,hits" >csv
		for (c = 1; c <= cases_n; c++) {
			for (k = 1; k <= kernels_n; k++) {
				key = kernels[k] SUBSEP case_of[c]
				n = plain[key]
				hit = counted[key] ? sprintf("%.2f", 100 * hits[key] / messages[key]) : "-"
				summarize(speed, key, n)
				speeds = range(key, "%.0f")
				line = csv_range(key, "%.0f")
				summarize(reader, key, n)
				reader_of[key] = med[key]
				line = line "," csv_range(key, "%.1f")
				summarize(inside, key, n)
				function_of[key] = med[key]
				line = line "," csv_range(key, "%.1f")
				summarize(share, key, n)
				line = line "," csv_range(key, "%.3f") "," hit
				printf "%-10s %6d  %-10s %-26s %7.0f %9.0f  %-24s %s\n", case_of[c], len[key], kernels[k],
					speeds, reader_of[key], function_of[key], range(key, "%.2f"), hit
				print case_of[c] "," len[key] "," kernels[k] "," line >csv
			}
		}

		print "\nAims"
		for (c = 2; c <= cases_n; c++) {
			key = "patched" SUBSEP case_of[c]
			said = med[key] <= 2 ? "met" : "not met"
			if (min[key] <= 2 && max[key] > 2)
				said = said ", but not in every run"
			printf "  %-32s %5.2f   %s\n", "at most 2 %, patched: " case_of[c], med[key], said
		}
		print "A reader meets it that executes per message, with all else that it does, at least"
		for (c = 2; c <= cases_n; c++)
			printf "  %-32s %5.0f\n", case_of[c], 50 * function_of["patched", case_of[c]]
	}' "$out/runs.csv"
}

{
	echo "$what: messages per second of 10^9 instructions; instructions"
	echo "of the reader per message; of security_secid_to_secctx() with all that it calls; its share."
	echo "Medians of all runs of $rounds boots, and the lowest and the highest."
	echo "Hits, of which a few are those of others, are per 100 messages."
	echo "off:       $("${git[@]}" log -1 --format=%s "$tip"), SID2STR_CACHE_SIZE=0"
	echo "unpatched: $("${git[@]}" log -1 --format=%s pristine)"
	echo "patched:   $("${git[@]}" log -1 --format=%s "$tip")"
	echo
	table
} >"$tmp/table" || die "the figures are not what they should be" "they are in $out/runs.csv"
show_table "$out"
