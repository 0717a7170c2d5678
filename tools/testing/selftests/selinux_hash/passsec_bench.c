// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the context of a sender costs whoever reads its datagrams.
 *
 * A socket with SO_PASSSEC gets the sender's context as a string with every
 * message, which the kernel makes in security_secid_to_secctx(). journald reads
 * its sockets like this. Here is its reading, and nothing else that it does: for
 * each message FIONREAD and recvmsg(), with the credentials, the time and the
 * context of the sender. So the share of that function in the reader's CPU time
 * is larger here than in any daemon that also looks at what it has read.
 *
 *	passsec_bench [MESSAGES [ROUNDS]]
 *
 * For each context in each round, once as it is and once profiled, a line
 *
 *	passsec: CASE ROUND MODE CONTEXT_LEN MESSAGES WALL CPU CALLS TIME CALLS0 TIME0 HITS
 *
 * with the nanoseconds that passed and those of the reader's CPU time; calls of
 * security_secid_to_secctx() and nanoseconds in it, with all that it calls; the
 * same of a system call that does next to nothing, which is what the profiler
 * itself adds; and hits of the cache of context strings. "-" is not known.
 *
 * Needs root, permissive mode, and a policy with 1024 categories; to profile,
 * CONFIG_FUNCTION_PROFILER with CONFIG_FUNCTION_GRAPH_TRACER.
 */

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "selinuxfs.h"

#ifndef SCM_SECURITY
#define SCM_SECURITY 0x03
#endif

#define CATEGORIES	1024
#define MESSAGES	4000
#define ROUNDS		5
#define WARM_UP		64	/* messages before those that are measured */
#define CHEAP_CALLS	2000

#define TRACEFS		"/sys/kernel/tracing/"
#define MEASURED	"security_secid_to_secctx"
/* One with an argument: the others have two names, of which ftrace knows one. */
#define CHEAP		"__x64_sys_umask"

static const char line[] =
	"<30>Dec  1 01:14:50 crond[4711]: (root) CMD (run-parts --report /etc/cron.hourly && date)";

struct profile {
	unsigned long calls;
	double ns;
};

/*
 * Contexts of the caller's user, role and type, with no category, with all of
 * them, which print as one range, or with every second one.
 */
static void context_none(char context[TEXT_SIZE])
{
	char *range = context;
	unsigned int i;

	if (read_text("/proc/self/attr/current", context) <= 0)
		errx(1, "cannot read the caller's context");
	for (i = 0; range && i < 3; i++) {
		range = strchr(range, ':');
		range = range ? range + 1 : NULL;
	}
	if (!range)
		errx(1, "%s has no sensitivity", context);
	range[strcspn(range, ":-")] = '\0';
}

static void context_all(char context[TEXT_SIZE])
{
	size_t len;

	context_none(context);
	len = strlen(context);
	snprintf(context + len, TEXT_SIZE - len, ":c0.c%u", CATEGORIES - 1);
}

static void context_alternate(char context[TEXT_SIZE])
{
	unsigned int i;
	size_t len;

	context_none(context);
	len = strlen(context);
	for (i = 0; i < CATEGORIES; i += 2)
		len += snprintf(context + len, TEXT_SIZE - len, "%cc%u",
				i ? ',' : ':', i);
}

static unsigned long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The profiler: is it there, and does it know both functions? */
static bool can_profile(void)
{
	if (mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) &&
	    errno != EBUSY)
		return false;
	if (write_text(TRACEFS "set_ftrace_filter", MEASURED "\n") ||
	    write_text(TRACEFS "function_profile_enabled", "0"))
		return false;
	if (write_text(TRACEFS "set_ftrace_filter", CHEAP "\n"))
		printf("passsec_bench: no function %s: what the profiler adds is not known\n",
		       CHEAP);
	/* time in callees counts, time off the CPU does not */
	if (write_text(TRACEFS "options/graph-time", "1") ||
	    write_text(TRACEFS "options/sleep-time", "0"))
		printf("passsec_bench: cannot set the profiler's options\n");
	return true;
}

/* Of all CPUs, since the profiler was enabled. */
static struct profile profile_of(const char *function)
{
	struct profile sum = { 0 };
	char path[64], text[TEXT_SIZE], name[64], *at;
	unsigned long calls;
	unsigned int cpu;
	double us;

	for (cpu = 0;; cpu++) {
		snprintf(path, sizeof(path), TRACEFS "trace_stat/function%u", cpu);
		if (read_text(path, text) < 0)
			break;
		for (at = text; at; at = strchr(at, '\n')) {
			at += *at == '\n';
			if (sscanf(at, " %63s %lu %lf us", name, &calls, &us) != 3 ||
			    strcmp(name, function))
				continue;
			sum.calls += calls;
			sum.ns += us * 1000;
		}
	}
	if (!cpu)
		errx(1, "no " TRACEFS "trace_stat/function0");
	return sum;
}

/* Hits of the cache since boot, or -1 if this kernel does not count them. */
static long cache_hits(void)
{
	char text[TEXT_SIZE], *hits;

	if (read_text(SELINUXFS "ss/sid2str_cache_stats", text) <= 0)
		return -1;
	hits = strstr(text, "hits: ");
	return hits ? atol(hits + strlen("hits: ")) : -1;
}

/* In the abstract namespace: no file has to be made or found. */
static const struct sockaddr_un address = {
	.sun_family = AF_UNIX,
	.sun_path = "\0passsec_bench",
};

static const socklen_t address_len =
	offsetof(struct sockaddr_un, sun_path) + sizeof("\0passsec_bench") - 1;

static int reader_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, address_len) ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSSEC, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof(on)))
		err(1, "cannot make the reader's socket");
	return fd;
}

static void send_lines(int fd, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (send(fd, line, sizeof(line) - 1, 0) != sizeof(line) - 1)
			err(1, "cannot send");
}

/*
 * The sender, which says when it is ready, and is told when to begin. A message
 * has the context of its socket, which is that of the socket's maker.
 */
static pid_t start_sender(const char *context, unsigned int messages, int *control)
{
	int pair[2], fd, rc;
	pid_t pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		err(1, "no socketpair");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (pid) {
		close(pair[1]);
		*control = pair[0];
		return pid;
	}

	close(pair[0]);
	rc = enter_context(context);
	if (rc)
		errx(1, "cannot enter the sender's context: %s", strerror(-rc));
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, address_len))
		err(1, "cannot connect");
	if (write(pair[1], "r", 1) != 1)
		_exit(1);
	send_lines(fd, WARM_UP);
	if (read(pair[1], &c, 1) != 1)
		_exit(1);
	send_lines(fd, messages);
	_exit(0);
}

struct message {
	char data[256];
	union {
		char control[TEXT_SIZE];
		struct cmsghdr align;
	};
	struct msghdr header;
	size_t len;
};

static void receive(int fd, struct message *m)
{
	struct iovec iov = { .iov_base = m->data, .iov_len = sizeof(m->data) };
	int pending;
	ssize_t n;

	m->header = (struct msghdr) {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = m->control,
		.msg_controllen = sizeof(m->control),
	};
	if (ioctl(fd, FIONREAD, &pending))
		err(1, "FIONREAD");
	n = recvmsg(fd, &m->header, MSG_CMSG_CLOEXEC);
	if (n < 0)
		err(1, "recvmsg");
	m->len = n;
}

/* Does a message have everything that was asked for, from this sender? */
static void check(const struct message *m, const char *context, pid_t sender)
{
	struct msghdr header = m->header;
	bool creds = false, security = false, timestamp = false;
	struct cmsghdr *c;
	struct ucred ucred;
	size_t len;

	for (c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		len = c->cmsg_len - CMSG_LEN(0);
		switch (c->cmsg_type) {
		case SCM_CREDENTIALS:
			memcpy(&ucred, CMSG_DATA(c), sizeof(ucred));
			creds = ucred.pid == sender;
			break;
		case SCM_TIMESTAMP:
			timestamp = true;
			break;
		case SCM_SECURITY:
			if (len && !CMSG_DATA(c)[len - 1])
				len--;
			security = len == strlen(context) &&
				   !memcmp(CMSG_DATA(c), context, len);
			break;
		}
	}
	if (m->len != sizeof(line) - 1 || memcmp(m->data, line, m->len))
		errx(1, "another message came than was sent");
	if (header.msg_flags & MSG_CTRUNC)
		errx(1, "a control message was cut off");
	if (!security)
		errx(1, "SCM_SECURITY is not the sender's context");
	if (!creds || !timestamp)
		errx(1, "no credentials of the sender, or no time");
}

static void measure(int fd, const char *name, const char *context,
		    unsigned int round, bool profiled, unsigned int messages)
{
	struct profile p = { 0 }, cheap = { 0 };
	unsigned long long wall, cpu;
	unsigned int i, odd = 0;
	struct message m;
	long hits;
	size_t controllen;
	int control, status;
	pid_t sender = start_sender(context, messages, &control);
	char c;

	if (read(control, &c, 1) != 1)
		errx(1, "the sender ended");
	for (i = 0; i < WARM_UP; i++) {
		receive(fd, &m);
		check(&m, context, sender);
	}
	controllen = m.header.msg_controllen;

	if (profiled) {
		if (write_text(TRACEFS "function_profile_enabled", "1"))
			errx(1, "cannot enable the profiler");
		for (i = 0; i < CHEAP_CALLS; i++)
			syscall(SYS_umask, 0);
	}
	hits = cache_hits();
	if (write(control, "g", 1) != 1)
		errx(1, "the sender ended");
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < messages; i++) {
		receive(fd, &m);
		odd += m.header.msg_controllen != controllen ||
		       m.header.msg_flags & MSG_CTRUNC;
	}
	cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC) - wall;
	if (hits >= 0)
		hits = cache_hits() - hits;
	if (profiled) {
		if (write_text(TRACEFS "function_profile_enabled", "0"))
			errx(1, "cannot disable the profiler");
		p = profile_of(MEASURED);
		cheap = profile_of(CHEAP);
		if (p.calls != messages)
			errx(1, "%lu calls of " MEASURED " for %u messages", p.calls, messages);
	}
	if (odd)
		errx(1, "%u of %u messages came with less than the others", odd, messages);
	check(&m, context, sender);
	if (waitpid(sender, &status, 0) != sender || status)
		errx(1, "the sender failed (wait status %d)", status);
	close(control);

	printf("passsec: %s %u %s %zu %u %llu %llu", name, round,
	       profiled ? "profiled" : "plain", strlen(context), messages, wall, cpu);
	if (profiled)
		printf(" %lu %.0f %lu %.0f", p.calls, p.ns, cheap.calls, cheap.ns);
	else
		printf(" - - - -");
	if (hits >= 0)
		printf(" %ld\n", hits);
	else
		printf(" -\n");
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !n || n > 100000000)
		errx(1, "%s is not a valid count", text);
	return n;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*context)(char context[TEXT_SIZE]);
	} cases[] = {
		{ "none", context_none },
		{ "all", context_all },
		{ "alternate", context_alternate },
	};
	unsigned int messages = argc > 1 ? number(argv[1]) : MESSAGES;
	unsigned int rounds = argc > 2 ? number(argv[2]) : ROUNDS, round, i;
	char context[TEXT_SIZE];
	bool profiler;
	int fd;

	if (access(SELINUXFS "enforce", F_OK))
		errx(1, "SELinux off or not mounted");
	profiler = can_profile();
	if (!profiler)
		printf("passsec_bench: this kernel has no function profiler\n");
	fd = reader_socket();
	for (round = 1; round <= rounds; round++) {
		for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			cases[i].context(context);
			measure(fd, cases[i].name, context, round, false, messages);
			if (profiler)
				measure(fd, cases[i].name, context, round, true, messages);
		}
	}
	return 0;
}
