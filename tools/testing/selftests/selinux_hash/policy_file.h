/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A binary policy in a file, as the kernel takes it
 */

#ifndef _SELFTESTS_SELINUX_POLICY_FILE_H_
#define _SELFTESTS_SELINUX_POLICY_FILE_H_

#include <stddef.h>

#include <sepol/policydb/policydb.h>

/*
 * Reads a policy into *db, which the caller owns, and sets *size to the bytes it
 * had. Says on stderr what is wrong with the file, and exits with 2, if it cannot.
 */
void policy_file_read(policydb_t *db, const char *path, size_t *size);

#endif /* _SELFTESTS_SELINUX_POLICY_FILE_H_ */
