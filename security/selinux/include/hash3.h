/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash of three small numbers, such as the source, target and class of an
 * access vector.
 *
 * The mixing step follows S. Liakh's 2020 proposal on the SELinux list,
 * "SELinux: Improve hashing".
 */

#ifndef _SELINUX_HASH3_H_
#define _SELINUX_HASH3_H_

#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/types.h>

/**
 * hash3 - hash three numbers to an index of a table of 2^bits buckets
 * @a: first number, any value
 * @b: second number, any value
 * @c: third number, any value
 * @bits: number of bits wanted, 0 to 32; more is a build error where @bits is
 *	a constant, and undefined where it is not
 *
 * SIDs, types, roles and classes are numbered upwards from 1, so most of what
 * tells two keys apart is in the low bits of each number. Rotating @b and @c
 * by different amounts moves those bits to different places of one word and
 * loses none, adding lets a carry pass on what still overlaps, and the one
 * multiplication of hash_32() spreads the sum over the upper bits, which are
 * the ones returned. The cost is two rotations, two additions, a
 * multiplication and a shift; on 64-bit machines there is no branch.
 *
 * The weak spot: numbers whose varying bits meet after the rotation can
 * cancel out. All keys with the same @a + rol32(@b, 11) + rol32(@c, 22) share
 * a bucket, whatever @bits is; (x << 11, n - x, c) is such a family for fixed
 * n < 2^21 and c. The numbers begin to overlap once @a or @b reaches 2^11, or
 * @c, of which the upper bits come round to the lowest of @a, 2^10. Where keys
 * like these are to be expected, give the arguments in another order, or use
 * jhash_3words().
 *
 * A caller that keeps only the low bits of a result should ask for few bits:
 * the low bits of a product depend on the low bits of the sum alone.
 *
 * Context: Any.
 * Return: A value below 2^@bits; 0 if @bits is 0.
 */
static __always_inline u32 hash3(u32 a, u32 b, u32 c, unsigned int bits)
{
	BUILD_BUG_ON(__builtin_constant_p(bits) && bits > 32);

	/* A 64-bit shift is defined for every @bits, 0 included. */
	return (u64)hash_32(a + rol32(b, 11) + rol32(c, 22), 32) >> (32 - bits);
}

#endif /* _SELINUX_HASH3_H_ */
