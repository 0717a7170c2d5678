// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hash_stats file says, and whether it can be true
 */

#include <stdio.h>
#include <string.h>

#include "hash_figures.h"
#include "selinuxfs.h"

#define FORMAT						\
	"entries: %u\n"					\
	"buckets used: %u/%u\n"				\
	"longest chain: %u\n"				\
	"non-zero chain q1/med/q3: %u/%u/%u\n"

int figures_parse(struct hash_figures *f, const char *text, size_t len)
{
	char terminated[TEXT_SIZE], printed[TEXT_SIZE];
	int printed_len;

	if (len >= sizeof(terminated))
		return -1;
	memcpy(terminated, text, len);
	terminated[len] = '\0';

	if (sscanf(terminated, FORMAT, &f->entries, &f->buckets_used,
		   &f->buckets, &f->longest_chain, &f->q1, &f->med,
		   &f->q3) != 7)
		return -1;

	/* sscanf() forgives signs, zeros, spaces and whatever comes after. */
	printed_len = snprintf(printed, sizeof(printed), FORMAT, f->entries,
			       f->buckets_used, f->buckets, f->longest_chain,
			       f->q1, f->med, f->q3);
	if ((size_t)printed_len != len || memcmp(printed, text, len))
		return -1;
	return 0;
}

/*
 * The chains sorted by length, ranked from 1 to n, are fixed at four ranks: the
 * quartiles are those of rank ceil(n / 4), ceil(2n / 4) and ceil(3n / 4), the
 * longest has rank n. What lies between two of them is as long as the one at
 * least, as the other at most.
 */
static const char *quartiles_contradiction(const struct hash_figures *f)
{
	const unsigned long long n = f->buckets_used;
	const unsigned long long r1 = (n + 3) / 4;
	const unsigned long long r2 = (2 * n + 3) / 4;
	const unsigned long long r3 = (3 * n + 3) / 4;

	if (f->entries < (r1 - 1) + (r2 - r1) * f->q1 + (r3 - r2) * f->med +
			 (n - r3) * f->q3 + f->longest_chain)
		return "too few entries for these quartiles";
	if (f->entries > r1 * f->q1 + (r2 - r1) * f->med + (r3 - r2) * f->q3 +
			 (n - r3) * f->longest_chain)
		return "too many entries for these quartiles";
	return NULL;
}

const char *figures_contradiction(const struct hash_figures *f)
{
	if (!f->buckets || f->buckets & (f->buckets - 1))
		return "the number of buckets is no power of two";
	if (f->buckets_used > f->buckets)
		return "more buckets used than there are";
	if (!f->entries) {
		if (f->buckets_used || f->longest_chain || f->q1 || f->med ||
		    f->q3)
			return "no entries, but a figure is not 0";
		return NULL;
	}
	if (!f->buckets_used)
		return "entries, but no bucket used";
	if (f->buckets_used > f->entries)
		return "more buckets used than entries";
	if (f->longest_chain > f->entries)
		return "the longest chain is longer than all together";
	if (f->entries > (unsigned long long)f->buckets_used * f->longest_chain)
		return "more entries than chains of the longest length hold";
	if (!f->q1)
		return "the shortest chain that is not empty has 1 entry";
	if (f->q1 > f->med || f->med > f->q3 || f->q3 > f->longest_chain)
		return "q1 <= med <= q3 <= longest chain does not hold";
	return quartiles_contradiction(f);
}

int figures_check(struct hash_figures *f, const char *text, size_t len)
{
	const char *wrong = "not in the format";

	if (!figures_parse(f, text, len))
		wrong = figures_contradiction(f);
	if (!wrong)
		return 0;

	fprintf(stderr, "# %s:\n%.*s", wrong, (int)len, text);
	return -1;
}

int figures_read(struct hash_figures *f, const char *path)
{
	char text[TEXT_SIZE];
	ssize_t len = read_text(path, text);

	if (len < 0) {
		fprintf(stderr, "# %s: %s\n", path, strerror(-len));
		return -1;
	}
	return figures_check(f, text, len);
}
