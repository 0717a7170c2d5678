// SPDX-License-Identifier: GPL-2.0-only
/*
 * The policy that the kernel gives back has the rules that it was given
 *
 * SELINUX_POLICY names the policy that the guest has loaded. The order of the
 * rules may differ, as it follows the kernel's hash table; policy_rules, which
 * stands next to this test, compares them whatever their order.
 */

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "selinuxfs.h"

#define READBACK SELINUXFS "policy"

struct policy_rules {
	char program[PATH_MAX + sizeof("/policy_rules")];
	char output[TEXT_SIZE];
	char errors[TEXT_SIZE];
};

FIXTURE(policy_rules)
{
	struct policy_rules rules;
	char *policy;
	size_t len;
	int file;
	char path[32];		/* of the file, for policy_rules to open */
};

FIXTURE_SETUP(policy_rules)
{
	char self_path[PATH_MAX] = "";

	ASSERT_LT(0, readlink("/proc/self/exe", self_path,
			      sizeof(self_path) - 1));
	snprintf(self->rules.program, sizeof(self->rules.program),
		 "%s/policy_rules", dirname(self_path));
	if (access(self->rules.program, X_OK))
		SKIP(return, "no policy_rules next to this test: %s",
		     strerror(errno));

	self->policy = read_file(policy_path(), &self->len);
	if (!self->policy)
		SKIP(return, "SELINUX_POLICY: %s: %s", policy_path(),
		     strerror(errno));

	self->file = memfd_create("policy", 0);
	ASSERT_LE(0, self->file);
	snprintf(self->path, sizeof(self->path), "/proc/self/fd/%d",
		 self->file);
}

FIXTURE_TEARDOWN(policy_rules)
{
	close(self->file);
	free(self->policy);
}

static void read_to_the_end(int fd, char text[TEXT_SIZE])
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, text + len, TEXT_SIZE - 1 - len);
		len += n > 0 ? n : 0;
	} while (n > 0);
	text[len] = '\0';
	close(fd);
}

/*
 * Returns what policy_rules exits with, its output and errors kept. It says
 * less than a pipe holds, so that one can be read after the other.
 */
static int run(struct policy_rules *rules, const char *path1,
	       const char *path2)
{
	int out[2], err[2], status;
	pid_t child;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		return -1;
	child = fork();
	if (!child) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		execl(rules->program, rules->program, path1, path2, NULL);
		_exit(127);
	}
	close(out[1]);
	close(err[1]);
	read_to_the_end(out[0], rules->output);
	read_to_the_end(err[0], rules->errors);
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int set_file(int file, const void *bytes, size_t len)
{
	return ftruncate(file, 0) || pwrite(file, bytes, len, 0) != (ssize_t)len;
}

/* One message of one line, and nothing that could be taken for a result. */
static void expect_no_answer(struct __test_metadata *const _metadata,
			     struct policy_rules *rules,
			     const char *path1, const char *path2)
{
	const char *newline;

	EXPECT_EQ(2, run(rules, path1, path2));
	EXPECT_STREQ("", rules->output);
	newline = strchr(rules->errors, '\n');
	ASSERT_NE(NULL, newline);
	EXPECT_STREQ("\n", newline)
		TH_LOG("%s", rules->errors);
}

TEST_F_TIMEOUT(policy_rules, policy_has_the_rules_of_its_copy, 120)
{
	ASSERT_EQ(0, set_file(self->file, self->policy, self->len));
	EXPECT_EQ(0, run(&self->rules, policy_path(), self->path))
		TH_LOG("%s%s", self->rules.output, self->rules.errors);
	EXPECT_STREQ("", self->rules.errors);
}

/* Rules are by far the most of any policy, in the middle of it there are. */
TEST_F_TIMEOUT(policy_rules, changed_byte_in_the_middle_is_noticed, 120)
{
	self->policy[self->len / 2] ^= 1;
	ASSERT_EQ(0, set_file(self->file, self->policy, self->len));
	EXPECT_EQ(1, run(&self->rules, policy_path(), self->path))
		TH_LOG("%s%s", self->rules.output, self->rules.errors);
	EXPECT_STREQ("", self->rules.errors);
	EXPECT_STRNE("", self->rules.output);
}

TEST_F_TIMEOUT(policy_rules, what_is_not_a_policy_gets_one_message, 120)
{
	expect_no_answer(_metadata, &self->rules, "/no/such/file", NULL);
	expect_no_answer(_metadata, &self->rules, policy_path(), "/no/such/file");
	expect_no_answer(_metadata, &self->rules, "/", NULL);
	expect_no_answer(_metadata, &self->rules, "/proc/self/exe", NULL);

	ASSERT_EQ(0, set_file(self->file, "", 0));
	expect_no_answer(_metadata, &self->rules, self->path, NULL);
	ASSERT_EQ(0, set_file(self->file, self->policy, self->len / 2));
	expect_no_answer(_metadata, &self->rules, self->path, NULL);
	ASSERT_EQ(0, set_file(self->file, self->policy, self->len - 1));
	expect_no_answer(_metadata, &self->rules, policy_path(), self->path);
}

TEST_F_TIMEOUT(policy_rules, policy_read_back_has_the_rules_loaded, 120)
{
	const char *reason = no_selinux();

	if (reason)
		SKIP(return, "%s", reason);

	EXPECT_EQ(0, run(&self->rules, policy_path(), READBACK))
		TH_LOG("%s%s", self->rules.output, self->rules.errors);
	EXPECT_STREQ("", self->rules.errors);
}

TEST_F(policy_rules, policy_read_back_has_the_size_loaded)
{
	const char *reason = no_selinux();
	size_t len;
	void *readback;

	if (reason)
		SKIP(return, "%s", reason);

	readback = read_file(READBACK, &len);
	ASSERT_NE(NULL, readback);
	EXPECT_EQ(self->len, len);
	free(readback);
}

/* The order is that of the hash table, which does not change by being read. */
TEST_F(policy_rules, policy_read_back_again_or_mapped_is_the_same)
{
	const char *reason = no_selinux();
	size_t len, again_len;
	void *readback, *again, *mapped;
	int fd;

	if (reason)
		SKIP(return, "%s", reason);

	readback = read_file(READBACK, &len);
	ASSERT_NE(NULL, readback);
	again = read_file(READBACK, &again_len);
	ASSERT_NE(NULL, again);
	ASSERT_EQ(len, again_len);
	EXPECT_EQ(0, memcmp(readback, again, len));

	fd = open(READBACK, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	mapped = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, mapped);
	EXPECT_EQ(0, memcmp(readback, mapped, len));

	munmap(mapped, len);
	close(fd);
	free(again);
	free(readback);
}

TEST_HARNESS_MAIN
