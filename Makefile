# SPDX-License-Identifier: GPL-2.0-only
#
# The front door. Each command is a script in scripts/selinux_hash/.

export BASE ?= 6.12
export KSRC POLICY CACHE SEED

BASES := $(notdir $(wildcard patches/*))
S := scripts/selinux_hash

help:
	@echo 'make run      build the kernel with the series, boot it with Debian'\''s SELinux'
	@echo '              policy, let real domains work in it, print the statistics'
	@echo 'make test     every test; the last line is "N passed, N failed, N skipped"'
	@echo '              (of all bases, or of the one that BASE= names)'
	@echo 'make compare  the kernel without the series and with it, side by side: chains,'
	@echo '              functions by ftrace, a server'\''s questions, sizes; with plots'
	@echo 'make bench    measure what the series does to times, in User Mode Linux'
	@echo '              (BASE=7.3 unless another one is asked for)'
	@echo 'make passsec  measure what the context of a sender costs whoever reads its'
	@echo '              datagrams, as journald does; in instructions, in QEMU'
	@echo 'make journald the same of the real journald, in a whole Debian'
	@echo 'make workload what the boot of a whole Debian and an installation of packages'
	@echo '              make of the tables, with the old hashes and with hash3()'
	@echo 'make lab      compare hash3() with other hashes: evenness, cost, attacks; CAPTURE='
	@echo '              names captures of a running AVC beside those that come with it'
	@echo 'make capture  record what a whole Debian asks of SELinux'\''s caches, and in which'
	@echo '              order: build/capture'
	@echo 'make series   write the series as mails that "git am" takes: build/series/$$BASE'
	@echo 'make try      say step by step whether a tree takes the series: clean, with an'
	@echo '              offset, or not, and then which hunk'
	@echo 'make tree     lay the series out as commits in a kernel tree: build/tree/$$BASE'
	@echo 'make patches  take the commits there back into patches/$$BASE and the new files'
	@echo 'make clean    remove build/, but not the cache'
	@echo
	@echo 'BASE=6.12             the kernel release line; bases: $(BASES)'
	@echo 'KSRC=/path/to/linux   your own tree of that line, which is only read'
	@echo 'POLICY=/path/to/file  a binary policy to load instead of Debian'\''s'
	@echo 'CACHE=/path/to/folder where sources, objects and downloads are kept'
	@echo '                      (default $${XDG_CACHE_HOME:-~/.cache}/selinux_hash)'

run:
	@$(S)/run.sh

# every base, unless one is asked for, or a tree that is of one line
test:
	@$(S)/test.sh $(if $(KSRC)$(filter-out file,$(origin BASE)),$(BASE),$(BASES))

compare:
	@$(S)/compare.sh

# only User Mode Linux of 7.3 has two CPUs
bench:
	@$(if $(KSRC)$(filter-out file,$(origin BASE)),,BASE=7.3) $(S)/bench.sh

passsec:
	@$(S)/passsec.sh

journald:
	@$(S)/passsec.sh journald

workload:
	@$(S)/workload.sh

lab:
	@$(S)/lab.sh $(CAPTURE)

capture:
	@$(S)/capture.sh

# whether a tree takes the series, step by step
try:
	@$(S)/series.sh try

series:
	@$(S)/series.sh mails

tree:
	@$(S)/series.sh layout

patches:
	@$(S)/series.sh takeback

clean:
	@$(S)/clean.sh

.PHONY: help run test compare bench passsec journald workload lab capture try series tree patches clean
