#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# clean.sh: remove build/. A tree in it that holds work which patches/ does not
# have is not thrown away.

# shellcheck source=scripts/selinux_hash/common.sh
. "$(dirname "$0")/common.sh"
lock

for tree in "$build"/tree/*; do
	[ ! -d "$tree" ] || BASE=$(basename "$tree") run "$here/series.sh" drop
done
rm -rf "$build"
