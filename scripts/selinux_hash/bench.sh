#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh [TREE BEFORE AFTER]: measure what the series of $BASE does to times.
#
# Build User Mode Linux without the series and with it (or at any two commits of
# a kernel tree), both with bench.c added. Boot one and the other in turn,
# $ROUNDS times (default 7; fewer give no verdict), let each measure every case of
# bench.c, and print the figures with the aims. A figure is nanoseconds per call
# of one thread; for a boot, the median of 3 runs of 0.2 s each; for a kernel, the
# median of its boots, with the lowest and the highest.
#
# User Mode Linux is changed first, as bench-um-$BASE.patch says, in both kernels;
# PLAIN_UML=1 leaves it as it is, and measures mostly its system calls where it has
# several CPUs.
#
# The table goes to build/bench/$BASE/ as table.txt and table.csv, beside every
# single run (runs.csv) and the guests' logs. An aim that is not met is no failure.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

rounds=${ROUNDS:-7}
[[ "$rounds" =~ ^[1-9][0-9]{0,2}$ ]] || die "ROUNDS=$rounds is not a number of rounds"
case $# in
0)
	run "$here/packages.sh" run
	tree=''
	capture tree "$here/source.sh"
	capture after "$here/series.sh" checkout "$tree"
	before=pristine
	;;
3)
	tree=$1 before=$2 after=$3
	;;
*)
	die "usage: bench.sh [TREE BEFORE AFTER]"
	;;
esac
git=(git -C "$tree")
for commit in "$before" "$after"; do
	"${git[@]}" rev-parse -q --verify "$commit^{commit}" >/dev/null || die "$tree has no commit $commit"
done
out=$build/bench/$base
rm -rf "$out"
mkdir -p "$out"

# Print a commit that adds bench.c to another one.
with_bench()
{
	local commit=$1 makefile=security/selinux/Makefile

	"${git[@]}" show "$commit:$makefile" |
		sed '/^selinux-$(CONFIG_NETLABEL) += /i selinux-y += bench.o' >"$tmp/Makefile"
	grep -qx 'selinux-y += bench.o' "$tmp/Makefile" ||
		die "$makefile of $commit has no line behind which bench.o can be added"
	begin_commit "$tree" "$commit"
	put_file "$makefile" "$tmp/Makefile"
	put_file security/selinux/bench.c "$here/bench.c"
	if [ "${PLAIN_UML:-}" != 1 ] && [ -f "$here/bench-um-$base.patch" ]; then
		"${git[@]}" apply --cached "$here/bench-um-$base.patch" 2>"$tmp/err" ||
			die "the change to User Mode Linux does not apply to $commit" "$(head -n 1 "$tmp/err")"
	fi
	end_commit bench.c
}

# build_kernel NAME COMMIT: set NAME to the folder of the objects
build_kernel()
{
	"${git[@]}" checkout -qf --detach "$(with_bench "$2")"
	capture "$1" "$here/kernel.sh" "$tree" "bench-$1" um linux -- guest um bench
	refuse_debug_code "${!1}"
}

load() { cut -d' ' -f1 /proc/loadavg; }

# Not with the redirection around "run": what a signal makes this script say is
# not for the file.
boot() { GUEST_SECONDS=120 "$here/guest.sh" um "$1" "$2" bench >"$tmp/guest" 2>&1; }

# measure NAME ROUND: boot a kernel, and add what it says to runs.csv
measure()
{
	local name=$1 round=$2 guest=bench/$base/$1-$2 load

	load=$(load)
	run boot "${!name}" "$guest" || {
		cat "$tmp/guest" >&2
		die "the guest $name of round $round did not measure everything" \
		    "its log is $build/$guest.console, what it said $build/$guest.out"
	}
	sed -n 's/^bench: //p' "$build/$guest.out" | tr -d '\r' |
		awk -v OFS=, -v kernel="$name" -v round="$round" -v load="$load" -v cpus="$cpus" '
			NF != 8 { print "not understood: " $0 >"/dev/stderr"; exit 1 }
			$2 <= cpus { print kernel, round, load, ++run[$1, $2], $1, $2, $3, $4, $5, $6, $7, $8 }' \
		>>"$out/runs.csv" || die "what the guest said is not understood" "it is in $build/$guest.out"
}

# shellcheck disable=SC2034
without='' with=''
build_kernel without "$before"
build_kernel with "$after"
"${git[@]}" checkout -qf --detach "$after"

cpus=2
if ! grep -qx CONFIG_SMP=y "$with/.config"; then
	cpus=1 why="User Mode Linux of $base has one CPU"
elif [ "$(nproc)" = 1 ]; then
	cpus=1 why="this machine has one CPU"
fi

say "measuring: $rounds rounds of two boots, about $((rounds * (cpus * 18 + 6))) s; load average $(load)"
load_before=$(cut -d' ' -f1-3 /proc/loadavg)
echo "kernel,round,load,run,case,threads,calls,nanoseconds,hits,misses,evictions,skipped" >"$out/runs.csv"
for round in $(seq "$rounds"); do
	# neither kernel is always the first
	if [ $((round % 2)) = 1 ]; then order=(without with); else order=(with without); fi
	for kernel in "${order[@]}"; do
		measure "$kernel" "$round"
	done
	say "measured round $round of $rounds, load average $(load)"
done

# The table of runs.csv, also as table.csv; the aims; what the cache counted.
table()
{
	awk -F, -v rounds="$rounds" -v csv="$out/table.csv" "$(cat "$here/median.awk")"'
	function has(c, t) { return ("with" SUBSEP c SUBSEP t) in med }
	# is what is measured at most limit times what it was?
	function aim_ratio(text, c, t, limit,    w, o, said) {
		if (!has(c, t))
			return
		w = "with" SUBSEP c SUBSEP t
		o = "without" SUBSEP c SUBSEP t
		said = med[w] <= limit * med[o] ? "met" : "not met"
		if (min[w] <= limit * max[o] && limit * min[o] <= max[w])
			said = said ", but the ranges overlap"
		printf "  %-52s %5.2f   %s\n", text ": " c ", " threads(t), med[w] / med[o], said
	}
	function aim_work(text, c, limit,    key, said) {
		if (!has(c, 2))
			return
		key = "work" SUBSEP "with" SUBSEP c
		said = med[key] >= limit ? "met" : "not met"
		if (min[key] < limit && limit <= max[key])
			said = said ", but not in every boot"
		printf "  %-52s %5.2f   %s (%.2f to %.2f; without the series %.2f)\n", text ": " c, med[key],
			said, min[key], max[key], med["work", "without", c]
	}
	function threads(t) { return t == 1 ? "1 thread" : t " threads" }

	NR == 1 { next }
	{
		key = $1 SUBSEP $5 SUBSEP $6
		run[key, $2, $4] = $8 / $7
		if (!(($5, $6) in seen)) {
			seen[$5, $6] = 1
			order[++rows] = $5 SUBSEP $6
		}
		if ($4 > runs)
			runs = $4
		if ($9 != "-") {
			# Two threads that miss find a string now and then: while the host
			# does not let run the one that is inserting, the other one cannot
			# insert, so nothing is evicted.
			if ($5 ~ /^hit/ && $9 < 0.999 * $7 || $5 ~ /^miss/ && $10 < 0.9 * $7) {
				printf "in round %d, %d of %d calls of %s hit, and %d missed\n",
					$2, $9, $7, $5, $10 >"/dev/stderr"
				wrong = 1
			}
			total[$5, $6] += $7
			hits[$5, $6] += $9
			misses[$5, $6] += $10
			skipped[$5, $6] += $12
			counted[$1] = 1
		}
	}
	END {
		if (wrong)
			exit 1
		split("without with", kernels, " ")
		for (r = 1; r <= rows; r++) {
			split(order[r], f, SUBSEP)
			for (k = 1; k <= 2; k++) {
				key = kernels[k] SUBSEP order[r]
				for (i = 1; i <= rounds; i++) {
					for (j = 1; j <= runs; j++) {
						if (!((key, i, j) in run)) {
							print "a run is missing: " kernels[k] ", round " i ", " f[1] >"/dev/stderr"
							exit 1
						}
						a[j] = run[key, i, j]
					}
					boot[key, i] = middle(a, runs)
				}
				summarize(boot, key, rounds)
				if (f[2] == 2) {
					# in each boot, what two threads do in the time in which one does 1
					key = "work" SUBSEP kernels[k] SUBSEP f[1]
					for (i = 1; i <= rounds; i++)
						work[key, i] = 2 * boot[kernels[k], f[1], 1, i] / boot[kernels[k], f[1], 2, i]
					summarize(work, key, rounds)
				}
			}
		}

		print "case,threads,without,without_min,without_max,with,with_min,with_max,ratio,verdict" >csv
		printf "%-11s %-7s  %-28s %-28s %-6s %s\n", "case", "threads",
			"without the series", "with the series", "ratio", "verdict"
		for (r = 1; r <= rows; r++) {
			split(order[r], f, SUBSEP)
			o = "without" SUBSEP order[r]
			w = "with" SUBSEP order[r]
			verdict = rounds < 7 ? "too few rounds" : max[w] < min[o] ? "faster" : min[w] > max[o] ? "slower" : "-"
			printf "%-11s %-7s  %-28s %-28s %-6.2f %s\n", f[1], f[2],
				range(o, "%.1f"), range(w, "%.1f"), med[w] / med[o], verdict
			printf "%s,%s,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.3f,%s\n", f[1], f[2], med[o], min[o], max[o],
				med[w], min[w], max[w], med[w] / med[o], verdict >csv
		}

		# what needs no lock takes two threads no longer, unless they have to wait for a CPU
		for (k = 1; k <= 2; k++) {
			key = "work" SUBSEP kernels[k] SUBSEP "copy"
			if (key in med && med[key] < 1.6)
				printf "\nDISTURBED: %s the series, two threads did only %.2f times the work of\n" \
					"one in \"copy\", which shares nothing: other programs, or machines, took the CPUs.\n" \
					"The figures of 2 threads tell little.\n", kernels[k], med[key]
		}

		print "\nAims"
		aim_work("2 threads do 1.8 times the work of 1", "hit-same", 1.8)
		aim_work("2 threads do 1.8 times the work of 1", "hit-spread", 1.8)
		aim_ratio("at most 0.20 of what it was", "hit-same", 2, 0.2)
		aim_ratio("at most 0.20 of what it was", "hit-spread", 2, 0.2)
		aim_ratio("at most 0.50 of what it was", "hit-same", 1, 0.5)
		aim_ratio("at most 0.50 of what it was", "hit-spread", 1, 0.5)
		aim_ratio("no slower", "miss", 1, 1)
		aim_ratio("no slower", "miss", 2, 1)
		for (n = split("avc-512 avc-1024 avc-2048 avc-8192", nodes, " "); n; n--)
			aim_ratio("at most 0.95 of what it was", nodes[n], 1, 0.95)
		aim_ratio("at most 0.85 of what it was", "rule-hit", 1, 0.85)
		aim_ratio("at most 0.85 of what it was", "rule-miss", 1, 0.85)
		aim_ratio("at most 0.85 of what it was", "decision", 1, 0.85)

		for (kernel in counted)
			any = 1
		if (any) {
			print "\nWhat the cache counted, with the series, in percent of the calls"
			for (r = 1; r <= rows; r++) {
				split(order[r], f, SUBSEP)
				if (f[1] !~ /^(hit|miss)/)
					continue
				n = total[order[r]] / 100
				printf "  %-11s %-9s  hits %7.3f  misses %7.3f  strings not kept %7.3f\n", f[1],
					threads(f[2]), hits[order[r]] / n, misses[order[r]] / n, skipped[order[r]] / n
			}
		}
	}' "$out/runs.csv"
}

{
	echo "Nanoseconds per call of a thread: the median"
	echo "of $rounds boots, and the lowest and the highest; of a boot, the median of 3 runs of"
	echo "0.2 s. A verdict is given where the ranges do not overlap."
	echo "copy         kmemdup() and kfree() of a context string"
	echo "avc-N        avc_has_perm_noaudit(), a hit in an AVC of N nodes"
	echo "decision     security_compute_av() of a domain, a type and a class, what an AVC miss costs"
	echo "rule-hit     avtab_search_node() of a rule; rule-miss: of none"
	echo "hit-*, miss  security_sid_to_context() and kfree()"
	echo "to-sid       security_context_to_sid()"
	echo "without: $("${git[@]}" log -1 --format=%s "$before")"
	echo "with:    $("${git[@]}" log -1 --format=%s "$after")"
	echo "$(nproc) CPUs,$(sed -n 's/^model name.*://p' /proc/cpuinfo | sed 1q); load average before" \
		"$load_before, after $(cut -d' ' -f1-3 /proc/loadavg)"
	[ "${PLAIN_UML:-}" != 1 ] || echo "User Mode Linux as it is, without bench-um-$base.patch"
	[ "$cpus" = 2 ] || echo "The cases with 2 threads are left out: $why."
	echo
	table
} >"$tmp/table" || die "the figures are not what they should be" "they are in $out/runs.csv"
show_table "$out"
