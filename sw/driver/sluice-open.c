/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens what a user names in one word.
 */
#include "sluice-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cuts `mark` and the number behind its last occurrence off the text. Without the mark the number is 0; returns whether
 * what is behind it is a number. */
static bool cut_number(char *text, char mark, unsigned long *number)
{
    char *const at = strrchr(text, mark);
    *number = 0;
    if (!at)
        return true;
    char *end;
    errno = 0;
    *number = strtoul(at + 1, &end, 0);
    const bool is_number = end != at + 1 && *end == '\0' && errno == 0 && at[1] != '-';
    *at = '\0';
    return is_number;
}

/* As above, but where no number follows, the mark is a part of the name: a path has slashes. */
static void cut_index(char *text, unsigned *index)
{
    const char *const at = strrchr(text, '/');
    unsigned long number = 0;
    if (at && at[1] && strspn(at + 1, "0123456789") == strlen(at + 1))
        cut_number(text, '/', &number);
    *index = (unsigned)number;
}

int sluice_open(struct sluice **out, const char *where)
{
    char name[256];
    unsigned long number;
    unsigned index;
    *out = NULL;
    const char *const colon = strchr(where, ':');
    if (!colon)
        return -EINVAL;
    if (strlen(colon + 1) >= sizeof name)
        return -ENAMETOOLONG;
    strcpy(name, colon + 1);
    if (!strncmp(where, "unix:", 5))
        return cut_number(name, '#', &number) && number <= UINT8_MAX ? sluice_open_socket(out, name, (unsigned)number)
                                                                     : -EINVAL;
    if (!cut_number(name, '+', &number))
        return -EINVAL;
    cut_index(name, &index);
    if (!strncmp(where, "uio:", 4))
        return sluice_open_uio(out, name, index, number);
    if (!strncmp(where, "pci:", 4))
        return sluice_open_pci(out, name, index, number);
    return -EINVAL;
}
