// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the access vector cache's slots, included by avc.c
 */

#include <kunit/test.h>

static void avc_slots_are_a_power_of_two(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, AVC_CACHE_SLOTS, 1UL << AVC_CACHE_BITS);
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(selinux_avc.avc_cache.slots),
			AVC_CACHE_SLOTS);
}

static void avc_hash_is_hash3_of_the_access_vector(struct kunit *test)
{
	u32 ssid, tsid;
	u16 tclass;

	for (ssid = 1; ssid <= 64; ssid++)
		for (tsid = 1; tsid <= 64; tsid++)
			for (tclass = 1; tclass <= 8; tclass++)
				KUNIT_ASSERT_EQ(test, avc_hash(ssid, tsid, tclass),
						hash3(ssid, tsid, tclass,
						      AVC_CACHE_BITS));
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
	KUNIT_CASE(avc_slots_are_a_power_of_two),
	KUNIT_CASE(avc_hash_is_hash3_of_the_access_vector),
	KUNIT_CASE(avc_hash_is_below_the_number_of_slots),
	{}
};

static struct kunit_suite avc_test_suite = {
	.name = "selinux_avc",
	.test_cases = avc_test_cases,
};

kunit_test_suite(avc_test_suite);
