// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What came of the traffic, held against queues of its own.
#ifndef SLUICE_UPSETS_ACCOUNT_H
#define SLUICE_UPSETS_ACCOUNT_H

#include "design.h"
#include "registers.h"
#include "tile/outputs.h"
#include "tile/ports.h"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace upsets
{

using namespace pins;
using sluice::IS_ASKED;

/// What the generator says of the design.
inline const struct sluice_map& kMap = SLUICE_MAP;

/// What a phase of the traffic came to.
struct Phase
{
    uint64_t arrivals = 0, verdicts = 0, drops = 0, marks = 0, accepted = 0, left = 0, headDrops = 0;
    uint64_t otherOrder = 0;  ///< what left was not the oldest packet of its queue
    uint64_t falselyFull = 0; ///< dropped as over the limit with room for it
    uint64_t overfull = 0, delay = 0;
    uint64_t differs = 0; ///< clocks with other outputs than in the clean run
    std::map<uint32_t, uint64_t> read;
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> flows; ///< offered and dropped at the arrival
    bool hangs = false, refuses = false;
};

/// Packets that may be under way beside the limit.
constexpr uint32_t kSlack = 16;

class Account
{
  public:
    /// `bytes` is what tells two of a flow apart: the length, or of a datapath the number that a frame carries.
    struct Packet
    {
        uint32_t flow, bytes;
    };

    explicit Account(uint32_t itsLimit)
        : limit(itsLimit)
    {
    }

    void Clear()
    {
        offered.clear();
        queues.clear();
        queued = 0;
    }

    bool IsEmpty() const
    {
        return queued == 0;
    }

    /// A packet arrives.
    void Offer(const Packet& packet)
    {
        offered.push_back(packet);
    }

    /// What the tile says in a clock.
    void Note(const Outputs& out, Phase& phase)
    {
        if (out.verdict)
        {
            phase.verdicts++;
        }
        if (out.verdict && !offered.empty())
        {
            const Packet packet = offered.front();
            offered.pop_front();
            auto& [came, dropped] = phase.flows[packet.flow];
            came++;
            if (out.action == 2)
            {
                dropped++;
                phase.drops++;
                phase.falselyFull += out.reason == 15 && !kHasQueues<Design> && queued + kSlack < limit;
            }
            else
            {
                phase.accepted++;
                phase.marks += out.action == 1;
                queues[out.queue].push_back(packet);
                phase.delay += ++queued;
                phase.overfull += !IS_ASKED<Design> && queued > limit + kSlack;
            }
        }
        if (out.departure)
        {
            Leave(out.flow, out.bytes, out.departureQueue, phase);
        }
        if (out.dropped)
        {
            phase.headDrops++;
            Leave(out.droppedFlow, out.droppedBytes, 0, phase);
        }
    }

  private:
    void Leave(uint32_t flow, uint32_t bytes, uint32_t queue, Phase& phase)
    {
        phase.left++;
        if (queues[queue].empty())
        {
            return;
        }
        const Packet oldest = queues[queue].front();
        phase.otherOrder += oldest.flow != flow || oldest.bytes != bytes;
        queues[queue].pop_front();
        queued--;
    }

    uint32_t limit;
    uint64_t queued = 0;
    std::deque<Packet> offered; ///< without a verdict
    std::map<uint32_t, std::deque<Packet>> queues;
};

} // namespace upsets

#endif // SLUICE_UPSETS_ACCOUNT_H
