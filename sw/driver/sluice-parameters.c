/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters, counters and status by the names of a map.
 */
#include "sluice-internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    SECRET_POLLS = 10000, /* of a secret's word; it is in force some 16,000 clocks after its last word */
};

static int is_bound(struct sluice *s)
{
    return s->map ? 0 : sluice_fail(s, -ENOTCONN, "%s", sluice_error(-ENOTCONN));
}

static int find(struct sluice *s, const char *name, const struct sluice_parameter **parameter)
{
    const int error = is_bound(s);
    if (error)
        return error;
    for (uint32_t i = 0; i < s->map->parameter_count; i++) {
        *parameter = &s->map->parameters[i];
        if (!strcmp((*parameter)->name, name))
            return 0;
    }
    return sluice_fail(s, -ENOENT, "%s has no parameter '%s'", s->map->config, name);
}

static double value_of(uint32_t raw, uint32_t fraction)
{
    return (double)raw / (double)(UINT64_C(1) << fraction);
}

/* The write that stages a parameter: rounded to nearest, ties upwards, as all of Sluice's tools round. */
static int staging(struct sluice *s, const char *name, double value, struct sluice_word *write)
{
    const struct sluice_parameter *parameter;
    const int error = find(s, name, &parameter);
    if (error)
        return error;
    const double scaled = value * (double)(UINT64_C(1) << parameter->fraction);
    const double end = (double)(UINT64_C(1) << parameter->width);
    uint64_t raw = 0;
    if (scaled >= 0 && scaled < end) { /* a NaN is neither */
        raw = (uint64_t)scaled;
        raw += scaled - (double)raw >= 0.5;
    }
    if (!(scaled >= 0 && scaled < end) || raw >> parameter->width)
        return sluice_fail(s, -ERANGE, "%s=%g is outside 0..%.10g %s", name, value,
                           value_of((uint32_t)((UINT64_C(1) << parameter->width) - 1), parameter->fraction),
                           parameter->unit);
    const struct sluice_word word = {parameter->address, (uint32_t)raw, true};
    *write = word;
    return 0;
}

int sluice_get(struct sluice *s, const char *name, double *value)
{
    const struct sluice_parameter *parameter;
    uint32_t raw;
    int error = find(s, name, &parameter);
    if (!error)
        error = sluice_read(s, parameter->address + SLUICE_IN_FORCE_OFFSET, &raw);
    if (!error)
        *value = value_of(raw, parameter->fraction);
    return error;
}

int sluice_stage(struct sluice *s, const char *name, double value)
{
    struct sluice_word write;
    const int error = staging(s, name, value, &write);
    return error ? error : sluice_write(s, write.address, write.word);
}

static int refuse(struct sluice *s, uint32_t bits)
{
    size_t at = (size_t)snprintf(s->message, sizeof s->message, "%s refuses these parameters:", s->map->config);
    for (uint32_t i = 0; i < s->map->rule_count; i++) {
        const struct sluice_rule *const rule = &s->map->rules[i];
        if (bits >> rule->bit & 1 && at < sizeof s->message)
            at += (size_t)snprintf(s->message + at, sizeof s->message - at, " %s", rule->name);
    }
    return -EINVAL;
}

/* Writes the words, for which there is room behind them for four more, then commits. */
static int apply(struct sluice *s, struct sluice_word *words, size_t count, uint32_t *refused)
{
    struct sluice_word *const end = words + count;
    const struct sluice_word clear = {SLUICE_REFUSED, 0xffffffffu, true}, commit = {SLUICE_COMMIT, 1, true},
                             busy = {SLUICE_COMMIT, 0, false}, broken = {SLUICE_REFUSED, 0, false};
    end[0] = clear;
    end[1] = commit;
    end[2] = busy;
    end[3] = broken;
    int error = sluice_batch(s, words, count + 4);
    for (int i = 0; !error && end[2].word & 1; i++)
        error = i == s->busy_polls ? sluice_fail(s, -ETIMEDOUT, "%s does not finish a commit", s->map->config)
                                   : sluice_batch(s, end + 2, 2);
    if (error)
        return error;
    if (refused)
        *refused = end[3].word;
    return end[3].word ? refuse(s, end[3].word) : 0;
}

int sluice_commit(struct sluice *s, uint32_t *refused)
{
    struct sluice_word words[4];
    const int error = is_bound(s);
    return error ? error : apply(s, words, 0, refused);
}

int sluice_configure(struct sluice *s, const struct sluice_setting *settings, size_t count, uint32_t *refused)
{
    struct sluice_word words[SLUICE_MOST_WORDS];
    int error = is_bound(s);
    if (count > SLUICE_MOST_WORDS - 4)
        return sluice_fail(s, -E2BIG, "%zu parameters are too many", count);
    for (size_t i = 0; i < count && !error; i++)
        error = staging(s, settings[i].parameter, settings[i].value, &words[i]);
    return error ? error : apply(s, words, count, refused);
}

/* A snapshot and all that it has caught, in one batch, in which a queue may be selected before. *is_missing: the
 * counters of the selected queue are not among it. */
static int snap(struct sluice *s, const uint32_t *queue, uint64_t *counters, bool *is_missing)
{
    struct sluice_word words[SLUICE_MOST_WORDS];
    const struct sluice_word select = {s->map->select_address, queue ? *queue : 0, true};
    const struct sluice_word snapshot = {SLUICE_SNAPSHOT, 1, true}, missing = {SLUICE_SNAPSHOT, 0, false};
    const uint32_t count = s->map->counter_count;
    size_t used = 0;
    if (3 + 2 * count > SLUICE_MOST_WORDS)
        return sluice_fail(s, -E2BIG, "%u counters are too many", (unsigned)count);
    if (queue)
        words[used++] = select;
    words[used++] = snapshot;
    words[used++] = missing;
    const struct sluice_word *const answers = &words[used - 1];
    for (uint32_t i = 0; i < 2 * count; i++) {
        const struct sluice_word half = {s->map->counters[i / 2].address + 4 * (i % 2), 0, false};
        words[used++] = half;
    }
    const int error = sluice_batch(s, words, used);
    for (uint32_t i = 0; i < count && !error; i++)
        counters[i] = answers[1 + 2 * i].word | (uint64_t)answers[2 + 2 * i].word << 32;
    *is_missing = answers[0].word & 1;
    return error;
}

int sluice_snapshot(struct sluice *s, uint64_t *counters)
{
    bool is_missing;
    const int error = is_bound(s);
    return error ? error : snap(s, NULL, counters, &is_missing);
}

int sluice_snapshot_of(struct sluice *s, uint32_t queue, uint64_t *counters)
{
    bool is_missing = true;
    int error = is_bound(s);
    if (error)
        return error;
    if (!s->map->counted_queues)
        return sluice_fail(s, -ENOENT, "%s has no counters of single queues", s->map->config);
    if (queue >= s->map->counted_queues)
        return sluice_fail(s, -ERANGE, "queue %u is outside 0..%u", (unsigned)queue,
                           (unsigned)s->map->counted_queues - 1);
    for (int tries = 0; is_missing && !error && tries < SLUICE_BUSY_POLLS; tries++)
        error = snap(s, &queue, counters, &is_missing);
    if (is_missing && !error)
        return sluice_fail(s, -ETIMEDOUT, "no clock is free to read the counters of queue %u", (unsigned)queue);
    return error;
}

int sluice_status(struct sluice *s, const char *name, double *value)
{
    int error = is_bound(s);
    for (uint32_t i = 0; !error && i < s->map->status_count; i++) {
        const struct sluice_status *const status = &s->map->status[i];
        uint32_t raw;
        if (strcmp(status->name, name))
            continue;
        error = sluice_read(s, status->address, &raw);
        if (!error)
            *value = value_of(raw, status->fraction);
        return error;
    }
    return error ? error : sluice_fail(s, -ENOENT, "%s has no status '%s'", s->map->config, name);
}

int sluice_secret(struct sluice *s, const uint8_t secret[SLUICE_SECRET_BYTES])
{
    struct sluice_word words[SLUICE_SECRET_BYTES / 4];
    int error = is_bound(s);
    if (error)
        return error;
    if (s->map->secret_count != SLUICE_SECRET_BYTES / 4)
        return sluice_fail(s, -ENOENT, "%s has no secret", s->map->config);
    for (uint32_t i = 0; i < SLUICE_SECRET_BYTES / 4; i++) {
        const uint8_t *const b = secret + 4 * i;
        words[i].address = s->map->secret_address + 4 * i;
        words[i].word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        words[i].is_write = true;
    }
    uint32_t is_busy = 1;
    error = sluice_batch(s, words, SLUICE_SECRET_BYTES / 4);
    for (int i = 0; !error && is_busy; i++)
        error = i == SECRET_POLLS ? sluice_fail(s, -ETIMEDOUT, "%s does not take the secret", s->map->config)
                                  : sluice_read(s, s->map->secret_address, &is_busy);
    return error;
}
