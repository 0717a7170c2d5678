// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a binary policy, see policy_file.h
 */

#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sepol/debug.h>
#include <sepol/handle.h>

#include "policy_file.h"

/* No policy is as large; what goes on for ever need not be read to the end. */
#define POLICY_SIZE_MAX (256 << 20)

/* To its end, for the size of a file of selinuxfs is only known when opened. */
static char *read_bytes(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	size_t allocated = 1 << 20;
	char *bytes = malloc(allocated);
	ssize_t n;

	if (!bytes)
		errx(2, "out of memory");
	if (fd < 0)
		err(2, "%s", path);
	for (*size = 0;; *size += n) {
		if (*size > POLICY_SIZE_MAX)
			errx(2, "%s: larger than any policy", path);
		if (*size == allocated) {
			allocated *= 2;
			bytes = realloc(bytes, allocated);
			if (!bytes)
				errx(2, "out of memory");
		}
		n = read(fd, bytes + *size, allocated - *size);
		if (n < 0)
			err(2, "%s", path);
		if (!n)
			break;
	}
	if (!*size)
		errx(2, "%s: empty", path);
	close(fd);
	return bytes;
}

#define MESSAGE_SIZE 256

/* The first thing that libsepol has to say is the cause of all others. */
static void keep_first_message(void *message, sepol_handle_t *handle,
			       const char *format, ...)
{
	va_list args;

	if (*(char *)message)
		return;
	va_start(args, format);
	vsnprintf(message, MESSAGE_SIZE, format, args);
	va_end(args);
}

void policy_file_read(policydb_t *db, const char *path, size_t *size)
{
	char message[MESSAGE_SIZE] = "";
	char *bytes = read_bytes(path, size);
	sepol_handle_t *handle;

	/* for what it says without a handle */
	sepol_debug(0);
	handle = sepol_handle_create();
	if (!handle || policydb_init(db))
		errx(2, "out of memory");
	sepol_msg_set_callback(handle, keep_first_message, message);

	if (policydb_from_image(handle, bytes, *size, db))
		errx(2, "%s: not a policy, or not all of it%s%s", path,
		     *message ? ": " : "", message);
	if (db->policy_type != POLICY_KERN)
		errx(2, "%s: a policy module, not a policy", path);

	sepol_handle_destroy(handle);
	free(bytes);
}
