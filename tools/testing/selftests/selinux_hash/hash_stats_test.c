// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of avc/hash_stats and ss/sidtab_hash_stats, and what it counts
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "hash_figures.h"
#include "selinuxfs.h"

/* The checks that all others here rely on, tried on texts made for it. */

#define TEXT "entries: 7\nbuckets used: 4/8\nlongest chain: 3\n" \
	     "non-zero chain q1/med/q3: 1/1/2\n"

TEST(parser_takes_the_text_of_the_kernel)
{
	struct hash_figures f;

	ASSERT_EQ(0, figures_parse(&f, TEXT, strlen(TEXT)));
	EXPECT_EQ(7, f.entries);
	EXPECT_EQ(4, f.buckets_used);
	EXPECT_EQ(8, f.buckets);
	EXPECT_EQ(3, f.longest_chain);
	EXPECT_EQ(1, f.q1);
	EXPECT_EQ(1, f.med);
	EXPECT_EQ(2, f.q3);
}

TEST(parser_refuses_any_other_text)
{
	static const char * const other[] = {
		"",
		"entries: 7\nbuckets used: 4/8\nlongest chain: 3\n",
		TEXT "\n",
		TEXT TEXT,
		" " TEXT,
		"Entries: 7\nbuckets used: 4/8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 07\nbuckets used: 4/8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 7\nbuckets used: +4/8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 7\nbuckets used: 4 /8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 7\nbuckets used: 4/8\n\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 7\nbuckets used: 4/8\nlongest chain: -3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 4294967303\nbuckets used: 4/8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2\n",
		"entries: 7\nbuckets used: 4/8\nlongest chain: 3\n"
		"non-zero chain Q1/Med/Q3: 1/1/2\n",
		"entries: 7\nbuckets used: 4/8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2",
		"entries: 7\nbuckets used: 4/8\nlongest chain: 3\n"
		"non-zero chain q1/med/q3: 1/1/2/3\n",
	};
	struct hash_figures f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(other); i++) {
		EXPECT_EQ(-1, figures_parse(&f, other[i], strlen(other[i])))
			TH_LOG("taken: text %u", i);
	}

	/* the terminating NUL is no part of it */
	EXPECT_EQ(-1, figures_parse(&f, TEXT, sizeof(TEXT)));
}

TEST(figures_that_a_table_can_have_are_believed)
{
	static const struct hash_figures possible[] = {
		{ .buckets = 512 },
		/* chains of 1 */
		{ 1, 1, 512, 1, 1, 1, 1 },
		/* 10; 10 20; 10 20 30; 10 20 30 40; 10 20 30 40 50 */
		{ 10, 1, 8, 10, 10, 10, 10 },
		{ 30, 2, 8, 20, 10, 10, 20 },
		{ 60, 3, 8, 30, 10, 20, 30 },
		{ 100, 4, 8, 40, 10, 20, 30 },
		{ 150, 5, 8, 50, 20, 30, 40 },
		/* 1 1 1 1 9 9 9 9 */
		{ 40, 8, 8, 9, 1, 1, 9 },
		/* 1 2 2 3 3 4 4 8 and 2 2 3 3 4 4 8 8: fewest and most */
		{ 27, 8, 8, 8, 2, 3, 4 },
		{ 34, 8, 8, 8, 2, 3, 4 },
		/* three times as many chains do not fit 32 bits */
		{ 2147483648U, 2147483648U, 2147483648U, 1, 1, 1, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(possible); i++) {
		const char *wrong = figures_contradiction(&possible[i]);

		EXPECT_EQ(NULL, wrong)
			TH_LOG("case %u: %s", i, wrong);
	}
}

TEST(figures_that_no_table_can_have_are_not_believed)
{
	static const struct hash_figures impossible[] = {
		{ 0, 0, 0, 0, 0, 0, 0 },
		/* 500 buckets */
		{ 7, 4, 500, 3, 1, 1, 2 },
		{ 9, 9, 8, 1, 1, 1, 1 },
		{ 0, 1, 8, 0, 0, 0, 0 },
		{ 0, 0, 8, 1, 0, 0, 0 },
		{ 0, 0, 8, 0, 0, 0, 1 },
		{ 7, 0, 8, 3, 1, 1, 2 },
		{ 3, 4, 8, 1, 1, 1, 1 },
		{ 7, 4, 8, 8, 1, 1, 2 },
		{ 13, 4, 8, 3, 3, 3, 3 },
		{ 7, 4, 8, 3, 0, 1, 2 },
		{ 7, 4, 8, 3, 2, 1, 2 },
		{ 7, 4, 8, 3, 1, 2, 1 },
		{ 7, 4, 8, 3, 1, 1, 4 },
		/* 1 1 2 3 with the third quartile, and the median, one too far */
		{ 7, 4, 8, 3, 1, 1, 3 },
		{ 7, 4, 8, 3, 1, 2, 2 },
		/* 10; 10 20; 10 20 30 with a rank other than ours */
		{ 30, 2, 8, 20, 20, 20, 20 },
		{ 30, 2, 8, 20, 10, 20, 20 },
		{ 30, 2, 8, 20, 10, 10, 10 },
		{ 60, 3, 8, 30, 10, 10, 30 },
		{ 60, 3, 8, 30, 20, 20, 30 },
		/* one less than the fewest and one more than the most above */
		{ 26, 8, 8, 8, 2, 3, 4 },
		{ 35, 8, 8, 8, 2, 3, 4 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(impossible); i++) {
		EXPECT_NE(NULL, figures_contradiction(&impossible[i]))
			TH_LOG("case %u", i);
	}
}

FIXTURE(hash_stats)
{
	int fd;
	char text[TEXT_SIZE];
	ssize_t len;
};

FIXTURE_VARIANT(hash_stats)
{
	const char *path;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(hash_stats, avc) {
	/* clang-format on */
	.path = AVC_HASH_STATS,
};

/* clang-format off */
FIXTURE_VARIANT_ADD(hash_stats, sidtab) {
	/* clang-format on */
	.path = SIDTAB_HASH_STATS,
};

FIXTURE_SETUP(hash_stats)
{
	const char *reason = no_selinux();

	if (reason)
		SKIP(return, "%s", reason);

	self->fd = open(variant->path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->len = read(self->fd, self->text, sizeof(self->text) - 1);
	ASSERT_LT(0, self->len);
}

FIXTURE_TEARDOWN(hash_stats)
{
	EXPECT_EQ(0, close(self->fd));
}

TEST_F(hash_stats, text_is_in_the_format_to_the_byte)
{
	struct hash_figures f;

	EXPECT_EQ(0, figures_parse(&f, self->text, self->len))
		TH_LOG("%s", self->text);
}

TEST_F(hash_stats, figures_agree_with_each_other)
{
	struct hash_figures f;

	EXPECT_EQ(0, figures_check(&f, self->text, self->len));
}

/* As written before there was a fourth line, with no thought of one. */
TEST_F(hash_stats, parser_of_the_first_three_lines_is_satisfied)
{
	char *line, *rest = self->text, old[TEXT_SIZE], text[TEXT_SIZE];
	int entries, used, buckets, longest, found;

	memcpy(text, self->text, sizeof(text));
	line = strsep(&rest, "\n");
	found = sscanf(line, "entries: %d", &entries);
	ASSERT_EQ(1, found);
	line = strsep(&rest, "\n");
	ASSERT_NE(NULL, line);
	found = sscanf(line, "buckets used: %d/%d", &used, &buckets);
	ASSERT_EQ(2, found);
	line = strsep(&rest, "\n");
	ASSERT_NE(NULL, line);
	found = sscanf(line, "longest chain: %d", &longest);
	ASSERT_EQ(1, found);

	snprintf(old, sizeof(old),
		 "entries: %d\nbuckets used: %d/%d\nlongest chain: %d\n",
		 entries, used, buckets, longest);
	EXPECT_EQ(0, strncmp(old, text, strlen(old)))
		TH_LOG("%s", text);
}

/*
 * An open file needs no new access vector to be read again, so that reading
 * alone changes nothing. Something else may: a few more rounds.
 */
TEST_F(hash_stats, reads_at_rest_give_the_same_text)
{
	unsigned int round, i, same = 0;
	char text[TEXT_SIZE];
	ssize_t len;

	for (round = 0; round < 10 && same < 50; round++) {
		len = pread(self->fd, self->text, sizeof(self->text), 0);
		ASSERT_LT(0, len);
		for (i = same = 0; i < 50; i++) {
			ASSERT_LT(0, pread(self->fd, text, sizeof(text), 0));
			same += !memcmp(text, self->text, len);
		}
	}
	EXPECT_EQ(50, same);
}

/* Every piece is cut from a text made for it alone. */
TEST_F(hash_stats, read_byte_by_byte_at_rest_gives_the_same_text)
{
	char text[TEXT_SIZE], after[TEXT_SIZE];
	bool at_rest = false;
	ssize_t len, n;
	int i, fd;

	for (i = 0; i < 10 && !at_rest; i++) {
		self->len = pread(self->fd, self->text, sizeof(text), 0);
		fd = open(variant->path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		for (len = 0; len < TEXT_SIZE; len += n) {
			n = read(fd, text + len, 1);
			ASSERT_LE(0, n);
			if (!n)
				break;
		}
		ASSERT_EQ(0, close(fd));
		n = pread(self->fd, after, sizeof(after), 0);
		at_rest = n == self->len && !memcmp(after, self->text, n);
	}
	ASSERT_TRUE(at_rest);
	ASSERT_EQ(self->len, len);
	EXPECT_EQ(0, memcmp(text, self->text, len));
}

TEST_F(hash_stats, read_at_and_past_the_end_gives_nothing)
{
	char text[TEXT_SIZE];

	EXPECT_EQ(0, read(self->fd, text, sizeof(text)));
	EXPECT_EQ(0, pread(self->fd, text, sizeof(text), self->len + 100));
	EXPECT_EQ(1, pread(self->fd, text, sizeof(text), self->len - 1));
	EXPECT_EQ('\n', text[0]);
}

TEST_F(hash_stats, file_can_be_rewound_and_read_again)
{
	struct hash_figures f;

	ASSERT_EQ(self->len, lseek(self->fd, 0, SEEK_CUR));
	ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
	self->len = read(self->fd, self->text, sizeof(self->text));
	ASSERT_LT(0, self->len);
	EXPECT_EQ(0, figures_check(&f, self->text, self->len));
}

TEST_F(hash_stats, file_cannot_be_written)
{
	EXPECT_EQ(-EINVAL, write_text(variant->path, "0"));
	EXPECT_EQ(-EINVAL, write_text(variant->path, self->text));
}

FIXTURE(sidtab) {};

FIXTURE_SETUP(sidtab)
{
	const char *reason = no_relabelling();

	if (reason)
		SKIP(return, "%s", reason);
}

FIXTURE_TEARDOWN(sidtab) {}

/* The table must not only count them, but find room for them evenly enough. */
TEST_F(sidtab, each_new_context_is_one_entry)
{
	const unsigned int count = 1000;
	struct hash_figures before, after;
	char context[CONTEXT_SIZE];
	unsigned int i;

	ASSERT_EQ(0, figures_read(&before, SIDTAB_HASH_STATS));
	for (i = 0; i < count; i++) {
		context_of_chance(context);
		ASSERT_EQ(0, context_check(context))
			TH_LOG("%s", context);
	}
	ASSERT_EQ(0, figures_read(&after, SIDTAB_HASH_STATS));

	EXPECT_EQ(before.entries + count, after.entries);
	EXPECT_EQ(before.buckets, after.buckets);
	EXPECT_LE(before.buckets_used, after.buckets_used);
	EXPECT_LE(before.longest_chain, after.longest_chain);
	/* By chance, 1,000 entries leave 14 % of 512 buckets empty. */
	EXPECT_LE(after.buckets / 2, after.buckets_used);
}

TEST_F(sidtab, context_used_again_is_one_entry_still)
{
	struct hash_figures before, after;
	char context[CONTEXT_SIZE];
	unsigned int i;

	context_of_chance(context);
	ASSERT_EQ(0, figures_read(&before, SIDTAB_HASH_STATS));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, context_check(context));
	ASSERT_EQ(0, figures_read(&after, SIDTAB_HASH_STATS));
	EXPECT_EQ(before.entries + 1, after.entries);
}

TEST_F(sidtab, invalid_context_is_no_entry)
{
	static const char * const invalid[] = {
		"no_user:no_role:no_type:s0", "no_context", ":::", "",
	};
	struct hash_figures before, after;
	unsigned int i;

	ASSERT_EQ(0, figures_read(&before, SIDTAB_HASH_STATS));
	for (i = 0; i < ARRAY_SIZE(invalid); i++) {
		EXPECT_EQ(-EINVAL, context_check(invalid[i]))
			TH_LOG("context %u", i);
	}
	ASSERT_EQ(0, figures_read(&after, SIDTAB_HASH_STATS));
	EXPECT_EQ(before.entries, after.entries);
}

TEST_HARNESS_MAIN
