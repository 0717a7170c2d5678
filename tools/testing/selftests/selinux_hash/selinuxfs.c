// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of selinuxfs, contexts, and files that carry them
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "selinuxfs.h"

/* As many as every MCS policy has, and no more than the smallest of them. */
#define CATEGORIES 1024

const char *no_selinux(void)
{
	if (access(AVC_HASH_STATS, F_OK))
		return "no " AVC_HASH_STATS ": SELinux off or not mounted";
	if (access(SELINUXFS "class/file", F_OK))
		return "no policy is loaded";
	if (geteuid())
		return "must be root";
	return NULL;
}

const char *no_relabelling(void)
{
	char text[TEXT_SIZE], context[CONTEXT_SIZE];
	const char *reason = no_selinux();

	if (reason)
		return reason;
	if (read_text(SELINUXFS "enforce", text) != 1 || *text != '0')
		return "SELinux is enforcing";
	context_of_number(context, 0);
	if (context_check(context))
		return "the policy has no categories for the caller's context";
	return NULL;
}

ssize_t read_text(const char *path, char text[TEXT_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, TEXT_SIZE - 1);
	if (len < 0)
		len = -errno;
	else
		text[len] = '\0';
	close(fd);
	return len;
}

int write_bytes(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, bytes, len);
	if (written < 0)
		err = -errno;
	else if ((size_t)written != len)
		err = -EIO;
	close(fd);
	return err;
}

int write_text(const char *path, const char *text)
{
	return write_bytes(path, text, strlen(text));
}

void *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		goto err;
	bytes = malloc(st.st_size + 1);
	if (!bytes)
		goto err;
	for (*len = 0; *len <= (size_t)st.st_size; *len += n) {
		n = read(fd, bytes + *len, st.st_size + 1 - *len);
		if (n < 0)
			goto err;
		if (!n)
			break;
	}
	close(fd);
	return bytes;
err:
	n = errno;
	free(bytes);
	close(fd);
	errno = n;
	return NULL;
}

const char *policy_path(void)
{
	const char *path = getenv("SELINUX_POLICY");

	return path ?: "/policy";
}

/* The caller's context, with its sensitivity, and these categories. */
static void context_with(char context[CONTEXT_SIZE], const unsigned int *cats,
			 unsigned int count)
{
	char own[TEXT_SIZE], *range = own;
	unsigned int i;
	int len;

	if (read_text("/proc/self/attr/current", own) < 0)
		own[0] = '\0';
	for (i = 0; range && i < 3; i++) {
		range = strchr(range, ':');
		range = range ? range + 1 : NULL;
	}
	/* Without a range there is nothing valid to build; let it be refused. */
	if (range)
		range[strcspn(range, ":-")] = '\0';

	len = snprintf(context, CONTEXT_SIZE, "%s:c%u", own, cats[0]);
	for (i = 1; i < count; i++)
		len += snprintf(context + len, CONTEXT_SIZE - len, ",c%u",
				cats[i]);
}

void context_of_number(char context[CONTEXT_SIZE], unsigned int i)
{
	const unsigned int low = i % CATEGORIES;
	const unsigned int high = (low + 1 + i / CATEGORIES) % CATEGORIES;

	context_with(context, (const unsigned int[]){ low, high }, 2);
}

/*
 * One category of each eighth of them: 2^56 ways, so that a test which counts
 * new contexts need not fear to meet one again. Random numbers that repeat from
 * boot to boot do, and must not be waited for.
 */
void context_of_chance(char context[CONTEXT_SIZE])
{
	unsigned int cats[8] = { 0 }, eighth = CATEGORIES / 8, i;

	if (getrandom(cats, sizeof(cats), GRND_INSECURE) != sizeof(cats))
		perror("# getrandom");
	for (i = 0; i < 8; i++)
		cats[i] = i * eighth + cats[i] % eighth;
	context_with(context, cats, 8);
}

int context_check(const char *context)
{
	return write_text(SELINUXFS "context", context);
}

int enter_context(const char *context)
{
	return write_text("/proc/self/attr/current", context);
}

/* A tmpfs that is mounted nowhere, and gone when its directory is closed. */
static int tmpfs_of_its_own(void)
{
	int fs, dir = -1;

	fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	if (!fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		dir = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return dir;
}

static int labelled_file(int dir, unsigned int i)
{
	char name[16], context[CONTEXT_SIZE];
	int fd, err;

	snprintf(name, sizeof(name), "%u", i);
	context_of_number(context, i);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	err = fsetxattr(fd, "security.selinux", context, strlen(context), 0);
	close(fd);
	return err;
}

int labelled_files(unsigned int count)
{
	int dir = tmpfs_of_its_own();
	unsigned int i;

	if (dir < 0)
		return -1;
	for (i = 0; i < count; i++) {
		if (labelled_file(dir, i)) {
			perror("# cannot label files");
			close(dir);
			return -1;
		}
	}
	return dir;
}

int access_files(int dir, unsigned int first, unsigned int count)
{
	struct stat st;
	char name[16];
	unsigned int i;

	for (i = first; i < first + count; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (fstatat(dir, name, &st, 0))
			return -1;
	}
	return 0;
}

/*
 * Each new access vector makes the AVC reclaim up to 16 while it is above its
 * threshold. A context that nobody had before makes all of them new.
 */
int drain_avc(int dir, unsigned int count)
{
	char context[CONTEXT_SIZE];
	int status = -1;
	pid_t child;

	if (write_text(AVC_CACHE_THRESHOLD, "0"))
		return -1;

	child = fork();
	if (!child) {
		context_of_chance(context);
		if (enter_context(context) || access_files(dir, 0, count))
			_exit(1);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return -1;
	return 0;
}
