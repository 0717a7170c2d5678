/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hash_stats file says, and whether it can be true
 */

#ifndef _SELFTESTS_SELINUX_HASH_FIGURES_H_
#define _SELFTESTS_SELINUX_HASH_FIGURES_H_

#include <stddef.h>

struct hash_figures {
	unsigned int entries;
	unsigned int buckets_used;
	unsigned int buckets;
	unsigned int longest_chain;
	unsigned int q1;
	unsigned int med;
	unsigned int q3;
};

/*
 * Fills in the figures from a text of that many bytes. Returns 0, or -1 if the
 * text is not byte for byte what the kernel prints for some figures.
 */
int figures_parse(struct hash_figures *figures, const char *text, size_t len);

/*
 * Returns NULL if there is a hash table that has these figures, or else the
 * rule that they break.
 */
const char *figures_contradiction(const struct hash_figures *figures);

/*
 * Does both to a text, or to one read of a file. Returns 0, or -1 after it has
 * told on stderr what is wrong, with the text.
 */
int figures_check(struct hash_figures *figures, const char *text, size_t len);
int figures_read(struct hash_figures *figures, const char *path);

#endif /* _SELFTESTS_SELINUX_HASH_FIGURES_H_ */
