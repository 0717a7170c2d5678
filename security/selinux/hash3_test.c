// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of hash3()
 */

#include <kunit/test.h>
#include <linux/limits.h>

#include "hash3.h"
#include "hash_stats.h"

/*
 * Worked out by hand from GOLDEN_RATIO_32 = 0x61c88647: a 1 in @a counts it
 * once, a 1 in @b shifts it left by 7, in @c by 14.
 */
static void hash3_gives_the_products_worked_out_by_hand(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, hash3(0, 0, 0, 32), 0);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 32), 0x61c88647);
	KUNIT_EXPECT_EQ(test, hash3(2, 0, 0, 32), 0xc3910c8e);
	KUNIT_EXPECT_EQ(test, hash3(0, 1, 0, 32), 0xe4432380);
	KUNIT_EXPECT_EQ(test, hash3(0, 0, 1, 32), 0x2191c000);
	/* their exclusive or */
	KUNIT_EXPECT_EQ(test, hash3(1, 1, 1, 32), 0xa41a65c7);
	/* the top bit of @b comes round to bit 6, of @c to bit 13 */
	KUNIT_EXPECT_EQ(test, hash3(BIT(31), 0, 0, 32), 0x80000000);
	KUNIT_EXPECT_EQ(test, hash3(0, BIT(31), 0, 32), 0x722191c0);
	KUNIT_EXPECT_EQ(test, hash3(0, 0, BIT(31), 32), 0x10c8e000);
	/* three times -1 times the ratio, of which two cancel out */
	KUNIT_EXPECT_EQ(test, hash3(U32_MAX, U32_MAX, U32_MAX, 32), 0x9e3779b9);
}

static void hash3_returns_the_upper_bits(struct kunit *test)
{
	unsigned int bits;

	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 2), 1);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 3), 3);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 8), 0x61);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 9), 0xc3);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 16), 0x61c8);
	KUNIT_EXPECT_EQ(test, hash3(1, 0, 0, 31), 0x30e44323);

	/* with a width that the compiler cannot know */
	for (bits = 1; bits <= 32; bits++) {
		u32 all = hash3(12, 345, 67, 32);

		OPTIMIZER_HIDE_VAR(bits);
		KUNIT_EXPECT_EQ_MSG(test, hash3(12, 345, 67, bits),
				    all >> (32 - bits), "bits %u", bits);
	}
}

static void hash3_of_no_bits_is_0(struct kunit *test)
{
	unsigned int bits = 0;

	KUNIT_EXPECT_EQ(test, hash3(1, 2, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, hash3(U32_MAX, U32_MAX, U32_MAX, 0), 0);

	OPTIMIZER_HIDE_VAR(bits);
	KUNIT_EXPECT_EQ(test, hash3(1, 2, 3, bits), 0);
	KUNIT_EXPECT_EQ(test, hash3(U32_MAX, U32_MAX, U32_MAX, bits), 0);
}

static void hash3_changes_with_every_input_bit(struct kunit *test)
{
	const u32 zero = hash3(0, 0, 0, 32);
	unsigned int i;

	for (i = 0; i < 32; i++) {
		KUNIT_EXPECT_NE_MSG(test, hash3(BIT(i), 0, 0, 32), zero,
				    "bit %u of a", i);
		KUNIT_EXPECT_NE_MSG(test, hash3(0, BIT(i), 0, 32), zero,
				    "bit %u of b", i);
		KUNIT_EXPECT_NE_MSG(test, hash3(0, 0, BIT(i), 32), zero,
				    "bit %u of c", i);
	}
}

/* Fill a table with @stats->buckets chains, given the length of each. */
static void hash3_test_stats(struct hash_stats *stats, const u32 *chain_len)
{
	u32 i;

	for (i = 0; i < stats->buckets; i++)
		hash_stats_add(stats, chain_len[i]);
	hash_stats_finish(stats);
}

/*
 * n keys thrown at random into m buckets have an expected sum of squares of
 * n + n * (n - 1) / m.
 */
static u64 random_chain2_len_sum(u32 n, u32 m)
{
	return n + div_u64((u64)n * (n - 1), m);
}

static void hash3_spreads_sequential_numbers(struct kunit *test)
{
	/* sources, targets and classes, counted from 1 */
	static const struct {
		u32 a, b, c;
	} shape[] = {
		{ 4096, 1, 1 }, { 1, 4096, 1 }, { 1, 1, 1024 },
		{ 64, 64, 1 },	{ 64, 1, 64 },	{ 1, 64, 64 },
		{ 32, 32, 8 },	{ 8, 32, 32 },	{ 16, 16, 16 },
		{ 400, 20, 1 }, { 20, 400, 1 }, { 100, 10, 4 },
	};
	unsigned int i, bits;
	u32 *chain_len;

	chain_len = kunit_kmalloc_array(test, BIT(13), sizeof(*chain_len),
					GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chain_len);

	for (i = 0; i < ARRAY_SIZE(shape); i++) {
		const u32 keys = shape[i].a * shape[i].b * shape[i].c;

		for (bits = 9; bits <= 13; bits++) {
			u64 random = random_chain2_len_sum(keys, BIT(bits));
			struct hash_stats stats;
			u32 a, b, c;

			memset(chain_len, 0, BIT(bits) * sizeof(*chain_len));
			for (a = 1; a <= shape[i].a; a++)
				for (b = 1; b <= shape[i].b; b++)
					for (c = 1; c <= shape[i].c; c++)
						chain_len[hash3(a, b, c, bits)]++;

			hash_stats_init(&stats, BIT(bits));
			hash3_test_stats(&stats, chain_len);
			KUNIT_EXPECT_EQ(test, stats.entries, keys);
			/*
			 * Less than chance gives in nearly all, and never a
			 * fifth more. The worst is 4096 numbers in the place
			 * of @b, in 12 bits.
			 */
			KUNIT_EXPECT_LE_MSG(test, 5 * stats.chain2_len_sum,
					    6 * random,
					    "%u x %u x %u keys, %u bits",
					    shape[i].a, shape[i].b, shape[i].c,
					    bits);
		}
	}
}

static void hash3_lets_no_number_cancel_another(struct kunit *test)
{
	const u32 keys = 4096, bits = 12;
	struct hash_stats stats;
	u32 *chain_len;
	u32 x, family;

	chain_len = kunit_kmalloc_array(test, BIT(bits), sizeof(*chain_len),
					GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chain_len);

	/* two numbers that grow, or one that grows as the other shrinks */
	for (family = 0; family < 6; family++) {
		memset(chain_len, 0, BIT(bits) * sizeof(*chain_len));
		for (x = 1; x <= keys; x++) {
			u32 y = family & 1 ? keys - x : x;
			u32 a = family / 2 == 2 ? 7 : x;
			u32 b = family / 2 == 0 ? y : family / 2 == 1 ? 7 : x;
			u32 c = family / 2 == 0 ? 7 : y;

			chain_len[hash3(a, b, c, bits)]++;
		}
		hash_stats_init(&stats, BIT(bits));
		hash3_test_stats(&stats, chain_len);
		KUNIT_EXPECT_LE_MSG(test, 5 * stats.chain2_len_sum,
				    6 * random_chain2_len_sum(keys, BIT(bits)),
				    "family %u", family);
	}
}

static void hash3_has_its_documented_weakness(struct kunit *test)
{
	const unsigned int bits = 9;
	u32 x, y = 0, b;

	/* two numbers that collide */
	for (x = 1; !y; x++)
		for (b = 1; b < x && !y; b++)
			if (hash3(x, 0, 0, bits) == hash3(b, 0, 0, bits))
				y = b;
	x--;
	/* collide with all others beside them */
	for (b = 0; b < 4096; b++)
		KUNIT_EXPECT_EQ_MSG(test, hash3(x, b, 3 * b, bits),
				    hash3(y, b, 3 * b, bits), "%u and %u, %u",
				    x, y, b);
}

static struct kunit_case hash3_test_cases[] = {
	KUNIT_CASE(hash3_gives_the_products_worked_out_by_hand),
	KUNIT_CASE(hash3_returns_the_upper_bits),
	KUNIT_CASE(hash3_of_no_bits_is_0),
	KUNIT_CASE(hash3_changes_with_every_input_bit),
	KUNIT_CASE(hash3_spreads_sequential_numbers),
	KUNIT_CASE(hash3_lets_no_number_cancel_another),
	KUNIT_CASE(hash3_has_its_documented_weakness),
	{}
};

static struct kunit_suite hash3_test_suite = {
	.name = "selinux_hash3",
	.test_cases = hash3_test_cases,
};

kunit_test_suite(hash3_test_suite);
