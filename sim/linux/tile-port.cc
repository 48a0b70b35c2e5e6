// SPDX-License-Identifier: Apache-2.0
//
// A Verilated tile and a link behind it, for arrivals whose times are known:
// what a Linux kernel's qdisc under HTB is compared with.
//   tile-port LIBRARY NS_PER_BYTE BURST_NS TICK_NS ADDRESS=WORD...
// reads a line `time in ns, bytes, flow, ECN field` for each packet, in order
// of time, and writes one with the time at which it left, or -1, and whether it
// was marked.
//
// The link is HTB's: what it may send without a pause is a credit of time,
// which grows while it is idle up to a bound, and a packet may leave as long as
// no time is owed. TICK_NS is the time from one look at the clock to the next,
// for a tile that works between packets; 0: it has none.
#include "load-tile.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <limits>

namespace {

constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

struct Packet {
  uint64_t arrivalNs;
  uint32_t bytes, flow;
  unsigned ecn;
  int64_t departureNs = -1;
  bool isMarked = false;
};

/// Tile and link, and which packets are between.
class Port {
public:
  Port(const std::string &library, double nsPerByte, int64_t burstNs)
      : tile(sluice::LoadTile(library)), nsPerByte(nsPerByte), burstNs(burstNs),
        creditNs(burstNs) {}

  void Set(const char *words) {
    char *end = nullptr;
    const auto address = static_cast<uint32_t>(std::strtoul(words, &end, 0));
    tile->Write(address, static_cast<uint32_t>(
                             std::strtoul(end + (*end == '='), nullptr, 0)));
  }

  void Commit() {
    std::string refused;
    if (!tile->Commit(refused)) {
      throw std::runtime_error("the tile refuses these parameters: " + refused);
    }
  }

  void Arrive(Packet &packet) {
    const auto verdict = tile->Offer({.nowNs = packet.arrivalNs,
                                      .flow = packet.flow,
                                      .bytes = packet.bytes,
                                      .ecn = static_cast<uint8_t>(packet.ecn),
                                      .rttUs = 0});
    if (verdict.victim) {
      queue.erase(queue.begin() + *verdict.victim);
    }
    if (verdict.action != sluice::Action::DROP) {
      queue.push_back(&packet);
    }
    if (nextNs == NEVER) {
      Serve(packet.arrivalNs);
    }
  }

  /// The link may send: it takes packets until it owes time, or none is left.
  void Serve(uint64_t nowNs) {
    for (Earn(nowNs); creditNs >= 0;) {
      const Packet *sent = nullptr;
      for (const auto &left : tile->Depart(nowNs)) {
        const auto at = queue.begin() + left.before;
        if (!left.isDropped) {
          (*at)->departureNs = static_cast<int64_t>(nowNs);
          (*at)->isMarked = left.isMarked;
          sent = *at;
        }
        queue.erase(at);
      }
      if (sent == nullptr) {
        nextNs = NEVER;
        return;
      }
      creditNs -= std::llround(sent->bytes * nsPerByte);
    }
    nextNs = nowNs - creditNs;
  }

  void Tick(uint64_t nowNs) { tile->Advance(nowNs); }

  /// When the link may send again; NEVER: when something comes.
  uint64_t NextNs() const { return nextNs; }

private:
  void Earn(uint64_t nowNs) {
    creditNs = std::min<int64_t>(
        creditNs + static_cast<int64_t>(nowNs - earnedNs), burstNs);
    earnedNs = nowNs;
  }

  std::unique_ptr<sluice::Tile> tile;
  double nsPerByte;
  int64_t burstNs, creditNs;
  uint64_t nextNs = NEVER, earnedNs = 0;
  std::deque<Packet *> queue;
};

std::deque<Packet> ReadPackets() {
  std::deque<Packet> packets;
  Packet next{};
  while (std::scanf("%" SCNu64 " %u %u %u", &next.arrivalNs, &next.bytes,
                    &next.flow, &next.ecn) == 4) {
    packets.push_back(next);
  }
  return packets;
}

void Run(Port &port, std::deque<Packet> &packets, uint64_t tickNs) {
  uint64_t tick = tickNs ? tickNs : NEVER;
  for (auto next = packets.begin();
       next != packets.end() || port.NextNs() != NEVER;) {
    const uint64_t arrival = next == packets.end() ? NEVER : next->arrivalNs;
    const uint64_t now = std::min({tick, port.NextNs(), arrival});
    if (now == tick) {
      port.Tick(now);
      tick += tickNs;
    } else if (now == port.NextNs()) {
      port.Serve(now);
    } else {
      port.Arrive(*next++);
    }
  }
}

} // namespace

int main(int count, char **words) try {
  if (count < 5) {
    std::fprintf(
        stderr,
        "tile-port LIBRARY NS_PER_BYTE BURST_NS TICK_NS ADDRESS=WORD...\n");
    return 2;
  }
  Port port(words[1], std::atof(words[2]), std::atoll(words[3]));
  for (int i = 5; i < count; i++) {
    port.Set(words[i]);
  }
  port.Commit();
  auto packets = ReadPackets();
  Run(port, packets, std::strtoull(words[4], nullptr, 10));
  for (const auto &packet : packets) {
    std::printf("%" PRId64 " %d\n", packet.departureNs, packet.isMarked);
  }
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "tile-port: %s\n", error.what());
  return 1;
}
