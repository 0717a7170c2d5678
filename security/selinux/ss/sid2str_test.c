// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the cache of context strings, included by sid2str.c
 */

#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/vmstat.h>

#include "sidtab.h"

#define TEST_SLOTS 600

/* A cache, and the slots of a sidtab. */
struct sid2str_table {
	struct sid2str_cache cache;
	unsigned int generation;
	struct sid2str_slot slot[TEST_SLOTS];
};

struct test_stats {
	unsigned long hits, misses, evictions, skipped;
};

static struct test_stats test_stats(void)
{
	return (struct test_stats) {
		.hits = sid2str_sum(SID2STR_HIT),
		.misses = sid2str_sum(SID2STR_MISS),
		.evictions = sid2str_sum(SID2STR_EVICTION),
		.skipped = sid2str_sum(SID2STR_SKIPPED),
	};
}

static struct sid2str_table *test_table(struct kunit *test, u32 size)
{
	struct sid2str_table *table;

	table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, table);
	/* of the cache nothing may stay, whereas empty slots are all zeros */
	memset(&table->cache, 0xa5, sizeof(table->cache));
	sid2str_cache_init(&table->cache, size);
	return table;
}

/* The text of a slot in a table: another length for each, up to 40 characters. */
static u32 test_text(char text[64], unsigned int generation, unsigned int slot)
{
	return 1 + scnprintf(text, 64, "u%u:object_r:t%u_%.*s", generation, slot,
			     (int)slot % 13, "abcdefghijklm");
}

static void test_put(struct sid2str_table *table, unsigned int slot)
{
	char text[64];
	u32 len = test_text(text, table->generation, slot);

	rcu_read_lock();
	sid2str_put(&table->cache, &table->slot[slot], text, len);
	rcu_read_unlock();
}

/* 0 if the string is there and right, -ENOENT if it is not there. */
static int test_get(struct sid2str_table *table, unsigned int slot)
{
	u32 len, wanted;
	char text[64];
	char *str;
	int rc;

	rc = sid2str_get(&table->slot[slot], &str, &len);
	if (rc)
		return rc;
	wanted = test_text(text, table->generation, slot);
	rc = len == wanted && !memcmp(str, text, len) ? 0 : -EBADMSG;
	kfree(str);
	return rc;
}

/* Without a mark. */
static bool test_has(struct sid2str_table *table, unsigned int slot)
{
	return rcu_access_pointer(table->slot[slot].str);
}

/* As a translation does; return whether it was a hit. */
static bool test_translate(struct sid2str_table *table, unsigned int slot)
{
	if (!test_get(table, slot))
		return true;
	test_put(table, slot);
	return false;
}

/* NULL if the ring and the slots agree, or what is wrong. */
static const char *test_ring_fault(struct sid2str_table *table)
{
	const char *fault = NULL;
	unsigned int n = 0, filled = 0, i;
	struct sid2str *str;
	unsigned long flags;

	spin_lock_irqsave(&table->cache.lock, flags);
	list_for_each_entry(str, &table->cache.ring, ring) {
		if (rcu_access_pointer(str->slot->str) != str)
			fault = "a string whose slot leads elsewhere";
		n++;
	}
	for (i = 0; i < TEST_SLOTS; i++)
		filled += test_has(table, i);
	if (n != table->cache.entries)
		fault = "entries are not the strings in the ring";
	if (filled != n)
		fault = "filled slots are not the strings in the ring";
	if (n > table->cache.size)
		fault = "more strings than allowed";
	spin_unlock_irqrestore(&table->cache.lock, flags);
	return fault;
}

static void a_string_comes_back_as_it_was_put(struct kunit *test)
{
	static const u32 lens[] = { 1, 2, 7, 8, 9, 31, 32, 33, 255, 4096, 20000 };
	struct sid2str_table *table = test_table(test, 16);
	char *text = kunit_kmalloc(test, 20000, GFP_KERNEL);
	unsigned int i, j;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		char *str, *again;
		u32 len = 0;

		for (j = 0; j + 1 < lens[i]; j++)
			text[j] = 'a' + (i + j) % 26;
		text[lens[i] - 1] = '\0';
		sid2str_put(&table->cache, &table->slot[i], text, lens[i]);

		KUNIT_EXPECT_EQ(test, sid2str_get(&table->slot[i], NULL, &len), 0);
		KUNIT_EXPECT_EQ(test, len, lens[i]);

		KUNIT_ASSERT_EQ(test, sid2str_get(&table->slot[i], &str, &len), 0);
		KUNIT_EXPECT_EQ(test, len, lens[i]);
		KUNIT_EXPECT_MEMEQ(test, str, text, len);

		/* whoever has a copy may do with it what they like */
		memset(str, '?', len);
		KUNIT_ASSERT_EQ(test, sid2str_get(&table->slot[i], &again, &len), 0);
		KUNIT_EXPECT_MEMEQ(test, again, text, len);
		kfree(str);
		kfree(again);
	}
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);
}

static void an_empty_slot_has_nothing(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, 1);
	char *str = (char *)test;
	u32 len = 77;

	KUNIT_EXPECT_EQ(test, sid2str_get(&table->slot[0], &str, &len), -ENOENT);
	KUNIT_EXPECT_EQ(test, sid2str_get(&table->slot[0], NULL, &len), -ENOENT);
	KUNIT_EXPECT_PTR_EQ(test, str, (char *)test);
	KUNIT_EXPECT_EQ(test, len, 77);
	sid2str_cache_destroy(&table->cache);
}

static void a_filled_slot_keeps_its_string(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, 2);
	struct test_stats before, after;

	test_put(table, 0);
	before = test_stats();
	sid2str_put(&table->cache, &table->slot[0], "other", 6);
	after = test_stats();
	KUNIT_EXPECT_EQ(test, test_get(table, 0), 0);
	KUNIT_EXPECT_EQ(test, table->cache.entries, 1);
	KUNIT_EXPECT_EQ(test, after.skipped, before.skipped);
	KUNIT_EXPECT_EQ(test, after.evictions, before.evictions);
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);
}

/*
 * Each step is a slot: a capital letter is a string put, a small one a hit. The
 * victim is that of the put, or '-'.
 */
struct sid2str_step {
	char step;
	char victim;
};

static void test_steps(struct kunit *test, u32 size,
		       const struct sid2str_step *steps, unsigned int n)
{
	struct sid2str_table *table = test_table(test, size);
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		u32 had = 0, has = 0, victims;
		char step = steps[i].step;

		if (step >= 'a') {
			KUNIT_EXPECT_EQ_MSG(test, test_get(table, step - 'a'), 0,
					    "step %u: no hit for %c", i, step);
			continue;
		}
		for (j = 0; j < 26; j++)
			had |= (u32)test_has(table, j) << j;
		test_put(table, step - 'A');
		for (j = 0; j < 26; j++)
			has |= (u32)test_has(table, j) << j;
		victims = had & ~has;
		KUNIT_EXPECT_EQ_MSG(test, victims,
				    steps[i].victim == '-' ? 0 : BIT(steps[i].victim - 'A'),
				    "step %u: %c", i, step);
		KUNIT_EXPECT_TRUE(test, has & BIT(step - 'A'));
	}
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);
}

static void unused_strings_go_in_order_of_arrival(struct kunit *test)
{
	static const struct sid2str_step steps[] = {
		{ 'A', '-' }, { 'B', '-' }, { 'C', '-' },
		{ 'D', 'A' }, { 'E', 'B' }, { 'A', 'C' }, { 'B', 'D' },
	};

	test_steps(test, 3, steps, ARRAY_SIZE(steps));
}

static void a_used_string_survives_one_sweep(struct kunit *test)
{
	static const struct sid2str_step steps[] = {
		{ 'A', '-' }, { 'B', '-' }, { 'C', '-' },
		/* A B C: A is passed, B goes */
		{ 'a', 0 }, { 'a', 0 }, { 'D', 'B' },
		/* C A D, without any mark */
		{ 'E', 'C' }, { 'F', 'A' },
		/* D E F: D is passed, E goes */
		{ 'd', 0 }, { 'f', 0 }, { 'G', 'E' },
		/* F D G: F is passed, D goes, whose mark was taken */
		{ 'H', 'D' },
		/* G F H, without any mark */
		{ 'I', 'G' }, { 'J', 'F' }, { 'K', 'H' },
	};

	test_steps(test, 3, steps, ARRAY_SIZE(steps));
}

static void of_used_strings_the_one_at_the_hand_goes(struct kunit *test)
{
	static const struct sid2str_step steps[] = {
		{ 'A', '-' }, { 'B', '-' }, { 'C', '-' }, { 'D', '-' },
		{ 'E', 'A' },
		/* B C D E, all marked: once around, and B goes */
		{ 'e', 0 }, { 'd', 0 }, { 'c', 0 }, { 'b', 0 }, { 'F', 'B' },
		/* all marks were taken */
		{ 'G', 'C' }, { 'H', 'D' }, { 'I', 'E' }, { 'J', 'F' },
	};

	test_steps(test, 4, steps, ARRAY_SIZE(steps));
}

static void a_cache_of_one_string_works(struct kunit *test)
{
	static const struct sid2str_step steps[] = {
		{ 'A', '-' }, { 'B', 'A' }, { 'b', 0 }, { 'b', 0 }, { 'C', 'B' },
		{ 'c', 0 }, { 'A', 'C' }, { 'a', 0 }, { 'C', 'A' },
	};

	test_steps(test, 1, steps, ARRAY_SIZE(steps));
}

static void a_sweep_passes_no_more_than_its_limit(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, TEST_SLOTS - 1);
	const unsigned int limit = 256;	/* as sid2str_put() promises */
	unsigned int i, marked = 0;
	struct sid2str *str;

	for (i = 0; i < TEST_SLOTS - 1; i++) {
		test_put(table, i);
		KUNIT_EXPECT_EQ(test, test_get(table, i), 0);
	}
	test_put(table, TEST_SLOTS - 1);
	list_for_each_entry(str, &table->cache.ring, ring)
		marked += str->used;

	KUNIT_EXPECT_EQ(test, table->cache.entries, TEST_SLOTS - 1);
	KUNIT_EXPECT_FALSE(test, test_has(table, limit));
	/* all but those passed, the victim, which was marked, and the new one */
	KUNIT_EXPECT_EQ(test, marked, TEST_SLOTS - 1 - limit - 1);
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);
}

static void the_figures_count_what_happens(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, 2);
	struct test_stats before = test_stats(), after;
	char *page = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	char *text = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);
	int len;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_FALSE(test, test_translate(table, 0));
	KUNIT_EXPECT_TRUE(test, test_translate(table, 0));
	KUNIT_EXPECT_FALSE(test, test_translate(table, 1));
	KUNIT_EXPECT_FALSE(test, test_translate(table, 2));	/* 1 goes */
	KUNIT_EXPECT_TRUE(test, test_translate(table, 2));
	KUNIT_EXPECT_TRUE(test, test_translate(table, 0));
	KUNIT_EXPECT_FALSE(test, test_translate(table, 1));
	after = test_stats();
	KUNIT_EXPECT_EQ(test, after.hits - before.hits, 3);
	KUNIT_EXPECT_EQ(test, after.misses - before.misses, 4);
	KUNIT_EXPECT_EQ(test, after.evictions - before.evictions, 2);
	KUNIT_EXPECT_EQ(test, after.skipped - before.skipped, 0);

	len = sid2str_print_stats(&table->cache, page);
	scnprintf(text, PAGE_SIZE, "entries: 2/%u\nhits: %lu\nmisses: %lu\n"
		  "evictions: %lu\nskipped: %lu\n",
		  CONFIG_SECURITY_SELINUX_SID2STR_CACHE_SIZE, after.hits,
		  after.misses, after.evictions, after.skipped);
	KUNIT_EXPECT_STREQ(test, page, text);
	KUNIT_EXPECT_EQ(test, len, strlen(text));
	sid2str_print_stats(NULL, page);
	KUNIT_EXPECT_EQ(test, strncmp(page, "entries: 0/", 11), 0);
	sid2str_cache_destroy(&table->cache);
}

static void an_insertion_does_not_wait(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, 2);
	struct test_stats before, after;
	unsigned long flags;

	if (!IS_ENABLED(CONFIG_SMP) && !IS_ENABLED(CONFIG_DEBUG_SPINLOCK))
		kunit_skip(test, "a lock of a kernel for one CPU is never taken");

	test_put(table, 0);
	before = test_stats();
	spin_lock_irqsave(&table->cache.lock, flags);
	test_put(table, 1);
	KUNIT_EXPECT_EQ(test, test_get(table, 0), 0);
	spin_unlock_irqrestore(&table->cache.lock, flags);
	after = test_stats();
	KUNIT_EXPECT_EQ(test, after.skipped - before.skipped, 1);
	KUNIT_EXPECT_EQ(test, test_get(table, 1), -ENOENT);

	test_put(table, 1);
	KUNIT_EXPECT_EQ(test, test_get(table, 1), 0);
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);
}

#ifdef CONFIG_FAILSLAB
static void only_the_callers_copy_may_fail(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, 2);
	struct test_stats before, after;
	char *str;
	u32 len;

	/* the copy to keep */
	before = test_stats();
	current->fail_nth = 1;
	test_put(table, 0);
	KUNIT_EXPECT_EQ(test, current->fail_nth, 0);
	after = test_stats();
	KUNIT_EXPECT_EQ(test, after.skipped - before.skipped, 1);
	KUNIT_EXPECT_EQ(test, test_get(table, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, table->cache.entries, 0);

	/* it allocates no more than that */
	current->fail_nth = 2;
	test_put(table, 0);
	KUNIT_EXPECT_EQ(test, current->fail_nth, 1);

	/* the length needs no memory */
	current->fail_nth = 1;
	KUNIT_EXPECT_EQ(test, sid2str_get(&table->slot[0], NULL, &len), 0);
	KUNIT_EXPECT_EQ(test, current->fail_nth, 1);

	/* the caller's copy; the string was found all the same */
	before = test_stats();
	KUNIT_EXPECT_EQ(test, sid2str_get(&table->slot[0], &str, &len), -ENOMEM);
	KUNIT_EXPECT_EQ(test, current->fail_nth, 0);
	after = test_stats();
	KUNIT_EXPECT_EQ(test, after.hits - before.hits, 1);
	KUNIT_EXPECT_EQ(test, after.misses - before.misses, 0);
	KUNIT_EXPECT_EQ(test, test_get(table, 0), 0);
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);
}
#else
static void only_the_callers_copy_may_fail(struct kunit *test)
{
	kunit_skip(test, "needs CONFIG_FAILSLAB");
}
#endif

/* Pages of slabs, and of what kmalloc() gives that is too large for one. */
static unsigned long test_pages(void)
{
	return global_node_page_state_pages(NR_SLAB_UNRECLAIMABLE_B);
}

#define LEAK_STRINGS 512

/* Were that many strings of 4 pages freed, in a few seconds at most? */
static void test_no_leak(struct kunit *test, unsigned long before, const char *what)
{
	unsigned int i;
	long grown;

	for (i = 0; i < 200; i++) {
		grown = (long)(test_pages() - before);
		if (grown < LEAK_STRINGS)
			break;
		msleep(50);
	}
	KUNIT_EXPECT_LT_MSG(test, grown, (long)LEAK_STRINGS, "%s", what);
}

static void no_string_is_left_behind(struct kunit *test)
{
	const u32 len = 2 * PAGE_SIZE;	/* and with what is before it, 4 pages */
	struct sid2str_table *table = test_table(test, 1);
	struct sidtab *sidtab = kunit_kzalloc(test, sizeof(*sidtab), GFP_KERNEL);
	char *text = kunit_kzalloc(test, len, GFP_KERNEL);
	struct test_stats stats = test_stats();
	unsigned long before, flags;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, sidtab);
	KUNIT_ASSERT_NOT_NULL(test, text);

	before = test_pages();
	for (i = 0; i < LEAK_STRINGS; i++)
		sid2str_put(&table->cache, &table->slot[i % 2], text, len);
	KUNIT_EXPECT_EQ(test, test_stats().evictions - stats.evictions, LEAK_STRINGS - 1);
	test_no_leak(test, before, "evicted");

	before = test_pages();
	for (i = 0; i < LEAK_STRINGS; i++)
		sid2str_put(&table->cache, &table->slot[1], text, len);
	test_no_leak(test, before, "there already");

	before = test_pages();
	for (i = 0; i < LEAK_STRINGS; i++) {
		spin_lock_irqsave(&table->cache.lock, flags);
		/* a kernel for one CPU finds it there again, its lock is none */
		sid2str_put(&table->cache, &table->slot[1], text, len);
		spin_unlock_irqrestore(&table->cache.lock, flags);
	}
	test_no_leak(test, before, "skipped");
	sid2str_cache_destroy(&table->cache);

	before = test_pages();
	KUNIT_ASSERT_EQ(test, sidtab_init(sidtab), 0);
	sid2str_cache_init(&sidtab->strings, LEAK_STRINGS);
	memset(table, 0, sizeof(*table));
	for (i = 0; i < LEAK_STRINGS; i++)
		sid2str_put(&sidtab->strings, &table->slot[i], text, len);
	KUNIT_EXPECT_EQ(test, sidtab->strings.entries, LEAK_STRINGS);
	sidtab_destroy(sidtab);
	test_no_leak(test, before, "destroyed");
}

static void a_cache_is_destroyed_and_begun_anew(struct kunit *test)
{
	struct sid2str_table *table = test_table(test, 4);
	unsigned int n, i;

	for (n = 0; n < 8; n++) {
		for (i = 0; i < n; i++)
			test_put(table, i);
		KUNIT_EXPECT_NULL(test, test_ring_fault(table));
		sid2str_cache_destroy(&table->cache);
		memset(table, 0, sizeof(*table));
		sid2str_cache_init(&table->cache, 4);
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_EQ(test, test_get(table, i), -ENOENT);
	}
}

/* Exact LRU, and the sequences to compare with it. */
struct sid2str_model {
	u32 last[TEST_SLOTS];	/* when it was used last, 0 if it is not kept */
	u32 now;
	u32 weight[TEST_SLOTS];	/* of this slot and those before it */
	u32 seed;
};

static bool test_lru(struct sid2str_model *model, u32 size, unsigned int slot)
{
	unsigned int i, n = 0, victim = TEST_SLOTS;
	bool hit = model->last[slot];

	for (i = 0; !hit && i < TEST_SLOTS; i++) {
		if (!model->last[i])
			continue;
		n++;
		if (victim == TEST_SLOTS || model->last[i] < model->last[victim])
			victim = i;
	}
	if (n == size)
		model->last[victim] = 0;
	model->last[slot] = ++model->now;
	return hit;
}

enum test_sequence { SKEWED, SCAN, HALF_SCAN, DRIFTING, SEQUENCES };

static unsigned int test_next(struct sid2str_model *model, enum test_sequence sequence,
			      u32 size, unsigned int i)
{
	u32 chance;
	unsigned int slot;

	if (sequence == SCAN)
		return i % (size + 1);
	if (sequence == HALF_SCAN && i % 2)
		return i / 2 % (size + 1);

	model->seed = model->seed * 1664525 + 1013904223;
	chance = (u64)(model->seed >> 8) * model->weight[TEST_SLOTS - 1] >> 24;
	for (slot = 0; model->weight[slot] <= chance; slot++)
		;
	return (slot + (sequence == DRIFTING ? i / 20 : 0)) % TEST_SLOTS;
}

static void the_hit_ratio_is_that_of_exact_lru(struct kunit *test)
{
	static const char * const name[SEQUENCES] = {
		"skewed", "scan", "half scan", "drifting"
	};
	static const u32 sizes[] = { 1, 2, 4, 16, 64, 256 };
	const int n = 10000;
	struct sid2str_model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	enum test_sequence sequence;
	unsigned int s;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, model);
	/* slot i is asked for 1 / (i + 1) times as often as slot 0 */
	for (i = 0; i < TEST_SLOTS; i++)
		model->weight[i] = (i ? model->weight[i - 1] : 0) + 1000000 / (i + 1);

	for (sequence = 0; sequence < SEQUENCES; sequence++) {
		for (s = 0; s < ARRAY_SIZE(sizes); s++) {
			struct sid2str_table *table = test_table(test, sizes[s]);
			int hits = 0, lru = 0;

			memset(model->last, 0, sizeof(model->last));
			model->now = 0;
			model->seed = 1;
			for (i = 0; i < n; i++) {
				unsigned int slot = test_next(model, sequence, sizes[s], i);

				hits += test_translate(table, slot);
				lru += test_lru(model, sizes[s], slot);
				if (i % 1024 == 0)
					cond_resched();
			}
			kunit_info(test, "%s, size %u: %d hits of %d, exact LRU %d\n",
				   name[sequence], sizes[s], hits, n, lru);
			KUNIT_EXPECT_GE(test, hits, lru - n / 100);
			if (sequence == SCAN)
				KUNIT_EXPECT_EQ(test, hits, 0);
			KUNIT_EXPECT_NULL(test, test_ring_fault(table));
			sid2str_cache_destroy(&table->cache);
			kunit_kfree(test, table);
		}
	}
}

/*
 * Threads and a timer translate, on a table that is replaced meanwhile.
 */
#define STRESS_SLOTS	48
#define STRESS_SIZE	16
#define STRESS_TABLES	60

struct sid2str_stress {
	struct sid2str_table __rcu *table;
	struct timer_list timer;
	atomic_long_t gets;
	atomic_t wrong;
	bool stop;
};

static void stress_translate(struct sid2str_stress *stress, unsigned int slot)
{
	struct sid2str_table *table;
	int rc;

	rcu_read_lock();
	table = rcu_dereference(stress->table);
	rc = test_get(table, slot);
	atomic_long_inc(&stress->gets);
	if (rc == -ENOENT)
		test_put(table, slot);
	else if (rc && rc != -ENOMEM)
		atomic_inc(&stress->wrong);
	rcu_read_unlock();
}

static int stress_thread(void *data)
{
	struct sid2str_stress *stress = data;
	u32 seed = current->pid;

	while (!kthread_should_stop()) {
		unsigned int i;

		for (i = 0; i < 200; i++) {
			seed = seed * 1664525 + 1013904223;
			/* a few often, all the others now and then */
			stress_translate(stress, (seed >> 28) ? (seed >> 16) % 8 :
					 (seed >> 16) % STRESS_SLOTS);
		}
		cond_resched();
	}
	return 0;
}

static void stress_timer(struct timer_list *timer)
{
	struct sid2str_stress *stress = container_of(timer, struct sid2str_stress, timer);
	unsigned int i;

	for (i = 0; i < STRESS_SLOTS; i++)
		stress_translate(stress, i);
	if (!READ_ONCE(stress->stop))
		mod_timer(timer, jiffies + 1);
}

static void translations_survive_each_other_and_a_new_table(struct kunit *test)
{
	struct sid2str_stress *stress = kunit_kzalloc(test, sizeof(*stress), GFP_KERNEL);
	struct test_stats before = test_stats(), after;
	struct task_struct *task[5] = {};
	unsigned int i, n = clamp(num_online_cpus() + 1, 3U, 5U), generation;
	struct sid2str_table *table;
	long gets;

	KUNIT_ASSERT_NOT_NULL(test, stress);
	rcu_assign_pointer(stress->table, test_table(test, STRESS_SIZE));
	timer_setup(&stress->timer, stress_timer, 0);

	for (i = 0; i < n; i++) {
		task[i] = kthread_run(stress_thread, stress, "sid2str_stress/%u", i);
		if (IS_ERR(task[i]))
			break;
	}
	KUNIT_EXPECT_EQ(test, i, n);
	mod_timer(&stress->timer, jiffies + 1);

	for (generation = 1; generation <= STRESS_TABLES; generation++) {
		struct sid2str_table *old;

		table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);
		if (!table)
			break;
		sid2str_cache_init(&table->cache, STRESS_SIZE);
		table->generation = generation;
		msleep(20);
		old = rcu_replace_pointer(stress->table, table, true);
		synchronize_rcu();
		if (test_ring_fault(old))
			KUNIT_FAIL(test, "table %u: %s", generation, test_ring_fault(old));
		sid2str_cache_destroy(&old->cache);
		kunit_kfree(test, old);
	}
	KUNIT_EXPECT_EQ(test, generation, STRESS_TABLES + 1);

	WRITE_ONCE(stress->stop, true);
	timer_delete_sync(&stress->timer);
	while (i--)
		kthread_stop(task[i]);
	table = rcu_dereference_protected(stress->table, true);
	KUNIT_EXPECT_NULL(test, test_ring_fault(table));
	sid2str_cache_destroy(&table->cache);

	after = test_stats();
	gets = atomic_long_read(&stress->gets);
	kunit_info(test, "%ld translations: %lu hits, %lu misses, %lu evictions, %lu skipped\n",
		   gets, after.hits - before.hits, after.misses - before.misses,
		   after.evictions - before.evictions, after.skipped - before.skipped);
	KUNIT_EXPECT_EQ(test, atomic_read(&stress->wrong), 0);
	KUNIT_EXPECT_EQ(test, gets,
			(long)(after.hits - before.hits + after.misses - before.misses));
	KUNIT_EXPECT_GT(test, after.hits, before.hits);
	KUNIT_EXPECT_GT(test, after.evictions, before.evictions);
	KUNIT_EXPECT_GE(test, after.misses - before.misses,
			after.evictions - before.evictions + after.skipped - before.skipped);
}

static struct kunit_case sid2str_test_cases[] = {
	KUNIT_CASE(a_string_comes_back_as_it_was_put),
	KUNIT_CASE(an_empty_slot_has_nothing),
	KUNIT_CASE(a_filled_slot_keeps_its_string),
	KUNIT_CASE(unused_strings_go_in_order_of_arrival),
	KUNIT_CASE(a_used_string_survives_one_sweep),
	KUNIT_CASE(of_used_strings_the_one_at_the_hand_goes),
	KUNIT_CASE(a_cache_of_one_string_works),
	KUNIT_CASE(a_sweep_passes_no_more_than_its_limit),
	KUNIT_CASE(the_figures_count_what_happens),
	KUNIT_CASE(an_insertion_does_not_wait),
	KUNIT_CASE(only_the_callers_copy_may_fail),
	KUNIT_CASE(no_string_is_left_behind),
	KUNIT_CASE(a_cache_is_destroyed_and_begun_anew),
	KUNIT_CASE(the_hit_ratio_is_that_of_exact_lru),
	KUNIT_CASE(translations_survive_each_other_and_a_new_table),
	{}
};

static struct kunit_suite sid2str_test_suite = {
	.name = "selinux_sid2str",
	.test_cases = sid2str_test_cases,
};

kunit_test_suite(sid2str_test_suite);
