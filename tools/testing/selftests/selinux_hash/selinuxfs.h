/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of selinuxfs, contexts, and files that carry them
 */

#ifndef _SELFTESTS_SELINUX_HASH_SELINUXFS_H_
#define _SELFTESTS_SELINUX_HASH_SELINUXFS_H_

#include <sys/types.h>

#define SELINUXFS		"/sys/fs/selinux/"
#define AVC_CACHE_STATS		SELINUXFS "avc/cache_stats"
#define AVC_CACHE_THRESHOLD	SELINUXFS "avc/cache_threshold"
#define AVC_HASH_STATS		SELINUXFS "avc/hash_stats"
#define SIDTAB_HASH_STATS	SELINUXFS "ss/sidtab_hash_stats"

/* More than any file has that is read here as a text. */
#define TEXT_SIZE 4096
#define CONTEXT_SIZE 256

/*
 * Return NULL if the tests can run here, or else the reason to skip them. To
 * relabel, a context with categories must be valid, and nothing be refused.
 */
const char *no_selinux(void);
const char *no_relabelling(void);

/*
 * One read, with a terminating NUL added: returns its length or a negative
 * errno. One write: returns 0 or a negative errno.
 */
ssize_t read_text(const char *path, char text[TEXT_SIZE]);
int write_bytes(const char *path, const void *bytes, size_t len);
int write_text(const char *path, const char *text);

/* The whole file, to be given back with free(), or NULL with errno set. */
void *read_file(const char *path, size_t *len);

/* The policy that the guest has loaded: its path, from the environment. */
const char *policy_path(void);

/*
 * Contexts with the caller's user, role and type: number i of a series, which
 * is always the same one, or one with categories that nobody had before.
 */
void context_of_number(char context[CONTEXT_SIZE], unsigned int i);
void context_of_chance(char context[CONTEXT_SIZE]);

/* Gives a context a SID, as by the way of any check. 0 or a negative errno. */
int context_check(const char *context);

/*
 * A tmpfs of its own with files 0 to count - 1, file i labelled with context
 * number i. Returns its directory or -1.
 */
int labelled_files(unsigned int count);

/*
 * Asks for the attributes of these files: one access vector each, of the same
 * source and class. Returns 0 or -1.
 */
int access_files(int dir, unsigned int first, unsigned int count);

/* Puts the calling process in a context. 0 or a negative errno. */
int enter_context(const char *context);

/*
 * The AVC with a threshold of 0, once it is as good as empty; it stays so for
 * as long as the threshold does. Needs labelled files. Returns 0 or -1.
 */
int drain_avc(int dir, unsigned int count);

#endif /* _SELFTESTS_SELINUX_HASH_SELINUXFS_H_ */
