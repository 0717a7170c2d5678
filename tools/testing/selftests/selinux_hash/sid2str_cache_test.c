// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of ss/sid2str_cache_stats, and the cache of context strings behind it
 *
 * A context that is written to the file "context" of selinuxfs becomes a SID,
 * and that is translated back: one lookup in the cache, and no other.
 */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "selinuxfs.h"

#define STATS		SELINUXFS "ss/sid2str_cache_stats"
#define CATEGORIES	1024
#define CONTEXTS	2000	/* of a skewed sequence */
#define LOOKUPS		20000

struct cache_figures {
	unsigned long entries, size, hits, misses, evictions, skipped;
};

/* 0, or -1 if the text is not byte for byte what the kernel prints. */
static int cache_parse(struct cache_figures *f, const char *text)
{
	char again[TEXT_SIZE];

	if (sscanf(text, "entries: %lu/%lu\nhits: %lu\nmisses: %lu\nevictions: %lu\nskipped: %lu\n",
		   &f->entries, &f->size, &f->hits, &f->misses, &f->evictions, &f->skipped) != 6)
		return -1;
	snprintf(again, sizeof(again),
		 "entries: %lu/%lu\nhits: %lu\nmisses: %lu\nevictions: %lu\nskipped: %lu\n",
		 f->entries, f->size, f->hits, f->misses, f->evictions, f->skipped);
	return strcmp(text, again) || f->entries > f->size || !f->size ? -1 : 0;
}

static int cache_read(struct cache_figures *f)
{
	char text[TEXT_SIZE];

	if (read_text(STATS, text) <= 0 || cache_parse(f, text)) {
		fprintf(stderr, "# cannot be right: %s\n", text);
		return -1;
	}
	return 0;
}

/* Translate once; return 0 if what comes back is @wanted, or a negative errno. */
static int translate(const char *context, const char *wanted)
{
	int fd = open(SELINUXFS "context", O_RDWR | O_CLOEXEC), err = 0;
	char back[TEXT_SIZE];
	ssize_t len;

	if (fd < 0)
		return -errno;
	if (write(fd, context, strlen(context)) < 0) {
		err = -errno;
	} else {
		/* with its terminating NUL, whether it was kept or just made */
		len = read(fd, back, sizeof(back));
		if (len != (ssize_t)strlen(wanted) + 1 || memcmp(back, wanted, len))
			err = -EBADMSG;
	}
	close(fd);
	return err;
}

/* The caller's context without categories. */
static const char *own_context(void)
{
	static char own[TEXT_SIZE];
	unsigned int i;
	char *range = own;

	if (read_text("/proc/self/attr/current", own) < 0)
		return "";
	for (i = 0; range && i < 3; i++) {
		range = strchr(range, ':');
		range = range ? range + 1 : NULL;
	}
	if (range)
		range[strcspn(range, ":-")] = '\0';
	return own;
}

/* As the kernel prints a set of categories: three and more in a row are a range. */
static void format_context(char *text, const char *own, const bool has[CATEGORIES])
{
	unsigned int i = 0, last;
	char separator = ':';

	text += sprintf(text, "%s", own);
	while (i < CATEGORIES) {
		if (!has[i]) {
			i++;
			continue;
		}
		for (last = i; last + 1 < CATEGORIES && has[last + 1]; last++)
			;
		text += sprintf(text, "%cc%u", separator, i);
		if (last > i)
			text += sprintf(text, "%cc%u", last == i + 1 ? ',' : '.', last);
		separator = ',';
		i = last + 1;
	}
}

/* The same set, with every category on its own. */
static void list_context(char *text, const char *own, const bool has[CATEGORIES])
{
	char separator = ':';
	unsigned int i;

	text += sprintf(text, "%s", own);
	for (i = 0; i < CATEGORIES; i++) {
		if (!has[i])
			continue;
		text += sprintf(text, "%cc%u", separator, i);
		separator = ',';
	}
}

TEST(parser_takes_the_text_of_the_kernel_and_no_other)
{
	static const char * const other[] = {
		"", "entries: 1/2\nhits: 3\nmisses: 4\nevictions: 5\n",
		"entries: 1/2\nhits: 3\nmisses: 4\nevictions: 5\nskipped: 6",
		"entries: 1/2\nhits: 3\nmisses: 4\nevictions: 5\nskipped: 6\n\n",
		"entries: 1/2\nhits: 03\nmisses: 4\nevictions: 5\nskipped: 6\n",
		"entries: 1/2\nhits: -3\nmisses: 4\nevictions: 5\nskipped: 6\n",
		"entries: 1/2\nhits:3\nmisses: 4\nevictions: 5\nskipped: 6\n",
		"entries: 3/2\nhits: 3\nmisses: 4\nevictions: 5\nskipped: 6\n",
		"entries: 0/0\nhits: 3\nmisses: 4\nevictions: 5\nskipped: 6\n",
	};
	struct cache_figures f;
	unsigned int i;

	ASSERT_EQ(0, cache_parse(&f, "entries: 1/2\nhits: 3\nmisses: 4\nevictions: 5\n"
				 "skipped: 6\n"));
	EXPECT_EQ(1, f.entries);
	EXPECT_EQ(2, f.size);
	EXPECT_EQ(3, f.hits);
	EXPECT_EQ(4, f.misses);
	EXPECT_EQ(5, f.evictions);
	EXPECT_EQ(6, f.skipped);
	for (i = 0; i < ARRAY_SIZE(other); i++)
		EXPECT_EQ(-1, cache_parse(&f, other[i]))
			TH_LOG("taken: text %u", i);
}

FIXTURE(sid2str)
{
	const char *own;
	struct cache_figures before, after;
	char (*context)[CONTEXT_SIZE];
};

FIXTURE_SETUP(sid2str)
{
	const char *reason = no_relabelling();

	if (reason)
		SKIP(return, "%s", reason);
	if (access(STATS, F_OK))
		SKIP(return, "no " STATS ": a kernel without a cache");
	self->own = own_context();
	self->context = calloc(CONTEXTS, sizeof(*self->context));
	ASSERT_NE(NULL, self->context);
	ASSERT_EQ(0, cache_read(&self->before));
}

FIXTURE_TEARDOWN(sid2str)
{
	free(self->context);
}

TEST_F(sid2str, file_is_to_be_read_only)
{
	char text[TEXT_SIZE], part[TEXT_SIZE];
	struct stat st;
	int fd;

	ASSERT_EQ(0, stat(STATS, &st));
	EXPECT_EQ(S_IFREG | 0444, st.st_mode);
	fd = open(STATS, O_RDWR);
	if (fd >= 0) {
		EXPECT_EQ(-1, write(fd, "0\n", 2));
		close(fd);
	}
	ASSERT_LT(9, read_text(STATS, text));
	fd = open(STATS, O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(4, pread(fd, part, 4, 5));
	EXPECT_EQ(0, memcmp(part, text + 5, 4));
	EXPECT_EQ(0, pread(fd, part, 4, 4000));
	EXPECT_EQ(5, lseek(fd, 5, SEEK_SET));
	EXPECT_EQ(4, read(fd, part, 4));
	EXPECT_EQ(0, memcmp(part, text + 5, 4));
	close(fd);
}

TEST_F(sid2str, first_lookup_misses_and_second_hits)
{
	char context[CONTEXT_SIZE];

	context_of_chance(context);
	ASSERT_EQ(0, cache_read(&self->before));
	ASSERT_EQ(0, translate(context, context));
	ASSERT_EQ(0, cache_read(&self->after));
	EXPECT_EQ(self->before.hits, self->after.hits);
	EXPECT_EQ(self->before.misses + 1, self->after.misses);
	EXPECT_EQ(self->before.skipped, self->after.skipped);
	EXPECT_EQ(self->before.entries + 1, self->after.entries +
		  self->after.evictions - self->before.evictions);

	ASSERT_EQ(0, translate(context, context));
	ASSERT_EQ(0, cache_read(&self->before));
	EXPECT_EQ(self->after.hits + 1, self->before.hits);
	EXPECT_EQ(self->after.misses, self->before.misses);
	EXPECT_EQ(self->after.entries, self->before.entries);
}

/* What the policy does not know never reaches the cache. */
TEST_F(sid2str, refused_context_counts_as_nothing)
{
	ASSERT_EQ(0, cache_read(&self->before));
	EXPECT_GT(0, translate("nobody:nothing:nowhere:s0", ""));
	ASSERT_EQ(0, cache_read(&self->after));
	EXPECT_EQ(self->before.hits, self->after.hits);
	EXPECT_EQ(self->before.misses, self->after.misses);
}

/* Nor does what it does not know and keeps, as a file's label, all the same. */
TEST_F(sid2str, kept_context_that_is_not_valid_counts_as_nothing)
{
	static const char invalid[] = "nobody:nothing:nowhere:s0";
	static const char label[] = "security.selinux";
	char context[CONTEXT_SIZE], back[CONTEXT_SIZE];
	int dir = labelled_files(1), fd, i;

	ASSERT_LE(0, dir);
	fd = openat(dir, "0", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	context_of_chance(context);
	ASSERT_EQ(0, fsetxattr(fd, label, context, strlen(context) + 1, 0));
	/* the first time it may be in the cache, if that was audited, or not */
	ASSERT_LE(0, fgetxattr(fd, label, back, sizeof(back)));
	ASSERT_EQ(0, cache_read(&self->before));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ((ssize_t)strlen(context) + 1, fgetxattr(fd, label, back, sizeof(back)));
		EXPECT_STREQ(context, back);
	}
	ASSERT_EQ(0, cache_read(&self->after));
	EXPECT_EQ(self->before.misses, self->after.misses);
	EXPECT_EQ(self->before.hits + 3, self->after.hits);

	ASSERT_EQ(0, fsetxattr(fd, label, invalid, sizeof(invalid), 0));
	ASSERT_EQ(0, cache_read(&self->before));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ((ssize_t)sizeof(invalid), fgetxattr(fd, label, back, sizeof(back)));
		EXPECT_STREQ(invalid, back);
	}
	ASSERT_EQ(0, cache_read(&self->after));
	EXPECT_EQ(0, memcmp(&self->before, &self->after, sizeof(self->before)));
	close(fd);
	close(dir);
}

TEST_F(sid2str, strings_are_those_of_another_formatter)
{
	char list[2 * TEXT_SIZE], wanted[2 * TEXT_SIZE];
	bool has[CATEGORIES];
	unsigned int set, i, round;

	/* none, all; every second; pairs, threes, all but a few; by chance */
	for (set = 0; set < 40; set++) {
		for (i = 0; i < CATEGORIES; i++)
			has[i] = set == 0 ? false :
				 set == 1 ? true :
				 set == 2 ? i % 2 == 0 :
				 set == 3 ? i % 3 < 2 && i < 600 :
				 set == 4 ? i % 4 < 3 && i < 600 :
				 set == 5 ? i % 100 != 7 && i < 700 :
				 i < 500 && random() % set == 0;
		list_context(list, self->own, has);
		format_context(wanted, self->own, has);
		/* what selinuxfs takes in one write is limited */
		for (round = 0; round < 3; round++)
			EXPECT_EQ(0, translate(strlen(list) < 3800 ? list : wanted, wanted))
				TH_LOG("set %u, round %u: %.60s", set, round, wanted);
	}
}

/* @n lookups of context @next(i); count what exact LRU of this size would hit. */
static int drive(struct __test_metadata *_metadata, FIXTURE_DATA(sid2str) * const self,
		 const unsigned int *sequence, unsigned int n, unsigned long *lru)
{
	unsigned int *last = calloc(CONTEXTS, sizeof(*last)), i, j, kept = 0;

	*lru = 0;
	if (!last || cache_read(&self->before))
		return -1;
	for (i = 0; i < n; i++) {
		unsigned int key = sequence[i], victim = key;

		if (translate(self->context[key], self->context[key]))
			return -1;
		if (last[key]) {
			++*lru;
		} else if (kept < self->before.size) {
			kept++;
		} else {
			for (j = 0; j < CONTEXTS; j++)
				if (last[j] && (victim == key || last[j] < last[victim]))
					victim = j;
			last[victim] = 0;
		}
		last[key] = i + 1;
	}
	free(last);
	if (cache_read(&self->after))
		return -1;
	TH_LOG("size %lu: %u lookups, %lu hits, exact LRU %lu, %lu skipped", self->before.size, n,
	       self->after.hits - self->before.hits, *lru,
	       self->after.skipped - self->before.skipped);
	return 0;
}

/* Contexts that no other test has, so that exact LRU begins with none of them. */
static void new_contexts(FIXTURE_DATA(sid2str) * const self)
{
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++)
		context_of_chance(self->context[i]);
}

TEST_F_TIMEOUT(sid2str, loop_over_one_more_than_fit_hits_nothing, 150)
{
	unsigned int sequence[LOOKUPS], i, n, size = self->before.size;
	unsigned long lru;

	if (size >= CONTEXTS)
		SKIP(return, "a cache of %u strings is too large for this", size);
	new_contexts(self);
	n = 3 * (size + 1);
	for (i = 0; i < n; i++)
		sequence[i] = i % (size + 1);
	ASSERT_EQ(0, drive(_metadata, self, sequence, n, &lru));
	EXPECT_EQ(0, lru);
	/* what others had used is passed, once */
	EXPECT_EQ(self->before.hits, self->after.hits);
	EXPECT_EQ(self->before.misses + n, self->after.misses);
	EXPECT_EQ(size, self->after.entries);
	EXPECT_EQ(size - self->before.entries + self->after.evictions - self->before.evictions +
		  self->after.skipped - self->before.skipped, n);
}

TEST_F_TIMEOUT(sid2str, loop_over_fewer_than_fit_hits_always, 150)
{
	unsigned int sequence[LOOKUPS], i, n, some = (self->before.size * 3 + 3) / 4;
	unsigned long lru;

	if (some > CONTEXTS)
		some = CONTEXTS;
	new_contexts(self);
	/* once around the ring, and what others had used has gone or lost its mark */
	for (i = 0; i < some; i++)
		sequence[i] = i;
	ASSERT_EQ(0, drive(_metadata, self, sequence, some, &lru));
	n = some * 4;
	for (i = 0; i < n; i++)
		sequence[i] = i % some;
	ASSERT_EQ(0, drive(_metadata, self, sequence, n, &lru));
	if (self->after.skipped == self->before.skipped)
		EXPECT_LE(self->before.hits + n - some, self->after.hits);
	EXPECT_EQ(self->before.hits + self->before.misses + n,
		  self->after.hits + self->after.misses);
}

/* The k-th most frequent is asked for about 1 / k as often as the first. */
TEST_F_TIMEOUT(sid2str, skewed_lookups_hit_as_with_exact_lru, 170)
{
	unsigned int sequence[LOOKUPS], i, key;
	double weight[CONTEXTS], sum = 0, chance;
	unsigned long lru;

	new_contexts(self);
	for (i = 0; i < CONTEXTS; i++)
		weight[i] = sum += 1.0 / (i + 1);
	srandom(1);
	for (i = 0; i < LOOKUPS; i++) {
		chance = sum * random() / ((double)RAND_MAX + 1);
		for (key = 0; weight[key] <= chance; key++)
			;
		sequence[i] = key;
	}
	ASSERT_EQ(0, drive(_metadata, self, sequence, LOOKUPS, &lru));
	EXPECT_LE(lru, self->after.hits - self->before.hits + LOOKUPS / 100);
	EXPECT_EQ(self->before.hits + self->before.misses + LOOKUPS,
		  self->after.hits + self->after.misses);
}

/*
 * What a system translated while it booted and worked, from debian_boot.sid beside
 * this program: the first of its SIDs is 0, the next other one 1, and so on. Returns
 * how many translations there are, LOOKUPS at most, or a negative errno.
 */
static int captured_sids(unsigned int sequence[LOOKUPS])
{
	char self_path[PATH_MAX] = "", path[PATH_MAX + 32], *line = NULL;
	unsigned int sid[LOOKUPS], sids = 0, j;
	size_t size = 0;
	FILE *file;
	int n = 0;

	if (readlink("/proc/self/exe", self_path, sizeof(self_path) - 1) < 0)
		return -errno;
	snprintf(path, sizeof(path), "%s/debian_boot.sid", dirname(self_path));
	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (n < LOOKUPS && getline(&line, &size, file) > 0) {
		if (*line == '#')
			continue;
		sid[sids] = strtoul(line, NULL, 10);
		for (j = 0; sid[j] != sid[sids]; j++)
			;
		if (j == sids)
			sids++;
		sequence[n++] = j;
	}
	free(line);
	fclose(file);
	return n;
}

/*
 * A system without containers has few SIDs, and a cache of the usual size keeps them
 * all. So several such systems take turns here, each with contexts of its own: as
 * many as it takes to ask for twice as many contexts as the cache keeps strings.
 *
 * Most lookups repeat one of the last few, so almost any cache has many hits. The
 * misses tell more: with 256 strings, as most kernels have, those that exact LRU
 * makes are 705. First in, first out, used or not, makes 6 % more.
 */
TEST_F_TIMEOUT(sid2str, lookups_of_a_debian_hit_as_with_exact_lru, 170)
{
	unsigned int captured[LOOKUPS], sequence[LOOKUPS], copies = 0, sids, i, n;
	int lookups = captured_sids(captured);
	unsigned long lru, misses;

	if (lookups <= 0)
		SKIP(return, "no debian_boot.sid beside this program");
	do {
		copies++;
		n = LOOKUPS / copies < lookups ? LOOKUPS / copies : lookups;
		for (i = sids = 0; i < n; i++)
			if (captured[i] >= sids)
				sids = captured[i] + 1;
	} while (copies * sids < 2 * self->before.size && copies * sids <= CONTEXTS);
	if (copies * sids > CONTEXTS)
		SKIP(return, "a cache of %lu strings is too large for this", self->before.size);

	new_contexts(self);
	for (i = 0; i < n * copies; i++)
		sequence[i] = captured[i / copies] + i % copies * sids;
	ASSERT_EQ(0, drive(_metadata, self, sequence, n * copies, &lru));
	TH_LOG("%u times %u contexts", copies, sids);
	misses = self->after.misses - self->before.misses;
	EXPECT_LE(misses, n * copies - lru + n * copies / 100);
	if (self->before.size == 256)
		EXPECT_LE(100 * misses, 103 * (n * copies - lru));
	EXPECT_EQ(self->before.hits + self->before.misses + n * copies,
		  self->after.hits + self->after.misses);
}

#define READERS 3

/* Translate until the parent closes its end; return the number, 0 for a fault. */
static unsigned int read_strings(FIXTURE_DATA(sid2str) * const self, int stop, unsigned int seed)
{
	unsigned int n = 0;
	char c;

	fcntl(stop, F_SETFL, O_NONBLOCK);
	srandom(seed);
	while (read(stop, &c, 1)) {
		const char *context = self->context[random() % CONTEXTS];

		if (translate(context, context))
			return 0;
		n++;
	}
	return n;
}

TEST_F_TIMEOUT(sid2str, policy_load_begins_a_new_cache_with_readers_in_flight, 170)
{
	int stop[2], result[2], status, i;
	unsigned int n, lookups = 0;
	char *policy;
	size_t len;
	pid_t pid;

	policy = read_file(policy_path(), &len);
	if (!policy)
		SKIP(return, "SELINUX_POLICY: %s: %s", policy_path(), strerror(errno));
	new_contexts(self);
	ASSERT_EQ(0, cache_read(&self->before));
	ASSERT_EQ(0, pipe(stop));
	ASSERT_EQ(0, pipe(result));
	for (i = 0; i < READERS; i++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			close(stop[1]);
			n = read_strings(self, stop[0], i);
			_exit(write(result[1], &n, sizeof(n)) != sizeof(n));
		}
	}
	close(stop[0]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, write_bytes(SELINUXFS "load", policy, len));
	close(stop[1]);
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ((ssize_t)sizeof(n), read(result[0], &n, sizeof(n)));
		EXPECT_LT(0, n);
		lookups += n;
		wait(&status);
	}
	ASSERT_EQ(0, cache_read(&self->after));
	TH_LOG("%u lookups during 3 loads", lookups);
	EXPECT_EQ(self->before.hits + self->before.misses + lookups,
		  self->after.hits + self->after.misses);

	EXPECT_EQ(0, write_bytes(SELINUXFS "load", policy, len));
	ASSERT_EQ(0, cache_read(&self->after));
	EXPECT_GE(4, self->after.entries);
	EXPECT_LE(self->before.hits, self->after.hits);
	EXPECT_LE(self->before.misses, self->after.misses);
	free(policy);
}

TEST_HARNESS_MAIN
