#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# workload.sh: what the work of a whole Debian makes of SELinux's tables.
#
# Two kernels of $BASE boot the image of image.sh, $ROUNDS times each (default 3). When
# it is up, it installs packages with services of their own from its cache of apt, and
# meanwhile prints its statistics files (see workload_job.sh):
#
#	old_hash  the series up to the step before hash3(): the hashes of the kernel
#	          without the series, and quartiles, which that has not
#	patched   the series
#
# Of what the files say at one time, the table has the value after boot, and the mean
# of all that was read during the installation; of what they count, the count since
# boot, and that of the installation. Each is the median of the boots, with the lowest
# and the highest. The clock of the guests counts instructions (GUEST_ICOUNT in
# guest.sh), so that how often a file is read does not depend on this machine.
#
# The table goes to build/workload/$BASE/ as table.txt and table.csv, beside the figures
# of each boot (boots.csv) and the guests' logs.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

[ $# = 0 ] || die "usage: workload.sh"
rounds=${ROUNDS:-3}
[[ "$rounds" =~ ^[1-9][0-9]{0,2}$ ]] || die "ROUNDS=$rounds is not a number of rounds"
out=$build/workload/$base
rm -rf "$out"
mkdir -p "$out"

run "$here/packages.sh" image
# shellcheck disable=SC2034
tree='' tip='' old_hash='' patched=''
capture tree "$here/source.sh"
capture tip "$here/series.sh" checkout "$tree"
git=(git -C "$tree")
before=$("${git[@]}" log -1 --format=%H --grep '^selinux: add hash3()$' "pristine..$tip")^
[ "$before" != ^ ] || die "the series has no step 'selinux: add hash3()'"
"${git[@]}" checkout -qf --detach "$before"
capture old_hash "$here/kernel.sh" "$tree" x86_64-debian-old-hash x86_64 bzImage -- guest x86_64 debian
"${git[@]}" checkout -qf --detach "$tip"
capture patched "$here/kernel.sh" "$tree" x86_64-debian x86_64 bzImage -- guest x86_64 debian

boot()
{
	GUEST_ICOUNT=1 GUEST_SECONDS=${GUEST_SECONDS:-3600} \
		"$here/guest.sh" debian "$1" "$2" "$here/workload_job.sh" >"$tmp/guest" 2>&1
}

# The figures of one boot, as lines KERNEL,BOOT,PHASE,FIGURE,VALUE. A figure is called as
# in its file, behind the name of the table.
figures()
{
	awk -v prefix="$1,$2" '
	function add(name, value) {
		name = table[$3] name
		if (!(name in seen)) {
			seen[name] = 1
			names[++names_n] = name
		}
		at[$2, name] += value
		samples[$2, name]++
	}
	function put(phase, name, value) { printf "%s,%s,%s,%.12g\n", prefix, phase, name, value }

	BEGIN {
		table["avc/hash_stats"] = table["avc/cache_stats"] = "avc "
		table["ss/sidtab_hash_stats"] = "sidtab "
		table["ss/sid2str_cache_stats"] = "strings "
	}
	$1 != "workload:" || !($3 in table) { next }
	# a line of names, and one of each CPU
	$3 == "avc/cache_stats" {
		for (i = 4; i <= NF; i++) {
			if ($4 ~ /^[a-z]/)
				column[i] = $i
			else
				add(column[i], $i)
			counts["avc " column[i]] = 1
		}
		next
	}
	{
		name = $4
		for (i = 5; i < NF; i++)
			name = name " " $i
		sub(/:$/, "", name)
		split($NF, part, "/")
		if (name ~ /q1.med.q3$/) {
			add("q1", part[1])
			add("median", part[2])
			add("q3", part[3])
		} else {
			add(name, part[1])
			counts[table[$3] name] = $3 ~ /sid2str/ && name != "entries"
		}
	}
	END {
		put("install", "samples", samples["install", "avc entries"])
		for (i = 1; i <= names_n; i++) {
			name = names[i]
			put("boot", name, at["boot", name])
			if (counts[name])
				put("install", name, at["end", name] - at["boot", name])
			else
				put("install", name, at["install", name] / samples["install", name])
		}
	}' "$3"
}

# measure KERNEL ROUND: boot a kernel, and add its figures to boots.csv
measure()
{
	local kernel=$1 round=$2 guest=workload/$base/$1-$2

	run boot "${!kernel}" "$guest" || {
		cat "$tmp/guest" >&2
		die "the guest $kernel of round $round did not do its work" \
		    "its log is $build/$guest.console, what it said $build/$guest.out"
	}
	figures "$kernel" "$round" "$build/$guest.out" >>"$out/boots.csv" ||
		die "what the guest said is not understood" "it is in $build/$guest.out"
}

echo "kernel,boot,phase,figure,value" >"$out/boots.csv"
say "measuring: $rounds rounds of two boots"
for round in $(seq "$rounds"); do
	if [ $((round % 2)) = 1 ]; then order=(old_hash patched); else order=(patched old_hash); fi
	for kernel in "${order[@]}"; do
		measure "$kernel" "$round"
		say "measured the kernel $kernel, round $round of $rounds"
	done
done

# The table of boots.csv, also as table.csv.
table()
{
	awk -F, -v rounds="$rounds" -v csv="$out/table.csv" "$(cat "$here/median.awk")"'
	NR == 1 { next }
	{
		key = $1 SUBSEP $3 SUBSEP $4
		figure[key, ++n[key]] = $5
		if ($1 == "patched" && n[key] == 1 && $3 == "install" && $4 != "samples")
			names[++names_n] = $4
	}
	function cell(kernel, phase, name,    key) {
		key = kernel SUBSEP phase SUBSEP name
		if (!(key in n))
			return "-"
		if (n[key] != rounds) {
			print "of " kernel ", " name " is not there in every boot" >"/dev/stderr"
			failed = 1
		}
		summarize(figure, key, n[key])
		printf "%s,%s,%s,%.12g,%.12g,%.12g\n", phase, name, kernel, med[key], min[key], max[key] >csv
		return range(key, med[key] < 100 && phase == "install" ? "%.2f" : "%.0f")
	}
	END {
		print "phase,figure,kernel,median,min,max" >csv
		phases_n = split("boot install", phases, " ")
		for (p = 1; p <= phases_n; p++) {
			phase = phases[p]
			if (phase == "install")
				printf "\nDuring the installation; files read %s times with the old hashes, %s times patched\n",
					cell("old_hash", phase, "samples"), cell("patched", phase, "samples")
			else
				print "After boot"
			printf "%-22s %-30s %s\n", "", "old_hash", "patched"
			for (i = 1; i <= names_n; i++)
				printf "%-22s %-30s %s\n", names[i], cell("old_hash", phase, names[i]),
					cell("patched", phase, names[i])
		}
		exit failed
	}' "$out/boots.csv"
}

{
	echo "A whole Debian boots, and installs $(sed -n 's/^workload: installed //p' "$out/patched-1.out")."
	echo "Medians of $rounds boots, and the lowest and the highest."
	echo "old_hash: $("${git[@]}" log -1 --format=%s "$before")"
	echo "patched:  $("${git[@]}" log -1 --format=%s "$tip")"
	echo
	table
} >"$tmp/table" || die "the figures are not what they should be" "they are in $out/boots.csv"
show_table "$out"
