/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the guest's init share.
 */

#ifndef GUEST_H
#define GUEST_H

#include <stddef.h>

#define SELINUXFS	"/sys/fs/selinux"

/* A set of strings, in the order in which they came. */
struct list {
	char **str;
	size_t n;
};

/* set by the action "workload" */
extern struct list files;	/* their contexts; the i-th is that of /work/i */
extern struct list domains;

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void mount_at(const char *type, const char *dir);
int write_once(const char *path, const void *buf, size_t len);
char *read_whole(const char *path, size_t *len);
unsigned int avc_entries(void);
void work_in_domain(const char *domain);
void run_or_die(const char *path, const char *arg);

/* guest_compare.c */
void samples(void);
void trace(void);
void create(void);

#endif
