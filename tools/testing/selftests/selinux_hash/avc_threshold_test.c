// SPDX-License-Identifier: GPL-2.0-only
/*
 * What avc/hash_stats counts as the AVC fills, is reclaimed and is churned
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "hash_figures.h"
#include "selinuxfs.h"

/* Twice as many as the AVC has buckets, or holds by default. */
#define FILES 1024

/* Out of reach of everything here. */
#define NO_THRESHOLD "1000000"

/* How many access vectors a full AVC takes out to make room for one. */
#define RECLAIM 16

FIXTURE(avc)
{
	char threshold[TEXT_SIZE];
	unsigned int cpus;
	int files;
};

FIXTURE_SETUP(avc)
{
	const char *reason = no_relabelling();

	if (reason)
		SKIP(return, "%s", reason);

	self->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ASSERT_LT(0, read_text(AVC_CACHE_THRESHOLD, self->threshold));
	self->files = labelled_files(FILES);
	ASSERT_LE(0, self->files);
}

FIXTURE_TEARDOWN(avc)
{
	EXPECT_EQ(0, write_text(AVC_CACHE_THRESHOLD, self->threshold));
	close(self->files);
}

TEST_F(avc, each_new_access_vector_is_one_entry)
{
	struct hash_figures before, after;

	ASSERT_EQ(0, drain_avc(self->files, FILES));
	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, NO_THRESHOLD));
	/* What the way to a file and to the figures takes is in by now. */
	ASSERT_EQ(0, access_files(self->files, 0, 1));
	ASSERT_EQ(0, figures_read(&before, AVC_HASH_STATS));
	ASSERT_EQ(0, figures_read(&before, AVC_HASH_STATS));

	ASSERT_EQ(0, access_files(self->files, 1, FILES - 1));
	ASSERT_EQ(0, figures_read(&after, AVC_HASH_STATS));
	EXPECT_EQ(before.entries + FILES - 1, after.entries);
	EXPECT_EQ(before.buckets, after.buckets);

	/* The same again are hits. */
	ASSERT_EQ(0, access_files(self->files, 0, FILES));
	ASSERT_EQ(0, figures_read(&before, AVC_HASH_STATS));
	EXPECT_EQ(after.entries, before.entries);
}

/*
 * By chance, as many access vectors as buckets use 63 % of these. A hash in
 * which the target does not reach every bit uses a quarter or less.
 */
TEST_F(avc, vectors_that_differ_in_the_target_alone_are_spread)
{
	struct hash_figures f;
	unsigned int vectors;

	ASSERT_EQ(0, drain_avc(self->files, FILES));
	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, NO_THRESHOLD));
	ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	vectors = f.buckets < FILES ? f.buckets : FILES;

	ASSERT_EQ(0, access_files(self->files, 0, vectors));
	ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	EXPECT_LE(vectors, f.entries);
	EXPECT_LE(vectors / 2, f.buckets_used);
}

TEST_F(avc, lowered_threshold_reclaims_on_the_next_new_vectors)
{
	char context[CONTEXT_SIZE];
	struct hash_figures f;
	int status;
	pid_t child;

	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, NO_THRESHOLD));
	ASSERT_EQ(0, access_files(self->files, 0, FILES));
	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, "100"));
	ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	EXPECT_LE(FILES - 2 * RECLAIM, f.entries);

	context_of_chance(context);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(enter_context(context) ||
		      access_files(self->files, 0, FILES));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	EXPECT_LE(f.entries, 100 + self->cpus);
}

/*
 * The vector that finds the cache full takes RECLAIM out, and so does the copy
 * that records what permissive mode granted.
 */
TEST_F_TIMEOUT(avc, full_cache_stays_within_one_reclaim_of_the_threshold, 120)
{
	static const unsigned int thresholds[] = { 64, 512, 700, 1000 };
	const unsigned int slack = self->cpus;
	struct hash_figures f;
	char threshold[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thresholds); i++) {
		ASSERT_EQ(0, drain_avc(self->files, FILES));
		snprintf(threshold, sizeof(threshold), "%u", thresholds[i]);
		ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, threshold));
		ASSERT_EQ(0, access_files(self->files, 0, FILES));
		ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
		EXPECT_LE(f.entries, thresholds[i] + slack);
		EXPECT_LE(thresholds[i], f.entries + RECLAIM + slack)
			TH_LOG("threshold %s", threshold);
	}
}

/*
 * With a threshold of 0 the check of a read puts its access vector in, and the
 * permissive grant that follows takes it out again to make room for its copy:
 * if the policy denies the read, the cache is empty when it is walked. The
 * label of the file serves as a context to which the policy allows nothing.
 */
static int read_from_an_empty_avc(int fd)
{
	char label[CONTEXT_SIZE] = "", text[TEXT_SIZE];
	struct hash_figures f;
	ssize_t len;
	int i;

	if (fgetxattr(fd, "security.selinux", label, sizeof(label) - 1) < 0 ||
	    enter_context(label))
		return -1;
	for (i = 0; i < 100; i++) {
		len = pread(fd, text, sizeof(text), 0);
		if (len < 0 || figures_check(&f, text, len))
			return -1;
		/* and all the other figures 0 as well, as has been checked */
		if (!f.entries)
			return 0;
	}
	fprintf(stderr, "# never empty:\n%.*s", (int)len, text);
	return -1;
}

TEST_F(avc, empty_cache_has_figures_of_0)
{
	int fd, status;
	pid_t child;

	ASSERT_EQ(0, drain_avc(self->files, FILES));
	fd = open(AVC_HASH_STATS, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(!!read_from_an_empty_avc(fd));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, close(fd));
}

TEST_F(avc, threshold_refuses_what_is_not_a_number)
{
	static const char * const garbage[] = { "", "\n", "abc", "-1", "x1" };
	char text[TEXT_SIZE];
	unsigned int i;

	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, "600"));
	for (i = 0; i < ARRAY_SIZE(garbage); i++) {
		EXPECT_EQ(-EINVAL,
			  write_text(AVC_CACHE_THRESHOLD, garbage[i]))
			TH_LOG("'%s'", garbage[i]);
		ASSERT_LT(0, read_text(AVC_CACHE_THRESHOLD, text));
		EXPECT_STREQ("600", text);
	}
}

TEST_F(avc, threshold_takes_any_32_bit_number)
{
	static const char * const numbers[] = { "0", "1", "511", "4294967295" };
	struct hash_figures f;
	char text[TEXT_SIZE];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		EXPECT_EQ(0, write_text(AVC_CACHE_THRESHOLD, numbers[i]));
		ASSERT_LT(0, read_text(AVC_CACHE_THRESHOLD, text));
		EXPECT_STREQ(numbers[i], text);
		EXPECT_EQ(0, access_files(self->files, 0, 100));
		EXPECT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	}
}

/* Nodes allocated less nodes freed, summed over the CPUs. */
static long long nodes_in_use(void)
{
	unsigned int allocations, frees;
	char text[TEXT_SIZE], *line, *rest = text;
	long long nodes = 0;

	if (read_text(AVC_CACHE_STATS, text) < 0)
		return -1;
	line = strsep(&rest, "\n");
	if (strcmp(line, "lookups hits misses allocations reclaims frees"))
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%*u %*u %*u %u %*u %u", &allocations,
			   &frees) == 2)
			nodes += (int)(allocations - frees);
	}
	return nodes;
}

/*
 * A node that is out of the table is freed after a grace period: give it a few
 * seconds. Figures before and after the sum, lest the sum itself add an entry.
 */
TEST_F(avc, entries_are_nodes_allocated_less_nodes_freed)
{
	struct hash_figures before, after;
	long long nodes;
	unsigned int i;

	if (access(AVC_CACHE_STATS, F_OK))
		SKIP(return, "needs CONFIG_SECURITY_SELINUX_AVC_STATS");

	ASSERT_EQ(0, access_files(self->files, 0, FILES));
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, figures_read(&before, AVC_HASH_STATS));
		nodes = nodes_in_use();
		ASSERT_LE(0, nodes);
		ASSERT_EQ(0, figures_read(&after, AVC_HASH_STATS));
		if (before.entries == after.entries && nodes == after.entries)
			break;
		usleep(20000);
	}
	EXPECT_EQ(nodes, after.entries);
	EXPECT_EQ(before.entries, after.entries);
}

/* Gives file 0 another label, and every file a new access vector. */
static int churn_once(int files)
{
	char context[CONTEXT_SIZE];

	context_of_chance(context);
	if (enter_context(context))
		return -1;
	context_of_chance(context);
	if (setxattr("0", "security.selinux", context, strlen(context), 0))
		return -1;
	return access_files(files, 0, FILES);
}

static int churn(int files, const int *readers_done)
{
	unsigned int i;

	if (fchdir(files))
		return -1;
	for (i = 0; i < 500; i++) {
		if (__atomic_load_n(readers_done, __ATOMIC_RELAXED))
			break;
		if (churn_once(files))
			return -1;
	}
	return 0;
}

/* Fails as well if all that it reads is the same: then nothing was churned. */
static int read_both(unsigned int reads)
{
	struct hash_figures avc, sidtab, previous = { 0 };
	unsigned int i, changes = 0;

	for (i = 0; i < reads; i++) {
		if (figures_read(&avc, AVC_HASH_STATS) ||
		    figures_read(&sidtab, SIDTAB_HASH_STATS))
			return -1;
		changes += memcmp(&avc, &previous, sizeof(avc)) != 0;
		previous = avc;
	}
	return changes < 2 ? -1 : 0;
}

TEST_F_TIMEOUT(avc, concurrent_readers_see_true_figures_during_churn, 120)
{
	enum { READERS = 3, CHURNERS = 2 };
	int *readers_done, status, i;
	pid_t child[READERS + CHURNERS];

	readers_done = mmap(NULL, sizeof(*readers_done), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, readers_done);
	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, "600"));

	for (i = 0; i < READERS + CHURNERS; i++) {
		child[i] = fork();
		ASSERT_LE(0, child[i]);
		if (child[i])
			continue;
		if (i < READERS)
			_exit(!!read_both(1000));
		_exit(!!churn(self->files, readers_done));
	}

	for (i = 0; i < READERS + CHURNERS; i++) {
		if (i == READERS)
			__atomic_store_n(readers_done, 1, __ATOMIC_RELAXED);
		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_EQ(0, status)
			TH_LOG("%s %d", i < READERS ? "reader" : "churner", i);
	}
}

TEST_HARNESS_MAIN
