// SPDX-License-Identifier: GPL-2.0-only
/*
 * What SELinux costs a server that labels the objects it creates for others.
 *
 * An X server that asks the policy does this for each window (measured in 2009, by
 * x11perf -create, see "X+SELinux performance work" on the SELinux list): which
 * label does the object get, may the client add it to its parent, and may it create
 * it. These are questions about three contexts: the client's, the parent's and the
 * object's. Here a client asks for one object after the other, by a datagram each,
 * and the server reads the request, makes the object, gives it its label as a
 * string, and forgets the oldest one. It does so on each of these rungs, which are
 * ways to ask:
 *
 *	none      nothing is asked, and there is no label
 *	kernel    the kernel, each time; contexts as users see them, which
 *	          mcstransd translates; netlink is polled before each question
 *	avc       permissions are cached, in libselinux's AVC
 *	create    and so are labels of new objects
 *	no-poll   and the kernel's status page is looked at, instead of netlink
 *	raw       as "create", with contexts as the kernel sees them
 *	all       with all three: cached, the status page, and raw
 *
 *	create_bench [EVENTS [ROUNDS]]
 *
 * A line for each rung in each round, with the nanoseconds that passed:
 *
 *	create: RUNG ROUND EVENTS NANOSECONDS
 *
 * Needs libselinux, a policy in force that has the class x_drawable and a user
 * unconfined_u, and mcstransd.
 */

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <selinux/avc.h>
#include <selinux/selinux.h>

#define EVENTS		2000
#define ROUNDS		3
#define WARM_UP		64	/* events before those that are measured */
#define OBJECTS		256	/* that exist at once */

#define CLIENT		"unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023"
#define SETRANS_SOCKET	"/var/run/setrans/.setrans-unix"

struct rung {
	const char *name;
	bool asks;
	bool avc;	/* permissions from the AVC */
	bool create;	/* labels of new objects, too */
	bool status;	/* page; otherwise netlink */
	bool raw;
};

static const struct rung rungs[] = {
	{ "none" },
	{ "kernel", .asks = true },
	{ "avc", .asks = true, .avc = true },
	{ "create", .asks = true, .avc = true, .create = true },
	{ "no-poll", .asks = true, .avc = true, .create = true, .status = true },
	{ "raw", .asks = true, .avc = true, .create = true, .raw = true },
	{ "all", .asks = true, .avc = true, .create = true, .status = true, .raw = true },
};

struct request {
	unsigned int id, parent;
	short x, y;
	unsigned short width, height;
};

struct object {
	struct request request;
	char *label;
};

static security_class_t drawable;
static access_vector_t add_child, create;
static char *client, *client_raw, *parent, *parent_raw;
static struct object objects[OBJECTS];

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Has the policy changed? The libraries' caches are emptied then. */
static void look_for_news(const struct rung *rung)
{
	if (rung->status ? selinux_status_updated() < 0 : avc_netlink_check_nb() < 0)
		err(1, "cannot look for a change of policy");
}

static void get_sid(const struct rung *rung, const char *context, security_id_t *sid)
{
	if (rung->raw ? avc_context_to_sid_raw(context, sid) : avc_context_to_sid(context, sid))
		err(1, "no SID for %s", context);
}

/* What is denied is nothing to us. */
static void check(const struct rung *rung, security_id_t source, const char *source_context,
		  security_id_t target, const char *target_context, access_vector_t wanted)
{
	struct avc_entry_ref ref;
	struct av_decision avd;

	look_for_news(rung);
	if (rung->avc) {
		avc_entry_ref_init(&ref);
		errno = 0;
		if (avc_has_perm_noaudit(source, target, drawable, wanted, &ref, &avd) &&
		    errno != EACCES)
			err(1, "the AVC fails for %s on %s", source_context, target_context);
	} else if (rung->raw ?
		   security_compute_av_raw(source_context, target_context, drawable, wanted, &avd) :
		   security_compute_av(source_context, target_context, drawable, wanted, &avd)) {
		err(1, "no decision for %s on %s", source_context, target_context);
	}
}

/* Return the label of a new object, which the caller frees. */
static char *ask(const struct rung *rung)
{
	const char *source = rung->raw ? client_raw : client;
	const char *target = rung->raw ? parent_raw : parent;
	security_id_t source_sid = NULL, target_sid = NULL, sid = NULL;
	char *label;
	int rc;

	if (rung->avc) {
		get_sid(rung, source, &source_sid);
		get_sid(rung, target, &target_sid);
	}

	look_for_news(rung);
	if (rung->create) {
		if (avc_compute_create(source_sid, target_sid, drawable, &sid))
			err(1, "no label for %s on %s", source, target);
		rc = rung->raw ? avc_sid_to_context_raw(sid, &label) :
				 avc_sid_to_context(sid, &label);
	} else {
		rc = rung->raw ? security_compute_create_raw(source, target, drawable, &label) :
				 security_compute_create(source, target, drawable, &label);
	}
	if (rc)
		err(1, "no label for %s on %s", source, target);
	if (rung->avc && !rung->create)
		get_sid(rung, label, &sid);

	check(rung, source_sid, source, target_sid, target, add_child);
	check(rung, source_sid, source, sid, label, create);
	return label;
}

static void serve(const struct rung *rung, int fd)
{
	struct request request;
	struct object *object;

	if (recv(fd, &request, sizeof(request), 0) != sizeof(request))
		err(1, "cannot read a request");
	object = &objects[request.id % OBJECTS];
	free(object->label);
	object->request = request;
	object->label = rung->asks ? ask(rung) : NULL;
}

static void ask_for_objects(int fd, unsigned int n)
{
	struct request request = { .parent = 1, .width = 10, .height = 10 };

	for (request.id = 0; request.id < n; request.id++)
		if (send(fd, &request, sizeof(request), 0) != sizeof(request))
			err(1, "cannot send a request");
}

static void measure(const struct rung *rung, unsigned int round, unsigned int events)
{
	unsigned long long start;
	unsigned int i;
	int pair[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		err(1, "cannot make sockets");
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (!pid) {
		ask_for_objects(pair[1], WARM_UP + events);
		_exit(0);
	}
	for (i = 0; i < WARM_UP; i++)
		serve(rung, pair[0]);
	start = now();
	for (i = 0; i < events; i++)
		serve(rung, pair[0]);
	printf("create: %s %u %u %llu\n", rung->name, round, events, now() - start);
	fflush(stdout);
	close(pair[0]);
	close(pair[1]);
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the client failed");
}

static unsigned int positive(const char *text, const char *what)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!n || *end || n > 1000000)
		errx(1, "%s is not a number of %s", text, what);
	return n;
}

/* Errors are returned as well. */
static int say_nothing(int type, const char *fmt, ...)
{
	return 0;
}

static void prepare(void)
{
	union selinux_callback callback = { .func_log = say_nothing };

	selinux_set_callback(SELINUX_CB_LOG, callback);
	if (is_selinux_enabled() != 1)
		errx(1, "SELinux is not enabled, or no policy is loaded");
	if (access(SETRANS_SOCKET, F_OK))
		errx(1, "mcstransd does not run: there is no %s", SETRANS_SOCKET);
	drawable = string_to_security_class("x_drawable");
	if (!drawable)
		errx(1, "the policy has no class x_drawable");
	add_child = string_to_av_perm(drawable, "add_child");
	create = string_to_av_perm(drawable, "create");
	if (!add_child || !create)
		errx(1, "the class x_drawable has no permission add_child or create");

	client_raw = strdup(CLIENT);
	/* a window that the client has already */
	if (!client_raw ||
	    security_compute_create_raw(client_raw, client_raw, drawable, &parent_raw))
		err(1, "%s gets no window", CLIENT);
	if (selinux_raw_to_trans_context(client_raw, &client) ||
	    selinux_raw_to_trans_context(parent_raw, &parent))
		err(1, "contexts cannot be translated");
	if (!strcmp(client, client_raw))
		errx(1, "mcstransd does not translate %s", client_raw);

	/* With a socket of ours, libselinux looks for news only when we say so. */
	if (avc_open(NULL, 0) || avc_netlink_acquire_fd() < 0)
		err(1, "cannot set up libselinux's AVC");
}

int main(int argc, char **argv)
{
	unsigned int events = EVENTS, rounds = ROUNDS, round, i;

	if (argc > 3)
		errx(1, "usage: create_bench [EVENTS [ROUNDS]]");
	if (argc > 1)
		events = positive(argv[1], "events");
	if (argc > 2)
		rounds = positive(argv[2], "rounds");
	prepare();
	for (round = 1; round <= rounds; round++)
		for (i = 0; i < sizeof(rungs) / sizeof(*rungs); i++)
			measure(&rungs[i], round, events);
	return 0;
}
