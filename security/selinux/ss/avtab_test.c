// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the access vector table, included by avtab.c
 */

#include <kunit/test.h>

/* The i-th of a family of keys in which no two are alike. */
static struct avtab_key avtab_test_key(u32 i)
{
	return (struct avtab_key){
		.source_type = 1 + i % 317,
		.target_type = 1 + i / 317,
		.target_class = 1 + i % 5,
		.specified = AVTAB_ALLOWED,
	};
}

/* A table of @rules rules, the i-th of which holds i. */
static void avtab_test_fill(struct kunit *test, struct avtab *h, u32 rules)
{
	u32 i;

	for (i = 0; i < rules; i++) {
		struct avtab_key key = avtab_test_key(i);
		struct avtab_datum datum = { .u.data = i };

		KUNIT_ASSERT_EQ(test, avtab_insert(h, &key, &datum), 0);
	}
	KUNIT_ASSERT_EQ(test, h->nel, rules);
}

/* Every rule is found and holds its number, and no rule is found that is not there. */
static void avtab_test_search(struct kunit *test, struct avtab *h, u32 rules)
{
	struct avtab_node *node;
	struct avtab_key key;
	u32 i;

	for (i = 0; i < rules; i++) {
		key = avtab_test_key(i);
		node = avtab_search_node(h, &key);
		KUNIT_ASSERT_NOT_NULL_MSG(test, node, "rule %u of %u", i, rules);
		KUNIT_ASSERT_EQ(test, node->datum.u.data, i);
	}

	for (i = 0; i < 1000; i++) {
		key = avtab_test_key(i);
		key.target_class += 5;
		KUNIT_ASSERT_NULL(test, avtab_search_node(h, &key));
	}
	key = avtab_test_key(0);
	key.specified = AVTAB_AUDITDENY;
	KUNIT_ASSERT_NULL(test, avtab_search_node(h, &key));
}

/* Every node is in the chain that its key hashes to, and is counted. */
static void avtab_test_chains(struct kunit *test, const struct avtab *h)
{
	const struct avtab_node *node;
	u32 i, nel = 0;

	KUNIT_ASSERT_EQ(test, h->nslot, 1U << h->hash_bits);
	for (i = 0; i < h->nslot; i++) {
		for (node = h->htable[i]; node; node = node->next) {
			KUNIT_ASSERT_EQ(test, i, avtab_hash(&node->key, h->hash_bits));
			nel++;
		}
	}
	KUNIT_ASSERT_EQ(test, nel, h->nel);
}

static void avtab_test_is_empty(struct kunit *test, struct avtab *h)
{
	struct avtab_key key = avtab_test_key(0);
	struct avtab_datum datum = {};

	KUNIT_EXPECT_NULL(test, h->htable);
	KUNIT_EXPECT_EQ(test, h->nel, 0);
	KUNIT_EXPECT_EQ(test, h->nslot, 0);
	KUNIT_EXPECT_EQ(test, h->hash_bits, 0);

	/* a table without slots finds nothing and takes nothing */
	KUNIT_EXPECT_NULL(test, avtab_search_node(h, &key));
	KUNIT_EXPECT_EQ(test, avtab_insert(h, &key, &datum), -EINVAL);
	KUNIT_EXPECT_NULL(test, avtab_insert_nonunique(h, &key, &datum));
}

static void avtab_holds_1_to_100000_rules(struct kunit *test)
{
	/* rules, and the slots that avtab_alloc() has always given them */
	static const struct {
		u32 rules, nslot;
	} size[] = {
		{ 1, 2 },	{ 2, 2 },	{ 3, 2 },	{ 4, 2 },
		{ 5, 2 },	{ 8, 4 },	{ 100, 32 },	{ 1000, 256 },
		{ 65536, 32768 }, { 100000, 32768 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		struct avtab h;

		avtab_init(&h);
		avtab_test_is_empty(test, &h);
		KUNIT_ASSERT_EQ(test, avtab_alloc(&h, size[i].rules), 0);
		KUNIT_EXPECT_EQ(test, h.nslot, size[i].nslot);

		avtab_test_fill(test, &h, size[i].rules);
		avtab_test_search(test, &h, size[i].rules);
		avtab_test_chains(test, &h);

		avtab_destroy(&h);
		avtab_test_is_empty(test, &h);
	}
}

static void avtab_of_no_rules_has_no_slots(struct kunit *test)
{
	struct avtab h;

	avtab_init(&h);
	KUNIT_EXPECT_EQ(test, avtab_alloc(&h, 0), 0);
	avtab_test_is_empty(test, &h);
	avtab_destroy(&h);
	avtab_destroy(NULL);
}

static void avtab_has_at_most_65536_slots(struct kunit *test)
{
	struct avtab h;

	avtab_init(&h);
	KUNIT_ASSERT_EQ(test, avtab_alloc(&h, 2000000), 0);
	KUNIT_EXPECT_EQ(test, h.nslot, 65536);
	KUNIT_EXPECT_EQ(test, h.hash_bits, 16);
	avtab_test_fill(test, &h, 1000);
	avtab_test_search(test, &h, 1000);
	avtab_test_chains(test, &h);
	avtab_destroy(&h);
}

static void avtab_refuses_a_duplicate_rule(struct kunit *test)
{
	struct avtab_key key = avtab_test_key(7);
	struct avtab_datum datum = { .u.data = 99 };
	struct avtab_node *node;
	struct avtab h;

	avtab_init(&h);
	KUNIT_ASSERT_EQ(test, avtab_alloc(&h, 10), 0);
	avtab_test_fill(test, &h, 10);

	KUNIT_EXPECT_EQ(test, avtab_insert(&h, &key, &datum), -EEXIST);
	KUNIT_EXPECT_EQ(test, h.nel, 10);
	node = avtab_search_node(&h, &key);
	KUNIT_ASSERT_NOT_NULL(test, node);
	KUNIT_EXPECT_EQ(test, node->datum.u.data, 7);

	/* the same types and class with another specifier are another rule */
	key.specified = AVTAB_AUDITALLOW;
	KUNIT_EXPECT_EQ(test, avtab_insert(&h, &key, &datum), 0);
	KUNIT_EXPECT_EQ(test, h.nel, 11);
	node = avtab_search_node(&h, &key);
	KUNIT_ASSERT_NOT_NULL(test, node);
	KUNIT_EXPECT_EQ(test, node->datum.u.data, 99);
	avtab_test_chains(test, &h);

	avtab_destroy(&h);
}

static void avtab_keeps_several_extended_rules_of_a_key(struct kunit *test)
{
	struct avtab_key key = avtab_test_key(0);
	struct avtab_extended_perms xperms = {
		.specified = AVTAB_XPERMS_IOCTLDRIVER,
	};
	struct avtab_datum datum = { .u.xperms = &xperms };
	struct avtab_node *node;
	u32 drivers = 0;
	struct avtab h;

	key.specified = AVTAB_XPERMS_ALLOWED;
	avtab_init(&h);
	KUNIT_ASSERT_EQ(test, avtab_alloc(&h, 4), 0);
	for (xperms.driver = 0; xperms.driver < 4; xperms.driver++)
		KUNIT_ASSERT_EQ(test, avtab_insert(&h, &key, &datum), 0);
	avtab_test_chains(test, &h);

	for (node = avtab_search_node(&h, &key); node;
	     node = avtab_search_node_next(node, AVTAB_XPERMS_ALLOWED))
		drivers |= 1 << node->datum.u.xperms->driver;
	KUNIT_EXPECT_EQ(test, drivers, 0xf);

	avtab_destroy(&h);
}

static void avtab_insert_nonunique_keeps_duplicates(struct kunit *test)
{
	struct avtab_key key = avtab_test_key(3);
	struct avtab_node *node;
	u32 i, seen = 0;
	struct avtab h;

	avtab_init(&h);
	KUNIT_ASSERT_EQ(test, avtab_alloc(&h, 100), 0);
	avtab_test_fill(test, &h, 3);
	for (i = 0; i < 8; i++) {
		struct avtab_datum datum = { .u.data = i };

		node = avtab_insert_nonunique(&h, &key, &datum);
		KUNIT_ASSERT_NOT_NULL(test, node);
		KUNIT_EXPECT_EQ(test, node->datum.u.data, i);
	}
	KUNIT_EXPECT_EQ(test, h.nel, 11);
	avtab_test_chains(test, &h);

	for (node = avtab_search_node(&h, &key); node;
	     node = avtab_search_node_next(node, AVTAB_ALLOWED))
		seen |= 1 << node->datum.u.data;
	KUNIT_EXPECT_EQ(test, seen, 0xff);

	avtab_destroy(&h);
}

static void avtab_alloc_dup_gives_an_empty_table_of_the_same_size(struct kunit *test)
{
	static const u32 rules[] = { 0, 1, 100, 100000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		struct avtab orig, dup;

		avtab_init(&orig);
		avtab_init(&dup);
		KUNIT_ASSERT_EQ(test, avtab_alloc(&orig, rules[i]), 0);
		avtab_test_fill(test, &orig, rules[i]);

		KUNIT_ASSERT_EQ(test, avtab_alloc_dup(&dup, &orig), 0);
		KUNIT_EXPECT_EQ(test, dup.nel, 0);
		KUNIT_EXPECT_EQ(test, dup.nslot, orig.nslot);
		KUNIT_EXPECT_EQ(test, dup.hash_bits, orig.hash_bits);

		/* what was in the one can be put into the other, and is found */
		avtab_test_fill(test, &dup, rules[i]);
		if (rules[i]) {
			avtab_test_search(test, &dup, rules[i]);
			avtab_test_chains(test, &dup);
			KUNIT_EXPECT_PTR_NE(test, dup.htable, orig.htable);
		}
		avtab_destroy(&orig);
		if (rules[i])
			avtab_test_search(test, &dup, rules[i]);
		avtab_destroy(&dup);
		avtab_test_is_empty(test, &dup);
	}
}

/* The products of hash3(), worked out by hand in its own test. */
static void avtab_hash_is_hash3_of_source_target_and_class(struct kunit *test)
{
	const struct avtab_key none = {}, source = { .source_type = 1 },
			       target = { .target_type = 1 },
			       class = { .target_class = 1 };

	KUNIT_EXPECT_EQ(test, avtab_hash(&none, 15), 0);
	KUNIT_EXPECT_EQ(test, avtab_hash(&source, 15), 0x61c88647 >> 17);
	KUNIT_EXPECT_EQ(test, avtab_hash(&target, 15), 0xe4432380 >> 17);
	KUNIT_EXPECT_EQ(test, avtab_hash(&class, 15), 0x2191c000 >> 17);
}

static int avtab_test_init(struct kunit *test)
{
	/* only made if SELinux is one of the LSMs that the boot chose */
	if (!avtab_node_cachep)
		kunit_skip(test, "SELinux is not enabled");
	return 0;
}

static struct kunit_case avtab_test_cases[] = {
	KUNIT_CASE(avtab_hash_is_hash3_of_source_target_and_class),
	KUNIT_CASE(avtab_holds_1_to_100000_rules),
	KUNIT_CASE(avtab_of_no_rules_has_no_slots),
	KUNIT_CASE(avtab_has_at_most_65536_slots),
	KUNIT_CASE(avtab_refuses_a_duplicate_rule),
	KUNIT_CASE(avtab_keeps_several_extended_rules_of_a_key),
	KUNIT_CASE(avtab_insert_nonunique_keeps_duplicates),
	KUNIT_CASE(avtab_alloc_dup_gives_an_empty_table_of_the_same_size),
	{}
};

static struct kunit_suite avtab_test_suite = {
	.name = "selinux_avtab",
	.init = avtab_test_init,
	.test_cases = avtab_test_cases,
};

kunit_test_suite(avtab_test_suite);
