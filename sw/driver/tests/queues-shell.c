/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver before a Verilated tile of many queues: offers packets, has some leave, and prints the counters of each of
 * some queues as the driver has them, a line each.
 *
 *     queues-shell LIBRARY MISSING QUEUE...
 *
 * MISSING: for so many snapshots the tile is made to say that it had no clock to read a queue's counters.
 */
#include "droptail-1k/sluice_droptail_1k_registers.h"
#include "sluice.h"
#include "tile-behind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_COUNTERS = 64, ARRIVALS = 700, QUEUES = 7 };

static unsigned long missing;

static int read_word(void *ctx, uint32_t address, uint32_t *word)
{
    (void)ctx;
    *word = tile_read(address);
    return 0;
}

/* A queue that is selected outside of a batch may be another client's by the time of the snapshot. */
static int write_word(void *ctx, uint32_t address, uint32_t word)
{
    (void)ctx;
    if (address == sluice_droptail_1k_map.select_address)
        return -EPERM;
    tile_write(address, word);
    return 0;
}

static int batch(void *ctx, struct sluice_word *words, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        if (words[i].is_write)
            tile_write(words[i].address, words[i].word);
        else
            words[i].word = tile_read(words[i].address);
        if (!words[i].is_write && words[i].address == SLUICE_SNAPSHOT && missing) {
            missing--;
            words[i].word = 1;
        }
    }
    return 0;
}

/* Packet i has 64 + i bytes and goes to queue 100 (i % 7); behind every third a packet leaves. */
static void play(void)
{
    for (uint32_t i = 0; i < ARRIVALS; i++) {
        const uint64_t now_ns = 1000 * (1 + (uint64_t)i);
        tile_offer(now_ns, 64 + i, (uint16_t)(i % QUEUES * 100));
        if (i % 3 == 0)
            tile_depart(now_ns);
    }
}

static void print_counters_of(struct sluice *s, uint32_t queue)
{
    const struct sluice_map *const map = &sluice_droptail_1k_map;
    uint64_t counters[MOST_COUNTERS];
    const int error = sluice_snapshot_of(s, queue, counters);
    printf("%d %s", error, sluice_message(s));
    for (uint32_t i = 0; i < map->counter_count && !error; i++)
        printf(" %s=%llu", map->counters[i].name, (unsigned long long)counters[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static const struct sluice_bus bus = {read_word, write_word, batch, NULL};
    struct sluice *s;
    tile_load(argv[1]);
    missing = strtoul(argv[2], NULL, 0);
    int error = sluice_open_bus(&s, &bus, NULL);
    if (!error)
        error = sluice_bind(s, &sluice_droptail_1k_map);
    if (error) {
        fprintf(stderr, "%s\n", s ? sluice_message(s) : sluice_error(error));
        return 1;
    }
    play();
    for (int i = 3; i < argc; i++)
        print_counters_of(s, (uint32_t)strtoul(argv[i], NULL, 0));
    sluice_close(s);
    return 0;
}
