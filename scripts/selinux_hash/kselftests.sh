#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kselftests.sh TREE OBJ DIR
#
# Build the kselftests of TREE, and the programs that go with them, against the
# headers of the kernel in OBJ. They go to DIR/tests: DIR is for guest.sh, as
# GUEST_FILES.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

[ $# = 3 ] || die "usage: kselftests.sh TREE OBJ DIR"
tree=$1 obj=$2 dir=$3

rm -rf "$dir"
mkdir -p "$dir/tests"
run make -C "$tree" "O=$obj" ARCH=x86_64 headers
tests=$tree/tools/testing/selftests/selinux_hash
run make -C "$tests" "OUTPUT=$dir/tests" "KHDR_INCLUDES=-isystem $obj/usr/include"
cp "$tests"/*.sid "$dir/tests/"
