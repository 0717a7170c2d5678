// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chain-length statistics of a hash table with separate chaining
 */

#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "hash_stats.h"

/**
 * hash_stats_init - begin the statistics of a hash table
 * @stats: statistics, overwritten
 * @buckets: number of buckets of the table, 0 for a table without any
 *
 * Takes 4 bytes of scratch memory per bucket, which hash_stats_finish() gives
 * back. Where they cannot be had, all figures but the quartiles are still
 * counted.
 *
 * Context: May sleep.
 */
void hash_stats_init(struct hash_stats *stats, u32 buckets)
{
	*stats = (struct hash_stats) {
		.buckets = buckets,
		.chain_len = kvmalloc_array(buckets, sizeof(*stats->chain_len),
					    GFP_KERNEL | __GFP_NOWARN),
	};
}

static int chain_len_cmp(const void *a, const void *b)
{
	const u32 l = *(const u32 *)a, r = *(const u32 *)b;

	return (l > r) - (l < r);
}

/**
 * hash_stats_finish - work out the quartiles, and free the scratch memory
 * @stats: statistics to which every non-empty chain was added
 *
 * The k-th quartile of n non-empty chains is the one of rank ceil(k * n / 4)
 * when they are sorted by length: the shortest length that at least k quarters
 * of the chains do not exceed. It is always the length of a real chain:
 *
 *	chains	 q1	 median	 third quartile
 *	0	 0	 0	 0
 *	1	 first	 first	 first
 *	2	 first	 first	 second
 *	3	 first	 second	 third
 *	4	 first	 second	 third
 *
 * Context: May sleep.
 */
void hash_stats_finish(struct hash_stats *stats)
{
	const u32 n = stats->buckets_used;

	/* More chains than buckets: hash_stats_add() warned, none are right. */
	if (stats->chain_len && n <= stats->buckets) {
		sort(stats->chain_len, n, sizeof(*stats->chain_len),
		     chain_len_cmp, NULL);
		if (n) {
			stats->q1 = stats->chain_len[DIV_ROUND_UP(n, 4) - 1];
			stats->med = stats->chain_len[DIV_ROUND_UP(n, 2) - 1];
			/* ceil(3 * n / 4), but 3 * n may overflow */
			stats->q3 = stats->chain_len[n - n / 4 - 1];
		}
		stats->quartiles = true;
	}

	kvfree(stats->chain_len);
	stats->chain_len = NULL;
}

/**
 * hash_stats_print - print the figures for a selinuxfs file
 * @stats: finished statistics
 * @page: buffer of PAGE_SIZE bytes
 *
 * The text is an interface, see
 * Documentation/ABI/testing/sysfs-selinux-avc-hash_stats. The line of the
 * quartiles is left out where they are not known.
 *
 * Context: Any.
 * Return: Number of characters printed, without the terminating NUL.
 */
int hash_stats_print(const struct hash_stats *stats, char *page)
{
	int len;

	len = scnprintf(page, PAGE_SIZE,
			"entries: %u\nbuckets used: %u/%u\nlongest chain: %u\n",
			stats->entries, stats->buckets_used, stats->buckets,
			stats->longest_chain);
	if (stats->quartiles)
		len += scnprintf(page + len, PAGE_SIZE - len,
				 "non-zero chain q1/med/q3: %u/%u/%u\n",
				 stats->q1, stats->med, stats->q3);
	return len;
}

#ifdef CONFIG_SECURITY_SELINUX_DEBUG
/**
 * hash_stats_debug - print the figures to the kernel log, at debug level
 * @stats: finished statistics
 * @name: name of the table or of the kind of table
 * @details: which table of that kind, or NULL
 *
 * Context: Any.
 */
void hash_stats_debug(const struct hash_stats *stats, const char *name,
		      const char *details)
{
	char quartiles[sizeof(", non-zero q1/med/q3 //") + 3 * 10] = "";

	if (stats->quartiles)
		scnprintf(quartiles, sizeof(quartiles),
			  ", non-zero q1/med/q3 %u/%u/%u", stats->q1,
			  stats->med, stats->q3);

	pr_debug("SELinux: %s%s%s:  %u entries and %u/%u buckets used, longest chain length %u%s, sum of chain length^2 %llu\n",
		 name, details ? "@" : "", details ?: "", stats->entries,
		 stats->buckets_used, stats->buckets, stats->longest_chain,
		 quartiles, stats->chain2_len_sum);
}
#endif /* CONFIG_SECURITY_SELINUX_DEBUG */

#ifdef CONFIG_SECURITY_SELINUX_KUNIT_TEST

#include <kunit/test.h>
#include <linux/prandom.h>

static struct hash_stats stats_of(const u32 *chain_len, u32 buckets)
{
	struct hash_stats stats;
	u32 i;

	hash_stats_init(&stats, buckets);
	for (i = 0; i < buckets; i++)
		hash_stats_add(&stats, chain_len[i]);
	hash_stats_finish(&stats);
	return stats;
}

#define STATS_OF(...)                                               \
	stats_of((const u32[]){ __VA_ARGS__ },                      \
		 ARRAY_SIZE(((const u32[]){ __VA_ARGS__ })))

static void expect_quartiles(struct kunit *test, const struct hash_stats *stats,
			     u32 q1, u32 med, u32 q3)
{
	KUNIT_EXPECT_TRUE(test, stats->quartiles);
	KUNIT_EXPECT_EQ(test, stats->q1, q1);
	KUNIT_EXPECT_EQ(test, stats->med, med);
	KUNIT_EXPECT_EQ(test, stats->q3, q3);
}

static void hash_stats_of_no_chain_are_0(struct kunit *test)
{
	struct hash_stats no_bucket = stats_of(NULL, 0);
	struct hash_stats empty = STATS_OF(0, 0, 0, 0);

	KUNIT_EXPECT_EQ(test, no_bucket.buckets, 0);
	expect_quartiles(test, &no_bucket, 0, 0, 0);

	KUNIT_EXPECT_EQ(test, empty.entries, 0);
	KUNIT_EXPECT_EQ(test, empty.buckets, 4);
	KUNIT_EXPECT_EQ(test, empty.buckets_used, 0);
	KUNIT_EXPECT_EQ(test, empty.longest_chain, 0);
	KUNIT_EXPECT_EQ(test, empty.chain2_len_sum, 0);
	expect_quartiles(test, &empty, 0, 0, 0);
}

static void hash_stats_count_entries_buckets_and_squares(struct kunit *test)
{
	struct hash_stats stats = STATS_OF(3, 0, 1, 0, 5, 1, 0, 0);

	KUNIT_EXPECT_EQ(test, stats.entries, 10);
	KUNIT_EXPECT_EQ(test, stats.buckets, 8);
	KUNIT_EXPECT_EQ(test, stats.buckets_used, 4);
	KUNIT_EXPECT_EQ(test, stats.longest_chain, 5);
	KUNIT_EXPECT_EQ(test, stats.chain2_len_sum, 9 + 1 + 25 + 1);
	/* sorted: 1 1 3 5 */
	expect_quartiles(test, &stats, 1, 1, 3);

	/* 100,000 squared does not fit 32 bits */
	stats = STATS_OF(100000);
	KUNIT_EXPECT_EQ(test, stats.chain2_len_sum, 10000000000ULL);
}

static void hash_stats_of_1_to_5_chains_follow_the_rank_rule(struct kunit *test)
{
	struct hash_stats stats;

	stats = STATS_OF(10);
	expect_quartiles(test, &stats, 10, 10, 10);
	stats = STATS_OF(20, 10);
	expect_quartiles(test, &stats, 10, 10, 20);
	stats = STATS_OF(30, 10, 20);
	expect_quartiles(test, &stats, 10, 20, 30);
	stats = STATS_OF(40, 30, 20, 10);
	expect_quartiles(test, &stats, 10, 20, 30);
	/* ranks ceil(5/4), ceil(10/4), ceil(15/4): 2, 3, 4 */
	stats = STATS_OF(50, 40, 30, 20, 10);
	expect_quartiles(test, &stats, 20, 30, 40);
}

static void hash_stats_with_ties_give_the_tied_length(struct kunit *test)
{
	struct hash_stats stats;

	stats = STATS_OF(2, 2, 2, 2, 2, 2, 2);
	expect_quartiles(test, &stats, 2, 2, 2);
	stats = STATS_OF(1, 1, 1, 1, 9, 9, 9, 9);
	expect_quartiles(test, &stats, 1, 1, 9);
	stats = STATS_OF(1, 9, 9, 9);
	expect_quartiles(test, &stats, 1, 9, 9);
}

static void hash_stats_leave_empty_buckets_out_of_the_quartiles(struct kunit *test)
{
	struct hash_stats stats = STATS_OF(0, 4, 0, 0, 0, 0, 2, 0, 0, 0);

	KUNIT_EXPECT_EQ(test, stats.buckets_used, 2);
	expect_quartiles(test, &stats, 2, 2, 4);
}

/* The definition, with no sorting: the shortest length that is not exceeded. */
static u32 quartile_by_counting(const u32 *chain_len, u32 buckets, u32 k)
{
	u32 i, j, chains = 0, quartile = 0;

	for (i = 0; i < buckets; i++)
		chains += chain_len[i] != 0;

	for (i = 0; i < buckets; i++) {
		u32 not_longer = 0;

		for (j = 0; j < buckets; j++)
			if (chain_len[j] && chain_len[j] <= chain_len[i])
				not_longer++;
		if (chain_len[i] && 4 * not_longer >= k * chains &&
		    (!quartile || chain_len[i] < quartile))
			quartile = chain_len[i];
	}
	return quartile;
}

static void hash_stats_quartiles_agree_with_counting(struct kunit *test)
{
	u32 chain_len[67], buckets, round, i;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 1);
	for (buckets = 0; buckets <= ARRAY_SIZE(chain_len); buckets++) {
		for (round = 0; round < 20; round++) {
			/* from nearly all tied to nearly all different */
			u32 mod = 1 + (prandom_u32_state(&rnd) % (1 << round));
			struct hash_stats stats;

			for (i = 0; i < buckets; i++)
				chain_len[i] = prandom_u32_state(&rnd) % (mod + 1);
			stats = stats_of(chain_len, buckets);

			KUNIT_ASSERT_TRUE(test, stats.quartiles);
			KUNIT_ASSERT_EQ(test, stats.q1,
					quartile_by_counting(chain_len, buckets, 1));
			KUNIT_ASSERT_EQ(test, stats.med,
					quartile_by_counting(chain_len, buckets, 2));
			KUNIT_ASSERT_EQ(test, stats.q3,
					quartile_by_counting(chain_len, buckets, 3));
		}
	}
}

static void hash_stats_without_memory_give_all_but_quartiles(struct kunit *test)
{
	char *page = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct hash_stats stats;

	KUNIT_ASSERT_NOT_NULL(test, page);

	/* 16 GiB: kvmalloc() refuses more than INT_MAX bytes everywhere */
	hash_stats_init(&stats, U32_MAX);
	KUNIT_ASSERT_NULL(test, stats.chain_len);
	hash_stats_add(&stats, 2);
	hash_stats_add(&stats, 0);
	hash_stats_add(&stats, 3);
	hash_stats_finish(&stats);

	KUNIT_EXPECT_FALSE(test, stats.quartiles);
	KUNIT_EXPECT_EQ(test, stats.entries, 5);
	KUNIT_EXPECT_EQ(test, stats.buckets_used, 2);
	KUNIT_EXPECT_EQ(test, stats.longest_chain, 3);
	KUNIT_EXPECT_EQ(test, stats.chain2_len_sum, 13);

	KUNIT_EXPECT_EQ(test, hash_stats_print(&stats, page), strlen(page));
	KUNIT_EXPECT_STREQ(test, page,
			   "entries: 5\n"
			   "buckets used: 2/4294967295\n"
			   "longest chain: 3\n");
}

static void hash_stats_print_the_selinuxfs_text(struct kunit *test)
{
	char *page = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct hash_stats stats = STATS_OF(1, 2, 0, 3, 1);

	KUNIT_ASSERT_NOT_NULL(test, page);

	KUNIT_EXPECT_EQ(test, hash_stats_print(&stats, page), strlen(page));
	KUNIT_EXPECT_STREQ(test, page,
			   "entries: 7\n"
			   "buckets used: 4/5\n"
			   "longest chain: 3\n"
			   "non-zero chain q1/med/q3: 1/1/2\n");

	stats = STATS_OF(0, 0);
	hash_stats_print(&stats, page);
	KUNIT_EXPECT_STREQ(test, page,
			   "entries: 0\n"
			   "buckets used: 0/2\n"
			   "longest chain: 0\n"
			   "non-zero chain q1/med/q3: 0/0/0\n");
}

static struct kunit_case hash_stats_test_cases[] = {
	KUNIT_CASE(hash_stats_of_no_chain_are_0),
	KUNIT_CASE(hash_stats_count_entries_buckets_and_squares),
	KUNIT_CASE(hash_stats_of_1_to_5_chains_follow_the_rank_rule),
	KUNIT_CASE(hash_stats_with_ties_give_the_tied_length),
	KUNIT_CASE(hash_stats_leave_empty_buckets_out_of_the_quartiles),
	KUNIT_CASE(hash_stats_quartiles_agree_with_counting),
	KUNIT_CASE(hash_stats_without_memory_give_all_but_quartiles),
	KUNIT_CASE(hash_stats_print_the_selinuxfs_text),
	{}
};

static struct kunit_suite hash_stats_test_suite = {
	.name = "selinux_hash_stats",
	.test_cases = hash_stats_test_cases,
};

kunit_test_suite(hash_stats_test_suite);

#endif /* CONFIG_SECURITY_SELINUX_KUNIT_TEST */
