/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver, word for word from standard input, for its tests: a call a line, and for each line one of output, the
 * returned error, and behind it what the call gave, or the message.
 */
#define _POSIX_C_SOURCE 200809L
#include "red-512/sluice_red_512_registers.h"
#include "red-64/sluice_red_64_registers.h"
#include "sluice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_COUNTERS = 256, MOST_SETTINGS = 64 };

static const struct sluice_map *const maps[] = {&sluice_red_64_map, &sluice_red_512_map};
static const struct sluice_map *map = &sluice_red_64_map; /* of the last bind */
static struct sluice *device;

static void say(int error, const char *text)
{
    printf("%d %s\n", error, error && device ? sluice_message(device) : error ? sluice_error(error) : text);
}

static void say_number(int error, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    say(error, text);
}

static void say_refused(int error, uint32_t refused)
{
    char text[32];
    snprintf(text, sizeof text, "%u", (unsigned)refused);
    say(error, text);
}

/* A bus of one's own, in front of another handle. It is given nothing, and hears whether it gets that. */
static struct sluice *behind;

static int front_read(void *ctx, uint32_t address, uint32_t *word)
{
    return ctx ? -EFAULT : sluice_read(behind, address, word);
}

static int front_write(void *ctx, uint32_t address, uint32_t word)
{
    return ctx ? -EFAULT : sluice_write(behind, address, word);
}

static void front_close(void *ctx)
{
    (void)ctx;
    sluice_close(behind);
}

static int open_front(const char *where)
{
    static const struct sluice_bus front = {front_read, front_write, NULL, front_close};
    const int error = sluice_open(&behind, where);
    return error ? error : sluice_open_bus(&device, &front, NULL);
}

static void open_it(const char *where)
{
    sluice_close(device);
    const int error = strncmp(where, "bus:", 4) ? sluice_open(&device, where) : open_front(where + 4);
    char text[128] = "";
    if (!error) {
        const struct sluice_identity *const its = sluice_identify(device);
        snprintf(text, sizeof text, "%s %u %u %u %u %u %u", its->algorithm, (unsigned)its->version,
                 (unsigned)its->digest, (unsigned)its->ring_packets, (unsigned)its->latency_cycles,
                 (unsigned)its->queues, (unsigned)its->beat_bytes);
    }
    say(error, text);
}

static void bind_it(const char *name)
{
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (!strcmp(maps[i]->config, name))
            map = maps[i];
    say(sluice_bind(device, map), "");
}

/* NAME=VALUE ... */
static void configure(char *words)
{
    struct sluice_setting settings[MOST_SETTINGS];
    size_t count = 0;
    uint32_t refused = 0;
    for (char *word = strtok(words, " "); word && count < MOST_SETTINGS; word = strtok(NULL, " ")) {
        char *const equals = strchr(word, '=');
        *equals = '\0';
        settings[count].parameter = word;
        settings[count++].value = strtod(equals + 1, NULL);
    }
    const int error = sluice_configure(device, settings, count, &refused);
    say_refused(error, refused);
}

static void snapshot(const char *queue)
{
    uint64_t counters[MOST_COUNTERS];
    const int error = *queue ? sluice_snapshot_of(device, (uint32_t)strtoul(queue, NULL, 0), counters)
                             : sluice_snapshot(device, counters);
    if (error) {
        say(error, "");
        return;
    }
    printf("0");
    for (uint32_t i = 0; i < map->counter_count; i++)
        printf(" %s=%llu", map->counters[i].name, (unsigned long long)counters[i]);
    printf("\n");
}

static int compare(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* So many reads one after the other: median and 99th percentile, in us. */
static void measure(size_t count)
{
    double *const us = (double *)malloc(count * sizeof *us);
    int error = us ? 0 : -1;
    for (size_t i = 0; i < count && !error; i++) {
        struct timespec begin, end;
        uint32_t word;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        error = sluice_read(device, SLUICE_DIGEST, &word);
        clock_gettime(CLOCK_MONOTONIC, &end);
        us[i] = (double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-3;
    }
    char text[64] = "";
    if (!error) {
        qsort(us, count, sizeof *us, compare);
        snprintf(text, sizeof text, "%.1f %.1f", us[count / 2], us[count * 99 / 100]);
    }
    free(us);
    say(error, text);
}

static void secret(const char *hexadecimal)
{
    uint8_t bytes[SLUICE_SECRET_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) {
        const char digits[] = {hexadecimal[2 * i], hexadecimal[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    say(sluice_secret(device, bytes), "");
}

/* More accesses than a message of the socket may have: DIGEST so many times. */
static void read_many(size_t count)
{
    struct sluice_word words[SLUICE_MOST_WORDS + 1];
    memset(words, 0, sizeof words);
    for (size_t i = 0; i < count; i++)
        words[i].address = SLUICE_DIGEST;
    const int error = sluice_batch(device, words, count);
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += words[i].word == sluice_identify(device)->digest;
    say_number(error, (double)same);
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *const space = strchr(line, ' ');
        char *const rest = space ? space + 1 : line + strlen(line);
        if (space)
            *space = '\0';
        double value = 0;
        uint32_t word = 0;
        int error;
        if (!strcmp(line, "open")) {
            open_it(rest);
        } else if (!strcmp(line, "bind")) {
            bind_it(rest);
        } else if (!strcmp(line, "get")) {
            error = sluice_get(device, rest, &value);
            say_number(error, value);
        } else if (!strcmp(line, "status")) {
            error = sluice_status(device, rest, &value);
            say_number(error, value);
        } else if (!strcmp(line, "stage")) {
            char *const equals = strchr(rest, '=');
            *equals = '\0';
            say(sluice_stage(device, rest, strtod(equals + 1, NULL)), "");
        } else if (!strcmp(line, "commit")) {
            error = sluice_commit(device, &word);
            say_refused(error, word);
        } else if (!strcmp(line, "configure")) {
            configure(rest);
        } else if (!strcmp(line, "snapshot")) {
            snapshot(rest);
        } else if (!strcmp(line, "secret")) {
            secret(rest);
        } else if (!strcmp(line, "lock")) {
            say(sluice_lock(device, (unsigned)strtoul(rest, NULL, 0)), "");
        } else if (!strcmp(line, "unlock")) {
            say(sluice_unlock(device), "");
        } else if (!strcmp(line, "read")) {
            error = sluice_read(device, (uint32_t)strtoul(rest, NULL, 0), &word);
            say_refused(error, word);
        } else if (!strcmp(line, "write")) {
            char *value_text;
            const uint32_t address = (uint32_t)strtoul(rest, &value_text, 0);
            say(sluice_write(device, address, (uint32_t)strtoul(value_text, NULL, 0)), "");
        } else if (!strcmp(line, "many")) {
            read_many(strtoul(rest, NULL, 0));
        } else if (!strcmp(line, "measure")) {
            measure(strtoul(rest, NULL, 0));
        } else {
            printf("what is '%s'?\n", line);
        }
        fflush(stdout);
    }
    sluice_close(device);
    return 0;
}
