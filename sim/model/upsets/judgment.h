// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What was wrong in a phase of a run with an upset, held against the same phase of the clean run.
#ifndef SLUICE_UPSETS_JUDGMENT_H
#define SLUICE_UPSETS_JUDGMENT_H

#include "traffic.h"

#include <cmath>

namespace upsets
{

/// A counter of the tile by its name, as it was read behind a phase; 0 where there is none.
inline uint64_t
Counter(const Phase& phase, const std::string& name)
{
    for (uint32_t i = 0; i < kMap.counter_count; i++)
    {
        if (name == kMap.counters[i].name)
        {
            return phase.read.at(kMap.counters[i].address);
        }
    }
    return 0;
}

/// Drop and mark ratios and the mean delay, as far apart as they are.
inline double
Distance(const Phase& phase, const Phase& clean)
{
    const auto count = static_cast<double>(std::max<uint64_t>(phase.arrivals, 1));
    const auto of = [&](uint64_t a, uint64_t b) {
        return std::abs(static_cast<double>(a) - static_cast<double>(b)) / count;
    };
    const auto mean = [](const Phase& p) {
        return static_cast<double>(p.delay) / static_cast<double>(std::max<uint64_t>(p.accepted, 1));
    };
    return std::max({of(phase.drops + phase.headDrops, clean.drops + clean.headDrops),
                     of(phase.marks, clean.marks),
                     std::abs(mean(phase) - mean(clean)) / std::max(3.0, mean(clean)) / 6});
}

/// What is wrong in a phase, in words joined by `+`.
inline std::string
Wrongs(const Phase& phase, const Phase& clean, double tolerance)
{
    std::string found;
    const auto add = [&](bool is, const char* what) {
        found += is ? (found.empty() ? "" : "+") + std::string(what) : "";
    };
    add(phase.verdicts != phase.arrivals, "verdicts");
    add(phase.accepted != phase.left, "lost");
    add(phase.otherOrder > clean.otherOrder, "order");
    add(phase.falselyFull > clean.falselyFull, "full");
    add(phase.overfull > clean.overfull, "overfull");
    add(phase.hangs, "bus");
    add(phase.refuses && !clean.refuses, "refused");
    add(Distance(phase, clean) > tolerance, "rate");
    const bool isUnfair = std::ranges::any_of(phase.flows, [&](const auto& entry) {
        const auto& [came, dropped] = entry.second;
        const auto other = clean.flows.find(entry.first);
        const auto share = [](uint64_t part, uint64_t all) {
            return static_cast<double>(part) / static_cast<double>(all);
        };
        return came >= 30 && other != clean.flows.end() &&
               std::abs(share(dropped, came) - share(other->second.second, other->second.first)) > 0.4;
    });
    add(isUnfair, "flow");
    if (phase.read.empty() || phase.hangs)
    {
        return found;
    }
    add(Counter(phase, "queue_packets") || Counter(phase, "queue_bytes"), "leak");
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < kMap.reason_count; i++)
    {
        dropped += kMap.reasons[i].is_mark ? 0 : phase.read.at(kMap.reasons[i].address);
    }
    const auto of = [&](const char* name) { return Counter(phase, name); };
    add(of("received_packets") != dropped + of("departed_packets") + of("queue_packets") ||
            of("received_bytes") !=
                of("dropped_bytes") + of("queue_dropped_bytes") + of("departed_bytes") + of("queue_bytes"),
        "counters");
    return found;
}

} // namespace upsets

#endif /* SLUICE_UPSETS_JUDGMENT_H */
