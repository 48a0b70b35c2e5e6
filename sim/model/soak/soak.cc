// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Very many arrivals through one Verilated tile, against what holds for every tile at all times (ledger.h) and against
// what its registers must show. It lives from reset to reset: limits and ECN are drawn, and all counters begin at the
// same number, a little below 2^32 or 2^48.
//
//   soak TAPS ARRIVALS SEED [REGISTER BIT ARRIVAL]
//
// TAPS lists the counters and the counts of what is queued, which are public. With REGISTER a bit of it is inverted
// behind so many arrivals. Prints `progress ARRIVALS` now and then; at last one line `done` or `broken WHAT` and
// counts.
#include "checks.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace soak
{
namespace
{

/// A bit that is to be inverted.
struct Upset
{
    std::string name;
    uint32_t bit;
    uint64_t arrival;
};

class Soak
{
  public:
    Soak(const char* taps, uint64_t seed)
        : traffic(seed),
          state(traffic.context, taps),
          checks(traffic, state)
    {
    }

    /// From a reset to the next one, or to so many arrivals in all.
    void Live(uint64_t end)
    {
        traffic.Reset();
        resets++;
        Configure();
        checks.Preset();
        for (uint64_t phases = 20 + traffic.random() % 400; phases && traffic.offered < end; phases--)
        {
            Run();
            traffic.Change();
        }
        checks.Quiet(); // the reset then comes in the midst of traffic
        checks.CountWraps();
        accepted += traffic.ledger->accepted;
        traffic.isArriving = traffic.isTaking = true;
        traffic.Clock(static_cast<int>(traffic.random() % 300));
    }

    Traffic traffic;
    upsets::State state;
    Checks checks;
    std::optional<Upset> upset;
    uint64_t resets = 0, accepted = 0;

  private:
    /// Limits that are reached by packets, or by bytes, or never; and marks or not.
    void Configure()
    {
        for (uint32_t i = 0; i < kMap.parameter_count; i++)
        {
            const auto& parameter = kMap.parameters[i];
            const std::string name = parameter.name;
            const uint64_t r = traffic.random();
            uint64_t value = parameter.default_raw;
            if (name == "limit")
            {
                traffic.ledger->limit = value = r % 4 == 0 ? value : 1 + (r >> 8) % value;
            }
            else if (name == "limit_bytes")
            {
                traffic.ledger->limitBytes = value = r % 4 != 0 ? value : 2000 + (r >> 8) % 1'000'000;
            }
            else if (name == "ecn")
            {
                value = r & 1;
            }
            traffic.host.Write(parameter.address, static_cast<uint32_t>(value));
        }
        traffic.host.Write(SLUICE_COMMIT, 1);
        traffic.ClockUntil([&] { return !(traffic.host.Read(SLUICE_COMMIT) & 1); });
        Expect(traffic.host.Read(SLUICE_REFUSED) == 0, "a legal set of parameters is refused");
    }

    void Run()
    {
        traffic.isArriving = traffic.isTaking = true;
        traffic.Clock(static_cast<int>(1000 + traffic.random() % 30'000));
        if (upset && traffic.offered >= upset->arrival)
        {
            Flip();
        }
        switch (traffic.random() % 8)
        {
        case 0:
            checks.Quiet();
            break;
        case 1:
            traffic.Drain();
            checks.Quiet();
            break;
        case 2:
            checks.Live();
            break;
        default:
            break;
        }
    }

    void Flip()
    {
        for (size_t i = 0; i < state.items.size(); i++)
        {
            if (state.items[i].name == upset->name)
            {
                state.Flip(i, 0, upset->bit);
            }
        }
        upset.reset();
    }
};

void
Say(const std::string& what, const Soak& soak, std::clock_t begin)
{
    std::printf(
        "%s\nclock %llu arrivals %llu accepted %llu resets %llu quiet %llu live %llu wraps_32 %llu wraps_48 %llu "
        "seconds %.3f\n",
        what.c_str(),
        static_cast<unsigned long long>(soak.traffic.clock),
        static_cast<unsigned long long>(soak.traffic.offered),
        static_cast<unsigned long long>(soak.accepted),
        static_cast<unsigned long long>(soak.resets),
        static_cast<unsigned long long>(soak.checks.quiet),
        static_cast<unsigned long long>(soak.checks.live),
        static_cast<unsigned long long>(soak.checks.wraps32),
        static_cast<unsigned long long>(soak.checks.wraps48),
        static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
}

} // namespace
} // namespace soak

int
main(int argc, char** argv)
{
    using namespace soak;
    if (argc != 4 && argc != 7)
    {
        std::fprintf(stderr, "usage: soak TAPS ARRIVALS SEED [REGISTER BIT ARRIVAL]\n");
        return 2;
    }
    const uint64_t arrivals = std::strtoull(argv[2], nullptr, 10);
    Soak soak(argv[1], std::strtoull(argv[3], nullptr, 10));
    if (argc == 7)
    {
        soak.upset = {argv[4], static_cast<uint32_t>(std::atoi(argv[5])), std::strtoull(argv[6], nullptr, 10)};
    }
    if (soak.state.items.empty())
    {
        std::fprintf(stderr, "soak: none of the registers of %s is there\n", argv[1]);
        return 2;
    }
    const std::clock_t begin = std::clock();
    try
    {
        while (soak.traffic.offered < arrivals)
        {
            soak.Live(arrivals);
            std::printf("progress %llu\n", static_cast<unsigned long long>(soak.traffic.offered));
            std::fflush(stdout);
        }
        Say("done", soak, begin);
    }
    catch (const std::exception& broken) // the registers' refusals too
    {
        Say(std::string("broken ") + broken.what(), soak, begin);
    }
    return 0;
}
