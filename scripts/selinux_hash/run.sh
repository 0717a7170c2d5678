#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh: the main job. Build the kernel of $BASE (or KSRC) with the series,
# boot it with Debian's policy, let real domains work in it, print its figures.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

run "$here/packages.sh" run
tree='' policy='' obj=''
capture tree "$here/source.sh"
capture policy "$here/policy.sh"
run "$here/series.sh" checkout "$tree" >/dev/null
capture obj "$here/kernel.sh" "$tree" x86_64 x86_64 bzImage -- guest x86_64
say "the policy: $policy/policy"
run "$here/guest.sh" qemu "$obj" run workload stats
say "the kernel's log is build/run.console, what is above build/run.out"
