// SPDX-License-Identifier: GPL-2.0-only
/*
 * Denials audited where TCP receives, in softirq, while tasks read their own
 * context: both translate SIDs to strings, and so use the same cache. A kernel
 * with CONFIG_PROVE_LOCKING complains if they share a lock in the wrong way.
 *
 * It loads the policy that SELINUX_POLICY names with the capability that makes
 * the kernel check every packet, and that policy itself again at the end. It is
 * no part of the other tests, since it needs audit, whose own translations would
 * be counted there.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "selinuxfs.h"

#define ROUNDS		12
#define CLIENTS		32	/* at a time, each in a context of its own */
#define READERS		3
#define OTHERS		1024	/* strings that push those of the clients out */

/*
 * Of a binary policy: magic, length and text "SE Linux", version, config, two
 * counts; then the capabilities as a bitmap: its unit, highest bit, number of
 * nodes, and of each node the first bit and 64 bits.
 */
#define CAPS_NODES	40
#define CAPS_FIRST_BIT	44
#define CAPS_BITS	48
#define ALWAYS_CHECK_NETWORK 3

static int always_check_network(uint8_t *policy, size_t len)
{
	if (len < CAPS_BITS + 8 || memcmp(policy + 8, "SE Linux", 8) ||
	    !policy[CAPS_NODES] || policy[CAPS_FIRST_BIT])
		return -1;
	policy[CAPS_BITS] |= 1 << ALWAYS_CHECK_NETWORK;
	return 0;
}

static int loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), err;

	err = ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
	return err;
}

/* Count the denials in the kernel's log that name a packet and an interface. */
static unsigned int denials(int kmsg)
{
	unsigned int n = 0;
	char record[8192];
	ssize_t len;

	for (;;) {
		len = read(kmsg, record, sizeof(record) - 1);
		if (len < 0 && errno == EPIPE)
			continue;	/* the log went on without this reader */
		if (len <= 0)
			return n;
		record[len] = '\0';
		if (strstr(record, "avc:  denied") && strstr(record, "netif=lo") &&
		    (strstr(record, "tclass=packet") || strstr(record, "tclass=peer")))
			n++;
	}
}

/* Connect from a context that nobody had before, and wait for a byte. */
static int connect_from(const char *context, const struct sockaddr_in *addr)
{
	char c;
	int fd;

	if (enter_context(context))
		return 1;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		return 2;
	return read(fd, &c, 1) == 1 ? 0 : 3;
}

/* Translations that missed the cache. */
static long strings_made(void)
{
	char text[TEXT_SIZE], *line;

	if (read_text(SELINUXFS "ss/sid2str_cache_stats", text) <= 0)
		return 0;
	line = strstr(text, "misses: ");
	return line ? atol(line + 8) : 0;
}

static void read_own_context(void)
{
	char own[TEXT_SIZE], now[TEXT_SIZE];

	if (read_text("/proc/self/attr/current", own) <= 0)
		_exit(1);
	while (read_text("/proc/self/attr/current", now) > 0 && !strcmp(own, now))
		;
	_exit(1);
}

FIXTURE(softirq)
{
	uint8_t *policy;
	size_t len;
	pid_t reader[READERS];
	int listener, kmsg;
	struct sockaddr_in addr;
};

FIXTURE_SETUP(softirq)
{
	const char *reason = no_relabelling();
	char cmdline[TEXT_SIZE];
	socklen_t len = sizeof(self->addr);
	unsigned int i;

	if (reason)
		SKIP(return, "%s", reason);
	if (read_text("/proc/cmdline", cmdline) > 0 && strstr(cmdline, "audit=0"))
		SKIP(return, "audit is off");
	self->policy = read_file(policy_path(), &self->len);
	if (!self->policy)
		SKIP(return, "SELINUX_POLICY: %s: %s", policy_path(), strerror(errno));
	ASSERT_EQ(0, always_check_network(self->policy, self->len));
	ASSERT_EQ(0, write_bytes(SELINUXFS "load", self->policy, self->len));

	/* every denial in the log, and none on the console */
	ASSERT_EQ(0, write_text("/proc/sys/kernel/printk_ratelimit", "0\n"));
	ASSERT_EQ(0, write_text("/proc/sys/kernel/printk", "5\n"));
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->kmsg);
	lseek(self->kmsg, 0, SEEK_END);

	ASSERT_EQ(0, loopback_up());
	self->listener = socket(AF_INET, SOCK_STREAM, 0);
	self->addr.sin_family = AF_INET;
	self->addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ASSERT_EQ(0, bind(self->listener, (struct sockaddr *)&self->addr, len));
	ASSERT_EQ(0, listen(self->listener, 64));
	ASSERT_EQ(0, getsockname(self->listener, (struct sockaddr *)&self->addr, &len));
	for (i = 0; i < READERS; i++) {
		self->reader[i] = fork();
		ASSERT_LE(0, self->reader[i]);
		if (!self->reader[i])
			read_own_context();
	}
}

FIXTURE_TEARDOWN(softirq)
{
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		/* it ends by itself only if it read something wrong */
		EXPECT_EQ(0, waitpid(self->reader[i], NULL, WNOHANG));
		kill(self->reader[i], SIGKILL);
		waitpid(self->reader[i], NULL, 0);
	}
	free(self->policy);
	self->policy = read_file(policy_path(), &self->len);
	EXPECT_EQ(0, write_bytes(SELINUXFS "load", self->policy, self->len));
	free(self->policy);
}

TEST_F_TIMEOUT(softirq, denials_are_audited_while_tasks_read_their_context, 170)
{
	unsigned int round, i, n = 0, failed = 0;
	char context[CONTEXT_SIZE], chance[CONTEXT_SIZE];
	struct timespec tick = { .tv_nsec = 10 * 1000 * 1000 };
	int fd[CLIENTS], status;
	long missed = 0;
	pid_t pid;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < CLIENTS; i++) {
			context_of_chance(chance);
			ASSERT_NE(NULL, strstr(chance, ":s0"));
			/* a domain that may not use the network */
			snprintf(context, sizeof(context), "system_u:system_r:updpwd_t%s",
				 strstr(chance, ":s0"));
			pid = fork();
			ASSERT_LE(0, pid);
			if (!pid)
				_exit(connect_from(context, &self->addr));
			fd[i] = accept(self->listener, NULL, NULL);
			ASSERT_LE(0, fd[i]);
		}
		/* the cache forgets the strings of the clients, the AVC all */
		for (i = 0; i < OTHERS; i++) {
			context_of_chance(chance);
			ASSERT_EQ(0, context_check(chance));
		}
		n += denials(self->kmsg);
		ASSERT_EQ(0, write_text(SELINUXFS "commit_pending_bools", "1"));

		/*
		 * The clients sleep. So it is in softirq that what they receive
		 * is checked, denied and audited, and their strings are made.
		 */
		missed -= strings_made();
		for (i = 0; i < CLIENTS; i++)
			EXPECT_EQ(1, write(fd[i], "x", 1));
		for (i = 0; i < CLIENTS; i++) {
			wait(&status);
			failed += status != 0;
			close(fd[i]);
		}
		missed += strings_made();
		nanosleep(&tick, NULL);
		n += denials(self->kmsg);
	}
	TH_LOG("%u contexts: %u denials of packets, %ld strings made",
	       ROUNDS * CLIENTS, n, missed);
	EXPECT_EQ(0, failed);
	EXPECT_LE(ROUNDS * CLIENTS, n);
	EXPECT_LE(ROUNDS * CLIENTS, missed);
}

TEST_HARNESS_MAIN
