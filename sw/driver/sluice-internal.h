/* SPDX-License-Identifier: Apache-2.0
 *
 * What a handle is, for the driver's own files.
 */
#ifndef SLUICE_INTERNAL_H
#define SLUICE_INTERNAL_H

#include "sluice.h"

/* A window of memory. */
struct sluice_window {
    int file;
    void *base;
    size_t bytes;             /* mapped */
    volatile uint32_t *words; /* address 0 */
};

/* A socket. */
struct sluice_connection {
    int socket;
    uint8_t direction;
    uint32_t tag; /* of the last request */
    bool is_locked;
};

enum { SLUICE_BUSY_POLLS = 1000 }; /* reads of COMMIT, or snapshots of a queue, before they count as stuck */

struct sluice {
    struct sluice_bus bus;
    int (*lock)(void *ctx, unsigned ms); /* NULL: nothing to be done */
    int (*unlock)(void *ctx);
    void *ctx; /* the handle itself, but for a bus of the caller's */
    union {
        struct sluice_window window;
        struct sluice_connection connection;
    } own;
    struct sluice_identity identity;
    const struct sluice_map *map;
    int busy_polls; /* SLUICE_BUSY_POLLS; 0 behind a socket, whose server repeats a read of COMMIT by itself */
    char message[192];
};

/* A handle with a bus whose functions take the handle, and nothing known of what is behind it; NULL: no memory. */
struct sluice *sluice_new(const struct sluice_bus *bus);
/* Reads who is there. Closes the handle where that is no SLUC. */
int sluice_greet(struct sluice **out, struct sluice *s);
/* Puts words to an error and returns it. */
int sluice_fail(struct sluice *s, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
