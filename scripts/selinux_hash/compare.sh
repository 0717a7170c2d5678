#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# compare.sh: the kernel of $BASE without the series and with it, side by side.
#
# Three kernels of one configuration, which differ in nothing but commits:
#
#	old        without the series
#	old-hash   its first steps, up to the one that adds hash3(): the hashes of
#	           "old", but the quartiles of chain lengths are there to be read
#	new        the series
#
# They boot the same guest, in QEMU, one after the other, and let the same domains
# work in it:
#
#   - old-hash and new: avc/hash_stats, 100 samples while the AVC is full and
#     domains work; and what the boot log says of the policy's rules
#   - old and new, traced: how long functions of SELinux take, by ftrace's function
#     graph; one function at a time, so that none pays for another one that is traced
#     within it. Twice with a clock that counts instructions (see GUEST_ICOUNT in
#     guest.sh): exact, and the same everywhere. And $ROUNDS times (default 5) in real
#     time, of which an emulator tells little more than that.
#   - old and new, the same clock: how many objects a server makes that asks SELinux
#     about each one (see create_bench.c)
#   - old and new: what "size" says of SELinux's objects, and the bytes of a node
#
# What the tracer adds, which is the median of a function that only returns
# (noop_fsync()), is subtracted. avc_lookup() and avc_has_perm_noaudit() are kept
# out of line, in all three kernels: what is inlined cannot be traced.
#
# build/compare/$BASE/ gets index.html, which has everything; report.txt, fit
# for a mail; each plot as SVG and PNG; the figures as CSV; the guests' logs.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

[ $# = 0 ] || die "usage: compare.sh"
rounds=${ROUNDS:-5}
[[ "$rounds" =~ ^[1-9][0-9]{0,2}$ ]] || die "ROUNDS=$rounds is not a number of rounds"
out=$build/compare/$base
rm -rf "$out"
mkdir -p "$out"

run "$here/packages.sh" compare
tree='' tip='' policy=''
capture tree "$here/source.sh"
capture policy "$here/policy.sh"
capture tip "$here/series.sh" checkout "$tree"
git=(git -C "$tree")
first=$("${git[@]}" log --format=%H --grep '^selinux: add hash3()$' "pristine..$tip")
[ "$first" ] || die "the series has no step 'selinux: add hash3()'"

# Print a commit with the traced functions out of line.
traceable()
{
	local file=security/selinux/avc.c

	"${git[@]}" show "$1:$file" |
		sed 's/^inline int avc_has_perm_noaudit(/noinline int avc_has_perm_noaudit(/
		     s/^static struct avc_node \*avc_lookup(/static noinline struct avc_node *avc_lookup(/' \
		>"$tmp/avc.c"
	[ "$(grep -cE '^(static )?noinline .*avc_(lookup|has_perm_noaudit)\(' "$tmp/avc.c")" = 2 ] ||
		die "$file of $1 does not define avc_lookup() and avc_has_perm_noaudit() as expected"
	begin_commit "$tree" "$1"
	put_file "$file" "$tmp/avc.c"
	end_commit "functions out of line"
}

# build_kernel VARIABLE COMMIT NAME FRAGMENT...: set VARIABLE to the folder of the objects
build_kernel()
{
	"${git[@]}" checkout -qf --detach "$2"
	capture "$1" "$here/kernel.sh" "$tree" "$3" x86_64 bzImage -- guest x86_64 "${@:4}"
	refuse_debug_code "${!1}"
}

# sizes NAME COMMIT: add to sizes.csv what SELinux's objects are, which for that are
# built with debug information
sizes()
{
	local obj='' struct

	"${git[@]}" checkout -qf --detach "$2"
	export MAKEFLAGS_EXTRA=KCFLAGS=-g
	capture obj "$here/kernel.sh" "$tree" compare-sizes x86_64 security/selinux/ -- guest x86_64 profile
	unset MAKEFLAGS_EXTRA
	size -t "$obj"/security/selinux/built-in.a |
		awk -v OFS=, -v kernel="$1" '$6 == "(TOTALS)" {
			print kernel, "code and constants", $1; print kernel, "data", $2; print kernel, "zeroed data", $3 }' \
		>>"$out/sizes.csv"
	find "$obj/security/selinux" -name '*.o' -exec pahole -s {} + 2>/dev/null | sort -u >"$tmp/structs"
	for struct in avc_node avtab avtab_node sidtab_entry sidtab_str_cache sid2str; do
		awk -v OFS=, -v kernel="$1" -v name="$struct" \
			'$1 == name { print kernel, "struct " name, $2; exit }' "$tmp/structs" >>"$out/sizes.csv"
	done
}

# Not with the redirection around "run": what a signal makes this script say is
# not for the file.
boot() { GUEST_FILES=$tmp/files GUEST_SECONDS=900 "$here/guest.sh" qemu "$@" >"$tmp/guest" 2>&1; }

# boot_kernel NAME GUEST ACTION...
boot_kernel()
{
	local name=$1 guest=compare/$base/$2
	shift 2

	run boot "${!name}" "$guest" "$@" || {
		cat "$tmp/guest" >&2
		die "the guest $(basename "$guest") did not measure everything" \
		    "its log is $build/$guest.console, what it said $build/$guest.out"
	}
}

# What create_bench needs in the guest: mcstransd with its libraries, as Debian's
# package has it, with the translations that come with it as an example.
guest_files()
{
	local package=mcstrans version dir lib

	run "$here/kselftests.sh" "$tree" "$new" "$tmp/files" >"$out/kselftests.log" 2>&1 ||
		die_with_log "the kselftests do not build" "$out/kselftests.log"
	version=$(apt-cache policy $package | sed -n 's/^  Candidate: //p')
	dir=$cache/$package/$version
	if [ ! -d "$dir" ]; then
		run env -C "$tmp" apt-get -o APT::Sandbox::User=root download "$package=$version" \
			>"$out/$package.log" 2>&1 ||
			die_with_log "cannot download $package: is the network there?" "$out/$package.log"
		rm -rf "$dir.tmp"
		mkdir -p "$dir.tmp"
		dpkg-deb -x "$tmp/$package"_*.deb "$dir.tmp"
		mv -T "$dir.tmp" "$dir"
	fi
	mkdir -p "$tmp/files"/{sbin,var/run/setrans,etc/selinux/default}
	cp "$(find "$dir" -type f -name mcstransd)" "$tmp/files/sbin/"
	cp "$dir"/usr/share/doc/$package/examples/default/setrans.conf "$tmp/files/etc/selinux/default/"
	printf 'SELINUX=permissive\nSELINUXTYPE=default\n' >"$tmp/files/etc/selinux/config"
	ldd "$tmp/files/sbin/mcstransd" >"$tmp/libraries" && ! grep 'not found' "$tmp/libraries" >&2 ||
		die "mcstransd does not run here" "see what ldd says of $dir"
	for lib in $(grep -o ' \?/[^ ]*\|^[[:space:]]*/[^ ]*' "$tmp/libraries"); do
		mkdir -p "$tmp/files$(dirname "$lib")"
		cp -L "$lib" "$tmp/files$lib"
	done
}

echo "kernel,what,bytes" >"$out/sizes.csv"
# shellcheck disable=SC2034
old='' new='' old_hash='' new_hash=''
build_kernel old_hash "$first^" x86_64-old-hash
build_kernel new_hash "$tip" x86_64
build_kernel old "$(traceable pristine)" compare-old profile
build_kernel new "$(traceable "$tip")" compare-new profile
sizes old pristine
sizes new "$tip"
"${git[@]}" checkout -qf --detach "$tip"
guest_files

say "measuring: 2 boots for hash_stats, 4 traced by instructions, $((2 * rounds)) in real time"
echo "kernel,sample,entries,used,buckets,longest,q1,med,q3" >"$out/hash_stats.csv"
echo "kernel,table,entries,used,buckets,longest,q1,med,q3,squares" >"$out/boot_log.csv"
for kernel in old_hash new_hash; do
	boot_kernel $kernel stats-$kernel workload stats samples
	sed -n 's/^sample: //p' "$build/compare/$base/stats-$kernel.out" |
		awk -v OFS=, -v kernel=$kernel '{ $1 = kernel OFS NR OFS $1; print }' >>"$out/hash_stats.csv"
	sed -n 's/^SELinux: \(rules\|conditional_rules\|roletr\|rangetr\):  /\1 /p' \
		"$build/compare/$base/stats-$kernel.out" |
		awk -v OFS=, -v kernel=$kernel '{ table = $1; gsub(/[^0-9]+/, " ", $0)
			n = split($0, f, " ")
			# of the text, the names of the quartiles and the exponent remain
			print kernel, table, f[1], f[2], f[3], f[4], f[7], f[8], f[9], f[11] }' >>"$out/boot_log.csv"
	say "read hash_stats of $kernel"
done

{
	printf 'kernel,clock,boot,case,function,samples,lost'
	printf ',p%s' $(seq 0 100)
	echo
} >"$out/trace.csv"
echo "kernel,boot,rung,round,events,nanoseconds" >"$out/create.csv"
for clock in instructions time; do
	boots=$rounds actions=(workload trace)
	[ $clock = time ] || boots=2 actions+=(create)
	for i in $(seq "$boots"); do
		# neither kernel is always the first
		if [ $((i % 2)) = 1 ]; then order=(old new); else order=(new old); fi
		for kernel in "${order[@]}"; do
			if [ $clock = instructions ]; then export GUEST_ICOUNT=1; else unset GUEST_ICOUNT; fi
			boot_kernel "$kernel" "$clock-$kernel-$i" "${actions[@]}"
			sed -n 's/^create: //p' "$build/compare/$base/$clock-$kernel-$i.out" |
				awk -v OFS=, -v kernel="$kernel" -v boot="$i" '{ $1 = kernel OFS boot OFS $1; print }' \
				>>"$out/create.csv"
			# ticks are instructions, or have to be turned into nanoseconds
			tr -d '\r' <"$build/compare/$base/$clock-$kernel-$i.out" |
				awk -v OFS=, -v kernel="$kernel" -v clock=$clock -v boot="$i" '
					$1 == "ticks:" && NF == 3 && $2 > 0 { nsecs = clock == "time" ? $3 / $2 : 1 }
					$1 == "trace:" {
						if (NF != 106 || !nsecs) { print "not understood: " $0 >"/dev/stderr"; exit 1 }
						line = kernel OFS clock OFS boot
						for (f = 2; f <= NF; f++)
							line = line OFS (f < 6 ? $f : sprintf("%.0f", $f * nsecs))
						print line
					}' >>"$out/trace.csv" ||
				die "what the guest said is not understood" "it is in $out/$clock-$kernel-$i.out"
		done
		say "traced boot $i of $boots, by $clock"
	done
done

#
# What comes of it: tables as CSV, of which the report and the page are made.
#

# Percentiles without what the tracer adds, for the plots; and tables.
trace_tables()
{
	awk -F, -v OFS=, -v rounds="$rounds" -v plots="$out/percentiles.csv" -v out="$out" "$(cat "$here/median.awk")"'
	function note(text) { if (!(text in noted)) { noted[text] = 1; print text } }
	NR == 1 { next }
	{
		key = $1 SUBSEP $2 SUBSEP $4
		boots[$2] = $3 > boots[$2] ? $3 : boots[$2]
		if ($1 == "old" && $2 == "instructions" && $3 == 1 && $4 != "empty") {
			order[++cases] = $4
			func_of[$4] = $5 "()" ($4 ~ /^string/ ? ($4 ~ /hit/ ? ", in the cache" : ", not in it") : "")
		}
		samples[key, $3] = $6
		lost[key] += $7
		for (p = 0; p <= 100; p++)
			value[key, p, $3] = $(8 + p)
	}
	# of all boots: of instructions the first, of time the median of each percentile
	function figures(key, clock, kernel,    i, p, empty) {
		for (p = 0; p <= 100; p++) {
			for (i = 1; i <= boots[clock]; i++) {
				empty = value[kernel, clock, "empty", 50, i]
				one[key, p, i] = value[key, p, i] > empty ? value[key, p, i] - empty : 0
			}
			if (clock == "time")
				summarize_at(key, p, boots[clock])
			else {
				q[key, p] = one[key, p, 1]
				for (i = 2; i <= boots[clock]; i++)
					if (p < 100 && one[key, p, i] != q[key, p])
						differ[key] = 1
			}
		}
	}
	function summarize_at(key, p, n,    i, a) {
		for (i = 1; i <= n; i++)
			a[i] = one[key, p, i]
		q[key, p] = middle(a, n)
		low[key, p] = a[1]
		high[key, p] = a[n]
	}
	END {
		split("instructions time", clocks, " ")
		split("old new", kernels, " ")
		split("0 25 50 75 100", points, " ")
		print "clock,case,function,kernel,percent,value" >plots
		for (c = 1; c <= 2; c++) {
			clock = clocks[c]
			file = out "/table-" clock ".csv"
			print "function,kernel,Samples,Min.,1st Qu.,Median,3rd Qu.,Max." \
				(clock == "time" ? ",Median of the boots" : "") >file
			for (n = 1; n <= cases; n++) {
				for (k = 1; k <= 2; k++) {
					key = kernels[k] SUBSEP clock SUBSEP order[n]
					name = k == 1 ? "\"" func_of[order[n]] "\"" : ""
					if (lost[key]) {
						printf "%s,%s,incomplete: %d events lost,,,,,%s\n", name, kernels[k], lost[key],
							clock == "time" ? "," : "" >file
						note("Of " func_of[order[n]] ", " kernels[k] ", by " clock ": the trace buffer lost " \
						     lost[key] " events. No figures are given.")
						continue
					}
					figures(key, clock, kernels[k])
					line = name OFS kernels[k] OFS samples[key, 1]
					for (p = 1; p <= 5; p++)
						line = line OFS sprintf("%.0f", q[key, points[p]])
					if (clock == "time")
						line = line OFS sprintf("%.0f to %.0f", low[key, 50], high[key, 50])
					print line >file
					for (p = 0; p <= 100; p++)
						print clock, order[n], "\"" func_of[order[n]] "\"", kernels[k], p, q[key, p] >plots
					for (i = 2; i <= boots[clock]; i++)
						if (clock == "instructions" && samples[key, i] != samples[key, 1])
							differ[key] = 1
				}
				o = "old" SUBSEP clock SUBSEP order[n]
				w = "new" SUBSEP clock SUBSEP order[n]
				if (lost[o] || lost[w])
					continue
				line = ",new/old,"
				for (p = 1; p <= 5; p++)
					line = line OFS (q[o, points[p]] ? sprintf("%.2f", q[w, points[p]] / q[o, points[p]]) : "-")
				print line (clock == "time" ? "," : "") >file
				if (clock != "instructions")
					continue
				if (samples[o, 1] != samples[w, 1])
					note("Of " func_of[order[n]] " the old kernel has " samples[o, 1] " samples and the new one " \
					     samples[w, 1] ": the two did not do the same.")
				if (differ[o] || differ[w])
					note("Two boots of one kernel differ in " func_of[order[n]] ", by instructions, below the maximum.")
			}
			close(file)
		}
		for (k = 1; k <= 2; k++)
			printf "Subtracted for the tracer, %s: %d instructions\n", kernels[k],
				value[kernels[k], "instructions", "empty", 50, 1]
	}' "$out/trace.csv"
}

stats_table()
{
	awk -F, -v OFS=, 'NR == 1 { for (i = 3; i <= NF; i++) name[i] = $i; next }
	{
		n[$1]++
		for (i = 3; i <= NF; i++) {
			sum[$1, i] += $i
			if (n[$1] == 1 || $i < min[$1, i]) min[$1, i] = $i
			if (n[$1] == 1 || $i > max[$1, i]) max[$1, i] = $i
		}
	}
	END {
		print "avc/hash_stats", "old hash: mean", "range", "new: mean", "range"
		name[4] = "buckets used"; name[5] = "buckets"; name[6] = "longest chain"; name[8] = "median"
		for (i = 3; i <= 9; i++) {
			line = name[i]
			for (k = 1; k <= 2; k++) {
				kernel = k == 1 ? "old_hash" : "new_hash"
				line = line OFS sprintf("%.2f", sum[kernel, i] / n[kernel]) OFS min[kernel, i] " to " max[kernel, i]
			}
			print line
		}
	}' "$out/hash_stats.csv" >"$out/table-hash_stats.csv"
}

boot_log_table()
{
	awk -F, -v OFS=, 'NR == 1 { next }
	{ line[$2, $1] = $4 "/" $5 OFS $6 OFS $7 "/" $8 "/" $9 OFS $10 OFS sprintf("%.3f", ($10 / $3 + 1) / 2); entries[$2] = $3 }
	END {
		print "table", "entries", "kernel", "buckets used", "longest", "q1/med/q3", "sum of squares", "nodes per hit"
		n = split("rules conditional_rules roletr rangetr", tables, " ")
		for (i = 1; i <= n; i++) {
			print tables[i], entries[tables[i]], "old hash", line[tables[i], "old_hash"]
			print "", "", "new", line[tables[i], "new_hash"]
		}
	}' "$out/boot_log.csv" >"$out/table-boot_log.csv"
}

sizes_table()
{
	awk -F, -v OFS=, 'NR == 1 { next }
	!($2 in seen) { seen[$2] = 1; order[++n] = $2 }
	{ bytes[$1, $2] = $3 }
	END {
		print "bytes", "old", "new"
		for (i = 1; i <= n; i++)
			print order[i], (("old", order[i]) in bytes) ? bytes["old", order[i]] : "-",
				(("new", order[i]) in bytes) ? bytes["new", order[i]] : "-"
	}' "$out/sizes.csv" >"$out/table-sizes.csv"
}

# Prints the aims.
create_table()
{
	awk -F, -v OFS=, -v file="$out/table-create.csv" "$(cat "$here/median.awk")"'
	NR == 1 { next }
	{
		key = $1 SUBSEP $3
		if (!($3 in seen)) { seen[$3] = 1; order[++rungs] = $3 }
		rate[key, ++n[key]] = 1e9 * $5 / $6
	}
	END {
		print "rung", "old: events", "range", "of none", "new: events", "range", "of none", "new/old" >file
		for (i = 1; i <= rungs; i++) {
			line = order[i]
			for (k = 1; k <= 2; k++) {
				kernel = k == 1 ? "old" : "new"
				key = kernel SUBSEP order[i]
				summarize(rate, key, n[key])
				line = line OFS sprintf("%.0f", med[key]) OFS sprintf("%.0f to %.0f", min[key], max[key]) \
					OFS sprintf("%.3f", med[key] / med[kernel, "none"])
			}
			print line, sprintf("%.3f", med["new", order[i]] / med["old", order[i]]) >file
		}
		rises = 1
		for (i = 3; i <= rungs; i++)
			for (k = 1; k <= 2; k++) {
				kernel = k == 1 ? "old" : "new"
				# "raw" is not above "no-poll": each does without something else
				if (order[i] != "raw" && min[kernel, order[i]] <= max[kernel, order[i - 1]])
					rises = 0
			}
		print "The rungs rise: " (rises ? "met" : "not met")
		share = med["new", "all"] / med["new", "none"]
		printf "All three at least 0.37 of none: %.3f, %s\n", share, (share >= 0.37 ? "met" : "not met")
		ratio = med["new", "kernel"] / med["old", "kernel"]
		overlap = min["new", "kernel"] <= max["old", "kernel"] && min["old", "kernel"] <= max["new", "kernel"]
		printf "The rung that asks the kernel each time is no slower: %.3f times as fast, %s%s\n", ratio,
			(ratio >= 1 ? "met" : "not met"), (overlap ? ", but the ranges overlap" : "")
	}' "$out/create.csv"
}

# csv2text FILE: a table, with columns of one width
csv2text()
{
	sed 's/"\([^",]*\),\([^",]*\)"/\1;\2/; s/"//g' "$1" | awk -F, '
		{ for (i = 1; i <= NF; i++) { gsub(/;/, ",", $i); cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) }
		  if (NF > columns) columns = NF }
		END {
			for (r = 1; r <= NR; r++) {
				line = sprintf("%-" width[1] "s", cell[r, 1])
				for (i = 2; i <= columns; i++)
					line = line sprintf("  %" width[i] "s", cell[r, i])
				sub(/ *$/, "", line)
				print line
			}
		}'
}

csv2html()
{
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/"\([^",]*\),\([^",]*\)"/\1;\2/; s/"//g' "$1" | awk -F, '
		NR == 1 { print "<table>"; tag = "th" }
		NR > 1 { tag = "td" }
		{
			printf "<tr>"
			for (i = 1; i <= NF; i++) { gsub(/;/, ",", $i); printf "<%s>%s</%s>", tag, $i, tag }
			print "</tr>"
		}
		END { print "</table>" }'
}

# plot NAME WIDTH HEIGHT COMMANDS: NAME.svg and NAME.png
plot()
{
	local terminal file

	for terminal in "svg size $2,$3 font 'sans,12'" "pngcairo size $2,$3 font 'sans,10'"; do
		case $terminal in svg*) file=$1.svg ;; *) file=$1.png ;; esac
		{ echo "set terminal $terminal; set output '$out/$file'; set datafile separator ','"
		  echo "old = '#b2182b'; new = '#2166ac'"
		  cat; } <<<"$4" | gnuplot >"$tmp/err" 2>&1 || die "gnuplot failed" "$(head -n 3 "$tmp/err")"
	done
}

plots()
{
	local clock case function commands

	plot hash_stats 900 360 "
set multiplot layout 1,2
set key bottom right; set xlabel 'sample'; set style data lines
set title 'avc/hash\\_stats: buckets used'
plot for [k in 'old_hash new_hash'] '$out/hash_stats.csv' using 2:(strcol(1) eq k ? \$4 : NaN) \\
	title (k eq 'old_hash' ? 'old' : 'new') lc rgb (k eq 'old_hash' ? old : new)
set key top right
set title 'avc/hash\\_stats: longest chain'
set yrange [0:*]
plot for [k in 'old_hash new_hash'] '$out/hash_stats.csv' using 2:(strcol(1) eq k ? \$6 : NaN) \\
	title (k eq 'old_hash' ? 'old' : 'new') lc rgb (k eq 'old_hash' ? old : new)
unset multiplot"
	for clock in instructions time; do
		commands="set multiplot layout 3,2
set key bottom right; set ylabel 'percent of the calls'; set yrange [0:100]; set style data steps
set xlabel '$([ $clock = time ] && echo nanoseconds || echo instructions)'"
		while IFS=, read -r case function; do
			commands="$commands
set title '$function' noenhanced
stats '$out/percentiles.csv' using (strcol(1) eq '$clock' && strcol(2) eq '$case' && \$5 <= 97 ? \$6 : NaN) nooutput
set xrange [0:STATS_max * 1.1 + 1]
plot for [k in 'old new'] '$out/percentiles.csv' \\
	using 6:(strcol(1) eq '$clock' && strcol(2) eq '$case' && strcol(4) eq k ? \$5 : NaN) \\
	title k lw 2 lc rgb (k eq 'old' ? old : new)"
		done < <(awk -F'"' 'NR > 1 { split($1, f, ","); if (!seen[f[2]]++) print f[2] "," $2 }' "$out/percentiles.csv")
		plot $clock 900 1000 "$commands
unset multiplot"
	done
}

cat >"$tmp/heading" <<END
without the series: $("${git[@]}" log -1 --format=%s pristine)
with the series:    $("${git[@]}" log -1 --format=%s "$tip")
old hash:           $("${git[@]}" log -1 --format=%s "$first^"), of the series
guest:              QEMU $(qemu-system-x86_64 --version | sed -n '1s/.*version \([^ ]*\).*/\1/p'), policy of $(stat -c %s "$policy/policy") bytes
machine:            $(nproc) CPUs, $(sed -n 's/^model name.*: *//p' /proc/cpuinfo | sed 1q); load average $(cut -d' ' -f1-3 /proc/loadavg)
date:               $(date +%F); ROUNDS=$rounds make compare BASE=$base
END

stats_table
boot_log_table
sizes_table
trace_tables >"$tmp/notes" || die "the traces are not what they should be" "they are in $out/trace.csv"
create_table >"$tmp/aims" || die "the create path's figures are not what they should be" "they are in $out/create.csv"
plots

# section TITLE TEXT TABLE [FILE OF LINES [PLOT]]: to both
section()
{
	{
		printf '\n%s\n%s\n\n' "$1" "${1//?/=}"
		fmt -w 78 <<<"$2"
		echo
		csv2text "$out/table-$3.csv"
		[ -z "${4:-}" ] || { echo; cat "$4"; }
	} >>"$out/report.txt"
	{
		printf '<h2>%s</h2>\n<p>%s</p>\n' "$1" "$2"
		csv2html "$out/table-$3.csv"
		[ -z "${4:-}" ] || { echo '<p class="notes">'; sed 's/$/<br>/' "$4"; echo '</p>'; }
		[ -z "${5:-}" ] || sed -n '/<svg/,$p' "$out/$5.svg"
	} >>"$out/index.html"
}

title="SELinux with and without the hashing series, Linux $base"
{ printf '%s\n%s\n\n' "$title" "${title//?/*}"; cat "$tmp/heading"; } >"$out/report.txt"
cat >"$out/index.html" <<END
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
body { font-family: sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1em 0; font-size: 0.92em; }
th, td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th { border-bottom: 2px solid #888; }
th:first-child, td:first-child { text-align: left; }
pre, .notes { background: #f5f5f5; padding: 0.7em; font-size: 0.9em; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>$title</h1>
<pre>$(sed 's/&/\&amp;/g; s/</\&lt;/g' "$tmp/heading")</pre>
END
grep instructions "$tmp/notes" >"$tmp/notes-instructions" || :
grep -v instructions "$tmp/notes" >"$tmp/notes-other" || :
section "Chains of the AVC" "Means of 100 samples of avc/hash_stats, while $(nproc) CPUs' worth of domains work and the AVC is full." \
	hash_stats '' hash_stats
section "Chains of the policy's tables" "The boot log's figures. Nodes per hit is the mean number of nodes that a search visits which finds what it looks for: (sum of squares / entries + 1) / 2." \
	boot_log
section "Functions, in instructions" "ftrace's function graph, one function at a time; the guest's clock is the number of instructions it has executed. What the tracer adds is subtracted." \
	instructions "$tmp/notes" instructions
section "Functions, in nanoseconds" "The same in real time, of an emulated CPU: each figure is the median of $rounds boots. This shows the order of things, and how much it varies; for times on a CPU, see make bench." \
	time '' time
section "The create path" "Objects that a server labels for a client, per 10^9 instructions of both: medians and ranges, of 2 boots of each kernel and 3 rounds in each. none: nothing is asked; kernel: the kernel, each time, translated contexts, netlink polled before each question; avc: permissions from libselinux's AVC; create: labels of new objects, too; no-poll: the status page instead of netlink; raw: as create, with raw contexts; all: all three." \
	create "$tmp/aims"
section "Sizes" "SELinux's objects, and what is allocated of each kind: an avtab has a pointer of 8 bytes for each of its buckets." \
	sizes
echo '</body></html>' >>"$out/index.html"
cat "$out/report.txt"
say "all of it is in $out: index.html, report.txt, the plots as SVG and PNG, the figures as CSV"
