// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache of the context strings of SIDs, see sid2str.h
 */

#include "sid2str.h"

#if CONFIG_SECURITY_SELINUX_SID2STR_CACHE_SIZE > 0

#include <asm/local.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/*
 * An insertion passes no more strings than this, with interrupts off. If all of
 * them were used, the next one goes, used or not.
 */
#define SID2STR_SWEEP_MAX 256

/*
 * Only the slot and, until a grace period has passed, readers in flight lead to
 * a string. Readers keep off the first two members: so rcu may take the place
 * of ring when the string has left it.
 */
struct sid2str {
	union {
		struct list_head ring;
		struct rcu_head rcu;
	};
	struct sid2str_slot *slot;
	u32 len;		/* with the terminating NUL */
	bool used;		/* since the hand passed; set by any hit */
	char str[] __counted_by(len);
};

/* What may happen, and is counted. */
enum sid2str_event {
	SID2STR_HIT,
	SID2STR_MISS,
	SID2STR_EVICTION,
	SID2STR_SKIPPED,
	SID2STR_EVENTS,
};

/*
 * On this CPU since boot, in the caches of all policies. this_cpu_inc() would
 * mask interrupts on architectures that have no instruction for it.
 */
static DEFINE_PER_CPU(local_t [SID2STR_EVENTS], sid2str_events);

static void sid2str_count(enum sid2str_event event)
{
	preempt_disable();
	local_inc(this_cpu_ptr(&sid2str_events[event]));
	preempt_enable();
}

/**
 * sid2str_cache_init - make an empty cache
 * @cache: cache, overwritten
 * @size: the most strings that it may keep, 1 or more
 *
 * Context: Any.
 */
void sid2str_cache_init(struct sid2str_cache *cache, u32 size)
{
	spin_lock_init(&cache->lock);
	INIT_LIST_HEAD(&cache->ring);
	cache->entries = 0;
	cache->size = size;
}

/**
 * sid2str_cache_destroy - free all strings of a cache
 * @cache: cache that nobody uses: a grace period has passed since others could
 *	find it or its slots, or they never could
 *
 * The slots are left as they are, and must not be used any more.
 *
 * Context: Any.
 */
void sid2str_cache_destroy(struct sid2str_cache *cache)
{
	struct sid2str *str, *next;

	list_for_each_entry_safe(str, next, &cache->ring, ring)
		kfree(str);
}

/**
 * sid2str_get - look up the string of a sidtab entry
 * @slot: slot of the entry
 * @out: on success a copy of the string, to be freed by the caller with
 *	kfree(); or NULL, if only the length is wanted
 * @out_len: on success the length of the string, with its terminating NUL
 *
 * Counts a hit or a miss.
 *
 * Context: Any. The caller holds rcu_read_lock() for as long as the cache of
 *	the slot might be freed; the string itself may go at any time.
 * Return: 0, -ENOENT if the string is not in the cache, or -ENOMEM if there is
 *	no memory for the copy.
 */
int sid2str_get(struct sid2str_slot *slot, char **out, u32 *out_len)
{
	struct sid2str *str;
	int rc = 0;

	rcu_read_lock();
	str = rcu_dereference(slot->str);
	if (!str) {
		rcu_read_unlock();
		sid2str_count(SID2STR_MISS);
		return -ENOENT;
	}

	/* Look first: all CPUs can then keep the line that they share. */
	if (!READ_ONCE(str->used))
		WRITE_ONCE(str->used, true);

	*out_len = str->len;
	if (out) {
		*out = kmemdup(str->str, str->len, GFP_ATOMIC);
		if (!*out)
			rc = -ENOMEM;
	}
	rcu_read_unlock();

	sid2str_count(SID2STR_HIT);
	return rc;
}

/*
 * Take the string that has to make room out of a full cache. It still has to be
 * freed, after a grace period.
 */
static struct sid2str *sid2str_evict(struct sid2str_cache *cache)
{
	unsigned int passed = 0;
	struct sid2str *str;

	lockdep_assert_held(&cache->lock);

	list_for_each_entry(str, &cache->ring, ring) {
		if (!READ_ONCE(str->used) || passed++ == SID2STR_SWEEP_MAX)
			break;
		WRITE_ONCE(str->used, false);
	}
	/* Once around: all were used, and none is marked any more. */
	if (list_entry_is_head(str, &cache->ring, ring))
		str = list_first_entry(&cache->ring, struct sid2str, ring);
	else if (passed)
		list_rotate_to_front(&str->ring, &cache->ring);

	list_del(&str->ring);
	RCU_INIT_POINTER(str->slot->str, NULL);
	return str;
}

/**
 * sid2str_put - keep the string of a sidtab entry
 * @cache: cache of the sidtab
 * @slot: slot of the entry, which belongs to this cache only
 * @str: string, copied
 * @len: its length, with the terminating NUL
 *
 * The string is not kept, and that is counted, if there is no memory for it or
 * another CPU is just inserting one. Nor is it if the slot has been filled
 * meanwhile.
 *
 * Context: Any. The caller holds rcu_read_lock() for as long as the cache
 *	might be freed. Never waits for a lock. Interrupts are off for as long
 *	as it takes to pass 256 strings, at most.
 */
void sid2str_put(struct sid2str_cache *cache, struct sid2str_slot *slot,
		 const char *str, u32 len)
{
	struct sid2str *new, *victim = NULL;
	unsigned long flags;

	new = kmalloc(struct_size(new, str, len), GFP_ATOMIC | __GFP_NOWARN);
	if (!new)
		goto skipped;
	new->slot = slot;
	new->len = len;
	new->used = false;
	memcpy(new->str, str, len);

	if (!spin_trylock_irqsave(&cache->lock, flags))
		goto skipped;
	if (rcu_access_pointer(slot->str)) {
		spin_unlock_irqrestore(&cache->lock, flags);
		kfree(new);
		return;
	}
	if (cache->entries < cache->size)
		WRITE_ONCE(cache->entries, cache->entries + 1);
	else
		victim = sid2str_evict(cache);
	list_add_tail(&new->ring, &cache->ring);
	rcu_assign_pointer(slot->str, new);
	spin_unlock_irqrestore(&cache->lock, flags);

	if (victim) {
		sid2str_count(SID2STR_EVICTION);
		kfree_rcu(victim, rcu);
	}
	return;

skipped:
	kfree(new);
	sid2str_count(SID2STR_SKIPPED);
}

static unsigned long sid2str_sum(enum sid2str_event event)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local_read(per_cpu_ptr(&sid2str_events[event], cpu));
	return sum;
}

/**
 * sid2str_print_stats - print the figures for a selinuxfs file
 * @cache: cache whose strings are counted, or NULL before the first policy
 * @page: buffer of PAGE_SIZE bytes
 *
 * The text is an interface, see
 * Documentation/ABI/testing/sysfs-selinux-ss-sid2str_cache_stats. All figures
 * but the first line are of all caches since boot.
 *
 * Context: Any. The caller holds rcu_read_lock() for as long as the cache
 *	might be freed.
 * Return: Number of characters printed, without the terminating NUL.
 */
int sid2str_print_stats(const struct sid2str_cache *cache, char *page)
{
	return scnprintf(page, PAGE_SIZE,
			 "entries: %u/%u\nhits: %lu\nmisses: %lu\n"
			 "evictions: %lu\nskipped: %lu\n",
			 cache ? READ_ONCE(cache->entries) : 0,
			 CONFIG_SECURITY_SELINUX_SID2STR_CACHE_SIZE,
			 sid2str_sum(SID2STR_HIT), sid2str_sum(SID2STR_MISS),
			 sid2str_sum(SID2STR_EVICTION),
			 sid2str_sum(SID2STR_SKIPPED));
}

#ifdef CONFIG_SECURITY_SELINUX_KUNIT_TEST
#include "sid2str_test.c"
#endif

#endif /* CONFIG_SECURITY_SELINUX_SID2STR_CACHE_SIZE > 0 */
