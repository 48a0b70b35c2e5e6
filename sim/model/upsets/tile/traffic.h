// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A tile among traffic: arrivals in bursts with pauses, and a link. Everything that is presented follows from the clock
// and a seed, and not from what the tile does, but for the link's asks.
#ifndef SLUICE_UPSETS_TILE_TRAFFIC_H
#define SLUICE_UPSETS_TILE_TRAFFIC_H

#include "bench.h"
#include "tile-pins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

namespace upsets
{

using namespace pins;

/// Packets of the first phase, and of each other one.
constexpr uint64_t kMain = IS_ASKED<Design> ? 4000 : 8000, kSide = 2500;

/// Clocks of a packet on the link. Where packets are judged at the head a hit costs some clocks, and so does a turn of
/// a list, which must not be what limits the rate.
constexpr int kSlot = IS_ASKED<Design> || kHasLists<Design> ? 12 : 4;

class Traffic : public Bench
{
  public:
    explicit Traffic(uint32_t itsLimit)
        : Bench(itsLimit)
    {
        stepNs = 800000 / kSlot;
        for (uint32_t& flow : flows)
        {
            flow = static_cast<uint32_t>(random() >> 13);
        }
    }

    /// Arrivals at 1.2 times the link, with a pause after every 1,500; `tick` before each clock.
    template <typename Tick>
    void Load(uint64_t packets, Tick tick)
    {
        uint64_t burst = 0, gap = 0;
        for (uint64_t offeredNow = 0; offeredNow < packets; Edge())
        {
            tick();
            Link(true);
            top->s_arrival_valid = 0;
            if (burst)
            {
                Arrive();
                burst--;
                if (++offeredNow % 1500 == 0)
                {
                    burst = 0;
                    gap = 400;
                }
            }
            else if (gap)
            {
                gap--;
            }
            else
            {
                burst = 1 + (random() % 4 == 0 ? random() % 12 : random() % 2); // 2.75 on average
                gap = random() % static_cast<uint64_t>(2 * (2.75 * kSlot / 1.2 - 2.75) + 1);
            }
        }
    }

    /// The link stands still until the queue is full; then it takes all there is.
    template <typename Tick>
    void FillAndDrain(Tick tick)
    {
        for (uint32_t i = 0; i < 2 * limit + 60; i++)
        {
            Link(false);
            top->s_arrival_valid = 0;
            if (i % 3 == 0)
            {
                Arrive();
            }
            Edge();
        }
        // Where addresses have a bit more than the ring, an upset of it lets twice its entries leave.
        const uint32_t packets = IS_ASKED<Design> ? 2 * SLUICE_MAP.ring_packets : limit + 64;
        for (uint32_t i = 0; i < kSlot * packets + 1000; i++)
        {
            tick();
            Idle();
        }
    }

    void Idle() override
    {
        Link(true);
        top->s_arrival_valid = 0;
        Edge();
    }

  protected:
    Outputs Look() override
    {
        return pins::Look(*top);
    }

    void Quiet() override
    {
        top->s_arrival_valid = 0;
        top->m_departure_ready = 0;
        SetTo(*top, SLUICE_PORT(s_ask_valid), 0);
        asked = 0;
    }

  private:
    void Link(bool isOn)
    {
        if (isOn && clock % kSlot == 0 && pause)
        {
            pause--;
            isOn = false;
        }
        const bool takes = isOn && clock % kSlot == 0;
        if constexpr (IS_ASKED<Design>)
        {
            // A link that has waited for long asks again, as the documentation of the ports says.
            waited = top->m_departure_valid || asked == 0 || account.IsEmpty() ? 0 : waited + 1;
            const bool asks = takes && (asked < 8 || waited > 1000);
            SetTo(*top, SLUICE_PORT(s_ask_valid), asks);
            top->m_departure_ready = isOn;
            asked += asks && asked < 8;
            asked -= isOn && top->m_departure_valid && asked > 0;
        }
        else
        {
            top->m_departure_ready = takes;
        }
    }

    void Arrive()
    {
        const uint64_t r = random();
        const Account::Packet packet{flows[r % 3 == 0 ? 0 : (r >> 8) % flows.size()],
                                     64 + static_cast<uint32_t>(sequence++ * 37 % 1451)};
        top->s_arrival_valid = 1;
        top->s_arrival_flow = packet.flow;
        top->s_arrival_bytes = packet.bytes;
        top->s_arrival_ecn = (r >> 40) % 4 == 0 ? 2 : 0;
        SetTo(*top, SLUICE_PORT(s_arrival_queue), (r >> 44) % 4);
        SetTo(*top, SLUICE_PORT(s_arrival_rtt_us), 0);
        if (phase)
        {
            phase->arrivals++;
            account.Offer(packet);
        }
    }

    std::mt19937_64 random{1};
    uint64_t sequence = 0, waited = 0;
    uint32_t asked = 0;
    std::array<uint32_t, 40> flows{};
};

} // namespace upsets

#endif // SLUICE_UPSETS_TILE_TRAFFIC_H
