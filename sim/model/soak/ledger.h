// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a tile must say, clock by clock, from what it was offered and what it has said before: a verdict for each
// arrival after the fixed latency, packets that leave in the order in which they were accepted, a queue within its
// limits. And what its counters must show.
#ifndef SLUICE_SOAK_LEDGER_H
#define SLUICE_SOAK_LEDGER_H

#include "registers.h"
#include "tile-pins.h"

#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace soak
{

inline const struct sluice_map& kMap = SLUICE_MAP;

/// The tile does what no tile may do.
struct Broken : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

inline void
Expect(bool holds, const char* what)
{
    if (!holds)
    {
        throw Broken(what);
    }
}

/// A packet, from its arrival until it leaves.
struct Packet
{
    uint32_t flow, bytes;
    uint8_t ecn;          ///< as it came
    bool isMarked, isOut; ///< by its verdict; thrown out of the queue, where its place stays taken
    uint64_t clock;       ///< of its arrival
};

/// Packets in order, at most as many as a ring of the tile has places.
class Line
{
  public:
    explicit Line(uint32_t places)
        : packets(std::bit_ceil(2 * places))
    {
    }

    void Push(const Packet& packet)
    {
        (*this)[tail++] = packet;
    }

    Packet Pop()
    {
        return (*this)[head++];
    }

    Packet& operator[](uint64_t place)
    {
        return packets[place & (packets.size() - 1)];
    }

    [[nodiscard]] uint64_t Size() const
    {
        return tail - head;
    }

    uint64_t head = 0, tail = 0; ///< how many were taken out and put in

  private:
    std::vector<Packet> packets;
};

/// How many and how many bytes.
struct Sum
{
    uint64_t packets = 0, bytes = 0;

    void Add(uint32_t more)
    {
        packets++;
        bytes += more;
    }
};

class Ledger
{
  public:
    Ledger()
    {
        for (uint32_t i = 0; i < kMap.reason_count; i++)
        {
            kinds[kMap.reasons[i].code] = kMap.reasons[i].is_mark ? kMark : kDrop;
        }
    }

    void Offer(const Packet& packet)
    {
        Expect(judged.Size() < kMap.ring_packets, "a verdict is missing");
        judged.Push(packet);
    }

    /// One clock's outputs, behind the arrival of that clock.
    void Account(const pins::Outputs& out, uint64_t clock)
    {
        Sum& oldest = recent[clock % recent.size()]; // left longest ago
        oldest = {};
        const bool isDue = judged.Size() && judged[judged.head].clock + kMap.latency_cycles <= clock;
        Expect(isDue == (out.verdict != 0), isDue ? "a verdict is missing" : "a verdict that nothing asked for");
        if (out.verdict)
        {
            Judge(out);
        }
        if (out.victim)
        {
            ThrowOut(out.place, oldest);
        }
        if (out.departure)
        {
            const Packet packet = Leave(out.flow, out.bytes, oldest);
            const bool isMarkedNow = out.departureReason != 0;
            Expect(!isMarkedNow || (Kind(out.departureReason) == kMark && packet.ecn != 0), "a wrong mark at the head");
            Expect((out.isCe != 0) == (packet.isMarked || isMarkedNow), "a mark was lost or made up");
            Expect(!packet.isOut, "what was thrown out reaches the link");
            byReason[out.departureReason]++;
            departed.Add(packet.bytes);
        }
        if (out.dropped)
        {
            const Packet packet = Leave(out.droppedFlow, out.droppedBytes, oldest);
            Expect(Kind(out.droppedReason) == kDrop, "a drop in the queue without its reason");
            if (!packet.isOut)
            {
                byReason[out.droppedReason]++;
                queueDropped.Add(packet.bytes);
            }
        }
    }

    Sum received, dropped, departed, queueDropped, queued;
    uint64_t accepted = 0;
    std::array<uint64_t, 16> byReason{};
    uint64_t limit = 0, limitBytes = 0; ///< in force
    /// Clocks for which what has left may still count against the limits, and more.
    static constexpr uint32_t kLag = 8;

  private:
    enum Kinds : uint8_t
    {
        kNone,
        kMark,
        kDrop
    };

    [[nodiscard]] Kinds Kind(uint8_t reason) const
    {
        return kinds[reason & 15];
    }

    void Judge(const pins::Outputs& out)
    {
        const Packet packet = judged.Pop();
        received.Add(packet.bytes);
        byReason[out.reason]++;
        const Kinds kind = Kind(out.reason);
        switch (out.action)
        {
        case 0:
            Expect(out.reason == 0, "a pass with a reason");
            break;
        case 1:
            Expect(kind == kMark && packet.ecn != 0, "a wrong mark");
            break;
        default:
            Expect(kind == kDrop, "a drop without its reason");
            Expect(out.reason != 15 || IsFull(packet.bytes), "dropped as over the limit with room for it");
            dropped.Add(packet.bytes);
            return;
        }
        accepted++;
        queue.Push(packet);
        queue[queue.tail - 1].isMarked = out.action == 1;
        queued.Add(packet.bytes);
        Expect(queued.packets <= limit && queued.bytes <= limitBytes, "more is queued than the limit");
        Expect(queue.Size() <= kMap.ring_packets, "more is in the ring than it has places");
    }

    /// Whether a packet of so many bytes may be refused, with what has left lately and may still count.
    [[nodiscard]] bool IsFull(uint32_t bytes) const
    {
        Sum most = queued;
        for (const Sum& left : recent)
        {
            most.packets += left.packets;
            most.bytes += left.bytes;
        }
        return most.packets + 1 > limit || most.bytes + bytes > limitBytes ||
               queue.Size() + 3 * kLag >= kMap.ring_packets;
    }

    Packet Leave(uint32_t flow, uint32_t bytes, Sum& left)
    {
        Expect(queue.Size(), "a packet leaves an empty queue");
        const Packet packet = queue.Pop();
        Expect(packet.flow == flow && packet.bytes == bytes, "another packet leaves than the oldest");
        if (!packet.isOut)
        {
            left.Add(bytes);
            queued.packets--;
            queued.bytes -= bytes;
        }
        return packet;
    }

    /// Places count modulo twice the ring's entries.
    void ThrowOut(uint32_t place, Sum& left)
    {
        const uint64_t modulo = 2 * kMap.ring_packets;
        const uint64_t behind = (place + modulo - queue.head % modulo) % modulo;
        Expect(behind < queue.Size(), "what is thrown out is not queued");
        Packet& packet = queue[queue.head + behind];
        Expect(!packet.isOut, "a packet is thrown out twice");
        packet.isOut = true;
        left.Add(packet.bytes);
        queued.packets--;
        queued.bytes -= packet.bytes;
        queueDropped.Add(packet.bytes);
        byReason[kPushedOut]++;
    }

    static constexpr uint8_t kPushedOut = 14; ///< the code of what is thrown out
    Line judged{kMap.ring_packets}, queue{kMap.ring_packets};
    std::array<Kinds, 16> kinds{};
    std::array<Sum, kLag> recent{};
};

} // namespace soak

#endif /* SLUICE_SOAK_LEDGER_H */
