/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers in a window of memory: a map of a UIO device, or a BAR of a PCI device through sysfs.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* flock */
#include "sluice-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOW_BYTES = 4096 }; /* of a map */

/* The registers are little endian. */
static uint32_t swapped(uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(word);
#else
    return word;
#endif
}

static uint32_t load(const struct sluice_window *window, uint32_t address)
{
    return swapped(window->words[address / 4]);
}

static int check(struct sluice *s, uint32_t address)
{
    if (address < WINDOW_BYTES && address % 4 == 0)
        return 0;
    return sluice_fail(s, -EIO, "0x%x is no address of a word", (unsigned)address);
}

/* A bridge makes all ones of what is refused, and of what is not there any more. No ID is all ones. */
static int window_read(void *ctx, uint32_t address, uint32_t *word)
{
    struct sluice *const s = (struct sluice *)ctx;
    const int error = check(s, address);
    if (error)
        return error;
    *word = load(&s->own.window, address);
    const bool is_gone = *word == UINT32_MAX && load(&s->own.window, SLUICE_ID) == UINT32_MAX;
    return is_gone ? sluice_fail(s, -ENODEV, "the device has gone") : 0;
}

static int window_write(void *ctx, uint32_t address, uint32_t word)
{
    struct sluice *const s = (struct sluice *)ctx;
    const int error = check(s, address);
    if (error)
        return error;
    s->own.window.words[address / 4] = swapped(word);
    if (address == SLUICE_COMMIT || address == SLUICE_SNAPSHOT)
        (void)load(&s->own.window, SLUICE_ID); /* a read pushes posted writes out */
    return 0;
}

static void window_close(void *ctx)
{
    struct sluice *const s = (struct sluice *)ctx;
    if (s->own.window.base)
        munmap(s->own.window.base, s->own.window.bytes);
    close(s->own.window.file); /* and so unlocks it */
}

static const struct sluice_bus window_bus = {window_read, window_write, NULL, window_close};

/* `start` is what mmap is told, `offset` where the registers are from there on. */
static int open_window(struct sluice **out, const char *path, off_t start, size_t offset)
{
    *out = NULL;
    if (offset % 4)
        return -EINVAL;
    const int file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    if (file < 0)
        return -errno;
    struct sluice *const s = sluice_new(&window_bus);
    if (!s) {
        close(file);
        return -ENOMEM;
    }
    struct sluice_window *const window = &s->own.window;
    window->file = file;
    int error = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno == EWOULDBLOCK ? -EBUSY : -errno;
    if (!error) {
        window->bytes = offset + WINDOW_BYTES;
        void *const base = mmap(NULL, window->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, start);
        if (base == MAP_FAILED)
            error = -errno;
        else
            window->base = base;
    }
    if (error) {
        sluice_close(s);
        return error;
    }
    window->words = (volatile uint32_t *)(void *)((char *)window->base + offset);
    return sluice_greet(out, s);
}

int sluice_open_uio(struct sluice **out, const char *device, unsigned map, size_t offset)
{
    return open_window(out, device, (off_t)map * sysconf(_SC_PAGESIZE), offset); /* so UIO numbers its maps */
}

int sluice_open_pci(struct sluice **out, const char *address, unsigned bar, size_t offset)
{
    char path[256];
    const char *const folder = address[0] == '/' ? "" : "/sys/bus/pci/devices/";
    const int size = snprintf(path, sizeof path, "%s%s/resource%u", folder, address, bar);
    if (size < 0 || (size_t)size >= sizeof path) {
        *out = NULL;
        return -ENAMETOOLONG;
    }
    return open_window(out, path, 0, offset);
}
