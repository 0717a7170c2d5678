// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the hash_stats files say while a policy is loaded, and when one is not
 *
 * SELINUX_POLICY names the policy that the guest has loaded.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "hash_figures.h"
#include "selinuxfs.h"

#define FILES 1024

FIXTURE(policy_load)
{
	char threshold[TEXT_SIZE];
	char *policy;
	size_t len;
	int files;
};

FIXTURE_SETUP(policy_load)
{
	const char *reason = no_relabelling();

	if (reason)
		SKIP(return, "%s", reason);
	self->policy = read_file(policy_path(), &self->len);
	if (!self->policy)
		SKIP(return, "SELINUX_POLICY: %s: %s", policy_path(),
		     strerror(errno));

	ASSERT_LT(0, read_text(AVC_CACHE_THRESHOLD, self->threshold));
	self->files = labelled_files(FILES);
	ASSERT_LE(0, self->files);
	ASSERT_EQ(0, write_text(AVC_CACHE_THRESHOLD, "1000000"));
}

FIXTURE_TEARDOWN(policy_load)
{
	EXPECT_EQ(0, write_text(AVC_CACHE_THRESHOLD, self->threshold));
	close(self->files);
	free(self->policy);
}

static int load(const void *policy, size_t len)
{
	return write_bytes(SELINUXFS "load", policy, len);
}

/*
 * What the policy in force decides for the caller on a file of selinuxfs, with
 * the sequence number of the policy, which every load raises.
 */
static int decision(char text[TEXT_SIZE])
{
	char own[TEXT_SIZE], label[CONTEXT_SIZE] = "", class[TEXT_SIZE];
	char query[3 * TEXT_SIZE];
	FILE *access;
	int err = -1;

	if (read_text("/proc/self/attr/current", own) < 0 ||
	    getxattr(AVC_HASH_STATS, "security.selinux", label,
		     sizeof(label) - 1) < 0 ||
	    read_text(SELINUXFS "class/file/index", class) < 0)
		return -1;
	snprintf(query, sizeof(query), "%s %s %s", own, label, class);

	access = fopen(SELINUXFS "access", "r+");
	if (!access)
		return -1;
	if (fputs(query, access) >= 0 && !fflush(access) &&
	    fgets(text, TEXT_SIZE, access))
		err = 0;
	fclose(access);
	return err;
}

/* Files by the thousand before, and nearly nothing after. */
TEST_F_TIMEOUT(policy_load, load_empties_the_avc, 120)
{
	struct hash_figures f;

	ASSERT_EQ(0, access_files(self->files, 0, FILES));
	ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	EXPECT_LE(FILES, f.entries);

	ASSERT_EQ(0, load(self->policy, self->len));
	ASSERT_EQ(0, figures_read(&f, AVC_HASH_STATS));
	EXPECT_LE(f.entries, FILES / 8);
}

TEST_F_TIMEOUT(policy_load, load_keeps_every_context, 120)
{
	char decision_before[TEXT_SIZE], decision_after[TEXT_SIZE];
	struct hash_figures before, after;

	ASSERT_EQ(0, decision(decision_before));
	ASSERT_EQ(0, figures_read(&before, SIDTAB_HASH_STATS));
	EXPECT_LE(FILES, before.entries);

	ASSERT_EQ(0, load(self->policy, self->len));

	ASSERT_EQ(0, decision(decision_after));
	EXPECT_STRNE(decision_before, decision_after);
	ASSERT_EQ(0, figures_read(&after, SIDTAB_HASH_STATS));
	/* entry by entry into the same bucket, so that no figure changes */
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

struct during_load {
	int loaded;
	unsigned int reads;
	unsigned int new_contexts;
};

static int read_both(struct during_load *shared)
{
	struct hash_figures f;
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		if (__atomic_load_n(&shared->loaded, __ATOMIC_RELAXED))
			return 0;
		if (figures_read(&f, AVC_HASH_STATS) ||
		    figures_read(&f, SIDTAB_HASH_STATS))
			return -1;
		__atomic_fetch_add(&shared->reads, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

static int churn(struct during_load *shared, int files)
{
	char context[CONTEXT_SIZE];
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		if (__atomic_load_n(&shared->loaded, __ATOMIC_RELAXED))
			return 0;
		context_of_chance(context);
		if (context_check(context))
			return -1;
		shared->new_contexts++;
		if (access_files(files, 0, FILES / 8))
			return -1;
		usleep(1000);
	}
	return 0;
}

/* A context that gets its SID during a load is in the old table and the new. */
TEST_F_TIMEOUT(policy_load, readers_during_load_see_true_figures, 240)
{
	enum { LOADS = 3, READERS = 2 };
	struct hash_figures before, after;
	struct during_load *shared;
	pid_t child[READERS + 1];
	int status, i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, figures_read(&before, SIDTAB_HASH_STATS));

	for (i = 0; i < READERS + 1; i++) {
		child[i] = fork();
		ASSERT_LE(0, child[i]);
		if (!child[i])
			_exit(i < READERS ? !!read_both(shared) :
					    !!churn(shared, self->files));
	}
	for (i = 0; i < LOADS; i++)
		EXPECT_EQ(0, load(self->policy, self->len));
	__atomic_store_n(&shared->loaded, 1, __ATOMIC_RELAXED);
	for (i = 0; i < READERS + 1; i++) {
		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_EQ(0, status)
			TH_LOG("%s %d", i < READERS ? "reader" : "churner", i);
	}

	EXPECT_LT(LOADS, shared->reads);
	EXPECT_LT(LOADS, shared->new_contexts);
	ASSERT_EQ(0, figures_read(&after, SIDTAB_HASH_STATS));
	EXPECT_EQ(before.entries + shared->new_contexts, after.entries);
}

struct in_force {
	char decision[TEXT_SIZE];
	struct hash_figures avc;
	struct hash_figures sidtab;
	char enforce[TEXT_SIZE];
};

static int get_in_force(struct in_force *now)
{
	return decision(now->decision) ||
	       read_text(SELINUXFS "enforce", now->enforce) < 0 ||
	       figures_read(&now->sidtab, SIDTAB_HASH_STATS) ||
	       figures_read(&now->avc, AVC_HASH_STATS);
}

static void expect_refused(struct __test_metadata *const _metadata,
			   const void *policy, size_t len, const char *what)
{
	struct in_force before, after;

	ASSERT_EQ(0, get_in_force(&before));
	EXPECT_EQ(-EINVAL, load(policy, len))
		TH_LOG("loaded: %s", what);
	ASSERT_EQ(0, get_in_force(&after));

	EXPECT_STREQ(before.decision, after.decision);
	EXPECT_STREQ(before.enforce, after.enforce);
	EXPECT_EQ(0, memcmp(&before.sidtab, &after.sidtab,
			    sizeof(before.sidtab)));
	/* nothing flushed; the way to the load file may add a few */
	EXPECT_LE(before.avc.entries, after.avc.entries)
		TH_LOG("flushed by: %s", what);
}

TEST_F_TIMEOUT(policy_load, truncated_policy_is_refused_without_a_trace, 120)
{
	const size_t cut[] = {
		1, 15, 16, 100, self->len / 4, self->len / 2,
		self->len / 4 * 3, self->len - 1,
	};
	char what[64];
	unsigned int i;

	ASSERT_EQ(0, access_files(self->files, 0, FILES));
	for (i = 0; i < ARRAY_SIZE(cut); i++) {
		ASSERT_LT(cut[i], self->len);
		snprintf(what, sizeof(what), "%zu bytes of %zu", cut[i],
			 self->len);
		expect_refused(_metadata, self->policy, cut[i], what);
	}
}

TEST_F(policy_load, what_is_not_a_policy_is_refused_without_a_trace)
{
	static const char zeros[TEXT_SIZE];
	static const char text[] = "allow user_t shadow_t:file read;\n";
	char *program;
	size_t len;

	ASSERT_EQ(0, access_files(self->files, 0, FILES));
	expect_refused(_metadata, text, 0, "nothing");
	expect_refused(_metadata, text, strlen(text), "a text");
	expect_refused(_metadata, zeros, sizeof(zeros), "zeros");

	program = read_file("/proc/self/exe", &len);
	ASSERT_NE(NULL, program);
	expect_refused(_metadata, program, len, "a program");
	free(program);

	/* after the magic number, a length and "SE Linux": the version */
	self->policy[17] = 0x7f;
	expect_refused(_metadata, self->policy, self->len, "version 32,545");
	self->policy[17] = 0;
	self->policy[0]++;
	expect_refused(_metadata, self->policy, self->len, "wrong magic");
}

TEST_HARNESS_MAIN
