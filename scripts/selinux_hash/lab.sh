#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab.sh [CAPTURE...]: compare hash3() with other hashes, without a kernel.
#
# Build hashlab and hashcost from the kernel tree of $BASE with the series, which
# compile the kernel's own hash3.h, and run them: on Debian's two policies, or the
# one that POLICY= names; on debian_boot.avc, which capture.sh recorded, and the
# captures given; on keys made up from SEED (default 1). The report
# goes to build/lab/: report.txt, the figures as CSV, and two plots.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

seed=${SEED:-1}
captures=()
for file; do
	[ -f "$file" ] && [ -r "$file" ] || die "the capture $file is not a file that can be read"
	captures+=("$(realpath "$file")")
done
run "$here/packages.sh" lab
tree=''
capture tree "$here/source.sh"
run "$here/series.sh" checkout "$tree" >/dev/null
tests=$tree/tools/testing/selftests/selinux_hash
captures+=("$here"/*.avc)

out=$build/lab
rm -rf "$out"
mkdir -p "$out/64" "$out/32"
# build BITS PROGRAM [COMPILER]
build()
{
	run make -C "$tests" "CC=${3:-gcc}" "OUTPUT=$out/$1" "$out/$1/$2" >"$out/build-$1.log" 2>&1 ||
		die_with_log "$2 does not build for $1 bits" "$out/build-$1.log"
}
word=$(getconf LONG_BIT)
build "$word" hashlab
build "$word" hashcost

# The names of the policies' files are those of the report.
mkdir "$tmp/policies"
policy=''
if [ "${POLICY:-}" ]; then
	capture policy "$here/policy.sh"
	cp "$policy/policy" "$tmp/policies/$(basename "$POLICY")"
else
	for name in default mls; do
		capture policy "$here/policy.sh" "$name"
		cp "$policy/policy" "$tmp/policies/$name"
	done
fi

# section TITLE COMMAND...: run a program, its words being a part of the report
section()
{
	local title=$1
	shift

	say "$title"
	{ printf '\n%s\n%s\n\n' "$title" "${title//?/=}"; } >>"$out/report.txt"
	run "$@" >>"$out/report.txt" 2>"$tmp/err" ||
		die "$title: $(sed -n '1s/^[a-z]*: //p' "$tmp/err")" "$(sed 1d "$tmp/err")"
}

# csv NAME HEADING: begin a file of figures
csv() { echo "$2" >"$out/$1"; }

hashlab() { "$out/$word/hashlab" --seed "$seed" "$@"; }

{
	echo "hash3() and other hashes: how evenly they spread, and what they cost"
	echo "$(git -C "$tree" log -1 --format=%s pristine), with the series; seed $seed"
	echo "$(sed -n 's/^model name.*: *//p' /proc/cpuinfo | sed 1q), $(gcc --version | sed 1q)"
} >"$out/report.txt"
csv evenness.csv "set,table,entries,buckets,hash,used,longest,q1,med,q3,squares,hit,miss,chance,interval"
csv chains.csv "set,hash,length,chains"
csv avc-time.csv "keys,lookups,threshold,buckets,hash,hits_percent,mean_hit,each_hit,each_miss,longest"
csv choice.csv "what,hash,bits_or_buckets,figure1,figure2,figure3,figure4"

mapfile -t policies < <(find "$tmp/policies" -type f | sort)
section "Rules and transitions of policies" hashlab --csv "$out/evenness.csv" --chains "$out/chains.csv" \
	policy "${policies[@]}"
section "What a running AVC was asked for" hashlab --csv "$out/evenness.csv" --chains "$out/chains.csv" \
	avc "${captures[@]}"
section "An AVC over time: captured" hashlab --csv "$out/avc-time.csv" avc-time "${captures[@]}"
section "Made-up keys" hashlab --csv "$out/evenness.csv" made-up
section "An AVC over time: made up" hashlab --csv "$out/avc-time.csv" avc-time
section "Bits" hashlab --csv "$out/choice.csv" bits
section "An attack" hashlab --csv "$out/choice.csv" attack
section "Cost, $word bits" "$out/$word/hashcost" "$out/cost-$word.csv"
if [ "$(uname -m)" = x86_64 ]; then
	# asm/ is where the headers of 64 bits are, unless gcc-multilib links to it
	build 32 hashcost "gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"
	section "Cost, 32 bits" "$out/32/hashcost" "$out/cost-32.csv"
fi

# Of every hash: its cost, and the mean of the nodes visited, in proportion to
# chance, of all sets of keys.
awk -F, -v OFS=, '
	function unquote(text) { gsub(/"/, "", text); return text }
	# the names of sets have commas, so count from the end
	FNR == 1 { file++; next }
	file == 1 { set = $0; sub(/",.*/, "", set); hash = unquote($(NF - 10))
		    hit[hash, set] += $(NF - 3); chance[hash, set] += $(NF - 1); sets[set]; next }
	{ rest = $0; hash = rest; sub(/^[0-9]*,"/, "", hash); sub(/".*/, "", hash)
	  sub(/.*",/, "", rest); split(rest, figure, ",")
	  n = sum = 0
	  for (set in sets) { sum += hit[hash, set] / chance[hash, set]; n++ }
	  print "\"" hash "\"", figure[2], sum / n }' \
	"$out/evenness.csv" "$out/cost-$word.csv" >"$tmp/plane"
{ echo "hash,cycles_in_a_chain,nodes_to_chance"; cat "$tmp/plane"; } >"$out/cost-evenness.csv"

plot()
{
	local terminal file

	for terminal in "svg size 960,600 font 'sans,13'" "pngcairo size 960,600 font 'sans,11'"; do
		case $terminal in svg*) file=$1.svg ;; *) file=$1.png ;; esac
		{ echo "set terminal $terminal; set output '$out/$file'; set datafile separator ','"
		  cat; } <<<"$2" | gnuplot >"$tmp/err" 2>&1 || die "gnuplot failed" "$(head -n 3 "$tmp/err")"
	done
}

say "plots"
first=$(sed -n '2s/^"\([^"]*\)".*/\1/p' "$out/chains.csv")
plot chains "
set title 'Lengths of chains: $first' noenhanced
set xlabel 'nodes in a chain'; set ylabel 'chains'; set xrange [-0.5:14.5]; set xtics 1; set key noenhanced
set style data linespoints
plot for [h in 'shift murmur3 jhash 2020 lanes hash3.h'] '$out/chains.csv' \\
	using 3:(strcol(1) eq '$first' && strcol(2) eq h ? \$4 : NaN) title h lw (h eq 'hash3.h' ? 3 : 1)"
plot cost-evenness "
set title 'Cost against evenness, mean of all sets of keys' noenhanced
set xlabel 'cycles per hash, in a chain'; set ylabel 'nodes visited by a hit, to chance'; set key off
set xrange [0:*]; set logscale y; set yrange [0.9:5]; set ytics (0.9, 1, 1.1, 1.2, 1.5, 2, 3, 4, 5)
set arrow from graph 0, first 1 to graph 1, first 1 nohead dashtype 2
plot '$out/cost-evenness.csv' using 2:3 every ::1 with points pt 7, \\
	'' using 2:3:1 every ::1 with labels left rotate by 50 offset 0.3,0.5 noenhanced"
cat "$out/report.txt"
say "the report is in $out, with its figures as CSV, and plots as SVG and PNG"
