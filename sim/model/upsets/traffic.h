// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A tile among traffic: arrivals in bursts with pauses, a link, a host; and what came of it, held against a queue of
// its own. Everything that is presented follows from the clock and a seed, and not from what the tile does, but for the
// link's asks.
#ifndef SLUICE_UPSETS_TRAFFIC_H
#define SLUICE_UPSETS_TRAFFIC_H

#include "account.h"
#include "tile-pins.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace upsets
{

using namespace pins;

/// Clocks of a packet on the link. Where packets are judged at the head a hit costs some clocks, and so does a turn of
/// a list, which must not be what limits the rate.
constexpr int kSlot = IS_ASKED<Vtile> || kHasLists<Vtile> ? 12 : 4;
constexpr uint64_t kStepNs = 800000 / kSlot; ///< time of a clock

class Traffic
{
  public:
    explicit Traffic(uint32_t limit)
        : limit(limit)
    {
        top = std::make_unique<Vtile>(context.get());
        top->clk = 0;
        top->rst = 1;
        top->eval();
        for (uint32_t& flow : flows)
        {
            flow = static_cast<uint32_t>(random() >> 13);
        }
    }

    /// Verilator takes a model's names from the context that its thread used last.
    ~Traffic()
    {
        Verilated::threadContextp(context.get());
    }

    Traffic(const Traffic&) = delete;
    Traffic& operator=(const Traffic&) = delete;

    /// One clock with the inputs as they stand.
    void Edge()
    {
        const Outputs out = Look(*top);
        if (phase)
        {
            account.Note(out, *phase);
        }
        if (!clean)
        {
            trace.push_back(out);
        }
        else if (clock >= clean->size() || !(out == (*clean)[clock]))
        {
            differs++;
            lastDiffers = clock;
            if (phase)
            {
                phase->differs++;
            }
        }
        top->clk = !top->clk; // either edge is a clock
        top->eval();
        clock++;
        nowNs += kStepNs;
        top->now_ns = nowNs;
    }

    void Reset(uint32_t settling)
    {
        top->rst = 1;
        top->s_arrival_valid = 0;
        top->m_departure_ready = 0;
        top->s_axil_wstrb = 0xf;
        SetTo(*top, SLUICE_PORT(s_ask_valid), 0);
        asked = 0;
        nowNs = 1000;
        for (uint32_t i = 0; i < 6 + settling; i++)
        {
            Edge();
            top->rst = i < 5;
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
        const uint32_t packets = IS_ASKED<Vtile> ? 2 * SLUICE_MAP.ring_packets : limit + 64;
        for (uint32_t i = 0; i < kSlot * packets + 1000; i++)
        {
            tick();
            Idle();
        }
    }

    void Idle()
    {
        Link(true);
        top->s_arrival_valid = 0;
        Edge();
    }

    /// One access of the host; always of as many clocks, whether it is answered or not.
    bool Access(bool isWrite, uint32_t address, uint32_t& value)
    {
        bool isTaken = false, isDone = false;
        top->s_axil_awaddr = top->s_axil_araddr = address;
        top->s_axil_wdata = value;
        top->s_axil_awvalid = top->s_axil_wvalid = isWrite;
        top->s_axil_arvalid = !isWrite;
        top->s_axil_bready = top->s_axil_rready = 1;
        for (int i = 0; i < 40; i++)
        {
            top->eval();
            const bool fires = isWrite ? top->s_axil_awready && top->s_axil_wready : top->s_axil_arready;
            if (isTaken && !isDone && (isWrite ? top->s_axil_bvalid : top->s_axil_rvalid))
            {
                isDone = true;
                phase->refuses |= (isWrite ? top->s_axil_bresp : top->s_axil_rresp) != 0;
                value = isWrite ? value : top->s_axil_rdata;
            }
            Idle();
            if (fires && !isTaken)
            {
                isTaken = true;
                top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
            }
        }
        top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
        phase->hangs |= !isDone;
        return isDone;
    }

    /// All traffic so far is over: what the tile still owes is lost.
    void Begin(Phase& next)
    {
        phase = &next;
        account.Clear();
    }

    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vtile> top;
    uint64_t clock = 0, differs = 0, lastDiffers = 0;
    uint32_t limit;
    uint64_t pause = 0; ///< packets that the link does not take from now on
    std::vector<Outputs> trace;
    const std::vector<Outputs>* clean = nullptr;
    Phase* phase = nullptr;

  private:
    void Link(bool isOn)
    {
        if (isOn && clock % kSlot == 0 && pause)
        {
            pause--;
            isOn = false;
        }
        const bool takes = isOn && clock % kSlot == 0;
        if constexpr (IS_ASKED<Vtile>)
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
    Account account{limit};
    uint64_t nowNs = 1000, sequence = 0, waited = 0;
    uint32_t asked = 0;
    std::array<uint32_t, 40> flows{};
};

} // namespace upsets

#endif /* SLUICE_UPSETS_TRAFFIC_H */
