// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's init: everything that runs in a booted test kernel starts here.
 *
 * Arguments, as the kernel passes them on from behind "--" on its command line:
 *
 *	init OUTPUT END ACTION...
 *
 * OUTPUT is the terminal that the host reads. END is how to end the guest: by
 * "reboot" where the machine takes that for its end, or by "poweroff". Each
 * ACTION is one of
 *
 *	workload  label a tmpfs with real types and let real domains work in it
 *	stats     print the statistics files, and the hash lines of the boot log
 *	rules     print a digest of the policy that is in force
 *	tests     run every program in /tests named *_test, with a time limit
 *	softirq   run /tests/sid2str_softirq, which needs audit
 *	bench     measure every case of bench.c, and print the figures
 *	samples   print avc/hash_stats a hundred times while the workload goes on
 *	trace     print what ftrace tells of the time that functions take
 *	create    run /tests/create_bench, which measures a server's questions
 *	passsec   run /tests/passsec_bench, which measures reading from a socket
 *	hang      never end, to see what the host makes of that
 *	panic     end init, which panics the kernel, for the same reason
 *
 * The last line on OUTPUT is "guest: status N": 0 if every action was done.
 * Without that line the guest died.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define POLICY		"/policy"
#define FILE_CONTEXTS	"/file_contexts"
#define INIT_CONTEXT	"system_u:system_r:init_t:s0"

#define BENCH		"/sys/kernel/debug/selinux_bench"
#define BENCH_RUNS	3
#define BENCH_MSECS	200

#define TEST_SECONDS	180	/* the slowest takes about 20 without KVM, alone */

static int end = RB_POWER_OFF;

static void end_guest(int status)
{
	printf("guest: status %d\n", status);
	fflush(stdout);
	tcdrain(STDOUT_FILENO);
	sync();
	reboot(end);
	_exit(status);	/* the kernel panics, and the host sees that */
}

void die(const char *fmt, ...)
{
	va_list ap;

	printf("guest: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	end_guest(1);
	_exit(1);
}

void mount_at(const char *type, const char *dir)
{
	mkdir(dir, 0755);
	if (mount(type, dir, type, 0, NULL) && errno != EBUSY)
		die("cannot mount %s at %s: %s", type, dir, strerror(errno));
}

static void open_output(const char *path)
{
	struct termios tio;
	int fd = open(path, O_RDWR | O_NOCTTY);

	if (fd < 0)
		fd = open("/dev/console", O_RDWR | O_NOCTTY);
	if (fd < 0)
		return;	/* nobody would hear a complaint */
	if (!tcgetattr(fd, &tio)) {
		cfmakeraw(&tio);
		tcsetattr(fd, TCSANOW, &tio);
	}
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Write @len bytes in one write(); return 0 or an errno. */
int write_once(const char *path, const void *buf, size_t len)
{
	int fd = open(path, O_WRONLY), rc = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, buf, len);
	if (n != (ssize_t)len)
		rc = n < 0 ? errno : EIO;
	close(fd);
	return rc;
}

/* The whole of a file, with a NUL behind it; owned by the caller. */
char *read_whole(const char *path, size_t *len)
{
	size_t size = 0, used = 0;
	char *buf = NULL;
	ssize_t n;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die("cannot open %s: %s", path, strerror(errno));
	do {
		if (used + 1 >= size) {
			size = size ? 2 * size : 65536;
			buf = realloc(buf, size);
			if (!buf)
				die("no memory for %s", path);
		}
		n = read(fd, buf + used, size - used - 1);
		if (n < 0)
			die("cannot read %s: %s", path, strerror(errno));
		used += n;
	} while (n);
	close(fd);
	buf[used] = '\0';
	if (len)
		*len = used;
	return buf;
}

/*
 * Print what the kernel logged since boot, without the prefix: the lines that
 * have @text, but not those that have @except, which may be NULL.
 */
static void print_log_lines(const char *text, const char *except)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[8192];
	ssize_t n;

	if (fd < 0)
		die("cannot open /dev/kmsg: %s", strerror(errno));
	for (;;) {
		char *line;

		n = read(fd, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE)
			continue;	/* overwritten meanwhile: go on with the next */
		if (n <= 0)
			break;
		record[n] = '\0';
		line = strchr(record, ';');
		if (!line)
			continue;
		line++;
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, text) && !(except && strstr(line, except)))
			printf("%s\n", line);
	}
	close(fd);
}

/* What the files that ask the policy promise as long as there is none. */
static void before_policy(void)
{
	static const char cache[] = SELINUXFS "/ss/sid2str_cache_stats";
	int fd = open(SELINUXFS "/ss/sidtab_hash_stats", O_RDONLY);
	char *text, byte;

	if (fd < 0 || read(fd, &byte, 1) >= 0 || errno != EINVAL)
		die("ss/sidtab_hash_stats does not fail with EINVAL before a policy is loaded");
	close(fd);
	if (access(cache, R_OK))
		return;	/* without the series, or without a cache */
	text = read_whole(cache, NULL);
	if (strncmp(text, "entries: 0/", strlen("entries: 0/")))
		die("before a policy is loaded, ss/sid2str_cache_stats says: %s", text);
	free(text);
}

static void load_policy(void)
{
	size_t len;
	char *policy = read_whole(POLICY, &len);
	int err = write_once(SELINUXFS "/load", policy, len);

	free(policy);
	if (err) {
		print_log_lines("SELinux:", NULL);
		die("the kernel refused the policy (%zu bytes): %s", len, strerror(err));
	}
}

struct list files, domains;

static bool list_has(const struct list *l, const char *str)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->str[i], str))
			return true;
	return false;
}

static void list_add(struct list *l, const char *str)
{
	if (list_has(l, str))
		return;
	l->str = realloc(l->str, (l->n + 1) * sizeof(*l->str));
	if (!l->str)
		die("no memory");
	l->str[l->n] = strdup(str);
	if (!l->str[l->n++])
		die("no memory");
}

/* The type of a context: what stands between its second and third colon. */
static const char *type_of(const char *context, size_t *len)
{
	const char *type = strchr(context, ':');

	type = type ? strchr(type + 1, ':') : NULL;
	if (!type)
		die("%s is not a context", context);
	type++;
	*len = strcspn(type, ":");
	return type;
}

static bool type_ends_with(const char *context, const char *suffix)
{
	size_t len, suffix_len = strlen(suffix);
	const char *type = type_of(context, &len);

	return len > suffix_len && !strncmp(type + len - suffix_len, suffix, suffix_len);
}

/* Do both types begin with the same word, as sshd_t and sshd_key_t do? */
static bool types_are_akin(const char *a, const char *b)
{
	size_t len;
	const char *type_a = type_of(a, &len), *type_b = type_of(b, &len);
	size_t word = strcspn(type_a, "_");

	return !strncmp(type_a, type_b, word + 1);
}

/* Every context that the policy's file_contexts gives to a file. */
static void read_file_contexts(void)
{
	char *text = read_whole(FILE_CONTEXTS, NULL), *line, *next;

	for (line = text; *line; line = next) {
		char *context;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (*line == '#')
			continue;
		context = strpbrk(line, " \t");
		context = context ? strrchr(line, '\t') ?: strrchr(line, ' ') : NULL;
		if (context && strchr(context, ':'))
			list_add(&files, context + 1);
	}
	free(text);
}

/* The domain that init enters by executing a file, as the policy decides it. */
static void add_domain(const char *exec_context, const char *process)
{
	char query[512], domain[512];
	int fd = open(SELINUXFS "/create", O_RDWR);
	ssize_t n;

	if (fd < 0)
		die("cannot open %s/create: %s", SELINUXFS, strerror(errno));
	snprintf(query, sizeof(query), "%s %s %s", INIT_CONTEXT, exec_context, process);
	if (write(fd, query, strlen(query)) > 0) {
		n = read(fd, domain, sizeof(domain) - 1);
		if (n > 0) {
			domain[n] = '\0';
			if (strcmp(domain, INIT_CONTEXT))
				list_add(&domains, domain);
		}
	}
	close(fd);
}

/* What a process does with one file, whether it may or not: this is permissive. */
static void use_file(const char *path)
{
	struct stat st;
	char buf[16];
	int fd;

	stat(path, &st);
	access(path, X_OK);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		if (read(fd, buf, sizeof(buf)) < 0)
			perror(path);
		close(fd);
	}
	fd = open(path, O_WRONLY | O_APPEND);
	if (fd >= 0)
		close(fd);
}

static void use_sockets(void)
{
	static const int type[] = { SOCK_STREAM, SOCK_DGRAM };
	int pair[2];

	for (unsigned int i = 0; i < 2; i++) {
		int fd = socket(AF_INET, type[i], 0);

		if (fd >= 0)
			close(fd);
		if (!socketpair(AF_UNIX, type[i], 0, pair)) {
			if (write(pair[0], "x", 1) != 1)
				perror("socketpair");
			close(pair[0]);
			close(pair[1]);
		}
	}
}

/* One process in @domain: its own files, those that everybody reads, sockets. */
void work_in_domain(const char *domain)
{
	static const char * const common[] = {
		"etc_t", "lib_t", "ld_so_t", "ld_so_cache_t", "locale_t", "bin_t",
		"usr_t", "proc_t", "var_log_t", "tmp_t", "root_t", "null_device_t",
	};
	char path[64];
	pid_t pid = fork();

	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}

	if (write_once("/proc/self/attr/current", domain, strlen(domain)))
		_exit(0);	/* not a context that a process can have */
	for (size_t i = 0; i < files.n; i++) {
		bool use = types_are_akin(domain, files.str[i]);

		for (unsigned int j = 0; !use && j < sizeof(common) / sizeof(*common); j++) {
			size_t len;
			const char *type = type_of(files.str[i], &len);

			use = len == strlen(common[j]) && !strncmp(type, common[j], len);
		}
		if (use) {
			snprintf(path, sizeof(path), "/work/%zu", i);
			use_file(path);
		}
	}
	use_sockets();
	kill(getppid(), 0);
	_exit(0);
}

static const char * const stats_files[] = {
	SELINUXFS "/avc/hash_stats",
	SELINUXFS "/ss/sidtab_hash_stats",
	SELINUXFS "/ss/sid2str_cache_stats",	/* not without the series */
	SELINUXFS "/avc/cache_threshold",
	SELINUXFS "/avc/cache_stats",
};

unsigned int avc_entries(void)
{
	unsigned int entries = 0;
	char *text;

	/*
	 * Read all that stats() reads, and write where it writes. It then finds
	 * its own access vectors in the cache, and adds none that would make a
	 * full one reclaim.
	 */
	if (write(STDOUT_FILENO, "", 0) < 0)
		die("cannot write to the output: %s", strerror(errno));
	print_log_lines("no line has this text", NULL);
	for (unsigned int i = 0; i < sizeof(stats_files) / sizeof(*stats_files); i++)
		if (!access(stats_files[i], R_OK))
			free(read_whole(stats_files[i], NULL));

	text = read_whole(SELINUXFS "/avc/hash_stats", NULL);
	if (sscanf(text, "entries: %u", &entries) != 1)
		die("cannot understand avc/hash_stats: %s", text);
	free(text);
	return entries;
}

static void workload(void)
{
	char *process = read_whole(SELINUXFS "/class/process/index", NULL);
	unsigned int threshold, full, labelled = 0, rounds = 0;
	char *text = read_whole(SELINUXFS "/avc/cache_threshold", NULL);
	char path[64];

	threshold = strtoul(text, NULL, 10);
	free(text);
	full = threshold - threshold / 64;

	read_file_contexts();
	mount_at("tmpfs", "/work");
	for (size_t i = 0; i < files.n; i++) {
		int fd;

		snprintf(path, sizeof(path), "/work/%zu", i);
		fd = open(path, O_WRONLY | O_CREAT, 0755);
		if (fd < 0)
			die("cannot create %s: %s", path, strerror(errno));
		if (!fsetxattr(fd, "security.selinux", files.str[i], strlen(files.str[i]) + 1, 0))
			labelled++;
		close(fd);
		if (type_ends_with(files.str[i], "_exec_t"))
			add_domain(files.str[i], process);
	}
	free(process);
	printf("guest: %u files labelled, %zu domains at work\n", labelled, domains.n);
	if (labelled < 200 || domains.n < 50)
		die("too few of the policy's file contexts are valid in it");

	/*
	 * An insertion above the threshold reclaims 16 entries at least, so a
	 * full cache swings between the threshold and about 16 less. Stop in
	 * the upper part of that, after at least one whole round.
	 */
	do {
		for (size_t i = 0; i < domains.n; i++) {
			work_in_domain(domains.str[i]);
			if (rounds && avc_entries() >= full)
				break;
		}
	} while (avc_entries() < full && ++rounds < 10);

	if (avc_entries() < full)
		die("the access vector cache did not fill: %u of %u entries",
		    avc_entries(), threshold);
}

static void stats(void)
{
	printf("\n== kernel log: hash tables of the policy that are not empty\n");
	print_log_lines("buckets used", ":  0 entries");
	for (unsigned int i = 0; i < sizeof(stats_files) / sizeof(*stats_files); i++) {
		char *text;
		size_t len;

		if (access(stats_files[i], R_OK))
			continue;
		text = read_whole(stats_files[i], NULL);
		len = strlen(text);
		printf("\n== %s\n%s%s", stats_files[i], text,
		       len && text[len - 1] == '\n' ? "" : "\n");
		free(text);
	}
}

/* Run a program, for @seconds at most; return its status as wait() gives it. */
static int run_program(const char *path, const char *arg, unsigned int seconds, bool *timed_out)
{
	struct timespec tick = { .tv_nsec = 20 * 1000 * 1000 };
	time_t deadline = time(NULL) + seconds;
	int status = -1;
	pid_t pid;

	*timed_out = false;
	pid = fork();
	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (!pid) {
		setpgid(0, 0);
		execl(path, path, arg, (char *)NULL);
		printf("guest: cannot run %s: %s\n", path, strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (!*timed_out && time(NULL) > deadline) {
			*timed_out = true;
			kill(-pid, SIGKILL);
		}
		nanosleep(&tick, NULL);
	}
	kill(-pid, SIGKILL);	/* whatever it left behind */
	return status;
}

/* Run a program without which there is nothing to tell. */
void run_or_die(const char *path, const char *arg)
{
	bool timed_out;
	int status = run_program(path, arg, TEST_SECONDS, &timed_out);

	if (status)
		die("%s failed (wait status %d)", path, status);
}

static void rules(void)
{
	run_or_die("/tests/policy_rules", SELINUXFS "/policy");
}

static void passsec(void)
{
	run_or_die("/tests/passsec_bench", NULL);
}

static int is_test(const struct dirent *entry)
{
	const char *suffix = strrchr(entry->d_name, '_');

	return suffix && !strcmp(suffix, "_test");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The host checks each program's TAP lines against its plan and this summary. */
static void run_test(const char *name)
{
	char path[512];
	bool timed_out;
	int status;

	setenv("SELINUX_POLICY", POLICY, 1);
	snprintf(path, sizeof(path), "/tests/%s", name);
	printf("guest: test %s begins\n", name);
	fflush(stdout);
	status = run_program(path, NULL, TEST_SECONDS, &timed_out);
	if (timed_out)
		printf("guest: test %s ended: killed after %d s\n", name, TEST_SECONDS);
	else if (WIFSIGNALED(status))
		printf("guest: test %s ended: signal %d\n", name, WTERMSIG(status));
	else
		printf("guest: test %s ended: exit %d\n", name, WEXITSTATUS(status));
}

static void tests(void)
{
	struct dirent **entry;
	int n = scandir("/tests", &entry, is_test, by_name);

	if (n < 0)
		die("cannot read /tests: %s", strerror(errno));
	for (int i = 0; i < n; i++)
		run_test(entry[i]->d_name);
}

static void softirq(void)
{
	run_test("sid2str_softirq");
}

/* What the kernel counts of its cache of context strings, if it does. */
struct sid2str_stats {
	bool counted;
	unsigned long hits, misses, evictions, skipped;
};

static struct sid2str_stats sid2str_stats(void)
{
	static const char path[] = SELINUXFS "/ss/sid2str_cache_stats";
	struct sid2str_stats stats = {};
	char *text;

	if (access(path, R_OK))
		return stats;
	text = read_whole(path, NULL);
	if (sscanf(text, "entries: %*u/%*u hits: %lu misses: %lu evictions: %lu skipped: %lu",
		   &stats.hits, &stats.misses, &stats.evictions, &stats.skipped) != 4)
		die("cannot understand %s: %s", path, text);
	free(text);
	stats.counted = true;
	return stats;
}

/*
 * Measure one case of bench.c. Print what that says, and what the cache counted
 * meanwhile, which includes the few calls that prepare the case.
 */
static void bench_case(const char *name, unsigned int threads)
{
	struct sid2str_stats before = sid2str_stats(), after;
	char request[128], answer[256];
	int fd = open(BENCH, O_RDWR);
	ssize_t n;

	if (fd < 0)
		die("cannot open %s: %s", BENCH, strerror(errno));
	snprintf(request, sizeof(request), "%s %u %u", name, threads, BENCH_MSECS);
	if (write(fd, request, strlen(request)) < 0) {
		int err = errno;

		print_log_lines("selinux_bench:", NULL);
		die("%s with %u threads cannot be measured: %s", name, threads, strerror(err));
	}
	n = pread(fd, answer, sizeof(answer) - 1, 0);
	if (n <= 0)
		die("cannot read %s: %s", BENCH, strerror(errno));
	close(fd);
	answer[n] = '\0';
	answer[strcspn(answer, "\n")] = '\0';

	after = sid2str_stats();
	if (after.counted)
		printf("bench: %s %lu %lu %lu %lu\n", answer,
		       after.hits - before.hits, after.misses - before.misses,
		       after.evictions - before.evictions, after.skipped - before.skipped);
	else
		printf("bench: %s - - - -\n", answer);
}

static void bench(void)
{
	char *cases, *line, name[64];
	unsigned int most;

	mount_at("debugfs", "/sys/kernel/debug");
	cases = read_whole(BENCH, NULL);
	/* what disturbs for a while is not to fall on all runs of one case */
	for (int run = 0; run < BENCH_RUNS; run++)
		for (line = cases; sscanf(line, "%63s %u", name, &most) == 2; line = strchr(line, '\n') + 1)
			for (unsigned int threads = 1; threads <= most; threads++)
				bench_case(name, threads);
	free(cases);
}

static void hang(void)
{
	for (;;)
		pause();
}

static void panic(void)
{
	_exit(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} action[] = {
		{ "workload", workload },
		{ "stats", stats },
		{ "rules", rules },
		{ "tests", tests },
		{ "softirq", softirq },
		{ "bench", bench },
		{ "samples", samples },
		{ "trace", trace },
		{ "create", create },
		{ "passsec", passsec },
		{ "hang", hang },
		{ "panic", panic },
	};

	if (argc > 2 && !strcmp(argv[2], "reboot"))
		end = RB_AUTOBOOT;
	mount_at("devtmpfs", "/dev");
	open_output(argc > 1 ? argv[1] : "/dev/console");
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("selinuxfs", SELINUXFS);
	mount_at("tmpfs", "/tmp");

	before_policy();
	printf("guest: loading the policy\n");
	load_policy();
	if (write_once("/proc/self/attr/current", INIT_CONTEXT, strlen(INIT_CONTEXT)))
		die("cannot enter %s", INIT_CONTEXT);

	for (int i = 3; i < argc; i++) {
		unsigned int j;

		for (j = 0; j < sizeof(action) / sizeof(*action); j++)
			if (!strcmp(argv[i], action[j].name))
				break;
		if (j == sizeof(action) / sizeof(*action))
			die("unknown action %s", argv[i]);
		printf("guest: %s\n", action[j].name);
		action[j].run();
	}
	end_guest(0);
}
