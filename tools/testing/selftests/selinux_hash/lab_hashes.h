/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hashes that the lab compares
 *
 * Each maps three numbers to @bits bits, 1 to 32. They are built from what the
 * kernel has in linux/hash.h, linux/bitops.h and linux/jhash.h, but for the two
 * that SELinux has, or had, of its own.
 */

#ifndef _SELFTESTS_SELINUX_LAB_HASHES_H_
#define _SELFTESTS_SELINUX_LAB_HASHES_H_

#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/jhash.h>

#include "hash3.h"

static inline u32 low_bits(u32 hash, unsigned int bits)
{
	return hash & (~0U >> (32 - bits));
}

/* The AVC of Linux 6.12. */
static inline u32 lab_shift_xor(u32 a, u32 b, u32 c, unsigned int bits)
{
	return low_bits(a ^ (b << 2) ^ (c << 4), bits);
}

/* hash3() as it was proposed in 2020. */
static inline u32 lab_hash3_2020(u32 a, u32 b, u32 c, unsigned int bits)
{
	return hash_32(a + rol32(b, 11) + rol32(c, 22), bits);
}

static inline u32 murmur3_mix(u32 hash, u32 number)
{
	number = rol32(number * 0xcc9e2d51, 15) * 0x1b873593;
	return rol32(hash ^ number, 13) * 5 + 0xe6546b64;
}

/*
 * A. Appleby's MurmurHash3, in the public domain, as avtab has it in 6.12, and
 * avtab and the AVC in 7.3: of three words, without the length in the end.
 */
static inline u32 lab_murmur3(u32 a, u32 b, u32 c, unsigned int bits)
{
	u32 hash = murmur3_mix(murmur3_mix(murmur3_mix(0, a), b), c);

	hash = (hash ^ hash >> 16) * 0x85ebca6b;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35;
	return low_bits(hash ^ hash >> 16, bits);
}

static inline u32 lab_jhash(u32 a, u32 b, u32 c, unsigned int bits)
{
	return low_bits(jhash_3words(a, b, c, 0), bits);
}

/* One word of 64 bits, in which numbers below 2^24, 2^24 and 2^16 do not meet. */
static inline u32 lab_lanes(u32 a, u32 b, u32 c, unsigned int bits)
{
	return hash_64(a + ((u64)b << 24) + ((u64)c << 48), bits);
}

/* The same, with the lanes for which consecutive numbers fall most evenly. */
static inline u32 lab_lanes_28(u32 a, u32 b, u32 c, unsigned int bits)
{
	return hash_64(a + ((u64)b << 28) + ((u64)c << 52), bits);
}

/* Two multiplications, the second of which waits for the first. */
static inline u32 lab_in_a_row(u32 a, u32 b, u32 c, unsigned int bits)
{
	return hash_32(hash_64(a | (u64)b << 32, 32) + c, bits);
}

/* Two products side by side, so that two numbers have to share a word. */
static inline u32 lab_two(u32 a, u32 b, u32 c, unsigned int bits)
{
	return (hash_32(rol32(a, 16), 32) ^ hash_32(b + rol32(c, 24), 32)) >> (32 - bits);
}

/* hash3.h, but with the sum of the products. */
static inline u32 lab_sum(u32 a, u32 b, u32 c, unsigned int bits)
{
	return (hash_32(a, 32) + hash_32(rol32(b, 7), 32) + hash_32(rol32(c, 14), 32)) >>
	       (32 - bits);
}

/* hash3.h, but with other rotations. */
static inline u32 lab_rotate_9_19(u32 a, u32 b, u32 c, unsigned int bits)
{
	return (hash_32(a, 32) ^ hash_32(rol32(b, 9), 32) ^ hash_32(rol32(c, 19), 32)) >>
	       (32 - bits);
}

static inline u32 lab_hash3(u32 a, u32 b, u32 c, unsigned int bits)
{
	return hash3(a, b, c, bits);
}

typedef u32 (*lab_hash_t)(u32 a, u32 b, u32 c, unsigned int bits);

/* MurmurHash3 is the one that others are compared with. */
static const struct lab_hash {
	lab_hash_t hash;
	const char *name;	/* in a table */
	const char *what;
	/* avtab gives it the class first and the source last, as before hash3.h */
	int class_first;
} lab_hashes[] = {
	{ lab_shift_xor,   "shift",   "shift-xor, as in the AVC of 6.12", 1 },
	{ lab_murmur3,	   "murmur3", "MurmurHash3, as in 7.3", 1 },
	{ lab_jhash,	   "jhash",   "jhash_3words()", 1 },
	{ lab_hash3_2020,  "2020",    "hash3() as published in 2020", 1 },
	{ lab_lanes,	   "lanes",   "64-bit lanes at 0, 24, 48", 1 },
	{ lab_lanes_28,	   "lanes28", "64-bit lanes at 0, 28, 52", 1 },
	{ lab_in_a_row,	   "row",     "two multiplications in a row", 1 },
	{ lab_two,	   "two",     "two products, two numbers in one", 0 },
	{ lab_sum,	   "sum",     "hash3.h with a sum", 0 },
	{ lab_rotate_9_19, "rot9-19", "hash3.h with rotations by 9, 19", 0 },
	{ lab_hash3,	   "hash3.h", "hash3.h", 0 },
};

#define LAB_HASHES	(sizeof(lab_hashes) / sizeof(*lab_hashes))

#endif /* _SELFTESTS_SELINUX_LAB_HASHES_H_ */
