// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times SELinux's functions from within, on one CPU and on several at once
 *
 * This is no part of the series: bench.sh adds it to security/selinux/ of a
 * kernel with the series and of one without. So it may only call what both
 * have.
 *
 * /sys/kernel/debug/selinux_bench, read, lists the cases, each with the most
 * threads that it can have here. To measure, write
 *
 *	CASE THREADS MILLISECONDS
 *
 * and read, with the same open file and from its beginning,
 *
 *	CASE THREADS CALLS NANOSECONDS
 *
 * Each thread is bound to a CPU of its own. They start together, and each makes
 * calls for the time that was asked for. CALLS and NANOSECONDS, by the clock on
 * the wall, are summed up over the threads. So NANOSECONDS / CALLS is what one
 * call takes for the thread that makes it; N threads do N times the work of one
 * if it stays what it is with one. It includes what a thread waits for locks, and
 * for the CPU. Of what is freed after a grace period, it includes only what falls
 * into that time and on those CPUs.
 */

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "avc.h"
#include "avc_ss.h"
#include "flask.h"
#include "security.h"
#include "ss/services.h"

#define BENCH_THREADS_MAX	8
#define BENCH_BATCH		256	/* calls between two looks at the clock */
#define BENCH_MSECS_MAX		10000

#define BENCH_SPREAD		128	/* SIDs that the cache can hold at once */
#define BENCH_MISSES		1024	/* per thread, 4 times what it can hold */
#define BENCH_SIDS		(BENCH_THREADS_MAX * BENCH_MISSES)
#define BENCH_LONG_CATEGORIES	1024	/* of which every second one is used */
#define BENCH_STRING_MAX	4096

#define BENCH_NODES_MAX		8192	/* in the AVC */
#define BENCH_RULES		8192	/* of avtab */
#define BENCH_TYPES		512	/* domains, and as many other types */

struct bench_case;

struct bench_thread {
	const struct bench_case *bench;
	struct task_struct *task;
	u64 nsecs_wanted;

	/* a walk, in steps of @step, over @mask + 1 things; set by setup() */
	const u32 *sids;
	const struct avtab_key *rules;
	u32 mask;
	u32 step;
	u32 at;

	/* what came of it */
	u64 calls;
	u64 nsecs;
	int rc;
} ____cacheline_aligned_in_smp;

/**
 * struct bench_case - something to be timed
 * @name: its name
 * @setup: called first, to fill in what @run needs in the threads, which are
 *	all zeros
 * @run: called in each thread over and over, to make so many calls
 * @teardown: called last, also if setup() failed; may say that what was measured
 *	was not what it should have been; may be NULL
 */
struct bench_case {
	const char *name;
	int (*setup)(struct bench_thread *threads, unsigned int n);
	int (*run)(struct bench_thread *thread, unsigned int calls);
	int (*teardown)(void);
};

static DEFINE_MUTEX(bench_lock);	/* all that follows; one measurement at a time */
static struct bench_thread bench_threads[BENCH_THREADS_MAX];
static DECLARE_COMPLETION(bench_done);
static atomic_t bench_waited_for;
static u32 bench_sids[BENCH_SIDS];
static u32 bench_long_sid;
static char bench_contexts[BENCH_SPREAD][64];
static struct avtab_key bench_rules[BENCH_RULES];
static u32 bench_domains[BENCH_TYPES], bench_types[BENCH_TYPES];
static unsigned long bench_misses;	/* of the AVC, since boot */

/* Each thread walks over all of them, from a place and with a step of its own. */
static void bench_walk(struct bench_thread *threads, unsigned int n, u32 count)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		threads[i].mask = count - 1;
		threads[i].at = i * count / n;
		threads[i].step = 421 + 36 * i;	/* odd, so that it comes to all */
	}
}

/*
 * SIDs to strings
 */

/* Find or make the SID of a context. It must be translated to the same string. */
static int bench_sid(const char *context, u32 *sid)
{
	char *str;
	u32 len;
	int rc;

	rc = security_context_to_sid(context, strlen(context), sid, GFP_KERNEL);
	if (rc)
		return rc;
	rc = security_sid_to_context(*sid, &str, &len);
	if (rc)
		return rc;
	if (len != strlen(context) + 1 || strcmp(str, context)) {
		pr_err("selinux_bench: SID %u is %s, not %s\n", *sid, str, context);
		rc = -EBADMSG;
	}
	kfree(str);
	return rc;
}

/* The context of the i-th SID: all of the same type, and of two categories each. */
static void bench_context(unsigned int i, char context[64])
{
	snprintf(context, 64, "system_u:system_r:init_t:s0:c%u,c%u", i / 32,
		 BENCH_SIDS / 32 + i % 32);
}

/* The first so many SIDs. */
static int bench_make_sids(unsigned int n)
{
	unsigned int i;
	char context[64];
	int rc;

	for (i = 0; i < n; i++) {
		bench_context(i, context);
		rc = bench_sid(context, &bench_sids[i]);
		if (rc)
			return rc;
	}
	return 0;
}

static int bench_same_setup(struct bench_thread *threads, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		threads[i].sids = bench_sids;
	return bench_make_sids(1);
}

static int bench_spread_setup(struct bench_thread *threads, unsigned int n)
{
	unsigned int i;

	BUILD_BUG_ON_NOT_POWER_OF_2(BENCH_SPREAD);
	for (i = 0; i < n; i++) {
		threads[i].sids = bench_sids;
		threads[i].mask = BENCH_SPREAD - 1;
		threads[i].at = i * BENCH_SPREAD / n;
		threads[i].step = 1 + 36 * i;	/* odd, so that it comes to all */
	}
	return bench_make_sids(BENCH_SPREAD);
}

static int bench_long_setup(struct bench_thread *threads, unsigned int n)
{
	char *context __free(kfree) = kmalloc(BENCH_STRING_MAX, GFP_KERNEL);
	unsigned int i;
	int len;

	if (!context)
		return -ENOMEM;
	len = scnprintf(context, BENCH_STRING_MAX, "system_u:system_r:init_t:s0:c0");
	for (i = 2; i < BENCH_LONG_CATEGORIES; i += 2)
		len += scnprintf(context + len, BENCH_STRING_MAX - len, ",c%u", i);
	for (i = 0; i < n; i++)
		threads[i].sids = &bench_long_sid;
	return bench_sid(context, &bench_long_sid);
}

/* No thread finds what another one has just put into the cache. */
static int bench_miss_setup(struct bench_thread *threads, unsigned int n)
{
	unsigned int i;

	BUILD_BUG_ON_NOT_POWER_OF_2(BENCH_MISSES);
	for (i = 0; i < n; i++) {
		threads[i].sids = &bench_sids[i * BENCH_MISSES];
		threads[i].mask = BENCH_MISSES - 1;
		threads[i].step = 1;
	}
	return bench_make_sids(n * BENCH_MISSES);
}

static int bench_translate(struct bench_thread *thread, unsigned int calls)
{
	u32 at = thread->at;
	int rc = 0;

	while (calls-- && !rc) {
		char *str;
		u32 len;

		rc = security_sid_to_context(thread->sids[at & thread->mask], &str, &len);
		kfree(str);
		at += thread->step;
	}
	thread->at = at;
	return rc;
}

/* What is left of a hit without the cache: a copy of a string of that length. */
static int bench_copy(struct bench_thread *thread, unsigned int calls)
{
	static const char context[] = "system_u:system_r:init_t:s0:c0,c256";

	while (calls--) {
		char *str = kmemdup(context, sizeof(context), GFP_ATOMIC);

		if (!str)
			return -ENOMEM;
		kfree(str);
	}
	return 0;
}

static int bench_to_sid_setup(struct bench_thread *threads, unsigned int n)
{
	unsigned int i;

	bench_walk(threads, n, BENCH_SPREAD);
	for (i = 0; i < BENCH_SPREAD; i++)
		bench_context(i, bench_contexts[i]);
	return bench_make_sids(BENCH_SPREAD);
}

static int bench_context_to_sid(struct bench_thread *thread, unsigned int calls)
{
	u32 at = thread->at;
	int rc = 0;

	while (calls-- && !rc) {
		const char *context = bench_contexts[at & thread->mask];
		u32 sid;

		rc = security_context_to_sid(context, strlen(context), &sid, GFP_KERNEL);
		at += thread->step;
	}
	thread->at = at;
	return rc;
}

/*
 * The AVC
 */

/*
 * The i-th key: 1,024 targets, each with one class after the other. The source
 * is one of 256, as if at random.
 */
static void bench_avc_key(u32 i, u32 *ssid, u32 *tsid, u16 *tclass)
{
	static const u16 class[] = {
		SECCLASS_FILE, SECCLASS_DIR, SECCLASS_LNK_FILE, SECCLASS_FD,
		SECCLASS_PROCESS, SECCLASS_SOCK_FILE, SECCLASS_FIFO_FILE, SECCLASS_UNIX_STREAM_SOCKET,
	};

	BUILD_BUG_ON(BENCH_NODES_MAX / 1024 > ARRAY_SIZE(class));
	*ssid = bench_sids[hash_32(i, 8)];
	*tsid = bench_sids[i % 1024];
	*tclass = class[i / 1024];
}

static unsigned long bench_count_misses(void)
{
	unsigned long misses = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		misses += per_cpu(avc_cache_stats, cpu).misses;
	return misses;
}

static int bench_avc_hit(struct bench_thread *thread, unsigned int calls)
{
	u32 at = thread->at;

	while (calls--) {
		struct av_decision avd;
		u32 ssid, tsid;
		u16 tclass;

		bench_avc_key(at & thread->mask, &ssid, &tsid, &tclass);
		/* allowed or not is nothing to us */
		avc_has_perm_noaudit(ssid, tsid, tclass, 1, 0, &avd);
		at += thread->step;
	}
	thread->at = at;
	return 0;
}

/* Nothing but these nodes, and room for a few that others may bring. */
static int bench_avc_setup(struct bench_thread *threads, unsigned int n, u32 nodes)
{
	int rc = bench_make_sids(1024);
	unsigned long before;

	if (rc)
		return rc;
	bench_walk(threads, n, nodes);
	avc_set_cache_threshold(nodes + 64);
	avc_ss_reset(avc_policy_seqno());
	before = bench_count_misses();
	bench_avc_hit(&threads[0], nodes);
	threads[0].at = 0;
	bench_misses = bench_count_misses();
	if (bench_misses - before >= nodes)
		return 0;
	pr_err("selinux_bench: %lu nodes for the AVC, not %u\n", bench_misses - before, nodes);
	return -EBADMSG;
}

static int bench_avc_512(struct bench_thread *threads, unsigned int n)
{
	return bench_avc_setup(threads, n, 512);
}

static int bench_avc_1024(struct bench_thread *threads, unsigned int n)
{
	return bench_avc_setup(threads, n, 1024);
}

static int bench_avc_2048(struct bench_thread *threads, unsigned int n)
{
	return bench_avc_setup(threads, n, 2048);
}

static int bench_avc_8192(struct bench_thread *threads, unsigned int n)
{
	return bench_avc_setup(threads, n, BENCH_NODES_MAX);
}

static int bench_avc_teardown(void)
{
	unsigned long misses = bench_count_misses() - bench_misses;

	avc_set_cache_threshold(512);
	avc_ss_reset(avc_policy_seqno());
	if (misses <= 64)
		return 0;
	pr_err("selinux_bench: %lu lookups of the AVC missed\n", misses);
	return -EBADMSG;
}

/*
 * Rules, and decisions
 */

/* Nobody loads another policy meanwhile. */
static struct policydb *bench_policydb(void)
{
	struct selinux_policy *policy = rcu_dereference_protected(selinux_state.policy, 1);

	return policy ? &policy->policydb : NULL;
}

/* Rules from all over the table; or keys like theirs, of which there is none. */
static int bench_rule_setup(struct bench_thread *threads, unsigned int n, bool absent)
{
	struct policydb *p = bench_policydb();
	const struct avtab_node *node;
	unsigned int found = 0, i;
	u32 slot, seen = 0, every;

	if (!p || p->te_avtab.nel < 2 * BENCH_RULES)
		return -ENODATA;
	every = p->te_avtab.nel / BENCH_RULES;
	for (slot = 0; slot < p->te_avtab.nslot; slot++) {
		for (node = p->te_avtab.htable[slot]; node; node = node->next) {
			struct avtab_key key = node->key;

			if (seen++ % every || found == BENCH_RULES)
				continue;
			while (absent && avtab_search_node(&p->te_avtab, &key))
				key.target_type = key.target_type % p->p_types.nprim + 1;
			bench_rules[found++] = key;
		}
	}
	if (found < BENCH_RULES)
		return -ENODATA;
	for (i = 0; i < n; i++)
		threads[i].rules = bench_rules;
	bench_walk(threads, n, BENCH_RULES);
	return 0;
}

static int bench_rule_hit_setup(struct bench_thread *threads, unsigned int n)
{
	return bench_rule_setup(threads, n, false);
}

static int bench_rule_miss_setup(struct bench_thread *threads, unsigned int n)
{
	return bench_rule_setup(threads, n, true);
}

static int bench_search(struct bench_thread *thread, unsigned int calls, bool there)
{
	struct policydb *p = bench_policydb();
	u32 at = thread->at, wrong = 0;

	while (calls--) {
		wrong += !avtab_search_node(&p->te_avtab, &thread->rules[at & thread->mask]) == there;
		at += thread->step;
	}
	thread->at = at;
	return wrong ? -EBADMSG : 0;
}

static int bench_rule_hit(struct bench_thread *thread, unsigned int calls)
{
	return bench_search(thread, calls, true);
}

static int bench_rule_miss(struct bench_thread *thread, unsigned int calls)
{
	return bench_search(thread, calls, false);
}

/* Types that a process may have in the role system_r, and types that it may not. */
static int bench_decision_setup(struct bench_thread *threads, unsigned int n)
{
	struct policydb *p = bench_policydb();
	unsigned int domains = 0, types = 0, i;
	struct role_datum *role;
	char context[128];

	role = p ? symtab_search(&p->p_roles, "system_r") : NULL;
	if (!role)
		return -ENODATA;
	for (i = 0; i < p->p_types.nprim; i++) {
		const struct type_datum *type = p->type_val_to_struct[i];
		bool domain = ebitmap_get_bit(&role->types, i);
		int rc;

		if (!type || type->attribute || !(domain ? domains < BENCH_TYPES : types < BENCH_TYPES))
			continue;
		snprintf(context, sizeof(context), "system_u:%s:%s:s0", domain ? "system_r" : "object_r",
			 sym_name(p, SYM_TYPES, i));
		rc = bench_sid(context, domain ? &bench_domains[domains] : &bench_types[types]);
		if (rc == -EINVAL)
			continue;	/* not for this user */
		if (rc)
			return rc;
		if (domain)
			domains++;
		else
			types++;
	}
	/* no more than there are, but a power of 2 */
	if (types < BENCH_TYPES || domains < BENCH_TYPES / 2)
		return -ENODATA;
	for (i = domains; i < BENCH_TYPES; i++)
		bench_domains[i] = bench_domains[i - domains];
	bench_walk(threads, n, BENCH_TYPES * 8);
	return 0;
}

static int bench_decision(struct bench_thread *thread, unsigned int calls)
{
	static const u16 class[] = {
		SECCLASS_FILE, SECCLASS_DIR, SECCLASS_LNK_FILE, SECCLASS_SOCK_FILE,
		SECCLASS_FIFO_FILE, SECCLASS_CHR_FILE, SECCLASS_FILE, SECCLASS_DIR,
	};
	u32 at = thread->at;

	while (calls--) {
		struct extended_perms xperms;
		struct av_decision avd;
		u32 i = at & thread->mask;

		security_compute_av(bench_domains[i * 7 % BENCH_TYPES], bench_types[i % BENCH_TYPES],
				    class[i / BENCH_TYPES], &avd, &xperms);
		at += thread->step;
	}
	thread->at = at;
	return 0;
}

static const struct bench_case bench_cases[] = {
	{ "copy", bench_same_setup, bench_copy },
	{ "avc-512", bench_avc_512, bench_avc_hit, bench_avc_teardown },
	{ "avc-1024", bench_avc_1024, bench_avc_hit, bench_avc_teardown },
	{ "avc-2048", bench_avc_2048, bench_avc_hit, bench_avc_teardown },
	{ "avc-8192", bench_avc_8192, bench_avc_hit, bench_avc_teardown },
	{ "decision", bench_decision_setup, bench_decision },
	{ "rule-hit", bench_rule_hit_setup, bench_rule_hit },
	{ "rule-miss", bench_rule_miss_setup, bench_rule_miss },
	{ "hit-same", bench_same_setup, bench_translate },
	{ "hit-spread", bench_spread_setup, bench_translate },
	{ "hit-long", bench_long_setup, bench_translate },
	{ "miss", bench_miss_setup, bench_translate },
	{ "to-sid", bench_to_sid_setup, bench_context_to_sid },
};

/*
 * Measuring
 */

static int bench_thread(void *data)
{
	struct bench_thread *thread = data;
	u64 start, now;

	atomic_dec(&bench_waited_for);
	while (atomic_read(&bench_waited_for)) {
		cpu_relax();
		cond_resched();
	}

	start = ktime_get_ns();
	do {
		thread->rc = thread->bench->run(thread, BENCH_BATCH);
		thread->calls += BENCH_BATCH;
		cond_resched();
		now = ktime_get_ns();
	} while (!thread->rc && now - start < thread->nsecs_wanted);
	thread->nsecs = now - start;

	complete(&bench_done);
	return 0;
}

/* Run threads that were set up, each on a CPU of its own. */
static int bench_run(const struct bench_case *bench, unsigned int n, unsigned int msecs)
{
	unsigned int i, cpu = cpumask_first(cpu_online_mask);
	int rc = 0;

	for (i = 0; i < n; i++) {
		struct bench_thread *thread = &bench_threads[i];
		struct task_struct *task;

		thread->bench = bench;
		thread->nsecs_wanted = (u64)msecs * NSEC_PER_MSEC;
		task = kthread_create(bench_thread, thread, "selinux_bench/%u", cpu);
		if (IS_ERR(task)) {
			while (i--)
				kthread_stop(bench_threads[i].task);
			return PTR_ERR(task);
		}
		kthread_bind(task, cpu);
		thread->task = task;
		cpu = cpumask_next(cpu, cpu_online_mask);
	}

	/* what was freed before is not to be paid for now */
	kvfree_rcu_barrier();
	rcu_barrier();

	atomic_set(&bench_waited_for, n);
	reinit_completion(&bench_done);
	for (i = 0; i < n; i++)
		wake_up_process(bench_threads[i].task);
	for (i = 0; i < n; i++)
		wait_for_completion(&bench_done);
	for (i = 0; i < n; i++)
		rc = rc ?: bench_threads[i].rc;
	return rc;
}

/* Measure one case; return what is to be read. */
static char *bench_measure(const struct bench_case *bench, unsigned int n, unsigned int msecs)
{
	u64 calls = 0, nsecs = 0;
	unsigned int i;
	int rc;

	guard(mutex)(&bench_lock);
	memset(bench_threads, 0, sizeof(bench_threads));
	rc = bench->setup(bench_threads, n);
	if (!rc)
		rc = bench_run(bench, n, msecs);
	if (bench->teardown)
		rc = bench->teardown() ?: rc;
	if (rc)
		return ERR_PTR(rc);

	for (i = 0; i < n; i++) {
		calls += bench_threads[i].calls;
		nsecs += bench_threads[i].nsecs;
	}
	return kasprintf(GFP_KERNEL, "%s %u %llu %llu\n", bench->name, n, calls, nsecs);
}

/*
 * The file
 */

static unsigned int bench_threads_max(void)
{
	return min_t(unsigned int, num_online_cpus(), BENCH_THREADS_MAX);
}

static char *bench_list(void)
{
	char *list __free(kfree) = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bench_cases); i++) {
		char *longer = kasprintf(GFP_KERNEL, "%s%s %u\n", list ?: "",
					 bench_cases[i].name, bench_threads_max());

		kfree(list);
		list = longer;
		if (!list)
			return NULL;
	}
	return no_free_ptr(list);
}

static int bench_open(struct inode *inode, struct file *file)
{
	file->private_data = bench_list();
	return file->private_data ? 0 : -ENOMEM;
}

static int bench_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t bench_read(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	const char *text = file->private_data;

	return simple_read_from_buffer(buf, count, ppos, text, strlen(text));
}

static ssize_t bench_write(struct file *file, const char __user *buf, size_t count, loff_t *ppos)
{
	char line[64], name[32], *text;
	unsigned int i, n, msecs;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	if (sscanf(line, "%31s %u %u", name, &n, &msecs) != 3)
		return -EINVAL;
	if (!n || n > bench_threads_max() || !msecs || msecs > BENCH_MSECS_MAX)
		return -EINVAL;

	for (i = 0; i < ARRAY_SIZE(bench_cases); i++)
		if (!strcmp(name, bench_cases[i].name))
			break;
	if (i == ARRAY_SIZE(bench_cases))
		return -EINVAL;

	text = bench_measure(&bench_cases[i], n, msecs);
	if (IS_ERR_OR_NULL(text))
		return text ? PTR_ERR(text) : -ENOMEM;
	kfree(file->private_data);
	file->private_data = text;
	return count;
}

static const struct file_operations bench_fops = {
	.owner		= THIS_MODULE,
	.open		= bench_open,
	.read		= bench_read,
	.write		= bench_write,
	.release	= bench_release,
	.llseek		= default_llseek,
};

static int __init bench_init(void)
{
	debugfs_create_file("selinux_bench", 0600, NULL, NULL, &bench_fops);
	return 0;
}
late_initcall(bench_init);
