#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# capture.sh: record what a whole Debian asks of SELinux's two caches.
#
# Boot the image of image.sh on the kernel of $BASE (or KSRC) without the series, with
# events at two functions: avc_lookup(), which every lookup in the access vector
# cache passes, and sidtab_sid2str_get(), which every translation of a SID does that
# the cache of context strings is for. When the system is up it works a little (see
# capture_job.sh). From that come, in build/capture/,
#
#	debian_boot.avc.all  every lookup: "ssid tsid tclass", in order
#	debian_boot.avc      those of them that miss in a cache of 512 with exact LRU
#	debian_boot.sid.all  every SID that was translated, in order
#	debian_boot.sid      the first 12,000 of them
#
# The two small ones are like debian_boot.avc here, for the lab, and debian_boot.sid in
# tools/testing/selftests/selinux_hash/, which are of one run: no two are the same. No
# event is lost unnoticed, see check().

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

entries=512 translations=12000
out=$build/capture
probes='p:avc,avc_lookup,ssid=$arg1:u32,tsid=$arg2:u32,tclass=$arg3:u16'
# of struct sidtab_entry: sid, and context.len, which is 0 unless the context is invalid
probes="$probes;p:sid,sidtab_sid2str_get,sid=+0(\$arg2):u32,invalid=+20(\$arg2):u32"

run "$here/packages.sh" image
tree='' obj=''
capture tree "$here/source.sh"
git -C "$tree" checkout -qf --detach pristine
capture obj "$here/kernel.sh" "$tree" x86_64-trace x86_64 bzImage -- guest x86_64 debian trace
for function in avc_lookup sidtab_sid2str_get; do
	grep -qi " t $function\$" "$obj/System.map" ||
		die "the compiler left no function $function to record" "the kernel's functions are in $obj/System.map"
done

rm -rf "$out"
mkdir -p "$out"
truncate -s 1G "$tmp/disk"
# one counter for all CPUs says what came first; the buffers are those of each CPU,
# and of this size at once only if trace_event= is there, even if it names nothing
GUEST_DISK=$tmp/disk GUEST_SECONDS=${GUEST_SECONDS:-1800} \
GUEST_APPEND="kprobe_event=$probes trace_event= trace_buf_size=128M trace_clock=counter" \
	run "$here/guest.sh" debian "$obj" capture "$here/capture_job.sh"
tr -d '\0' <"$tmp/disk" >"$out/trace"
[ "$(tail -n 1 "$out/trace")" = "end of trace" ] ||
	die "what the guest recorded is not complete" \
	    "it is in $out/trace, the guest's log in $build/capture.console"

# Print what was recorded, and fail if an event was lost or counted twice. The guest
# put the kernel's own count into the trace a few times, before and after it worked.
# That is ahead of the events by those lookups that came before the events began,
# less the few between the count and its line; so the largest lead is the truest.
check()
{
	awk '
	/^(overrun|commit overrun|dropped events|missed): / { lost += $NF }
	$1 == "avc:" { n++ }
	$1 == "tracing_mark_write:" {
		if (!($2 in lead) || $3 - n > lead[$2]) {
			lead[$2] = $3 - n
			at[$2] = n
		}
		misses = $4
	}
	END {
		if (lost) {
			print lost " events were lost"
			exit 1
		}
		if (!("work" in at) || !("end" in at)) {
			print "the counts of the guest are not there"
			exit 1
		}
		off = lead["end"] - lead["work"]
		if (off < -20 || off > 20) {
			printf "of %d lookups while the guest worked, the kernel counted %+d\n", at["end"] - at["work"], off
			exit 1
		}
		printf "%d lookups recorded, %d of them while the guest worked, of which the kernel counted %+d;\n",
			n, at["end"] - at["work"], off
		printf "about %d came before the events began; all in all the kernel missed %d\n", lead["work"], misses
	}' "$out/trace"
}

# Write what the cache was asked for, and what of that it would not have had. Its keys
# are in a ring in order of use: behind "" the one used last, before it the one to go.
lookups()
{
	awk -v entries="$entries" -v all="$out/debian_boot.avc.all" -v misses="$out/debian_boot.avc" \
		-v what="# selinux_hash avc capture: ssid tsid tclass, in the order asked for" -v how="$how" '
	function unlink(key) { after[before[key]] = after[key]; before[after[key]] = before[key] }
	function link(key) { after[key] = after[""]; before[key] = ""; before[after[""]] = key; after[""] = key }
	BEGIN {
		after[""] = before[""] = ""
		print what "; " how >all
		print what ", without what was among the last " entries "; " how >misses
	}
	$1 == "avc:" {
		gsub(/[a-z]+=/, "")
		key = $3 " " $4 " " $5
		print key >all
		n++
		if (key in before) {
			unlink(key)
		} else {
			print key >misses
			missed++
			if (!(key in seen)) {
				seen[key] = 1
				distinct++
			}
			if (kept < entries) {
				kept++
			} else {
				old = before[""]
				unlink(old)
				delete before[old]
				delete after[old]
			}
		}
		link(key)
	}
	END {
		printf "%d lookups of %d keys, of which exact LRU with %d entries misses %d\n",
			n, distinct, entries, missed
	}
	' "$out/trace"
}

# To the kernel, an initial SID whose context is that of another one has the number 0.
sids()
{
	awk -v most="$translations" -v all="$out/debian_boot.sid.all" -v first="$out/debian_boot.sid" \
		-v what="# selinux_hash sid capture: SIDs translated to strings, in order" -v how="$how" '
	BEGIN {
		print what "; " how >all
		print what ", the first " most "; " how >first
	}
	$1 == "sid:" && $4 == "invalid=0" {
		sub(/sid=/, "", $3)
		print $3 >all
		n++
		if (n <= most)
			print $3 >first
		if (!($3 in seen)) {
			seen[$3] = 1
			distinct++
			if (n <= most)
				distinct_first++
		}
	}
	END { printf "%d translations of %d SIDs; the first %d are of %d SIDs\n", n, distinct, most, distinct_first }
	' "$out/trace"
}

say "reading what was recorded ($(du -h "$out/trace" | cut -f1))"
run check >"$out/figures" || die "the record cannot be right: $(cat "$out/figures")" "it is in $out/trace"
linux=$(git -C "$tree" log -1 --format=%s pristine)
how="recorded while Debian $(sed -n 's/^debian: //p' "$out/trace") booted and worked, on ${linux%%,*}"
run lookups >>"$out/figures"
run sids >>"$out/figures"
cat "$out/figures"
say "the captures are in $out; to make them the test data:"
say "cp $out/debian_boot.avc $here/"
say "cp $out/debian_boot.sid $top/tools/testing/selftests/selinux_hash/"
