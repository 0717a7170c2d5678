// SPDX-License-Identifier: GPL-2.0-only
/*
 * How evenly the hashes of lab_hashes.h spread the keys that SELinux hashes
 *
 * hashlab [OPTION]... COMMAND [FILE]...
 *
 *	policy FILE...	keys of the hash tables of binary policies
 *	avc FILE...	keys that a running AVC was asked for (a capture)
 *	made-up		keys made up after what systems do, and plain families
 *	avc-time [FILE]	an AVC as entries come and go: of a capture, or of hosts
 *			of containers
 *	bits		what a change of one bit changes; keys that no table can
 *			tell apart
 *	attack		the fullest bucket, for someone who chooses the SIDs
 *	boot-log FILE	of a policy, what the kernel's debug lines have to say
 *
 *	--csv FILE	append every figure to FILE, too
 *	--chains FILE	append how many chains have which length to FILE
 *	--seed NUMBER	of what is made up, 1 to 2^64 - 1 (default 1)
 *
 * Nodes visited by a hit are (s / n + 1) / 2 of n keys and a sum of squares s of
 * the chains. Chance is what the mean of all ways to throw the keys into the
 * buckets gives, equal keys into the same; the interval around it has 95 of 100
 * of these. A "-" behind a figure: the hash is worse than that interval, "+":
 * better. A hash is said to be worse than MurmurHash3 where it is "-" and its
 * distance from MurmurHash3 is beyond that of 95 of 100 pairs of random hashes.
 *
 * Exits with 0, or 2 if something is wrong with the command or a file.
 */

#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "lab_hashes.h"
#include "lab_keys.h"

#define HASHES		LAB_HASHES
#define MURMUR3		1	/* its place in lab_hashes */
#define HASH3		(HASHES - 1)

/* Standard deviations that 95 of 100 are within. */
#define CONFIDENCE	1.96

static FILE *csv, *chains_csv;
static unsigned long long seed = 1;

static void *zeroed(size_t count, size_t size)
{
	void *array = calloc(count, size);

	if (!array)
		errx(2, "out of memory");
	return array;
}

static u32 bucket_of(unsigned int h, const struct lab_key *key, enum lab_table table,
		     unsigned int bits)
{
	lab_hash_t hash = lab_hashes[h].hash;

	if (table == LAB_AVTAB && lab_hashes[h].class_first)
		return hash(key->tclass, key->target, key->source, bits);
	if (table == LAB_HASHTAB)
		return low_bits(hash(key->source, key->target, key->tclass, 16), bits);
	return hash(key->source, key->target, key->tclass, bits);
}

/* Of a linear congruential generator by D. Knuth: the upper bits are good. */
static u64 next_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state;
}

/*
 * One table
 */

struct figures {
	size_t entries, buckets, used, longest, q1, med, q3;
	double squares;		/* sum of chain length^2 */
	double hit, miss;	/* nodes visited */
};

static u32 *chains_of(unsigned int h, const struct lab_keys *keys)
{
	u32 *chains = zeroed(1U << keys->bits, sizeof(*chains));
	size_t i;

	for (i = 0; i < keys->count; i++)
		chains[bucket_of(h, &keys->keys[i], keys->table, keys->bits)]++;
	return chains;
}

static int u32_cmp(const void *a, const void *b)
{
	const u32 l = *(const u32 *)a, r = *(const u32 *)b;

	return (l > r) - (l < r);
}

/*
 * Keys that are not there, put together from the parts of some that are: mean
 * length of the chains that they meet. (A search of avtab, of which the chains
 * are sorted, leaves off somewhere on the way.)
 */
static double miss_of(unsigned int h, const struct lab_keys *keys, const u32 *chains)
{
	struct lab_key missing;
	double visited = 0, misses = 0;
	u64 random = seed;
	u32 number[3];
	int tries, i;

	for (tries = 0; tries < 20000; tries++) {
		for (i = 0; i < 3; i++)
			number[i] = (next_random(&random) >> 32) * keys->count >> 32;
		missing = (struct lab_key) {
			keys->keys[number[0]].source,
			keys->keys[number[1]].target,
			keys->keys[number[2]].tclass,
		};
		if (bsearch(&missing, keys->keys, keys->count, sizeof(missing), lab_key_cmp))
			continue;
		visited += chains[bucket_of(h, &missing, keys->table, keys->bits)];
		misses++;
	}
	return misses ? visited / misses : NAN;
}

static struct figures measure(unsigned int h, const struct lab_keys *keys)
{
	const size_t buckets = (size_t)1 << keys->bits;
	struct figures f = { .entries = keys->count, .buckets = buckets };
	u32 *chains = chains_of(h, keys), *used;
	size_t i;

	f.miss = miss_of(h, keys, chains);
	qsort(chains, buckets, sizeof(*chains), u32_cmp);
	for (i = 0; i < buckets && !chains[i]; i++)
		;
	used = chains + i;
	f.used = buckets - i;
	f.longest = chains[buckets - 1];
	for (i = 0; i < f.used; i++)
		f.squares += (double)used[i] * used[i];
	if (f.used) {
		/* of rank ceil(k * used / 4), as in hash_stats.c */
		f.q1 = used[(f.used + 3) / 4 - 1];
		f.med = used[(f.used + 1) / 2 - 1];
		f.q3 = used[(3 * f.used + 3) / 4 - 1];
	}
	f.hit = (f.squares / f.entries + 1) / 2;
	free(chains);
	return f;
}

/*
 * What chance gives: mean and standard deviation of the nodes visited by a hit.
 *
 * Let w be how often each different key is there, and m the number of buckets.
 * Two different keys share a bucket with probability 1 / m, each pair on its own:
 * so the sum of squares has the mean W2 + (n^2 - W2) / m, W2 the sum of w^2, and
 * the variance 2 (W2^2 - W4) (1 / m) (1 - 1 / m), W4 the sum of w^4.
 */
static void chance(const struct lab_keys *keys, double *mean, double *deviation)
{
	const double n = keys->count, m = (size_t)1 << keys->bits;
	const struct lab_key *key = keys->keys;
	double w2 = 0, w4 = 0;
	size_t i, j;

	for (i = 0; i < keys->count; i = j) {
		for (j = i; j < keys->count && !lab_key_cmp(&key[i], &key[j]); j++)
			;
		w2 += pow(j - i, 2);
		w4 += pow(j - i, 4);
	}
	*mean = ((w2 + (n * n - w2) / m) / n + 1) / 2;
	*deviation = sqrt(2 * (w2 * w2 - w4) / m * (1 - 1 / m)) / n / 2;
}

/*
 * Sets of tables
 */

struct verdicts {
	unsigned int worse_than_chance, better_than_chance, worse_than_murmur3;
	double sum;		/* of nodes visited, in proportion to chance */
	double worst;
	const char *worst_set;
};

static void print_heading(const char *first, int width)
{
	unsigned int h;

	printf("%-*s", width, first);
	for (h = 0; h < HASHES; h++)
		printf(" %8s", lab_hashes[h].name);
	printf("\n");
}

/* What is not known is left out, in a table shown as "-". */
static const char *figure(char text[32], double number, const char *unknown)
{
	if (isnan(number))
		return unknown;
	snprintf(text, 32, "%.4f", number);
	return text;
}

static void write_csv(const struct lab_set *set, unsigned int table, unsigned int h,
		      const struct figures *f, double mean, double deviation)
{
	char miss[32];

	if (csv)
		fprintf(csv,
			"\"%s\",%u,%zu,%zu,\"%s\",%zu,%zu,%zu,%zu,%zu,%.0f,%.4f,%s,%.4f,%.4f\n",
			set->name, table, f->entries, f->buckets, lab_hashes[h].name, f->used,
			f->longest, f->q1, f->med, f->q3, f->squares, f->hit,
			figure(miss, f->miss, ""), mean, CONFIDENCE * deviation);
}

static void write_chains(const struct lab_set *set, unsigned int h)
{
	const struct lab_keys *keys = &set->tables[0];
	u32 *chains, length, longest = 0;
	size_t *count, i;

	if (!chains_csv)
		return;
	chains = chains_of(h, keys);
	for (i = 0; i < (size_t)1 << keys->bits; i++)
		if (chains[i] > longest)
			longest = chains[i];
	count = zeroed(longest + 1, sizeof(*count));
	for (i = 0; i < (size_t)1 << keys->bits; i++)
		count[chains[i]]++;
	for (length = 0; length <= longest; length++)
		fprintf(chains_csv, "\"%s\",\"%s\",%u,%zu\n", set->name, lab_hashes[h].name, length,
			count[length]);
	free(count);
	free(chains);
}

/* Nodes visited by a hit: a line for a set, and a column for each hash. */
static void print_hits(const struct lab_set *set, struct verdicts *verdicts)
{
	double mean = 0, variance = 0, hit[HASHES] = { 0 }, m, d;
	unsigned int h, t;

	for (t = 0; t < set->count; t++) {
		chance(&set->tables[t], &m, &d);
		mean += m / set->count;
		variance += d * d / set->count / set->count;
		for (h = 0; h < HASHES; h++) {
			struct figures f = measure(h, &set->tables[t]);

			hit[h] += f.hit / set->count;
			write_csv(set, t, h, &f, m, d);
		}
	}
	d = CONFIDENCE * sqrt(variance);
	printf("%-32.32s %7.3f +-%.3f", set->name, mean, d);
	for (h = 0; h < HASHES; h++) {
		bool worse = hit[h] > mean + d;

		printf(" %7.3f%c", hit[h], worse ? '-' : hit[h] < mean - d ? '+' : ' ');
		verdicts[h].worse_than_chance += worse;
		verdicts[h].better_than_chance += hit[h] < mean - d;
		verdicts[h].worse_than_murmur3 += worse && hit[h] > hit[MURMUR3] + sqrt(2) * d;
		verdicts[h].sum += hit[h] / mean;
		if (hit[h] / mean > verdicts[h].worst) {
			verdicts[h].worst = hit[h] / mean;
			verdicts[h].worst_set = set->name;
		}
		write_chains(set, h);
	}
	printf("\n");
}

static void print_sets(const struct lab_sets *sets)
{
	struct verdicts verdicts[HASHES] = { 0 };
	unsigned int h;
	size_t s;

	for (h = 0; h < HASHES; h++)
		printf("%-8s %s\n", lab_hashes[h].name, lab_hashes[h].what);
	printf("\nNodes visited by a hit\n\n");
	print_heading("keys                              chance", 48);
	for (s = 0; s < sets->count; s++)
		print_hits(&sets->sets[s], verdicts);

	printf("\nOf %2zu sets   worse than chance  better  worse than murmur3", sets->count);
	printf("  nodes, to chance  the worst\n");
	for (h = 0; h < HASHES; h++)
		printf("%-8s %21u %7u %19u %17.3f  %.3f %s\n", lab_hashes[h].name,
		       verdicts[h].worse_than_chance, verdicts[h].better_than_chance,
		       verdicts[h].worse_than_murmur3, verdicts[h].sum / sets->count,
		       verdicts[h].worst, verdicts[h].worst_set);
}

/* All figures of tables that are what they are, not a sample of many. */
static void print_tables(const struct lab_sets *sets)
{
	unsigned int h;
	size_t s;

	for (s = 0; s < sets->count; s++) {
		const struct lab_set *set = &sets->sets[s];

		printf("\n%s: %zu entries in %u buckets\n", set->name, set->tables[0].count,
		       1U << set->tables[0].bits);
		printf("           used  longest  q1/med/q3  sum of squares      hit     miss\n");
		for (h = 0; h < HASHES; h++) {
			struct figures f = measure(h, &set->tables[0]);
			char quartiles[64], miss[32];

			snprintf(quartiles, sizeof(quartiles), "%zu/%zu/%zu", f.q1, f.med, f.q3);
			printf("%-8s %6zu %8zu %10s %15.0f %8.4f %8s\n", lab_hashes[h].name, f.used,
			       f.longest, quartiles, f.squares, f.hit, figure(miss, f.miss, "-"));
		}
	}
}

static void boot_log(const char *path)
{
	struct lab_sets sets = { 0 };
	size_t s;

	lab_add_policy(&sets, path);
	for (s = 0; s < sets.count; s++) {
		struct figures f = measure(HASH3, &sets.sets[s].tables[0]);

		printf("SELinux: %s:  %zu entries and %zu/%zu buckets used, ",
		       strrchr(sets.sets[s].name, ' ') + 1, f.entries, f.used, f.buckets);
		printf("longest chain length %zu, non-zero q1/med/q3 %zu/%zu/%zu, ",
		       f.longest, f.q1, f.med, f.q3);
		printf("sum of chain length^2 %.0f\n", f.squares);
	}
}

/*
 * An AVC as entries come and go
 */

struct avc {
	unsigned int bits;
	size_t threshold, entries, hand;
	struct node {
		struct lab_key key;
		struct node *next;
	} **chains, *nodes, *unused;
	u32 *length;
	double squares;
	/* what happened */
	size_t hits, misses, hit_visits, miss_visits, longest;
	double hit_mean;	/* sum, over all lookups, of what a hit visits on average */
};

static void set_length(struct avc *avc, u32 bucket, int change)
{
	avc->squares -= (double)avc->length[bucket] * avc->length[bucket];
	avc->length[bucket] += change;
	avc->squares += (double)avc->length[bucket] * avc->length[bucket];
	avc->entries += change;
	if (avc->length[bucket] > avc->longest)
		avc->longest = avc->length[bucket];
}

/*
 * avc_reclaim_node(): empty one bucket after the other until 16 nodes are gone.
 * The first node of a chain is the one that came last.
 */
static void reclaim(struct avc *avc)
{
	const u32 buckets = 1U << avc->bits;
	unsigned int tries, freed = 0;

	for (tries = 0; tries < buckets; tries++) {
		u32 bucket = ++avc->hand & (buckets - 1);

		while (avc->chains[bucket]) {
			struct node *node = avc->chains[bucket];

			avc->chains[bucket] = node->next;
			node->next = avc->unused;
			avc->unused = node;
			set_length(avc, bucket, -1);
			if (++freed == 16)
				return;
		}
	}
}

/* The kernel counts the new node before it looks at the threshold. */
static void lookup(struct avc *avc, unsigned int h, const struct lab_key *key)
{
	u32 bucket = bucket_of(h, key, LAB_AVC, avc->bits);
	struct node *node;
	size_t visits = 0;

	if (avc->entries)
		avc->hit_mean += (avc->squares / avc->entries + 1) / 2;
	for (node = avc->chains[bucket]; node; node = node->next) {
		visits++;
		if (!lab_key_cmp(&node->key, key)) {
			avc->hits++;
			avc->hit_visits += visits;
			return;
		}
	}
	avc->misses++;
	avc->miss_visits += visits;
	if (avc->entries + 1 > avc->threshold)
		reclaim(avc);
	node = avc->unused;
	avc->unused = node->next;
	node->key = *key;
	node->next = avc->chains[bucket];
	avc->chains[bucket] = node;
	set_length(avc, bucket, 1);
}

static struct avc run_avc(unsigned int h, unsigned int bits, size_t threshold,
			  const struct lab_key *keys, size_t count)
{
	struct avc avc = { .bits = bits, .threshold = threshold };
	size_t i;

	avc.chains = zeroed((size_t)1 << bits, sizeof(*avc.chains));
	avc.length = zeroed((size_t)1 << bits, sizeof(*avc.length));
	avc.nodes = zeroed(threshold + 1, sizeof(*avc.nodes));
	for (i = 0; i <= threshold; i++) {
		avc.nodes[i].next = avc.unused;
		avc.unused = &avc.nodes[i];
	}
	for (i = 0; i < count; i++)
		lookup(&avc, h, &keys[i]);
	free(avc.chains);
	free(avc.length);
	free(avc.nodes);
	avc.chains = NULL;
	avc.length = NULL;
	avc.nodes = NULL;
	avc.unused = NULL;
	return avc;
}

static void print_avc_over_time(const char *name, unsigned int bits, size_t threshold,
				const struct lab_key *keys, size_t count)
{
	static const char * const row[] = {
		"hits, %", "nodes, mean hit", "nodes, each hit", "nodes, each miss", "longest ever",
	};
	struct avc avc[HASHES];
	unsigned int h, i;

	for (h = 0; h < HASHES; h++)
		avc[h] = run_avc(h, bits, threshold, keys, count);
	printf("\n%s: %zu lookups, threshold %zu, %u buckets\n", name, count, threshold,
	       1U << bits);
	print_heading("", 18);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		printf("%-18s", row[i]);
		for (h = 0; h < HASHES; h++) {
			const struct avc *a = &avc[h];
			double f[] = {
				100.0 * a->hits / count, a->hit_mean / count,
				(double)a->hit_visits / a->hits,
				(double)a->miss_visits / a->misses,
			};

			char hit[32], miss[32];

			if (i < 4)
				printf(" %8s", figure(hit, f[i], "-"));
			else
				printf(" %8zu", a->longest);
			if (csv && !i)
				fprintf(csv, "\"%s\",%zu,%zu,%u,\"%s\",%.4f,%.4f,%s,%s,%zu\n", name,
					count, threshold, 1U << bits, lab_hashes[h].name, f[0],
					f[1], figure(hit, f[2], ""), figure(miss, f[3], ""),
					a->longest);
		}
		printf("\n");
	}
}

static void avc_over_time(int files, char **file)
{
	static const struct {
		u32 containers;
		unsigned int bits;
		size_t threshold;
	} host[] = {
		{ 50, 9, 512 }, { 500, 9, 512 }, { 500, 9, 2048 }, { 5000, 9, 8192 },
		{ 500, 11, 2048 }, { 5000, 13, 8192 }, { 500000, 13, 8192 },
	};
	const size_t lookups = 200000;
	struct lab_key *keys;
	unsigned int i;
	size_t count;
	char name[64];

	printf("An AVC over time, with the kernel's rule of what makes room. The mean hit is\n"
	       "one of any entry, at the time of each lookup.\n");
	for (i = 0; i < (unsigned int)files; i++) {
		keys = lab_read_capture(file[i], &count);
		print_avc_over_time(lab_file_name(file[i]), 9, 512, keys, count);
		free(keys);
	}
	for (i = 0; !files && i < ARRAY_SIZE(host); i++) {
		keys = lab_container_host(host[i].containers, lookups, seed + i);
		snprintf(name, sizeof(name), "containers, %u SIDs", 2 * host[i].containers);
		print_avc_over_time(name, host[i].bits, host[i].threshold, keys, lookups);
		free(keys);
	}
}

/*
 * A change of one bit
 */

/* The low bits of SIDs and classes, which are those that differ. */
static const unsigned int key_bits[] = { 12, 12, 7 };

#define FLIPS 4000	/* of each bit */

/*
 * Percent of the bits of the index that change with one bit of one number of a
 * key, which is 0 to 2; adds up in how many keys none does.
 */
static double flip(unsigned int h, unsigned int index_bits, unsigned int number,
		   unsigned int bit, double *same)
{
	double flips = 0;
	u64 random = seed;
	unsigned int i;

	for (i = 0; i < FLIPS; i++) {
		u64 bits = next_random(&random);
		u32 key[] = { bits >> 52, bits >> 40 & 0xfff, bits >> 33 & 0x7f };
		u32 one, other;

		one = lab_hashes[h].hash(key[0], key[1], key[2], index_bits);
		key[number] ^= 1U << bit;
		other = lab_hashes[h].hash(key[0], key[1], key[2], index_bits);
		flips += __builtin_popcount(one ^ other);
		*same += one == other;
	}
	return 100 * flips / FLIPS / index_bits;
}

static void print_avalanche(unsigned int h, unsigned int index_bits)
{
	double least = 100, most = 0, sum = 0, same = 0, figure;
	unsigned int number, bit, bits = 0;

	for (number = 0; number < 3; number++) {
		for (bit = 0; bit < key_bits[number]; bit++, bits++) {
			figure = flip(h, index_bits, number, bit, &same);
			sum += figure;
			least = figure < least ? figure : least;
			most = figure > most ? figure : most;
		}
	}
	same *= 100.0 / FLIPS / bits;
	printf("%9.1f %8.1f %7.1f %9.3f", sum / bits, least, most, same);
	if (csv)
		fprintf(csv, "bit-changed,\"%s\",%u,%.2f,%.2f,%.2f,%.4f\n", lab_hashes[h].name,
			index_bits, sum / bits, least, most, same);
}

static void avalanche(void)
{
	unsigned int h;

	printf("One bit of a key changed, 12 of source and target and 7 of the class: how many\n"
	       "percent of the bits of the index change, on average and for the bit of the key\n"
	       "that changes least and most; and percent of keys of which no bit does.\n\n"
	       "                    an index of 9 bits                 an index of 13 bits\n"
	       "             mean    least    most      same      mean    least    most      same\n"
	       "chance       50.0                      0.195      50.0                      0.012\n");
	for (h = 0; h < HASHES; h++) {
		printf("%-8s", lab_hashes[h].name);
		print_avalanche(h, 9);
		print_avalanche(h, 13);
		printf("\n");
	}
}

static int u64_cmp(const void *a, const void *b)
{
	const u64 l = *(const u64 *)a, r = *(const u64 *)b;

	return (l > r) - (l < r);
}

/* Pairs of equal numbers. Sorts them. */
static unsigned long long equal_pairs(u64 *numbers, size_t count)
{
	unsigned long long pairs = 0;
	size_t i, run = 0;

	qsort(numbers, count, sizeof(*numbers), u64_cmp);
	for (i = 1; i < count; i++) {
		run = numbers[i] == numbers[i - 1] ? run + 1 : 0;
		pairs += run;
	}
	return pairs;
}

/*
 * Pairs of keys with the same 32 bits, which collide in every table, among so many
 * random ones: SIDs below 2^bits, classes below 2^7.
 */
static unsigned long long overlap(unsigned int h, unsigned int bits, size_t count)
{
	const u32 sids = (1U << bits) - 1, classes = (1U << 7) - 1;
	u64 *keys = zeroed(count, sizeof(*keys)), *all = zeroed(count, sizeof(*all));
	unsigned long long pairs;
	u64 random = seed;
	size_t i;

	for (i = 0; i < count; i++) {
		u64 key = next_random(&random) >> (64 - 2 * bits - 7);

		keys[i] = key;
		all[i] = lab_hashes[h].hash(key >> (bits + 7), key >> 7 & sids, key & classes, 32);
	}
	/* where there are few keys, some are drawn twice */
	pairs = equal_pairs(all, count) - equal_pairs(keys, count);
	free(keys);
	free(all);
	return pairs;
}

static void lane_overlap(void)
{
	static const unsigned int bits[] = { 10, 11, 12, 13, 16, 20, 24 };
	unsigned long long pairs;
	unsigned int h, i;

	printf("\nPairs of keys that no table can tell apart, since all 32 bits of the hash are\n"
	       "the same, among 2^20 random keys, SIDs below 2^bits, classes below 2^7. By\n"
	       "chance there are 128.\n\nbits    ");
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		printf(" %9u", bits[i]);
	printf("\n");
	for (h = 0; h < HASHES; h++) {
		printf("%-8s", lab_hashes[h].name);
		for (i = 0; i < ARRAY_SIZE(bits); i++) {
			pairs = overlap(h, bits[i], 1 << 20);
			printf(" %9llu", pairs);
			if (csv)
				fprintf(csv, "not-told-apart,\"%s\",%u,%llu,,,\n",
					lab_hashes[h].name, bits[i], pairs);
		}
		printf("\n");
	}
}

/*
 * Someone who chooses
 *
 * SIDs are numbered as contexts come up, so who brings up contexts gets SIDs in a
 * row, behind those of the system, and chooses which of them to use. All keys
 * that can be made of so many SIDs are tried, so nobody finds a fuller bucket.
 */

#define FIRST_SID	301
#define FILE_CLASS	7

/* Put a key into its chain; return the longest there is now, which was @longest. */
static u32 lengthen(u32 *chains, unsigned int h, unsigned int index_bits, u32 source, u32 target,
		    u32 longest)
{
	u32 length = ++chains[lab_hashes[h].hash(source, target, FILE_CLASS, index_bits)];

	return length > longest ? length : longest;
}

/* The fullest bucket with so many sources, each with so many targets. */
static u32 fullest(unsigned int h, unsigned int index_bits, u32 sources, u32 targets)
{
	u32 *chains = zeroed(1U << index_bits, sizeof(*chains)), longest = 0, s, t;

	for (s = FIRST_SID; s < FIRST_SID + sources; s++)
		for (t = FIRST_SID; t < FIRST_SID + targets; t++)
			longest = lengthen(chains, h, index_bits, s, t, longest);
	free(chains);
	return longest;
}

/* How many SIDs, each with each, it takes to put so many keys into one bucket. */
static u32 sids_for(unsigned int h, unsigned int index_bits, u32 wanted)
{
	u32 *chains = zeroed(1U << index_bits, sizeof(*chains)), longest = 0, sid, other;

	for (sid = FIRST_SID; longest < wanted; sid++) {
		for (other = FIRST_SID; other < sid; other++) {
			longest = lengthen(chains, h, index_bits, sid, other, longest);
			longest = lengthen(chains, h, index_bits, other, sid, longest);
		}
		longest = lengthen(chains, h, index_bits, sid, sid, longest);
	}
	free(chains);
	return sid - FIRST_SID;
}

static void attack(void)
{
	static const unsigned int index_bits[] = { 9, 13 };
	unsigned int h, i;

	printf("The fullest bucket that can be filled with SIDs in a row behind the first 300, of\n"
	       "one class: by one source and 1,000 or 500,000 targets, and by 1,000 sources and\n"
	       "as many targets; and the SIDs that it takes to put 512 keys into one bucket.\n"
	       "\"mean\" is what there is in a bucket on average.\n\n"
	       "           512 buckets                            8,192 buckets\n"
	       "           1 to 1,000  500,000   10^6    SIDs     1 to 1,000  500,000   10^6    SIDs\n"
	       "mean              2.0    976.6 1953.1     512            0.1     61.0  122.1    2048\n");
	for (h = 0; h < HASHES; h++) {
		printf("%-8s", lab_hashes[h].name);
		for (i = 0; i < ARRAY_SIZE(index_bits); i++) {
			u32 few = fullest(h, index_bits[i], 1, 1000);
			u32 many = fullest(h, index_bits[i], 1, 500000);
			u32 square = fullest(h, index_bits[i], 1000, 1000);
			u32 sids = sids_for(h, index_bits[i], 512);

			printf("%*u %8u %6u %7u", i ? 15 : 13, few, many, square, sids);
			if (csv)
				fprintf(csv, "fullest-bucket,\"%s\",%u,%u,%u,%u,%u\n",
					lab_hashes[h].name, 1U << index_bits[i], few, many, square,
					sids);
		}
		printf("\n");
	}
}

static void print_usage(void)
{
	fprintf(stderr, "usage: hashlab [--csv FILE] [--chains FILE] [--seed NUMBER] COMMAND\n"
		"commands: policy FILE..., avc FILE..., made-up, avc-time [FILE]..., bits, attack,\n"
		"          boot-log FILE\n");
	exit(2);
}

static FILE *append_to(const char *path)
{
	FILE *file = fopen(path, "a");

	if (!file)
		err(2, "%s", path);
	return file;
}

static void close_file(FILE *file, const char *what)
{
	if (file && fclose(file))
		err(2, "cannot write the file of %s", what);
}

int main(int argc, char **argv)
{
	struct lab_sets sets = { 0 };
	const char *command;
	char **file, *end;
	int files, i;

	for (argv++, argc--; argc && !strncmp(*argv, "--", 2); argv += 2, argc -= 2) {
		if (argc < 2)
			print_usage();
		if (!strcmp(*argv, "--csv")) {
			csv = append_to(argv[1]);
		} else if (!strcmp(*argv, "--chains")) {
			chains_csv = append_to(argv[1]);
		} else if (!strcmp(*argv, "--seed")) {
			errno = 0;
			seed = strtoull(argv[1], &end, 10);
			if (errno || *end || !seed || *argv[1] == '-')
				errx(2, "%s is not a seed: give a number from 1 on", argv[1]);
		} else {
			print_usage();
		}
	}
	if (!argc)
		print_usage();
	command = argv[0];
	file = argv + 1;
	files = argc - 1;

	if (!strcmp(command, "policy") && files) {
		for (i = 0; i < files; i++)
			lab_add_policy(&sets, file[i]);
		print_sets(&sets);
		print_tables(&sets);
	} else if (!strcmp(command, "avc") && files) {
		for (i = 0; i < files; i++)
			lab_add_capture(&sets, file[i]);
		print_sets(&sets);
		print_tables(&sets);
	} else if (!strcmp(command, "made-up") && !files) {
		lab_add_made_up(&sets, seed);
		print_sets(&sets);
	} else if (!strcmp(command, "avc-time")) {
		avc_over_time(files, file);
	} else if (!strcmp(command, "bits") && !files) {
		avalanche();
		lane_overlap();
	} else if (!strcmp(command, "attack") && !files) {
		attack();
	} else if (!strcmp(command, "boot-log") && files == 1) {
		boot_log(file[0]);
	} else {
		print_usage();
	}
	close_file(csv, "figures");
	close_file(chains_csv, "chains");
	if (fflush(stdout) || ferror(stdout))
		err(2, "cannot write");
	return 0;
}
