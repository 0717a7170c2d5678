// SPDX-License-Identifier: GPL-2.0-only
/*
 * The keys that the lab hashes, see lab_keys.h
 */

#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "lab_keys.h"
#include "policy_file.h"
/* names a member bool, so that <stdbool.h> has to come without that name */
#undef bool
#include <sepol/policydb/conditional.h>

/* A capture that is longer is of something else. */
#define CAPTURE_MAX	16777216

#define CLASSES		134	/* in Debian 12's policy */

static void *resize(void *array, size_t count, size_t size)
{
	array = reallocarray(array, count, size);
	if (!array)
		errx(2, "out of memory");
	return array;
}

static struct lab_set *add_set(struct lab_sets *sets, const char *name)
{
	struct lab_set *set;

	sets->sets = resize(sets->sets, ++sets->count, sizeof(*sets->sets));
	set = &sets->sets[sets->count - 1];
	*set = (struct lab_set) { 0 };
	snprintf(set->name, sizeof(set->name), "%s", name);
	return set;
}

static struct lab_keys *add_table(struct lab_set *set, enum lab_table table, unsigned int bits)
{
	set->tables = resize(set->tables, ++set->count, sizeof(*set->tables));
	set->tables[set->count - 1] = (struct lab_keys) { .table = table, .bits = bits };
	return &set->tables[set->count - 1];
}

static void add_key(struct lab_keys *keys, u32 source, u32 target, u32 tclass)
{
	/* the next power of 2, whenever there is one key more than one */
	if (!(keys->count & (keys->count - 1)))
		keys->keys = resize(keys->keys, keys->count ? 2 * keys->count : 1,
				    sizeof(*keys->keys));
	keys->keys[keys->count++] = (struct lab_key) { source, target, tclass };
}

int lab_key_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct lab_key));
}

static void sort_keys(struct lab_keys *keys)
{
	qsort(keys->keys, keys->count, sizeof(*keys->keys), lab_key_cmp);
}

static void drop_duplicates(struct lab_keys *keys)
{
	size_t i, kept = 0;

	sort_keys(keys);
	for (i = 0; i < keys->count; i++)
		if (!kept || lab_key_cmp(&keys->keys[kept - 1], &keys->keys[i]))
			keys->keys[kept++] = keys->keys[i];
	keys->count = kept;
}

/*
 * Policies
 */

static int add_rule(avtab_key_t *key, avtab_datum_t *datum, void *keys)
{
	(void)datum;
	add_key(keys, key->source_type, key->target_type, key->target_class);
	return 0;
}

static int add_range_transition(hashtab_key_t key, hashtab_datum_t datum, void *keys)
{
	const range_trans_t *trans = (const range_trans_t *)key;

	(void)datum;
	add_key(keys, trans->source_type, trans->target_type, trans->target_class);
	return 0;
}

static unsigned int log2_down(size_t number)
{
	unsigned int bits = 0;

	while (number >>= 1)
		bits++;
	return bits;
}

/* avtab_alloc(): half as many buckets as rules, 65,536 at most. */
static unsigned int avtab_bits(size_t rules)
{
	unsigned int bits = rules > 3 ? log2_down(rules / 2) : 1;

	return bits > 16 ? 16 : bits;
}

/* hashtab_init(): at least as many buckets as entries. */
static unsigned int hashtab_bits(size_t entries)
{
	return entries > 1 ? log2_down(entries - 1) + 1 : 1;
}

/* A policy that has nothing of a kind has no table for it. */
static void keep_set_if_any(struct lab_sets *sets)
{
	struct lab_keys *keys = &sets->sets[sets->count - 1].tables[0];

	if (keys->count)
		sort_keys(keys);
	else
		sets->count--;
}

const char *lab_file_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name ? name + 1 : path;
}

void lab_add_policy(struct lab_sets *sets, const char *path)
{
	const char *name = lab_file_name(path);
	const cond_av_list_t *rule;
	const role_trans_t *trans;
	const cond_node_t *node;
	struct lab_keys *keys;
	unsigned int bits;
	char title[40];
	policydb_t *db;
	size_t size;

	db = calloc(1, sizeof(*db));
	if (!db)
		errx(2, "out of memory");
	policy_file_read(db, path, &size);

	snprintf(title, sizeof(title), "%.20s: rules", name);
	keys = add_table(add_set(sets, title), LAB_AVTAB, 0);
	avtab_map(&db->te_avtab, add_rule, keys);
	bits = avtab_bits(keys->count);
	keys->bits = bits;
	keep_set_if_any(sets);

	/* the kernel makes this table as large as that of the other rules */
	snprintf(title, sizeof(title), "%.20s: conditional_rules", name);
	keys = add_table(add_set(sets, title), LAB_AVTAB, bits);
	for (node = db->cond_list; node; node = node->next) {
		for (rule = node->true_list; rule; rule = rule->next)
			add_rule(&rule->node->key, NULL, keys);
		for (rule = node->false_list; rule; rule = rule->next)
			add_rule(&rule->node->key, NULL, keys);
	}
	keep_set_if_any(sets);

	snprintf(title, sizeof(title), "%.20s: roletr", name);
	keys = add_table(add_set(sets, title), LAB_HASHTAB, 0);
	for (trans = db->role_tr; trans; trans = trans->next)
		add_key(keys, trans->role, trans->type, trans->tclass);
	keys->bits = hashtab_bits(keys->count);
	keep_set_if_any(sets);

	snprintf(title, sizeof(title), "%.20s: rangetr", name);
	keys = add_table(add_set(sets, title), LAB_HASHTAB, 0);
	hashtab_map(db->range_tr, add_range_transition, keys);
	keys->bits = hashtab_bits(keys->count);
	keep_set_if_any(sets);

	policydb_destroy(db);
	free(db);
}

/*
 * Captures
 */

struct lab_key *lab_read_capture(const char *path, size_t *count)
{
	FILE *file = fopen(path, "r");
	struct lab_keys keys = { 0 };
	unsigned long line = 0;
	char text[128];

	if (!file)
		err(2, "%s", path);
	while (fgets(text, sizeof(text), file)) {
		unsigned long long number[3];
		int end = 0;

		line++;
		if (*text == '#') {
			/* a comment may be of any length */
			while (!strchr(text, '\n') && fgets(text, sizeof(text), file))
				;
			continue;
		}
		if (!strchr(text, '\n'))
			errx(2, "%s, line %lu: cut off, or too long", path, line);
		if (sscanf(text, "%llu %llu %llu %n", &number[0], &number[1], &number[2],
			   &end) != 3 || text[end] || strchr(text, '-') ||
		    number[0] > ~0U || number[1] > ~0U || number[2] > 0xffff)
			errx(2, "%s, line %lu: not a source SID, a target SID and a class: %.*s",
			     path, line, (int)strcspn(text, "\n"), text);
		if (keys.count == CAPTURE_MAX)
			errx(2, "%s: more than %d lines", path, CAPTURE_MAX);
		add_key(&keys, number[0], number[1], number[2]);
	}
	if (ferror(file))
		err(2, "%s", path);
	fclose(file);
	if (!keys.count)
		errx(2, "%s: no keys in it", path);
	*count = keys.count;
	return keys.keys;
}

void lab_add_capture(struct lab_sets *sets, const char *path)
{
	const char *name = lab_file_name(path);
	struct lab_keys *keys;
	struct lab_key *all;
	char title[40];
	size_t count, i;

	all = lab_read_capture(path, &count);

	/* about what an AVC of 512 holds in the end, and all that there were */
	snprintf(title, sizeof(title), "%.20s: last 500", name);
	keys = add_table(add_set(sets, title), LAB_AVC, 9);
	for (i = count; i && keys->count < 500;) {
		size_t j;

		i--;
		for (j = 0; j < keys->count; j++)
			if (!lab_key_cmp(&keys->keys[j], &all[i]))
				break;
		if (j == keys->count)
			add_key(keys, all[i].source, all[i].target, all[i].tclass);
	}
	sort_keys(keys);

	snprintf(title, sizeof(title), "%.20s: all", name);
	keys = add_table(add_set(sets, title), LAB_AVC, 0);
	for (i = 0; i < count; i++)
		add_key(keys, all[i].source, all[i].target, all[i].tclass);
	drop_duplicates(keys);
	keys->bits = hashtab_bits(keys->count);
	if (keys->bits > 14)
		keys->bits = 14;	/* SECURITY_SELINUX_AVC_HASH_BITS */
	if (keys->bits < 9)
		keys->bits = 9;
	free(all);
}

/*
 * Made-up keys
 */

static u64 random_state;

/* xorshift64*, by G. Marsaglia and S. Vigna */
static u32 random_number(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL >> 32;
}

static u32 random_below(u32 limit)
{
	return (u64)random_number() * limit >> 32;
}

/* 1 to @limit, each number about as often as its reciprocal: the low ones a lot */
static u32 skewed(u32 limit)
{
	return exp(log(limit + 1.0) * (random_number() / 4294967296.0));
}

/* Classes that a process is asked for when it uses its files, itself and others. */
static const u32 file_class[] = { 6, 7, 8, 9, 10, 11, 13 };
static const u32 process_class[] = { 2, 5, 8, 13, 16, 29, 31 };

/*
 * SIDs are numbered as contexts come up. What the system is made of has the
 * first 300; then each container brings a process and its files.
 */
static struct lab_key container_key(u32 containers)
{
	u32 process = 301 + 2 * random_below(containers), files = process + 1;
	u32 of_file = file_class[random_below(ARRAY_SIZE(file_class))];
	u32 of_process = process_class[random_below(ARRAY_SIZE(process_class))];

	switch (random_below(4)) {
	case 0:
		return (struct lab_key) { process, files, of_file };
	case 1:
		return (struct lab_key) { process, process, of_process };
	case 2:
		return (struct lab_key) { process, skewed(300), of_file };
	default:
		return (struct lab_key) { skewed(50), process, of_process };
	}
}

struct lab_key *lab_container_host(u32 containers, size_t count, unsigned long long seed)
{
	struct lab_key *keys = resize(NULL, count, sizeof(*keys));
	size_t i;

	random_state = seed;
	for (i = 0; i < count; i++)
		keys[i] = container_key(containers);
	return keys;
}

/* What is in the cache: that many different keys, of those that one function gives. */
static void fill(struct lab_keys *keys, size_t count, struct lab_key (*key)(u32), u32 size)
{
	unsigned int round;

	/* where there are not so many, as many as come up */
	for (round = 0; round < 8 && keys->count < count; round++) {
		while (keys->count < count) {
			struct lab_key k = key(size);

			add_key(keys, k.source, k.target, k.tclass);
		}
		drop_duplicates(keys);
	}
}

static struct lab_key skewed_key(u32 sids)
{
	return (struct lab_key) { skewed(sids), skewed(sids), skewed(CLASSES) };
}

/* 1,000 SIDs, each a multiple of 2^shift */
static struct lab_key strided_key(u32 shift)
{
	return (struct lab_key) { skewed(1000) << shift, skewed(1000) << shift, skewed(CLASSES) };
}

static struct lab_key scattered_key(u32 unused)
{
	(void)unused;
	return (struct lab_key) { random_number(), random_number(), skewed(CLASSES) };
}

/* An AVC of each size, with as many nodes as buckets, and one with four times as many. */
static void add_random(struct lab_sets *sets, const char *name, struct lab_key (*key)(u32),
		       u32 size, unsigned long long seed)
{
	static const struct {
		unsigned int bits;
		size_t nodes;
	} avc[] = {
		{ 9, 512 }, { 9, 2048 }, { 11, 2048 }, { 13, 8192 },
	};
	struct lab_set *set = add_set(sets, name);
	unsigned int i, round;

	random_state = seed;
	for (i = 0; i < ARRAY_SIZE(avc); i++)
		for (round = 0; round < 4; round++)
			fill(add_table(set, LAB_AVC, avc[i].bits), avc[i].nodes, key, size);
}

/* Keys that are numbered: the n-th of a family, from 1. */
static struct lab_key only_source(u32 n) { return (struct lab_key) { n, 77, 7 }; }
static struct lab_key only_target(u32 n) { return (struct lab_key) { 77, n, 7 }; }
static struct lab_key only_class(u32 n) { return (struct lab_key) { 77, 78, n }; }
static struct lab_key every_second_source(u32 n) { return (struct lab_key) { 2 * n, 77, 7 }; }
static struct lab_key every_second_target(u32 n) { return (struct lab_key) { 77, 2 * n, 7 }; }
static struct lab_key itself(u32 n) { return (struct lab_key) { n, n, 2 }; }
static struct lab_key its_files(u32 n) { return (struct lab_key) { 2 * n, 2 * n + 1, 7 }; }
static struct lab_key the_next(u32 n) { return (struct lab_key) { n, n + 1, 2 }; }
static struct lab_key opposite(u32 n) { return (struct lab_key) { n, 65536 - n, 2 }; }

static struct lab_key source_by_8_classes(u32 n)
{
	return (struct lab_key) { 1 + n / 8, 77, 5 + n % 8 };
}

static struct lab_key target_by_8_classes(u32 n)
{
	return (struct lab_key) { 77, 1 + n / 8, 5 + n % 8 };
}

static struct lab_key itself_by_8_classes(u32 n)
{
	return (struct lab_key) { 1 + n / 8, 1 + n / 8, 5 + n % 8 };
}

static struct lab_key by_32_targets(u32 n)
{
	return (struct lab_key) { 1 + n / 32, 1 + n % 32, 7 };
}

static struct lab_key by_32_sources(u32 n)
{
	return (struct lab_key) { 1 + n % 32, 1 + n / 32, 7 };
}

static struct lab_key by_16_targets_4_classes(u32 n)
{
	return (struct lab_key) { 1 + n / 64, 1 + n / 4 % 16, 5 + n % 4 };
}

static void add_family(struct lab_sets *sets, const char *name, struct lab_key (*key)(u32),
		       u32 most)
{
	static const unsigned int bits[] = { 9, 11, 13 };
	struct lab_set *set = add_set(sets, name);
	struct lab_keys *keys;
	u32 count, n;
	unsigned int i;

	/* half as many as buckets, as many, and twice as many */
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		for (count = 1U << (bits[i] - 1); count <= 2U << bits[i]; count *= 2) {
			if (count > most)
				continue;
			keys = add_table(set, LAB_AVC, bits[i]);
			for (n = 1; n <= count; n++) {
				struct lab_key k = key(n);

				add_key(keys, k.source, k.target, k.tclass);
			}
			sort_keys(keys);
		}
	}
}

void lab_add_made_up(struct lab_sets *sets, unsigned long long seed)
{
	static const u32 sids[] = { 256, 1024, 2250, 10000, 100000 };
	static const u32 host[] = { 1000, 10000, 100000, 1000000 };
	static const u32 shift[] = { 4, 8, 12, 16 };
	char name[40];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sids); i++) {
		snprintf(name, sizeof(name), "%u SIDs, skewed", sids[i]);
		add_random(sets, name, skewed_key, sids[i], seed + i);
	}
	for (i = 0; i < ARRAY_SIZE(host); i++) {
		snprintf(name, sizeof(name), "containers, %u SIDs", host[i]);
		add_random(sets, name, container_key, host[i] / 2, seed + i);
	}
	for (i = 0; i < ARRAY_SIZE(shift); i++) {
		snprintf(name, sizeof(name), "sparse: multiples of %u", 1U << shift[i]);
		add_random(sets, name, strided_key, shift[i], seed + i);
	}
	add_random(sets, "sparse: any 32 bits", scattered_key, 0, seed);

	add_family(sets, "one source each", only_source, ~0U);
	add_family(sets, "one target each", only_target, ~0U);
	add_family(sets, "one class each", only_class, 1024);
	add_family(sets, "every second source", every_second_source, ~0U);
	add_family(sets, "every second target", every_second_target, ~0U);
	add_family(sets, "source is target", itself, ~0U);
	add_family(sets, "process and its files", its_files, ~0U);
	add_family(sets, "source and the next", the_next, ~0U);
	add_family(sets, "source up, target down", opposite, ~0U);
	add_family(sets, "sources x 8 classes", source_by_8_classes, ~0U);
	add_family(sets, "targets x 8 classes", target_by_8_classes, ~0U);
	add_family(sets, "itself x 8 classes", itself_by_8_classes, ~0U);
	add_family(sets, "sources x 32 targets", by_32_targets, ~0U);
	add_family(sets, "targets x 32 sources", by_32_sources, ~0U);
	add_family(sets, "x 16 targets x 4 classes", by_16_targets_4_classes, ~0U);
}
