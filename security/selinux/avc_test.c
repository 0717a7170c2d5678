// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the access vector cache's slots, included by avc.c
 */

#include <kunit/test.h>

/* The products of hash3(), worked out by hand in its own test. */
static void avc_hash_is_hash3_of_source_target_and_class(struct kunit *test)
{
	const unsigned int shift = 32 - AVC_CACHE_BITS;

	KUNIT_EXPECT_EQ(test, avc_hash(0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, avc_hash(1, 0, 0), 0x61c88647 >> shift);
	KUNIT_EXPECT_EQ(test, avc_hash(0, 1, 0), 0xe4432380 >> shift);
	KUNIT_EXPECT_EQ(test, avc_hash(0, 0, 1), 0x2191c000 >> shift);
	KUNIT_EXPECT_EQ(test, avc_hash(1, 1, 1), 0xa41a65c7 >> shift);
}

static void avc_hash_is_below_the_number_of_slots(struct kunit *test)
{
	static const u32 sid[] = { 0, 1, 511, 512, 65535, BIT(31), U32_MAX };
	static const u16 tclass[] = { 0, 1, 511, 512, 32768, U16_MAX };
	unsigned int s, t, c;

	for (s = 0; s < ARRAY_SIZE(sid); s++)
		for (t = 0; t < ARRAY_SIZE(sid); t++)
			for (c = 0; c < ARRAY_SIZE(tclass); c++)
				KUNIT_ASSERT_LT(test,
						avc_hash(sid[s], sid[t], tclass[c]),
						AVC_CACHE_SLOTS);
}

static struct kunit_case avc_test_cases[] = {
	KUNIT_CASE(avc_hash_is_hash3_of_source_target_and_class),
	KUNIT_CASE(avc_hash_is_below_the_number_of_slots),
	{}
};

static struct kunit_suite avc_test_suite = {
	.name = "selinux_avc",
	.test_cases = avc_test_cases,
};

kunit_test_suite(avc_test_suite);
