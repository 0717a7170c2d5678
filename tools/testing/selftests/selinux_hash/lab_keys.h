/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The keys that the lab hashes: of policies, of running systems, and made up
 */

#ifndef _SELFTESTS_SELINUX_LAB_KEYS_H_
#define _SELFTESTS_SELINUX_LAB_KEYS_H_

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct lab_key {
	u32 source, target, tclass;
};

/* 0 if both are the same; else some order, for qsort() and bsearch(). */
int lab_key_cmp(const void *a, const void *b);

/*
 * The keys of one hash table.
 *
 * avtab gives its numbers to some hashes in another order. hashtab, which has
 * the transitions, asks for 16 bits and keeps the low ones.
 */
enum lab_table {
	LAB_AVC,
	LAB_AVTAB,
	LAB_HASHTAB,
};

struct lab_keys {
	struct lab_key *keys;	/* sorted by lab_key_cmp() */
	size_t count;
	enum lab_table table;
	unsigned int bits;	/* of the index of a bucket, 1 to 16 */
};

/*
 * A named group of tables of one kind. Of made-up keys there are several, of
 * other sizes or from other random numbers: what counts is the mean.
 */
struct lab_set {
	char name[40];
	struct lab_keys *tables;
	size_t count;
};

struct lab_sets {
	struct lab_set *sets;
	size_t count;
};

/*
 * Each adds sets, which are never freed. They say on stderr what is wrong with
 * a file, and exit with 2.
 *
 * Of a policy: the rules, the conditional rules, the role transitions and the
 * range transitions, as the kernel puts them into tables.
 */
void lab_add_policy(struct lab_sets *sets, const char *path);

/* Of a capture of a running AVC: the keys in it, with two numbers of buckets. */
void lab_add_capture(struct lab_sets *sets, const char *path);

/* Made up from a seed other than 0. */
void lab_add_made_up(struct lab_sets *sets, unsigned long long seed);

/* What a path ends in, for a title. */
const char *lab_file_name(const char *path);

/*
 * Reads a capture, in the order in which it was recorded. The caller owns the
 * keys. There is at least one.
 */
struct lab_key *lab_read_capture(const char *path, size_t *count);

/*
 * Makes up what a host asks its AVC for: so many containers, each a process and
 * its files with SIDs of their own. The caller owns the keys.
 */
struct lab_key *lab_container_host(u32 containers, size_t count, unsigned long long seed);

#endif /* _SELFTESTS_SELINUX_LAB_KEYS_H_ */
