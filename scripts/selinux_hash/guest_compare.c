// SPDX-License-Identifier: GPL-2.0-only
/*
 * What compare.sh lets a guest measure: how evenly its AVC is filled while real
 * domains work; what functions of SELinux take, as ftrace sees it; and what a
 * server pays that asks SELinux about each object it creates.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define SAMPLES			100
#define SAMPLE_DOMAINS		4	/* that work between two samples */

#define TRACEFS			"/sys/kernel/tracing"
#define TRACE_BUFFER_KB		"49152"	/* of each CPU: some 500,000 calls */
#define TRACE_CALLS		1000	/* of the empty function */
#define TRACE_STRINGS		128	/* that the cache of strings can hold at once */
#define TRACE_WARM_ROUNDS	8
#define TRACE_COLD_ROUNDS	4

/*
 * avc/hash_stats, again and again, while one domain after the other works: the
 * entries, the buckets used and all of them, the longest chain, the quartiles.
 */
void samples(void)
{
	size_t next = 0;

	if (!domains.n)
		die("samples without a workload");
	for (int i = 0; i < SAMPLES; i++) {
		unsigned int entries, used, buckets, longest, q1, med, q3;
		char *text;

		for (int j = 0; j < SAMPLE_DOMAINS; j++)
			work_in_domain(domains.str[next++ % domains.n]);
		text = read_whole(SELINUXFS "/avc/hash_stats", NULL);
		if (sscanf(text, "entries: %u buckets used: %u/%u longest chain: %u non-zero chain q1/med/q3: %u/%u/%u",
			   &entries, &used, &buckets, &longest, &q1, &med, &q3) != 7)
			die("cannot understand avc/hash_stats: %s", text);
		printf("sample: %u %u %u %u %u %u %u\n", entries, used, buckets, longest, q1, med, q3);
		free(text);
	}
}

/* Every access vector out of the AVC: that is what becoming enforcing does. */
static void flush_avc(void)
{
	if (write_once(SELINUXFS "/enforce", "1", 1) || write_once(SELINUXFS "/enforce", "0", 1))
		die("cannot write to " SELINUXFS "/enforce");
}

static unsigned long avc_reclaims(void)
{
	unsigned long sum = 0, reclaims;
	char *text = read_whole(SELINUXFS "/avc/cache_stats", NULL), *line = text;

	/* a heading, and a line for each CPU */
	while ((line = strchr(line, '\n'))) {
		line++;
		if (sscanf(line, "%*u %*u %*u %*u %lu", &reclaims) == 1)
			sum += reclaims;
	}
	free(text);
	return sum;
}

/* The first so many domains, whose access vectors are all in the AVC at once. */
static size_t some;

static void some_domains_work(void)
{
	for (size_t i = 0; i < some; i++)
		work_in_domain(domains.str[i]);
}

/*
 * How many that are: so that the AVC is nearly full, and none of them is ever
 * reclaimed. It is the same number with any hash.
 */
static void choose_domains(void)
{
	unsigned long reclaims = avc_reclaims();

	flush_avc();
	for (some = 0; some < domains.n && avc_entries() < 440; some++)
		work_in_domain(domains.str[some]);
	if (avc_entries() < 440 || avc_reclaims() != reclaims)
		die("%zu domains do not fill the AVC, or reclaim: %u entries", some, avc_entries());
	printf("guest: %zu domains, %u access vectors\n", some, avc_entries());
}

static void work_warm(void)
{
	for (int i = 0; i < TRACE_WARM_ROUNDS; i++)
		some_domains_work();
}

static void work_cold(void)
{
	for (int i = 0; i < TRACE_COLD_ROUNDS; i++) {
		flush_avc();
		some_domains_work();
	}
}

/* A file whose fsync() is a function that only returns 0. */
static void call_empty(void)
{
	int fd = open("/work/0", O_RDONLY);

	if (fd < 0)
		die("cannot open a file of the workload: %s", strerror(errno));
	for (int i = 0; i < TRACE_CALLS; i++)
		fsync(fd);
	close(fd);
}

/* Each context is turned into a SID, and that into a string again. */
static void translate(size_t n)
{
	for (size_t i = 0; i < n; i++)
		write_once(SELINUXFS "/context", files.str[i], strlen(files.str[i]) + 1);
}

static void prepare_strings(void)
{
	translate(TRACE_STRINGS);
}

static void work_strings_hit(void)
{
	for (int i = 0; i < TRACE_WARM_ROUNDS; i++)
		translate(TRACE_STRINGS);
}

/* more than the cache holds, one after the other: none is found */
static void work_strings_miss(void)
{
	translate(files.n);
}

static void prepare_strings_miss(void)
{
	translate(files.n);
}

static const struct {
	const char *name;
	const char *function;
	void (*prepare)(void);	/* not traced; may be NULL */
	void (*work)(void);
} trace_cases[] = {
	{ "empty", "noop_fsync", NULL, call_empty },
	{ "lookup", "avc_lookup", some_domains_work, work_warm },
	{ "check", "avc_has_perm_noaudit", some_domains_work, work_warm },
	{ "rules", "avtab_search_node", some_domains_work, work_cold },
	{ "decision", "security_compute_av", some_domains_work, work_cold },
	{ "string-hit", "security_sid_to_context", prepare_strings, work_strings_hit },
	{ "string-miss", "security_sid_to_context", prepare_strings_miss, work_strings_miss },
};

/* Instead of what was set before: some files of tracefs are lists, and "trace" a buffer. */
static void set(const char *file, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die("cannot write %s to %s: %s", value, path, strerror(errno));
	close(fd);
}

static int by_value(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

/* What the ring buffers of all CPUs had no room for. */
static unsigned long lost_events(void)
{
	static const char * const what[] = { "overrun: ", "commit overrun: ", "dropped events: " };
	unsigned long lost = 0;
	char path[64];

	for (int cpu = 0;; cpu++) {
		char *text;

		snprintf(path, sizeof(path), TRACEFS "/per_cpu/cpu%d/stats", cpu);
		if (access(path, R_OK))
			return lost;
		text = read_whole(path, NULL);
		for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
			char *line = strstr(text, what[i]);

			if (!line)
				die("cannot understand %s: %s", path, text);
			lost += strtoul(line + strlen(what[i]), NULL, 10);
		}
		free(text);
	}
}

/* When the clock, which may be a coarse one, changes next: the time, and the ticks. */
static unsigned long long next_change(unsigned long long *ticks)
{
	struct timespec t, now;

	clock_gettime(CLOCK_MONOTONIC, &t);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		*ticks = __builtin_ia32_rdtsc();
	} while (now.tv_sec == t.tv_sec && now.tv_nsec == t.tv_nsec);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/*
 * The traces are in ticks of the CPU's counter: a kernel that boots on a busy machine
 * may not find out how fast that is, and then has no other clock that is fine enough.
 */
static void print_tick_rate(void)
{
	unsigned long long ticks[2], nsecs[2];

	nsecs[0] = next_change(&ticks[0]);
	sleep(1);
	nsecs[1] = next_change(&ticks[1]);
	printf("ticks: %llu %llu\n", ticks[1] - ticks[0], nsecs[1] - nsecs[0]);
}

/*
 * Print the number of calls that were traced, the events that got lost, and the
 * percentiles of the calls' duration, from 0 to 100, in ticks.
 */
static void print_trace(const char *name, const char *function)
{
	FILE *f = fopen(TRACEFS "/trace", "r");
	size_t n = 0, room = 0, size = 0;
	unsigned long *ticks = NULL;
	char *line = NULL;

	if (!f)
		die("cannot open " TRACEFS "/trace: %s", strerror(errno));
	while (getline(&line, &size, f) > 0) {
		char *unit = strstr(line, " us ");
		double thousands;	/* which ftrace takes for microseconds */

		if (line[0] == '#' || !unit)
			continue;
		/* a mark of what takes long may stand before the figure */
		if (!strstr(unit, function) ||
		    sscanf(line + strcspn(line, "0123456789"), "%lf us", &thousands) != 1)
			die("%s is traced, and there is this line: %s", function, line);
		if (n == room) {
			room = room ? 2 * room : 65536;
			ticks = realloc(ticks, room * sizeof(*ticks));
			if (!ticks)
				die("no memory for a trace");
		}
		ticks[n++] = thousands * 1000 + 0.5;
	}
	fclose(f);
	free(line);
	if (!n)
		die("%s was not called once", function);

	qsort(ticks, n, sizeof(*ticks), by_value);
	printf("trace: %s %s %zu %lu", name, function, n, lost_events());
	for (int i = 0; i <= 100; i++)
		printf(" %lu", ticks[(i * (n - 1) + 50) / 100]);
	printf("\n");
	free(ticks);
}

/* One function after the other, so that none is traced within another one. */
void trace(void)
{
	static const char * const off[] = {
		"options/funcgraph-cpu", "options/funcgraph-overhead", "options/sleep-time",
	};
	char pid[16];

	if (!domains.n)
		die("trace without a workload");
	mount_at("tracefs", TRACEFS);
	choose_domains();
	print_tick_rate();
	snprintf(pid, sizeof(pid), "%d", getpid());
	set("tracing_on", "0");
	set("trace_clock", "x86-tsc");
	set("buffer_size_kb", TRACE_BUFFER_KB);
	set("set_ftrace_pid", pid);
	set("options/function-fork", "1");
	for (size_t i = 0; i < sizeof(trace_cases) / sizeof(*trace_cases); i++) {
		set("set_ftrace_filter", trace_cases[i].function);
		set("current_tracer", "function_graph");
		for (size_t j = 0; j < sizeof(off) / sizeof(*off); j++)
			set(off[j], "0");
		set("options/funcgraph-tail", "1");
		if (trace_cases[i].prepare)
			trace_cases[i].prepare();
		set("trace", "\n");
		set("tracing_on", "1");
		trace_cases[i].work();
		set("tracing_on", "0");
		print_trace(trace_cases[i].name, trace_cases[i].function);
		set("current_tracer", "nop");
	}
}

/* Contexts are translated by the daemon that systems have for that. */
void create(void)
{
	static const char socket[] = "/var/run/setrans/.setrans-unix";
	pid_t pid = fork();

	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (!pid) {
		execl("/sbin/mcstransd", "mcstransd", "-f", (char *)NULL);
		die("cannot run mcstransd: %s", strerror(errno));
	}
	for (int i = 0; i < 1000 && access(socket, F_OK); i++)
		usleep(10 * 1000);
	if (access(socket, F_OK))
		die("mcstransd makes no %s", socket);
	run_or_die("/tests/create_bench", NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
