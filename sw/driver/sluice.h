/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of Sluice's tiles and datapaths: registers by name and in physical units, over a memory-mapped window or over
 * the socket of a simulation. It knows no algorithm: all of that is in the table `sluice_<config>_map` of the header
 * that is generated beside the Verilog, to which a handle is bound.
 *
 *     #include "sluice.h"
 *     #include "sluice_red_512_registers.h"
 *
 *     struct sluice *s;
 *     if (sluice_open(&s, "pci:0000:01:00.0/2") == 0 && sluice_bind(s, &sluice_red_512_map) == 0) {
 *         const struct sluice_setting set[] = {{"min", 20}, {"max", 60}, {"ecn", 1}};
 *         if (sluice_configure(s, set, 3, NULL) != 0)
 *             fprintf(stderr, "%s\n", sluice_message(s));
 *     }
 *     sluice_close(s);
 *
 * Functions return 0 or a negative errno:
 *
 *     -ENODEV           nothing there says SLUC, or the device, the simulation or its model has gone
 *     -ENOEXEC          DIGEST is that of another map
 *     -ENOTCONN         no map is bound
 *     -ENOENT           the map has nothing of that name, or no counters of single queues
 *     -ERANGE           the value does not fit into its word, or is no number; or there is no such queue
 *     -EINVAL           the set breaks a rule, and nothing was changed; or a `where` that is none
 *     -EIO              the registers refuse an access: SLVERR
 *     -ETIMEDOUT        COMMIT, the secret or a queue's counters stay busy, or the simulation does not answer
 *     -EBUSY            another has the device or the lock, or there are too many clients
 *     -EPROTO           the simulation does not take what was sent for a request
 *     -EPROTONOSUPPORT  it speaks another protocol
 *     -E2BIG            more accesses than SLUICE_MOST_WORDS at once
 *
 * besides those of open, mmap and connect. After -ENODEV and -ETIMEDOUT it is not known which accesses of that call
 * have been done. sluice_message says the same in words. A handle is for one thread at a time. Nothing is allocated but
 * the handle, and there is no global state.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include "sluice_registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SLUICE_MOST_WORDS = 512,  /* accesses in one batch */
    SLUICE_SECRET_BYTES = 40, /* of the flow hash */
};

/* A datapath or a tile. */
struct sluice;

/* An access to a word at a byte address. */
struct sluice_word {
    uint32_t address, word; /* word: to be written, or as read */
    bool is_write;
};

/* A way to words, for what is none of the ways below. Functions return 0 or a negative errno. */
struct sluice_bus {
    int (*read)(void *ctx, uint32_t address, uint32_t *word);
    int (*write)(void *ctx, uint32_t address, uint32_t word);
    int (*batch)(void *ctx, struct sluice_word *words,
                 size_t count); /* in their order, none of another's between; NULL: one at a time */
    void (*close)(void *ctx);   /* NULL: there is nothing to close */
};

/* A value for a parameter, in its unit. */
struct sluice_setting {
    const char *parameter;
    double value;
};

/* What the hardware says that it is. */
struct sluice_identity {
    uint32_t version;        /* major.minor.patch in bytes 2..0 */
    uint32_t digest;         /* of its register map */
    uint32_t ring_packets;   /* most packets in its queue */
    uint32_t latency_cycles; /* to a verdict: of a tile from the arrival, of a datapath from the frame's last beat */
    uint32_t queues;         /* 256: so many or more, which the map's register QUEUES says */
    uint32_t beat_bytes;     /* of a datapath's stream; 0: a bare tile */
    char algorithm[13];
};

/* Opens `where` and looks whether there is a SLUC:
 *
 *     uio:/dev/uio0[/MAP][+OFFSET]       a map of a UIO device, 0 unless given
 *     pci:0000:01:00.0[/BAR][+OFFSET]    a BAR of a PCI device, 0 unless given; or the device's folder in sysfs
 *     unix:PATH[#DIRECTION]              a simulation's socket; direction 0, forward, unless given
 *
 * UIO and PCI devices are locked with flock as long as they are open, because two that stage and commit on one device
 * would mix their sets. *out is NULL where it fails. */
int sluice_open(struct sluice **out, const char *where);
int sluice_open_uio(struct sluice **out, const char *device, unsigned map, size_t offset);
int sluice_open_pci(struct sluice **out, const char *address, unsigned bar, size_t offset);
int sluice_open_socket(struct sluice **out, const char *path, unsigned direction);
/* `ctx` is the first argument of the bus' functions; its close is called when it fails, too. */
int sluice_open_bus(struct sluice **out, const struct sluice_bus *bus, void *ctx);
/* NULL is fine. */
void sluice_close(struct sluice *s);

/* What was read when it was opened. */
const struct sluice_identity *sluice_identify(const struct sluice *s);
/* The map must outlive the handle. */
int sluice_bind(struct sluice *s, const struct sluice_map *map);

int sluice_read(struct sluice *s, uint32_t address, uint32_t *word);
int sluice_write(struct sluice *s, uint32_t address, uint32_t word);
/* Accesses in their order; over a socket as one message with no other client's accesses between, for up to 256 of them,
 * and under the lock for more. What is before one that fails has been done. */
int sluice_batch(struct sluice *s, struct sluice_word *words, size_t count);
/* For what spans several calls, such as stage and commit: others' writes are refused with -EBUSY until unlock, close,
 * or the end of this process. Waits for at most so many ms, 10,000 at most. On a device that is locked anyway it does
 * nothing. */
int sluice_lock(struct sluice *s, unsigned ms);
int sluice_unlock(struct sluice *s);

/* A parameter's value in force, in its unit. */
int sluice_get(struct sluice *s, const char *parameter, double *value);
/* Writes a parameter, rounded to its nearest step; it takes effect with the next commit. */
int sluice_stage(struct sluice *s, const char *parameter, double value);
/* Has what is staged checked and applied as one set between two packets. -EINVAL: it was refused, all of it, and
 * none of it is staged any more; *refused (NULL: not wanted) has the broken rules' bits, and sluice_message their
 * names. */
int sluice_commit(struct sluice *s, uint32_t *refused);
/* All of these, or none: nothing is written before every name and value has been found good. */
int sluice_configure(struct sluice *s, const struct sluice_setting *settings, size_t count, uint32_t *refused);
/* All counters at one instant: map->counter_count of them, in the map's order. Those called `selected_` are of the
 * queue that was selected last, if they could be had. */
int sluice_snapshot(struct sluice *s, uint64_t *counters);
/* The same, those called `selected_` of one of many queues, which stays selected. It asks until the tile has a clock
 * without a packet of another queue; -ETIMEDOUT: there was none. -ENOENT: the map has no counters of single queues.
 * -ERANGE: there is no such queue. */
int sluice_snapshot_of(struct sluice *s, uint32_t queue, uint64_t *counters);
/* A status value of the core, in its unit. */
int sluice_status(struct sluice *s, const char *name, double *value);
/* Gives a datapath's flow hash another secret; returns when it is in force. */
int sluice_secret(struct sluice *s, const uint8_t secret[SLUICE_SECRET_BYTES]);

/* The last error in words, with name or address; valid until the next call. "" before the first. */
const char *sluice_message(const struct sluice *s);
/* What an error of this driver means, where there is no handle to ask. */
const char *sluice_error(int error);

#ifdef __cplusplus
}
#endif

#endif
