/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cache of the context strings of SIDs
 *
 * Each entry of a sidtab has a slot. It is empty, or leads to the string of the
 * entry's context. The cache limits how many slots are filled.
 *
 *	slot -> struct sid2str <-> struct sid2str <-> ... <-> cache.ring
 *
 * A hit follows the slot under RCU. It takes no lock, and writes only the mark
 * that the string was used, and that only if the string does not bear it yet.
 *
 * The strings stand in a ring, and the head of the ring is the hand of a clock:
 * behind it is the string that came last, before it the one to be judged next.
 * To evict, the hand passes the strings that were used and takes their marks,
 * up to the first without one, which goes. So a string that was used since the
 * hand passed stays, as it would in a list in order of use, but no hit has to
 * move it.
 */

#ifndef _SS_SID2STR_H_
#define _SS_SID2STR_H_

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>

struct sid2str;

#if CONFIG_SECURITY_SELINUX_SID2STR_CACHE_SIZE > 0

/**
 * struct sid2str_slot - where the string of one sidtab entry is, or is not
 * @str: the string, or NULL; read under RCU, written under the cache's lock
 *
 * An empty slot is all zeros.
 */
struct sid2str_slot {
	struct sid2str __rcu *str;
};

/**
 * struct sid2str_cache - the strings that a sidtab keeps
 * @lock: protects all that follows and the slots, not the strings
 * @ring: the strings; the head is the clock's hand
 * @entries: number of strings, 0 to @size
 * @size: the most strings that may be kept, 1 or more
 */
struct sid2str_cache {
	spinlock_t lock;	/* protects all below, and the slots */
	struct list_head ring;
	u32 entries;
	u32 size;
};

void sid2str_cache_init(struct sid2str_cache *cache, u32 size);
void sid2str_cache_destroy(struct sid2str_cache *cache);
int sid2str_get(struct sid2str_slot *slot, char **out, u32 *out_len);
void sid2str_put(struct sid2str_cache *cache, struct sid2str_slot *slot,
		 const char *str, u32 len);
int sid2str_print_stats(const struct sid2str_cache *cache, char *page);

#else /* no cache, and it takes no memory */

struct sid2str_slot {
};

struct sid2str_cache {
};

static inline void sid2str_cache_init(struct sid2str_cache *cache, u32 size)
{
}

static inline void sid2str_cache_destroy(struct sid2str_cache *cache)
{
}

static inline int sid2str_get(struct sid2str_slot *slot, char **out,
			      u32 *out_len)
{
	return -ENOENT;
}

static inline void sid2str_put(struct sid2str_cache *cache,
			       struct sid2str_slot *slot, const char *str,
			       u32 len)
{
}

#endif /* CONFIG_SECURITY_SELINUX_SID2STR_CACHE_SIZE > 0 */

#endif /* _SS_SID2STR_H_ */
