// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into a Linux kernel in user mode, between it and ptrace. Debian's
// 6.1 has 2,696 bytes for the vector registers of a process, and where a
// processor has more (those with AMX have 11,008) it writes back a part of
// them, which the host refuses: the first process ends at its first step. So
// here all of them are kept as the host last gave them, and what the kernel
// writes back is put over their beginning. Tile registers, which lie behind
// that, are said to be unused: nothing that the oracle runs has any.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  PROCESSES = 64, // of which registers are kept; then those of the oldest go
  MOST_BYTES = 1 << 14,
  IN_USE_AT = 512, // XSTATE_BV, the first word behind the legacy region
};

static const uint64_t TILES = 3ull << 17; // TILECFG and TILEDATA

struct registers {
  pid_t process;
  size_t bytes; // 0: not known
  uint8_t data[MOST_BYTES];
};

static struct registers all[PROCESSES];

static long request(long what, pid_t process, void *address, void *data) {
  return syscall(SYS_ptrace, what, process, address, data);
}

static struct registers *of(pid_t process) {
  static unsigned next;
  for (unsigned i = 0; i < PROCESSES; ++i)
    if (all[i].process == process)
      return &all[i];
  struct registers *fresh = &all[next++ % PROCESSES];
  fresh->process = process;
  fresh->bytes = 0;
  return fresh;
}

static long read_all(struct registers *r, void *set) {
  struct iovec whole = {r->data, sizeof r->data};
  const long result = request(PTRACE_GETREGSET, r->process, set, &whole);
  if (result >= 0)
    r->bytes = whole.iov_len;
  return result;
}

static long get(struct registers *r, void *set, struct iovec *part) {
  const long result = read_all(r, set);
  if (result < 0)
    return result;
  if (part->iov_len > r->bytes)
    part->iov_len = r->bytes;
  memcpy(part->iov_base, r->data, part->iov_len);
  return result;
}

static long put(struct registers *r, void *set, const struct iovec *part) {
  if (r->bytes == 0 && read_all(r, set) < 0)
    return -1;
  memcpy(r->data, part->iov_base,
         part->iov_len < r->bytes ? part->iov_len : r->bytes);
  uint64_t in_use;
  memcpy(&in_use, r->data + IN_USE_AT, sizeof in_use);
  in_use &= ~TILES;
  memcpy(r->data + IN_USE_AT, &in_use, sizeof in_use);
  struct iovec whole = {r->data, r->bytes};
  return request(PTRACE_SETREGSET, r->process, set, &whole);
}

long ptrace(enum __ptrace_request what, ...) {
  va_list rest;
  va_start(rest, what);
  const pid_t process = va_arg(rest, pid_t);
  void *address = va_arg(rest, void *);
  void *data = va_arg(rest, void *);
  va_end(rest);

  if ((uintptr_t)address == NT_X86_XSTATE) {
    if (what == PTRACE_GETREGSET)
      return get(of(process), address, data);
    if (what == PTRACE_SETREGSET)
      return put(of(process), address, data);
  }
  // The C library's own has the word that was read as its result.
  if (what == PTRACE_PEEKTEXT || what == PTRACE_PEEKDATA ||
      what == PTRACE_PEEKUSER) {
    long word;
    if (request(what, process, address, &word) < 0)
      return -1;
    errno = 0;
    return word;
  }
  return request(what, process, address, data);
}
