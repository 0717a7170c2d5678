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
 *	avalanche	what a change of one bit changes; keys that no table can
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

typedef u32 (*hash_t)(u32 a, u32 b, u32 c, unsigned int bits);

static const struct {
	const char *name, *what;
	hash_t hash;
	bool class_first;	/* in avtab */
} hashes[] = {
#define ENTRY(name, shown, class_first, what) { shown, what, lab_##name, class_first },
	LAB_HASHES(ENTRY)
};

#define HASHES		ARRAY_SIZE(hashes)
#define MURMUR3		1	/* its place in LAB_HASHES */
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
	switch (table) {
	case LAB_AVTAB:
		if (hashes[h].class_first)
			return hashes[h].hash(key->tclass, key->target, key->source, bits);
		break;
	case LAB_HASHTAB:
		return hashes[h].hash(key->source, key->target, key->tclass, 16) & ((1U << bits) - 1);
	default:
		break;
	}
	return hashes[h].hash(key->source, key->target, key->tclass, bits);
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

static int key_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct lab_key));
}

/*
 * Keys that are not there, put together from the parts of some that are: mean
 * length of the chains that they meet. (A search of avtab, of which the chains
 * are sorted, leaves off somewhere on the way.)
 */
static double miss_of(unsigned int h, const struct lab_keys *keys, const u32 *chains)
{
	struct lab_key *sorted, missing;
	double visited = 0, misses = 0;
	u64 random = seed;
	u32 number[3];
	int tries, i;

	sorted = zeroed(keys->count, sizeof(*sorted));
	memcpy(sorted, keys->keys, keys->count * sizeof(*sorted));
	qsort(sorted, keys->count, sizeof(*sorted), key_cmp);
	for (tries = 0; tries < 20000; tries++) {
		for (i = 0; i < 3; i++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			number[i] = (random >> 32) * keys->count >> 32;
		}
		missing = (struct lab_key) {
			keys->keys[number[0]].source,
			keys->keys[number[1]].target,
			keys->keys[number[2]].tclass,
		};
		if (bsearch(&missing, sorted, keys->count, sizeof(*sorted), key_cmp))
			continue;
		visited += chains[bucket_of(h, &missing, keys->table, keys->bits)];
		misses++;
	}
	free(sorted);
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
	struct lab_key *sorted = zeroed(keys->count, sizeof(*sorted));
	double w2 = 0, w4 = 0;
	size_t i, j;

	memcpy(sorted, keys->keys, keys->count * sizeof(*sorted));
	qsort(sorted, keys->count, sizeof(*sorted), key_cmp);
	for (i = 0; i < keys->count; i = j) {
		for (j = i; j < keys->count && !key_cmp(&sorted[i], &sorted[j]); j++)
			;
		w2 += pow(j - i, 2);
		w4 += pow(j - i, 4);
	}
	free(sorted);
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
		printf(" %8s", hashes[h].name);
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
		fprintf(csv, "\"%s\",%u,%zu,%zu,\"%s\",%zu,%zu,%zu,%zu,%zu,%.0f,%.4f,%s,%.4f,%.4f\n",
			set->name, table, f->entries, f->buckets, hashes[h].name, f->used,
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
		fprintf(chains_csv, "\"%s\",\"%s\",%u,%zu\n", set->name, hashes[h].name, length,
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

	printf("Nodes visited by a hit\n\n");
	print_heading("keys                              chance", 48);
	for (s = 0; s < sets->count; s++)
		print_hits(&sets->sets[s], verdicts);

	printf("\nOf %zu sets                 worse than chance  better  worse than murmur3  nodes, to chance  the worst\n",
	       sets->count);
	for (h = 0; h < HASHES; h++)
		printf("%-8s %36u %7u %19u %17.3f  %.3f %s\n", hashes[h].name,
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
			printf("%-8s %6zu %8zu %10s %15.0f %8.4f %8s\n", hashes[h].name, f.used,
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

		printf("SELinux: %s:  %zu entries and %zu/%zu buckets used, longest chain length %zu, non-zero q1/med/q3 %zu/%zu/%zu, sum of chain length^2 %.0f\n",
		       strrchr(sets.sets[s].name, ' ') + 1, f.entries, f.used, f.buckets, f.longest,
		       f.q1, f.med, f.q3, f.squares);
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
		if (!key_cmp(&node->key, key)) {
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
	avc.nodes = avc.unused = NULL;
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
	printf("\n%s: %zu lookups, threshold %zu, %u buckets\n", name, count, threshold, 1U << bits);
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
					count, threshold, 1U << bits, hashes[h].name, f[0], f[1],
					figure(hit, f[2], ""), figure(miss, f[3], ""), a->longest);
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

	if (csv)
		fprintf(csv, "keys,lookups,threshold,buckets,hash,hits_percent,mean_hit,each_hit,each_miss,longest\n");
	printf("An AVC over time, with the kernel's rule of what makes room. The mean hit is\n"
	       "one of any entry, at the time of each lookup.\n");
	for (i = 0; i < (unsigned int)files; i++) {
		keys = lab_read_capture(file[i], &count);
		print_avc_over_time(strrchr(file[i], '/') ? strrchr(file[i], '/') + 1 : file[i], 9, 512,
				    keys, count);
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

static void avalanche(void)
{
	/* the low bits of SIDs and classes, which are those that differ */
	static const unsigned int width[] = { 12, 12, 7 };
	static const unsigned int index[] = { 9, 13 };
	const unsigned int samples = 4000;
	unsigned int h, i, number, bit, s;
	u64 random;

	printf("One bit of a key changed, 12 of source and target and 7 of the class: how many\n"
	       "bits of the index change (50 %% by chance), for the bit of the key that changes\n"
	       "most and least; and keys of which the index stays the same.\n\n"
	       "         %% of 9 bits      least    most   same index  %% of 13 bits     least    most   same index\n"
	       "chance           50.0                        0.195            50.0                        0.012\n");
	for (h = 0; h < HASHES; h++) {
		printf("%-8s", hashes[h].name);
		for (i = 0; i < ARRAY_SIZE(index); i++) {
			double least = 100, most = 0, sum = 0, same = 0, cells = 0;

			random = seed;
			for (number = 0; number < 3; number++) {
				for (bit = 0; bit < width[number]; bit++) {
					double flips = 0;

					for (s = 0; s < samples; s++) {
						u32 key[3], one, other;

						random = random * 6364136223846793005ULL + 1442695040888963407ULL;
						key[0] = random >> 52;
						key[1] = random >> 40 & 0xfff;
						key[2] = random >> 33 & 0x7f;
						one = hashes[h].hash(key[0], key[1], key[2], index[i]);
						key[number] ^= 1U << bit;
						other = hashes[h].hash(key[0], key[1], key[2], index[i]);
						flips += __builtin_popcount(one ^ other);
						same += one == other;
						cells++;
					}
					flips *= 100.0 / samples / index[i];
					sum += flips / (width[0] + width[1] + width[2]);
					least = flips < least ? flips : least;
					most = flips > most ? flips : most;
				}
			}
			printf("%13.1f %10.1f %7.1f %12.3f%s", sum, least, most, 100 * same / cells, i ? "\n" : "  ");
			if (csv)
				fprintf(csv, "avalanche,\"%s\",%u,%.2f,%.2f,%.2f,%.4f\n", hashes[h].name,
					index[i], sum, least, most, 100 * same / cells);
		}
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

/* Keys with the same 32 bits collide in every table, however large. */
static void lane_overlap(void)
{
	static const unsigned int bits_of_sids[] = { 10, 11, 12, 13, 16, 20, 24 };
	const unsigned int bits_of_class = 7;
	const size_t count = 1 << 20;
	u64 *keys = zeroed(count, sizeof(*keys)), *all = zeroed(count, sizeof(*all));
	unsigned int h, i;
	size_t k;

	printf("\nPairs of keys that no table can tell apart, since all 32 bits of the hash are the\n"
	       "same, among 2^20 random keys, SIDs below 2^bits, classes below 2^7; by chance: 128\n\n");
	printf("bits    ");
	for (i = 0; i < ARRAY_SIZE(bits_of_sids); i++)
		printf(" %10u", bits_of_sids[i]);
	printf("\n");
	for (h = 0; h < HASHES; h++) {
		printf("%-8s", hashes[h].name);
		for (i = 0; i < ARRAY_SIZE(bits_of_sids); i++) {
			const unsigned int bits = bits_of_sids[i];
			unsigned long long pairs;
			u64 random = seed;

			for (k = 0; k < count; k++) {
				random = random * 6364136223846793005ULL + 1442695040888963407ULL;
				keys[k] = random >> (64 - 2 * bits - bits_of_class);
				all[k] = hashes[h].hash(keys[k] >> (bits + bits_of_class),
							keys[k] >> bits_of_class & ((1U << bits) - 1),
							keys[k] & ((1U << bits_of_class) - 1), 32);
			}
			/* where there are few keys, some are drawn twice */
			pairs = equal_pairs(all, count) - equal_pairs(keys, count);
			printf(" %10llu", pairs);
			if (csv)
				fprintf(csv, "overlap,\"%s\",%u,%llu,,,\n", hashes[h].name, bits, pairs);
		}
		printf("\n");
	}
	free(keys);
	free(all);
}

/*
 * Someone who chooses
 */

/*
 * SIDs are numbered as contexts come up, so who brings up contexts gets SIDs in a
 * row, behind those of the system, and chooses which of them to use. All keys
 * that can be made of so many SIDs are tried, so nobody finds a fuller bucket.
 */
static void attack(void)
{
	static const unsigned int index[] = { 9, 13 };
	const u32 first = 301, class = 7;
	const size_t wanted = 512;
	unsigned int h, i;
	u32 s, t;

	printf("The fullest bucket that can be filled with SIDs in a row behind the first 300,\n"
	       "one class: by one source and 1,000 or 500,000 targets, by 1,000 sources and\n"
	       "1,000 targets; and SIDs that it takes to fill one with 512 keys.\n\n"
	       "         512 buckets                                 8,192 buckets\n"
	       "           1 x 1,000  1 x 500,000  10^6      SIDs    1 x 1,000  1 x 500,000  10^6      SIDs\n"
	       "mean             2.0        976.6  1953.1       512          0.1         61.0   122.1      2048\n");
	for (h = 0; h < HASHES; h++) {
		printf("%-8s", hashes[h].name);
		for (i = 0; i < ARRAY_SIZE(index); i++) {
			size_t fullest[3] = { 0 }, sids = 0;
			u32 *chains = zeroed(1U << index[i], sizeof(*chains)), length;

			for (t = 0; t < 500000; t++) {
				length = ++chains[hashes[h].hash(first, first + t, class, index[i])];
				if (t < 1000 && length > fullest[0])
					fullest[0] = length;
				if (length > fullest[1])
					fullest[1] = length;
			}

			memset(chains, 0, sizeof(*chains) << index[i]);
			for (s = 0; s < 1000; s++) {
				for (t = 0; t < 1000; t++) {
					length = ++chains[hashes[h].hash(first + s, first + t, class, index[i])];
					if (length > fullest[2])
						fullest[2] = length;
				}
			}

			memset(chains, 0, sizeof(*chains) << index[i]);
			for (length = 0; length < wanted; sids++) {
				for (s = 0; s <= sids; s++) {
					u32 one = ++chains[hashes[h].hash(first + s, first + sids, class, index[i])];
					u32 other = s == sids ? 0 :
						    ++chains[hashes[h].hash(first + sids, first + s, class, index[i])];

					length = one > length ? one : length;
					length = other > length ? other : length;
				}
			}
			printf("%12zu %12zu %7zu %9zu%s", fullest[0], fullest[1], fullest[2], sids, i ? "\n" : " ");
			if (csv)
				fprintf(csv, "attack,\"%s\",%u,%zu,%zu,%zu,%zu\n", hashes[h].name, 1U << index[i],
					fullest[0], fullest[1], fullest[2], sids);
			free(chains);
		}
	}
}

static void usage(void)
{
	fprintf(stderr, "usage: hashlab [--csv FILE] [--chains FILE] [--seed NUMBER] COMMAND\n"
		"commands: policy FILE..., avc FILE..., made-up, avc-time [FILE]..., avalanche,\n"
		"          attack, boot-log FILE\n");
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
			usage();
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
			usage();
		}
	}
	if (!argc)
		usage();
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
	} else if (!strcmp(command, "avalanche") && !files) {
		avalanche();
		lane_overlap();
	} else if (!strcmp(command, "attack") && !files) {
		attack();
	} else if (!strcmp(command, "boot-log") && files == 1) {
		boot_log(file[0]);
	} else {
		usage();
	}
	close_file(csv, "figures");
	close_file(chains_csv, "chains");
	if (fflush(stdout) || ferror(stdout))
		err(2, "cannot write");
	return 0;
}
