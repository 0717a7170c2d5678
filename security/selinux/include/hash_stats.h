/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chain-length statistics of a hash table with separate chaining
 *
 * The owner of a table walks its own buckets, under whatever lock they need,
 * and hands over the length of each chain:
 *
 *	hash_stats_init(&stats, buckets);	may sleep
 *	for each bucket
 *		hash_stats_add(&stats, chain_len);
 *	hash_stats_finish(&stats);		may sleep
 *	hash_stats_print(&stats, page);		or hash_stats_debug()
 */

#ifndef _SELINUX_HASH_STATS_H_
#define _SELINUX_HASH_STATS_H_

#include <linux/bug.h>
#include <linux/types.h>

/**
 * struct hash_stats - figures of one walk over a hash table
 * @entries: number of entries in all chains
 * @buckets: number of buckets, as given to hash_stats_init()
 * @buckets_used: number of buckets with a non-empty chain
 * @longest_chain: number of entries in the longest chain
 * @q1: first quartile of the lengths of the non-empty chains
 * @med: their median
 * @q3: their third quartile
 * @quartiles: @q1, @med and @q3 are valid; they are not before
 *	hash_stats_finish(), and never if there was no memory to sort in
 * @chain2_len_sum: sum of the squares of the chain lengths
 * @chain_len: private, lengths of the non-empty chains, or NULL
 */
struct hash_stats {
	u32 entries;
	u32 buckets;
	u32 buckets_used;
	u32 longest_chain;
	u32 q1;
	u32 med;
	u32 q3;
	bool quartiles;
	u64 chain2_len_sum;
	u32 *chain_len;
};

void hash_stats_init(struct hash_stats *stats, u32 buckets);
void hash_stats_finish(struct hash_stats *stats);
int hash_stats_print(const struct hash_stats *stats, char *page);

/**
 * hash_stats_add - count one chain
 * @stats: statistics between hash_stats_init() and hash_stats_finish()
 * @chain_len: number of entries in the chain, 0 for an empty bucket
 *
 * To be called once per bucket, in any order. Empty buckets may be left out.
 *
 * Context: Any; does not sleep.
 */
static inline void hash_stats_add(struct hash_stats *stats, u32 chain_len)
{
	if (!chain_len)
		return;

	if (stats->chain_len && !WARN_ON_ONCE(stats->buckets_used >= stats->buckets))
		stats->chain_len[stats->buckets_used] = chain_len;
	stats->buckets_used++;
	stats->entries += chain_len;
	if (chain_len > stats->longest_chain)
		stats->longest_chain = chain_len;
	stats->chain2_len_sum += (u64)chain_len * chain_len;
}

#ifdef CONFIG_SECURITY_SELINUX_DEBUG
void hash_stats_debug(const struct hash_stats *stats, const char *name,
		      const char *details);
#endif

#endif /* _SELINUX_HASH_STATS_H_ */
