// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a tile's registers show, held against the ledger in quiet moments and against itself in the midst of traffic.
#ifndef SLUICE_SOAK_CHECKS_H
#define SLUICE_SOAK_CHECKS_H

#include "traffic.h"
#include "upsets/state.h"

#include <cstring>
#include <map>

namespace soak
{

constexpr uint64_t kWord = (1ull << 48) - 1; ///< of a counter

class Checks
{
  public:
    Checks(Traffic& traffic, upsets::State& state)
        : traffic(traffic),
          state(state)
    {
    }

    /// Begins all counters at one number, below a power of two that packets or bytes soon reach.
    void Preset()
    {
        const uint64_t below = traffic.random() % (1ull << (4 + traffic.random() % 24));
        base = ((traffic.random() & 1 ? 1ull << 32 : 1ull << 48) - below) & kWord;
        for (const auto& item : state.items)
        {
            if (item.name.find("_accountant_") != std::string::npos)
            {
                std::memcpy(item.data, &base, item.size);
            }
        }
    }

    /// What was counted adds up in the midst of traffic.
    void Live()
    {
        live++;
        auto read = Counters();
        uint64_t packets = read["departed_packets"] + read["queue_packets"];
        for (uint32_t i = 0; i < kMap.reason_count; i++)
        {
            packets += kMap.reasons[i].is_mark ? 0 : read[ReasonCounter(i)];
        }
        const uint64_t bytes =
            read["dropped_bytes"] + read["queue_dropped_bytes"] + read["departed_bytes"] + read["queue_bytes"];
        Expect(((read["received_packets"] - packets) & kWord) == 0, "packets do not add up");
        Expect(((read["received_bytes"] - bytes) & kWord) == 0, "bytes do not add up");
        Status();
    }

    /// All counters are what the ledger says, what is queued too.
    void Quiet()
    {
        quiet++;
        traffic.Quieten();
        const Ledger& truth = *traffic.ledger;
        std::map<std::string, uint64_t> right = {
            {"received_packets", truth.received.packets},
            {"received_bytes", truth.received.bytes},
            {"dropped_bytes", truth.dropped.bytes},
            {"departed_packets", truth.departed.packets},
            {"departed_bytes", truth.departed.bytes},
            {"queue_packets", truth.queued.packets},
            {"queue_bytes", truth.queued.bytes},
            {"queue_dropped_packets", truth.queueDropped.packets},
            {"queue_dropped_bytes", truth.queueDropped.bytes},
        };
        for (uint32_t i = 0; i < kMap.reason_count; i++)
        {
            right[ReasonCounter(i)] = truth.byReason[kMap.reasons[i].code];
        }
        Expect(truth.accepted == truth.departed.packets + truth.queueDropped.packets + truth.queued.packets,
               "what was accepted does not add up");
        for (const auto& [name, value] : Counters())
        {
            if (value != right.at(name))
            {
                throw Broken(name + " shows " + std::to_string(value) + " in place of " +
                             std::to_string(right.at(name)));
            }
        }
        Status();
    }

    /// Counters that have passed a power of two since they were preset.
    void CountWraps()
    {
        const Ledger& truth = *traffic.ledger;
        std::vector<uint64_t> counts = {truth.received.packets,
                                        truth.received.bytes,
                                        truth.dropped.bytes,
                                        truth.departed.packets,
                                        truth.departed.bytes,
                                        truth.queueDropped.packets,
                                        truth.queueDropped.bytes};
        for (uint32_t i = 0; i < kMap.reason_count; i++)
        {
            counts.push_back(truth.byReason[kMap.reasons[i].code]);
        }
        for (const uint64_t count : counts)
        {
            wraps48 += (base + count) >> 48;
            wraps32 += ((base + count) >> 32) > (base >> 32) && base >> 32 == 0;
        }
    }

    uint64_t quiet = 0, live = 0, wraps32 = 0, wraps48 = 0;

  private:
    /// All counters at one instant, by their names, as they would be if they had begun at 0.
    std::map<std::string, uint64_t> Counters()
    {
        traffic.host.Write(SLUICE_SNAPSHOT, 1);
        std::map<std::string, uint64_t> read;
        for (uint32_t i = 0; i < kMap.counter_count; i++)
        {
            const auto& counter = kMap.counters[i];
            const uint64_t low = traffic.host.Read(counter.address), high = traffic.host.Read(counter.address + 4);
            const std::string name = counter.name;
            const bool isCount = name != "queue_packets" && name != "queue_bytes";
            read[name] = ((high << 32 | low) - (isCount ? base : 0)) & kWord;
        }
        return read;
    }

    [[nodiscard]] std::string ReasonCounter(uint32_t reason) const
    {
        for (uint32_t i = 0; i < kMap.counter_count; i++)
        {
            if (kMap.counters[i].address == kMap.reasons[reason].address)
            {
                return kMap.counters[i].name;
            }
        }
        return "";
    }

    /// What the core shows is within its bounds, and nothing had to be mended.
    void Status()
    {
        for (uint32_t i = 0; i < kMap.status_count; i++)
        {
            const auto& status = kMap.status[i];
            const std::string name = status.name, unit = status.unit;
            const uint64_t value = traffic.host.Read(status.address), one = 1ull << status.fraction;
            const bool isAverage = unit == "packets" && status.fraction > 0;
            const bool isProbability = name.find("probability") != std::string::npos;
            const uint64_t most = isAverage       ? traffic.ledger->limit * one
                                  : isProbability ? one
                                                  : (1ull << status.width) - 1;
            if (value > most)
            {
                throw Broken(name + " shows " + std::to_string(value) + ", more than " + std::to_string(most));
            }
        }
        const uint32_t faults = traffic.host.Read(SLUICE_FAULTS);
        if (faults)
        {
            throw Broken("FAULTS shows " + std::to_string(faults));
        }
    }

    Traffic& traffic;
    upsets::State& state;
    uint64_t base = 0; ///< of all counters
};

} // namespace soak

#endif /* SLUICE_SOAK_CHECKS_H */
