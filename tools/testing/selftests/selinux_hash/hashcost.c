// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the hashes of lab_hashes.h cost on this CPU
 *
 * hashcost [CSV]
 *
 * prints for each the cycles of one in a chain, where each waits for the one
 * before, of one of many that do not wait, and the instructions of a call. Built
 * for 32 bits it tells the same of a 32-bit machine. CSV is a file to write the
 * same figures to.
 *
 * A cycle is the time of one addition in a chain of additions, measured next to
 * the hash: so the clock that is read may run at any rate, and the CPU at
 * another. Figures are medians of 301 measurements, with the quartiles. A chain
 * goes through the number by which it is longest. Instructions are counted by
 * single steps, less those of a function that hashes nothing.
 */

#include <assert.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab_hashes.h"

#define MEASUREMENTS	301
#define CALLS		4096
#define BITS		15	/* an avtab of 32,768 slots */

typedef u32 (*call_t)(u32 a, u32 b, u32 c);

/* What the compiler then knows nothing about. */
static inline u32 hide(u32 number)
{
	asm volatile("" : "+r"(number));
	return number;
}

/* In nanoseconds; what is timed takes thousands of them. */
static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static unsigned long long additions(void)
{
	unsigned long long start = now();
	u32 x = 1, y = 3;
	int i;

	/* of a register, as some CPUs add a constant in no time */
	y = hide(y);
	for (i = 0; i < CALLS; i++) {
		x = hide(x + y);
		x = hide(x + y);
		x = hide(x + y);
		x = hide(x + y);
	}
	return now() - start;
}

/* For each hash: the chain through each number, and no chain at all. */
#define DEFINE_COST(name)						\
static unsigned long long chain_##name(int through)			\
{									\
	u32 a = 1, b = 2, c = 3;					\
	unsigned long long start = now();				\
	int i;								\
									\
	for (i = 0; i < CALLS; i++) {					\
		a = hide(a);						\
		b = hide(b);						\
		c = hide(c);						\
		if (through == 0)					\
			a = lab_##name(a, b, c, BITS);			\
		else if (through == 1)					\
			b = lab_##name(a, b, c, BITS);			\
		else							\
			c = lab_##name(a, b, c, BITS);			\
	}								\
	hide(a + b + c);						\
	return now() - start;						\
}									\
									\
static unsigned long long many_##name(void)				\
{									\
	unsigned long long start = now();				\
	u32 sum = 0;							\
	int i;								\
									\
	for (i = 0; i < CALLS; i++)					\
		sum += lab_##name(hide(i), hide(i), hide(i), BITS);	\
	hide(sum);							\
	return now() - start;						\
}									\
									\
static noinline u32 call_##name(u32 a, u32 b, u32 c)	\
{									\
	return lab_##name(a, b, c, BITS);				\
}

DEFINE_COST(shift_xor)
DEFINE_COST(murmur3)
DEFINE_COST(jhash)
DEFINE_COST(hash3_2020)
DEFINE_COST(lanes)
DEFINE_COST(lanes_28)
DEFINE_COST(in_a_row)
DEFINE_COST(two)
DEFINE_COST(sum)
DEFINE_COST(rotate_9_19)
DEFINE_COST(hash3)

static noinline u32 call_nothing(u32 a, u32 b, u32 c)
{
	return hide(a);
}

static const struct cost {
	lab_hash_t hash;
	unsigned long long (*chain)(int through);
	unsigned long long (*many)(void);
	call_t call;
} costs[] = {
#define COST(name) { lab_##name, chain_##name, many_##name, call_##name }
	COST(shift_xor),
	COST(murmur3),
	COST(jhash),
	COST(hash3_2020),
	COST(lanes),
	COST(lanes_28),
	COST(in_a_row),
	COST(two),
	COST(sum),
	COST(rotate_9_19),
	COST(hash3),
};

#define HASHES LAB_HASHES
static_assert(sizeof(costs) / sizeof(*costs) == HASHES, "a hash is left out");

/* Instructions of a child that calls a hash once, and ends. */
static long steps(call_t call)
{
	long count = 0;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		err(2, "cannot fork");
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(2);
		raise(SIGSTOP);
		hide(call(1, 2, 3));
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	for (;; count++) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) != pid)
			return -1;
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) && !WEXITSTATUS(status) ? count : -1;
	}
}

struct quartiles {
	double q1, med, q3;
};

static int double_cmp(const void *a, const void *b)
{
	const double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

static struct quartiles quartiles(double *figures)
{
	qsort(figures, MEASUREMENTS, sizeof(*figures), double_cmp);
	return (struct quartiles) {
		figures[MEASUREMENTS / 4], figures[MEASUREMENTS / 2],
		figures[MEASUREMENTS - 1 - MEASUREMENTS / 4],
	};
}

int main(int argc, char **argv)
{
	static double figures[HASHES][4][MEASUREMENTS];
	struct quartiles chain[HASHES], many[HASHES], q;
	FILE *csv = NULL;
	double reference = 0;
	long instructions, nothing;
	unsigned int h, m;
	int through;

	if (argc > 2 || (argc == 2 && *argv[1] == '-')) {
		fprintf(stderr, "usage: hashcost [CSV]\n");
		return 2;
	}
	if (argc == 2) {
		csv = fopen(argv[1], "w");
		if (!csv)
			err(2, "%s", argv[1]);
	}

	for (h = 0; h < HASHES; h++)
		if (costs[h].hash != lab_hashes[h].hash)
			errx(2, "%s is not where it is in lab_hashes.h", lab_hashes[h].name);

	/* what disturbs for a while is not to fall on one hash */
	for (m = 0; m < MEASUREMENTS; m++) {
		for (h = 0; h < HASHES; h++) {
			double cycle = additions() / 4.0;

			for (through = 0; through < 3; through++)
				figures[h][through][m] = costs[h].chain(through) / cycle;
			figures[h][3][m] = costs[h].many() / cycle;
		}
	}
	for (h = 0; h < HASHES; h++) {
		chain[h] = quartiles(figures[h][0]);
		for (through = 1; through < 3; through++) {
			q = quartiles(figures[h][through]);
			if (q.med > chain[h].med)
				chain[h] = q;
		}
		many[h] = quartiles(figures[h][3]);
		if (!strcmp(lab_hashes[h].name, "murmur3"))
			reference = chain[h].med;
	}

	nothing = steps(call_nothing);
	printf("%zu bits           cycles in a chain        of murmur3", 8 * sizeof(long));
	printf("    cycles, many    instructions\n");
	if (csv)
		fprintf(csv,
			"word,hash,chain_q1,chain,chain_q3,of_murmur3,many_q1,many,many_q3,instructions\n");
	for (h = 0; h < HASHES; h++) {
		char count[24] = "?";

		instructions = steps(costs[h].call);
		if (nothing >= 0 && instructions >= 0)
			snprintf(count, sizeof(count), "%ld", instructions - nothing);
		printf("%-8s %18.2f (%.2f to %.2f) %10.2f %12.2f (%.2f to %.2f) %6s   %s\n",
		       lab_hashes[h].name, chain[h].med, chain[h].q1, chain[h].q3,
		       chain[h].med / reference, many[h].med, many[h].q1, many[h].q3,
		       count, lab_hashes[h].what);
		if (csv)
			fprintf(csv, "%zu,\"%s\",%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%s\n",
				8 * sizeof(long), lab_hashes[h].name, chain[h].q1,
				chain[h].med, chain[h].q3, chain[h].med / reference,
				many[h].q1, many[h].med, many[h].q3, count);
	}
	if (csv && fclose(csv))
		err(2, "%s", argv[1]);
	return 0;
}
