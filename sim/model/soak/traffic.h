// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A tile, whoever offers it packets, its link and its time, drawn anew again and again: bursts without a gap and
// pauses, a link that is faster or slower or stands still, time that stands, jumps and slips back.
#ifndef SLUICE_SOAK_TRAFFIC_H
#define SLUICE_SOAK_TRAFFIC_H

#include "axi-lite-host.h"
#include "ledger.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>

namespace soak
{

using namespace pins;

/// Runs of clocks in which something goes on, with runs between in which it does not.
struct Runs
{
    uint64_t most = 1; ///< clocks of a run
    double share = 0;  ///< of all clocks, in which it goes on
    uint64_t on = 0, off = 0;

    template <typename Random>
    bool Next(Random& random)
    {
        if (!on && !off)
        {
            on = share > 0 ? 1 + random() % most : 0;
            off = share > 0 ? static_cast<uint64_t>(std::lround(static_cast<double>(on) * (1 - share) / share)) : most;
        }
        if (on)
        {
            on--;
            return true;
        }
        off--;
        return false;
    }
};

class Traffic
{
  public:
    explicit Traffic(uint64_t seed)
        : random(seed)
    {
        top.clk = 0;
        top.rst = 1;
        top.eval();
    }

    /// In the midst of whatever goes on; then the registers are back, and nothing is queued.
    void Reset()
    {
        top.rst = 1;
        host.Begin();
        ledger.reset();
        isArriving = isTaking = false;
        nowNs = random() >> (4 + random() % 60);
        owed = 0;
        Clock(5);
        top.rst = 0;
        Clock(500 + 16 * static_cast<int>(kMap.parameter_count));
        ledger.emplace();
    }

    /// Draws how traffic and link go on.
    void Change()
    {
        static constexpr double kShares[] = {1, 1, 0.95, 0.8, 0.8, 0.6, 0.3, 0};
        arrivals = {.most = 1ull << random() % 12, .share = kShares[random() % 8]};
        link = {.most = 1ull << random() % 10, .share = kShares[random() % 8]};
        flowCount = 1 << random() % 11;
        longest = random() % 8 == 0 ? 65535 : 1514;
        ectOfEight = random() % 4 == 0 ? 8 : random() % 4;
        stepNs = random() % 16 == 0 ? 0 : 1ull << random() % 20;
        if (random() % 16 == 0)
        {
            nowNs += random() & ((1ull << (10 + random() % 30)) - 1);
        }
        if (random() % 16 == 0)
        {
            nowNs -= std::min(nowNs, random() & 0xfffff); // too little for the tile to take it
        }
    }

    void Clock(int clocks = 1)
    {
        for (int i = 0; i < clocks; i++)
        {
            Arrive();
            Take();
            if (ledger)
            {
                ledger->Account(Look(top), clock);
            }
            owed -= owed && top.m_departure_valid && top.m_departure_ready;
            top.now_ns = nowNs += stepNs;
            top.clk = !top.clk; // either edge is a clock
            top.eval();
            clock++;
        }
    }

    template <typename Condition>
    void ClockUntil(Condition condition, const char* otherwise = "the registers do not answer")
    {
        for (uint64_t i = 0; !condition(); i++)
        {
            Expect(i < kPatience, otherwise);
            Clock();
        }
    }

    /// Nothing comes any more, the link wants nothing, and all that was said has had its effect.
    void Quieten()
    {
        isArriving = isTaking = false;
        Clock(static_cast<int>(kMap.latency_cycles));
        ClockUntil([&] { return !owed || !ledger->queued.packets; }, "a packet that was asked for does not come");
        Clock(64);
    }

    /// All that is queued leaves.
    void Drain()
    {
        isArriving = false;
        isTaking = true;
        link = {.most = 1, .share = 1};
        Clock(static_cast<int>(kMap.latency_cycles));
        ClockUntil([&] { return !ledger->queued.packets; }, "what is queued does not leave");
        Quieten();
    }

    Vtile& Top()
    {
        return top;
    }

    void Evaluate()
    {
        top.eval();
    }

    VerilatedContext context;
    Vtile top{&context};
    sluice::AxiLiteHost<Traffic> host{*this};
    std::mt19937_64 random;
    std::optional<Ledger> ledger; ///< none in a reset
    bool isArriving = false, isTaking = false;
    uint64_t clock = 0, offered = 0, nowNs = 0;

  private:
    void Arrive()
    {
        top.s_arrival_valid = isArriving && arrivals.Next(random);
        if (!top.s_arrival_valid)
        {
            return;
        }
        const uint64_t r = random();
        const uint32_t flow = r % 16 == 0 ? static_cast<uint32_t>(r >> 32) : (r >> 32) % flowCount * 0x9E3779B1u;
        const auto bytes = static_cast<uint32_t>(1 + (r >> 4 & 0xffff) * longest / 65536);
        const auto ecn = static_cast<uint8_t>((r >> 20 & 7) < ectOfEight ? r >> 28 & 3 : 0);
        top.s_arrival_flow = flow;
        top.s_arrival_bytes = bytes;
        top.s_arrival_ecn = ecn;
        SetTo(top, SLUICE_PORT(s_arrival_rtt_us), random() & 0x3fffff);
        offered++;
        ledger->Offer({.flow = flow, .bytes = bytes, .ecn = ecn, .isMarked = false, .isOut = false, .clock = clock});
    }

    /// A link that stands still takes what it has asked for.
    void Take()
    {
        const bool takes = isTaking && link.Next(random);
        top.m_departure_ready = IS_ASKED<Vtile> ? ledger && (isTaking || owed) : takes;
        const bool asks = IS_ASKED<Vtile> && takes && owed < kMostOwed;
        SetTo(top, SLUICE_PORT(s_ask_valid), asks);
        owed += asks;
    }

    static constexpr uint32_t kMostOwed = 24; ///< asks; more than 31 a tile does not hear
    /// Clocks: more than a full ring takes to leave through any core's judgment at the head.
    static constexpr uint64_t kPatience = 200'000;
    Runs arrivals, link;
    uint32_t owed = 0, flowCount = 1, longest = 1514;
    uint64_t ectOfEight = 0, stepNs = 1;
};

} // namespace soak

#endif /* SLUICE_SOAK_TRAFFIC_H */
