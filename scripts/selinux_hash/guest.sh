#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh qemu|um OBJ NAME ACTION...
# guest.sh debian OBJ NAME SCRIPT
#
# Boot the kernel in OBJ with an initramfs that holds the policy and whatever
# is in $GUEST_FILES (a folder, of which tests/ holds the programs to run), let its init do the
# ACTIONs (see guest_init.c), and print what it says. The kernel log and the
# guest's words are kept as build/NAME.console and build/NAME.out.
# GUEST_SECONDS limits the whole (default 600). GUEST_APPEND is for the kernel's
# command line, instead of "audit=0".
#
# Or boot it with the whole Debian that image.sh makes, and let that run SCRIPT, a
# file, when it is up. The image stays as it is. What the guest writes to /dev/vdc
# is in the file $GUEST_DISK, which has to be as large as the disk is to be.
#
# GUEST_ICOUNT=1 gives a qemu guest one CPU, and the count of its instructions as
# its only clock, a nanosecond for each. So what it measures as time is a number of
# instructions, the same on every machine. It says nothing of caches and pipelines.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

[ $# -ge 3 ] || die "usage: guest.sh qemu|um OBJ NAME ACTION..." "or:    guest.sh debian OBJ NAME SCRIPT"
machine=$1 obj=$2 name=$3
shift 3
seconds=${GUEST_SECONDS:-600}
console=$build/$name.console out=$build/$name.out
rm -f "$console" "$out"	# those of the last run are not this one's

policy='' image=''
case $machine in
debian) capture image "$here/image.sh" ;;
*) capture policy "$here/policy.sh" ;;
esac

initramfs()
{
	local f

	[ -z "${GUEST_FILES:-}" ] || [ -d "$GUEST_FILES" ] || die "GUEST_FILES=$GUEST_FILES is not a folder"
	gcc -Wall -O2 -static -o "$tmp/init" "$here"/guest_*.c &&
	{
		echo "dir /dev 755 0 0"
		echo "nod /dev/console 600 0 0 c 5 1"
		for f in proc sys tmp work tests; do
			echo "dir /$f 755 0 0"
		done
		echo "file /init $tmp/init 755 0 0"
		echo "file /policy $policy/policy 644 0 0"
		echo "file /file_contexts $policy/file_contexts 644 0 0"
		[ -z "${GUEST_FILES:-}" ] ||
			find "$GUEST_FILES" -mindepth 1 \( -type d -printf 'dir /%P 755 0 0\n' \) -o \
				-type f -printf 'file /%P %p 755 0 0\n'
	} >"$tmp/initramfs.list" &&
	"$obj/usr/gen_init_cpio" "$tmp/initramfs.list" >"$tmp/initramfs"
}

# /dev/kvm may be there, and a guest on it hang before its first message. So
# the first boot of this kernel on it must say something soon. (A guest without
# a root panics, and -no-reboot ends it.)
probe_kvm()
{
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	run timeout -k 1 20 qemu-system-x86_64 -accel kvm -cpu host -m 256M -no-reboot \
		-nodefaults -display none -serial "file:$tmp/kvm" \
		-kernel "$obj/arch/x86/boot/bzImage" -append "console=ttyS0 panic=-1" \
		</dev/null >/dev/null 2>&1 || :
	grep -q 'Linux version' "$tmp/kvm" 2>/dev/null && grep -q 'panic' "$tmp/kvm"
}

# Set accel and smp to the options for QEMU that make this machine's guests fastest, or
# that count.
choose_accel()
{
	accel=(-accel "tcg,thread=multi" -cpu max)
	smp=2,sockets=2
	if [ "${GUEST_ICOUNT:-}" = 1 ]; then
		# with ERMS, the kernel copies by an instruction that counts once for
		# each byte, though a CPU needs far less for it
		accel=(-accel tcg -icount "shift=0,sleep=off" -cpu "max,-erms") smp=1
	elif [ -e /dev/kvm ]; then
		local known

		known=$cache/kvm.$(cat /proc/sys/kernel/random/boot_id)
		[ -f "$known" ] || {
			say "trying whether a guest boots under KVM"
			if probe_kvm; then echo yes; else echo no; fi >"$known.tmp"
			mv "$known.tmp" "$known"
		}
		if [ "$(cat "$known")" = yes ]; then
			accel=(-accel kvm -cpu host)
		else
			say "KVM does not boot a guest here: QEMU emulates the CPU, which is slower"
		fi
	fi
}

qemu()
{
	local accel smp

	choose_accel
	exec timeout -k 5 "$seconds" qemu-system-x86_64 "${accel[@]}" -m 1G -smp "$smp" \
		-no-reboot -nodefaults -display none -serial "file:$console" -serial stdio \
		-kernel "$obj/arch/x86/boot/bzImage" -initrd "$tmp/initramfs" \
		-append "console=ttyS0 panic=-1 ${GUEST_APPEND:-audit=0} -- /dev/ttyS1 reboot $*"
}

# The guest's disks are vda, vdb and vdc, in this order.
debian()
{
	local accel disks=(-drive "file=$image,format=raw,if=virtio,snapshot=on"
			   -drive "file=$tmp/job,format=raw,if=virtio,readonly=on")

	[ -z "${GUEST_DISK:-}" ] || disks+=(-drive "file=$GUEST_DISK,format=raw,if=virtio,cache=unsafe")
	# whole sectors, and nothing in them that a shell would mind
	{
		cat "$1"
		head -c $((512 - $(stat -c %s "$1") % 512)) /dev/zero | tr '\0' '\n'
	} >"$tmp/job"
	choose_accel
	TMPDIR=$tmp exec timeout -k 5 "$seconds" qemu-system-x86_64 "${accel[@]}" -m 2G -smp "$smp" \
		-no-reboot -nodefaults -display none -serial "file:$console" -serial stdio "${disks[@]}" \
		-kernel "$obj/arch/x86/boot/bzImage" \
		-append "console=ttyS0 panic=-1 root=/dev/vda rw ${GUEST_APPEND:-}"
}

um()
{
	exec timeout -k 5 "$seconds" "$obj/linux" mem=1G con0=null,fd:2 con=null console=tty0 ssl0=null,fd:1 \
		initrd="$tmp/initramfs" root=98:0 panic=-1 audit=0 kunit.enable=0 ncpus=2 seccomp=on \
		-- /dev/ttyS0 poweroff "$@" \
		2>"$console"
}

[ "$machine" = debian ] ||
	initramfs || die "cannot make the initramfs" "gcc and libc6-dev are needed"
: >"$console"
: >"$out"
say "booting the guest $name ($machine, at most $seconds s)"
start=$SECONDS
status=0
run "$machine" "$@" </dev/null > >(sed -u 's/\r$//' | tee "$out") || status=$?
# tee may still be writing the last lines
for _ in 1 2 3 4 5 6 7 8 9 10; do
	grep -q '^guest: status ' "$out" && break
	sleep 0.1
done

case $(sed -n 's/^guest: status //p' "$out") in
0)
	say "the guest ended well after $((SECONDS - start)) s"
	;;
'')
	tail -n 20 "$console" | sed 's/^/  | /' >&2
	if grep -q 'Kernel panic' "$console"; then
		what="the guest's kernel panicked"
	elif [ "$status" = 124 ] || [ "$status" = 137 ]; then
		what="the guest hung: it was ended after $seconds s"
	else
		what="the guest ended with no word (exit status $status)"
	fi
	die "$what" "its kernel's log is $console"
	;;
*)
	die "the guest failed: $(grep '^guest: ' "$out" | tail -n 2 | head -n 1 | cut -c8-)" \
	    "what it said is in $out, its kernel's log in $console"
	;;
esac
