/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash of three small numbers, such as the source, target and class of an
 * access vector.
 *
 * It began with the mixing step of S. Liakh's 2020 proposal on the SELinux
 * list, "SELinux: Improve hashing", which rotates three numbers against each
 * other, adds them, and multiplies once.
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
 * SIDs, types, roles and classes are numbered upwards from 1. hash_32() is at
 * its best with such numbers: the products of consecutive ones divide the
 * table evenly. So each number gets a product of its own, in which no other
 * one can meet it. Rotating the numbers by different amounts first makes the
 * products step round the table at different rates: else a key of twice the
 * same number would cancel out. The products are combined by exclusive or. A
 * sum of them would step round the table at the sum of their rates when two
 * numbers grow together, and for some pair of numbers such a step is bad.
 *
 * The three multiplications do not wait for each other, so the hash takes
 * little longer than one of them. All operations are of 32 bits, and the
 * result is the same on all architectures.
 *
 * The weak spot: keys that differ in one number, and collide, collide whatever
 * the other two are. So someone who may choose the numbers finds keys for one
 * bucket easily, as with any hash that has no secret. Use jhash_3words() with
 * a random initial value where that matters.
 *
 * A caller that keeps only the low bits of a result should ask for few bits:
 * the low bits of a product depend on the low bits of the number alone.
 *
 * Context: Any.
 * Return: A value below 2^@bits; 0 if @bits is 0.
 */
static __always_inline u32 hash3(u32 a, u32 b, u32 c, unsigned int bits)
{
	const u32 all = hash_32(a, 32) ^ hash_32(rol32(b, 7), 32) ^
			hash_32(rol32(c, 14), 32);

	BUILD_BUG_ON(__builtin_constant_p(bits) && bits > 32);

	/* A 64-bit shift is defined for every @bits, 0 included. */
	return (u64)all >> (32 - bits);
}

#endif /* _SELINUX_HASH3_H_ */
