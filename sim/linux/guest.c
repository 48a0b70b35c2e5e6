// SPDX-License-Identifier: Apache-2.0
//
// What runs inside a Linux kernel in user mode, as root of nothing but it:
//   guest load FILE...            loads kernel modules, in this order
//   guest play DEVICE IN OUT      sends a trace through the device's qdisc, and
//   writes what became of each frame guest off                     ends the
//   machine
//
// A trace is lines of `time in ns, bytes, flow, ECN field`. Each frame is UDP
// over IPv4, with its number in it. It is written down when it was given to the
// kernel, which is seldom when the trace wanted it: an oracle that is late is
// one still, as long as it says so. What leaves the qdisc is seen on its way
// into the device, which throws it away.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_BYTES = 9216,
  LEAST_BYTES = 64,
  BUFFER = 1 << 29,      // of the sockets: nothing may be lost but by the qdisc
  QUIET_NS = 2000000000, // after the last departure nothing else is queued
  NUMBER_AT = ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr),
  ECN_AT = ETH_HLEN + 1,
};

struct frame {
  uint64_t wanted, arrived, departed; // ns; not departed: 0
  uint32_t bytes, flow;
  uint8_t ecn, ecn_after;
};

static void fail(const char *what) {
  fprintf(stderr, "guest: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void load(const char *file) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) != 0 && errno != EEXIST))
    fail(file);
  close(fd);
}

static int packet_socket(const char *device, int protocol) {
  const struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                      .sll_protocol = htons((uint16_t)protocol),
                                      .sll_ifindex =
                                          (int)if_nametoindex(device)};
  const int buffer = BUFFER, yes = 1;
  const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (fd < 0 || address.sll_ifindex == 0 ||
      bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof buffer) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes) != 0)
    fail(device);
  return fd;
}

static uint16_t checksum(const void *header, size_t bytes) {
  const uint8_t *at = header;
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes; i += 2)
    sum += (uint32_t)at[i] << 8 | at[i + 1];
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return htons((uint16_t)~sum);
}

static void compose(uint8_t *data, const struct frame *frame, uint32_t number) {
  const uint16_t length = (uint16_t)(frame->bytes - ETH_HLEN);
  struct iphdr ip = {.ihl = 5,
                     .version = 4,
                     .tos = frame->ecn,
                     .tot_len = htons(length),
                     .ttl = 64,
                     .protocol = IPPROTO_UDP,
                     .saddr = htonl(0x0a000001),
                     .daddr = htonl(0x0a000002)};
  const struct udphdr udp = {.source = htons((uint16_t)(frame->flow >> 16)),
                             .dest = htons((uint16_t)frame->flow),
                             .len = htons((uint16_t)(length - sizeof ip))};
  const struct ether_header ether = {.ether_dhost = {2, 0, 0, 0, 0, 2},
                                     .ether_shost = {2, 0, 0, 0, 0, 1},
                                     .ether_type = htons(ETHERTYPE_IP)};
  ip.check = checksum(&ip, sizeof ip);
  memcpy(data, &ether, ETH_HLEN);
  memcpy(data + ETH_HLEN, &ip, sizeof ip);
  memcpy(data + ETH_HLEN + sizeof ip, &udp, sizeof udp);
  memcpy(data + NUMBER_AT, &number, sizeof number);
}

// Takes what has left the qdisc by now. Returns how many frames.
static unsigned take_departures(int socket, struct frame *frames,
                                uint32_t count) {
  unsigned taken = 0;
  uint8_t data[LEAST_BYTES];
  union {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
  } control;
  for (;; taken++) {
    struct sockaddr_ll from;
    struct iovec part = {data, sizeof data};
    struct msghdr message = {.msg_name = &from,
                             .msg_namelen = sizeof from,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, MSG_DONTWAIT) < 0) {
      if (errno != EAGAIN && errno != EINTR)
        fail("capture");
      return taken;
    }
    struct timespec at;
    uint32_t number;
    memcpy(&number, data + NUMBER_AT, sizeof number);
    const struct cmsghdr *stamp = CMSG_FIRSTHDR(&message);
    if (from.sll_pkttype != PACKET_OUTGOING || number >= count || stamp == NULL)
      continue;
    memcpy(&at, CMSG_DATA(stamp), sizeof at);
    frames[number].departed =
        (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
    frames[number].ecn_after = data[ECN_AT] & 3;
  }
}

static struct frame *read_trace(const char *path, uint32_t *count) {
  FILE *file = fopen(path, "r");
  struct frame *frames = NULL, next = {0};
  unsigned ecn;
  size_t room = 0;
  if (file == NULL)
    fail(path);
  *count = 0;
  while (fscanf(file, "%lu %u %u %u", &next.wanted, &next.bytes, &next.flow,
                &ecn) == 4) {
    if (next.bytes < LEAST_BYTES || next.bytes > MOST_BYTES || ecn > 3) {
      errno = ERANGE;
      fail(path);
    }
    if (*count == room &&
        (frames = realloc(frames, (room = room ? 2 * room : 4096) *
                                      sizeof *frames)) == NULL)
      fail(path);
    next.ecn = (uint8_t)ecn;
    frames[(*count)++] = next;
  }
  fclose(file);
  return frames;
}

static void play(const char *device, const char *in, const char *out) {
  static uint8_t data[MOST_BYTES];
  uint32_t count;
  struct frame *frames = read_trace(in, &count);
  const int sender = packet_socket(device, ETH_P_IP),
            capture = packet_socket(device, ETH_P_ALL);
  const uint64_t start = now_ns();
  if (mlockall(MCL_CURRENT) != 0)
    fail("mlockall");
  for (uint32_t i = 0; i < count; i++) {
    struct frame *frame = &frames[i];
    compose(data, frame, i);
    for (uint64_t now; (now = now_ns()) < start + frame->wanted;) {
      if (take_departures(capture, frames, count) == 0 &&
          start + frame->wanted - now > 200000)
        usleep(100);
    }
    frame->arrived = now_ns();
    // A qdisc that drops the frame makes this an error, with some; what leaves
    // tells, and not this.
    if (send(sender, data, frame->bytes, 0) < 0 && errno != ENOBUFS)
      fail("send");
  }
  for (uint64_t last = now_ns(); now_ns() < last + QUIET_NS;) {
    if (take_departures(capture, frames, count) > 0)
      last = now_ns();
    usleep(1000);
  }
  FILE *file = fopen(out, "w");
  if (file == NULL)
    fail(out);
  for (uint32_t i = 0; i < count; i++)
    fprintf(file, "%lu %ld %u\n", frames[i].arrived - start,
            frames[i].departed ? (long)(frames[i].departed - start) : -1L,
            frames[i].ecn_after == 3);
  if (fclose(file) != 0)
    fail(out);
  free(frames);
}

int main(int count, char **words) {
  const char *verb = count > 1 ? words[1] : "";
  if (strcmp(verb, "load") == 0) {
    for (int i = 2; i < count; i++)
      load(words[i]);
    return 0;
  }
  if (strcmp(verb, "play") == 0 && count == 5) {
    play(words[2], words[3], words[4]);
    return 0;
  }
  if (strcmp(verb, "off") == 0) {
    sync();
    reboot(RB_POWER_OFF);
  }
  fprintf(stderr, "guest: load FILE... | play DEVICE IN OUT | off\n");
  return 2;
}
