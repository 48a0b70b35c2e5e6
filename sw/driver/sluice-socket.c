/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of a simulation over its socket; docs/driver.md has the protocol.
 */
#define _POSIX_C_SOURCE 200809L
#include "sluice-internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    PROTOCOL = 1,
    HEAD = 8,      /* bytes of a message before its words */
    MOST = 256,    /* accesses in a message */
    ANSWER_S = 12, /* a lock may take 10 s, a model that is stuck 1 s */
    OP_HELLO = 0,
    OP_ACCESS = 1,
    OP_LOCK = 2,
    OP_UNLOCK = 3,
    CHUNKS_LOCK_MS = 1000,
};

static void put32(uint8_t *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

static uint32_t get32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int error_of(struct sluice *s, unsigned status, const struct sluice_word *words, size_t count, size_t done)
{
    switch (status) {
    case 0:
        return 0;
    case 1:
        if (done >= count)
            return sluice_fail(s, -EPROTO, "the simulation refuses what was not asked for");
        return sluice_fail(s, -EIO, "the registers refuse the %s at address 0x%03x",
                           words[done].is_write ? "write" : "read", (unsigned)words[done].address);
    case 2:
        return sluice_fail(s, -EPROTO, "the simulation does not take this for a request; has it direction %u?",
                           s->own.connection.direction);
    case 3:
        return sluice_fail(s, -EBUSY, "another client has the lock, or there are too many clients");
    case 4:
        return sluice_fail(s, -ENODEV, "the simulation's model is stuck, or has ended");
    case 5:
        return sluice_fail(s, -EPROTONOSUPPORT, "the simulation speaks another protocol than %d", PROTOCOL);
    default:
        return sluice_fail(s, -EPROTO, "the simulation answers with status %u", status);
    }
}

/* Sends a request of at most MOST accesses, and hears the answer to it, whose words go to theirs. */
static int ask(struct sluice *s, unsigned op, struct sluice_word *words, size_t count)
{
    struct sluice_connection *const link = &s->own.connection;
    uint8_t request[HEAD + 8 * MOST] = {(uint8_t)op, link->direction, (uint8_t)count, (uint8_t)(count >> 8)};
    uint8_t answer[HEAD + 4 * MOST];
    put32(request + 4, ++link->tag);
    for (size_t i = 0; i < count; i++) {
        put32(request + HEAD + 8 * i,
              words[i].address | (op == OP_ACCESS && words[i].is_write ? UINT32_C(1) << 31 : 0));
        put32(request + HEAD + 8 * i + 4, words[i].word);
    }
    ssize_t size;
    do
        size = send(link->socket, request, HEAD + 8 * count, MSG_NOSIGNAL);
    while (size < 0 && errno == EINTR);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return sluice_fail(s, -ETIMEDOUT, "the simulation does not listen for %d s", ANSWER_S);
    /* One that was turned away has been told so, and may find its connection reset before it has heard that. */
    bool may_reset = op == OP_HELLO;
    do {
        size = recv(link->socket, answer, sizeof answer, 0);
        const bool is_stale =
            size >= HEAD && get32(answer + 4) != link->tag && op != OP_HELLO; /* of a request that timed out */
        if (size < 0 && errno == ECONNRESET && may_reset)
            may_reset = false;
        else if (!is_stale && !(size < 0 && errno == EINTR))
            break;
    } while (true);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return sluice_fail(s, -ETIMEDOUT, "the simulation does not answer within %d s", ANSWER_S);
    if (size <= 0)
        return sluice_fail(s, -ENODEV, "the simulation has ended");
    const size_t done = size >= HEAD ? answer[2] | (size_t)answer[3] << 8 : 0;
    if (size < HEAD || (size_t)size != HEAD + 4 * done || answer[0] != (op | 0x80) || (op == OP_ACCESS && done > count))
        return sluice_fail(s, -EPROTO, "what the simulation says is no answer");
    for (size_t i = 0; i < done && i < count; i++)
        if (!words[i].is_write)
            words[i].word = get32(answer + HEAD + 4 * i);
    return error_of(s, answer[1], words, count, done);
}

static int socket_lock(void *ctx, unsigned ms)
{
    struct sluice *const s = (struct sluice *)ctx;
    struct sluice_word patience = {0, ms, true};
    const int error = ask(s, OP_LOCK, &patience, 1);
    s->own.connection.is_locked |= !error;
    return error;
}

static int socket_unlock(void *ctx)
{
    struct sluice *const s = (struct sluice *)ctx;
    s->own.connection.is_locked = false;
    return ask(s, OP_UNLOCK, NULL, 0);
}

static int socket_batch(void *ctx, struct sluice_word *words, size_t count)
{
    struct sluice *const s = (struct sluice *)ctx;
    if (count <= MOST)
        return ask(s, OP_ACCESS, words, count);
    const bool is_callers = s->own.connection.is_locked;
    int error = is_callers ? 0 : socket_lock(ctx, CHUNKS_LOCK_MS);
    if (error)
        return error;
    for (size_t i = 0; i < count && !error; i += MOST) {
        const size_t left = count - i, most = MOST;
        error = ask(s, OP_ACCESS, words + i, left < most ? left : most);
    }
    const int released = is_callers ? 0 : socket_unlock(ctx);
    return error ? error : released;
}

static int socket_read(void *ctx, uint32_t address, uint32_t *word)
{
    struct sluice_word access = {address, 0, false};
    const int error = ask((struct sluice *)ctx, OP_ACCESS, &access, 1);
    *word = access.word;
    return error;
}

static int socket_write(void *ctx, uint32_t address, uint32_t word)
{
    struct sluice_word access = {address, word, true};
    return ask((struct sluice *)ctx, OP_ACCESS, &access, 1);
}

static void socket_close(void *ctx)
{
    close(((struct sluice *)ctx)->own.connection.socket);
}

static const struct sluice_bus socket_bus = {socket_read, socket_write, socket_batch, socket_close};

/* A socket that is connected to the path; or a negative errno. */
static int connected(const char *path)
{
    struct sockaddr_un address;
    struct timeval patience;
    memset(&address, 0, sizeof address);
    memset(&patience, 0, sizeof patience);
    address.sun_family = AF_UNIX;
    patience.tv_sec = ANSWER_S;
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path));
    const int link = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (link >= 0 && setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        setsockopt(link, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(link, (const struct sockaddr *)&address, sizeof address) == 0)
        return link;
    const int error = -errno;
    if (link >= 0)
        close(link);
    return error;
}

int sluice_open_socket(struct sluice **out, const char *path, unsigned direction)
{
    *out = NULL;
    if (direction > UINT8_MAX)
        return -EINVAL;
    const int link = connected(path);
    if (link < 0)
        return link;
    struct sluice *const s = sluice_new(&socket_bus);
    if (!s) {
        close(link);
        return -ENOMEM;
    }
    s->own.connection.socket = link;
    s->own.connection.direction = (uint8_t)direction;
    s->busy_polls = 0;
    s->lock = socket_lock;
    s->unlock = socket_unlock;
    struct sluice_word hello = {0, PROTOCOL, true};
    const int error = ask(s, OP_HELLO, &hello, 1);
    if (error) {
        sluice_close(s);
        return error;
    }
    return sluice_greet(out, s);
}
