// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The course of a run: traffic, fill and drain; the same again; all parameters written anew with COMMIT, traffic and
// drain; reset, traffic and drain.
#ifndef SLUICE_UPSETS_COURSE_H
#define SLUICE_UPSETS_COURSE_H

#include "state.h"
#include "traffic.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace upsets
{

constexpr int kPhases = 4;
using Settings = std::map<std::string, uint32_t>;

/// What all phases of a run came to.
struct Run
{
    std::array<Phase, kPhases> phases;
    std::array<uint64_t, kPhases + 1> begin{};
    std::array<Image, kPhases> ends;
};

/// Writes all parameters but the random generator's state, and applies them; whether they were accepted.
inline bool
Apply(Traffic& traffic, const Settings& settings)
{
    const auto wait = [&](uint32_t clocks) {
        for (uint32_t i = 0; i < clocks; i++)
        {
            traffic.Idle();
        }
    };
    for (uint32_t i = 0; i < kMap.parameter_count; i++)
    {
        const auto& parameter = kMap.parameters[i];
        const auto found = settings.find(parameter.name);
        uint32_t value = found == settings.end() ? parameter.default_raw : found->second;
        if (!std::string(parameter.name).starts_with("seed"))
        {
            traffic.Access(true, parameter.address, value);
        }
    }
    uint32_t one = 1, refused = 0, all = ~0u;
    traffic.Access(true, SLUICE_COMMIT, one);
    wait(8 * kMap.parameter_count + kMap.tick_cycles + 500);
    traffic.Access(false, SLUICE_REFUSED, refused);
    traffic.Access(true, SLUICE_REFUSED, all);
    wait(16 * kMap.parameter_count + 200); // what is staged may be put back
    return refused == 0;
}

/// Twice, in as many clocks in any case: a refusal puts back all that is staged, and then a host tries again.
inline void
Configure(Traffic& traffic, const Settings& settings)
{
    Apply(traffic, settings);
    traffic.phase->refuses |= !Apply(traffic, settings);
}

inline void
ReadAll(Traffic& traffic)
{
    uint32_t one = 1;
    traffic.Access(true, SLUICE_SNAPSHOT, one);
    for (uint32_t i = 0; i < kMap.counter_count; i++)
    {
        uint32_t low = 0, high = 0;
        traffic.Access(false, kMap.counters[i].address, low);
        traffic.Access(false, kMap.counters[i].address + 4, high);
        traffic.phase->read[kMap.counters[i].address] = low | static_cast<uint64_t>(high) << 32;
    }
    for (uint32_t i = 0; i < kMap.status_count; i++)
    {
        uint32_t value = 0;
        traffic.Access(false, kMap.status[i].address, value);
        traffic.phase->read[kMap.status[i].address] = value;
    }
}

/// The whole run. `tick` before clocks of traffic, `after` at the end of each phase.
template <typename Tick, typename After>
void
Play(Traffic& traffic, const Settings& settings, Run& run, Tick tick, After after)
{
    const uint32_t settling = 16 * kMap.parameter_count + 500;
    Phase between;
    traffic.Reset(settling);
    traffic.Begin(between);
    Configure(traffic, settings);
    for (int k = 0; k < kPhases; k++)
    {
        traffic.Begin(run.phases[k]);
        if (k == 3)
        {
            traffic.phase = nullptr;
            traffic.Reset(settling);
            traffic.phase = &run.phases[k];
        }
        if (k >= 2)
        {
            Configure(traffic, settings);
        }
        run.begin[k] = traffic.clock;
        traffic.Load(k == 0 ? kMain : kSide, tick);
        traffic.FillAndDrain(tick);
        run.begin[k + 1] = traffic.clock;
        ReadAll(traffic);
        after(k);
    }
}

} // namespace upsets

#endif // SLUICE_UPSETS_COURSE_H
