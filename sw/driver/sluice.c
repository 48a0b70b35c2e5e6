/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles, words, and who is there.
 */
#include "sluice-internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_VALUE 0x534c5543u /* SLUC */

struct sluice *sluice_new(const struct sluice_bus *bus)
{
    struct sluice *const s = (struct sluice *)calloc(1, sizeof *s);
    if (s) {
        s->bus = *bus;
        s->ctx = s;
        s->busy_polls = SLUICE_BUSY_POLLS;
    }
    return s;
}

int sluice_fail(struct sluice *s, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->message, sizeof s->message, format, arguments);
    va_end(arguments);
    return error;
}

int sluice_greet(struct sluice **out, struct sluice *s)
{
    struct sluice_word words[] = {{SLUICE_ID, 0, false},    {SLUICE_VERSION, 0, false}, {SLUICE_CAPS, 0, false},
                                  {SLUICE_NAME0, 0, false}, {SLUICE_NAME1, 0, false},   {SLUICE_NAME2, 0, false},
                                  {SLUICE_DIGEST, 0, false}};
    const int error = sluice_batch(s, words, sizeof words / sizeof *words);
    if (error || words[0].word != ID_VALUE) {
        sluice_close(s);
        *out = NULL;
        return error ? error : -ENODEV;
    }
    const uint32_t caps = words[2].word;
    struct sluice_identity *const identity = &s->identity;
    identity->version = words[1].word;
    identity->ring_packets = 1u << (caps & 31);
    identity->latency_cycles = caps >> 8 & 0xff;
    identity->queues = (caps >> 16 & 0xff) + 1;
    identity->beat_bytes = caps >> 24;
    identity->digest = words[6].word;
    for (size_t i = 0; i < 12; i++)
        identity->algorithm[i] = (char)(words[3 + i / 4].word >> 8 * (i % 4) & 0x7f);
    *out = s;
    return 0;
}

int sluice_open_bus(struct sluice **out, const struct sluice_bus *bus, void *ctx)
{
    struct sluice *const s = sluice_new(bus);
    if (s) {
        s->ctx = ctx;
        return sluice_greet(out, s);
    }
    if (bus->close)
        bus->close(ctx);
    *out = NULL;
    return -ENOMEM;
}

void sluice_close(struct sluice *s)
{
    if (s && s->bus.close)
        s->bus.close(s->ctx);
    free(s);
}

const struct sluice_identity *sluice_identify(const struct sluice *s)
{
    return &s->identity;
}

int sluice_bind(struct sluice *s, const struct sluice_map *map)
{
    if (map->digest != s->identity.digest)
        return sluice_fail(s, -ENOEXEC, "the hardware has other registers, 0x%08x, than %s, 0x%08x",
                           (unsigned)s->identity.digest, map->config, (unsigned)map->digest);
    s->map = map;
    return 0;
}

int sluice_read(struct sluice *s, uint32_t address, uint32_t *word)
{
    s->message[0] = '\0';
    const int error = s->bus.read(s->ctx, address, word);
    return error && !s->message[0] ? sluice_fail(s, error, "read of 0x%03x: %s", (unsigned)address, sluice_error(error))
                                   : error;
}

int sluice_write(struct sluice *s, uint32_t address, uint32_t word)
{
    s->message[0] = '\0';
    const int error = s->bus.write(s->ctx, address, word);
    return error && !s->message[0]
               ? sluice_fail(s, error, "write to 0x%03x: %s", (unsigned)address, sluice_error(error))
               : error;
}

int sluice_batch(struct sluice *s, struct sluice_word *words, size_t count)
{
    s->message[0] = '\0';
    if (count > SLUICE_MOST_WORDS)
        return sluice_fail(s, -E2BIG, "%zu accesses are more than %d", count, SLUICE_MOST_WORDS);
    if (s->bus.batch) {
        const int error = s->bus.batch(s->ctx, words, count);
        return error && !s->message[0] ? sluice_fail(s, error, "%s", sluice_error(error)) : error;
    }
    int error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = words[i].is_write ? sluice_write(s, words[i].address, words[i].word)
                                  : sluice_read(s, words[i].address, &words[i].word);
    return error;
}

int sluice_lock(struct sluice *s, unsigned ms)
{
    s->message[0] = '\0';
    const int error = s->lock ? s->lock(s->ctx, ms) : 0;
    return error && !s->message[0] ? sluice_fail(s, error, "lock: %s", sluice_error(error)) : error;
}

int sluice_unlock(struct sluice *s)
{
    s->message[0] = '\0';
    const int error = s->unlock ? s->unlock(s->ctx) : 0;
    return error && !s->message[0] ? sluice_fail(s, error, "unlock: %s", sluice_error(error)) : error;
}

const char *sluice_message(const struct sluice *s)
{
    return s->message;
}

const char *sluice_error(int error)
{
    switch (-error) {
    case 0:
        return "";
    case ENODEV:
        return "no Sluice hardware is there, or it has gone";
    case ENOEXEC:
        return "the hardware has another register map";
    case ENOTCONN:
        return "no register map is bound";
    case EIO:
        return "the registers refuse it";
    case ETIMEDOUT:
        return "no answer in time";
    case EBUSY:
        return "another has it";
    case EPROTO:
        return "not taken for a request";
    case EPROTONOSUPPORT:
        return "another protocol is spoken there";
    default:
        return strerror(-error);
    }
}
