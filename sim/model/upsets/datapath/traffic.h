// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A datapath among traffic: frames in bursts with pauses, and a link. What is presented follows from the clock and a
// seed, and not from what the datapath does, but that a beat waits where it is not taken.
#ifndef SLUICE_UPSETS_DATAPATH_TRAFFIC_H
#define SLUICE_UPSETS_DATAPATH_TRAFFIC_H

#include "bench.h"
#include "frames.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>

namespace upsets
{

/// Frames of the first phase, and of each other one.
constexpr uint64_t kMain = 1500, kSide = 600;
/// Bytes of a beat.
constexpr size_t kLanes = 8;
/// Clocks of a beat on the link, and of a frame of middle size.
constexpr int kBeat = 2, kSlot = 20 * kBeat;

class Traffic : public Bench
{
  public:
    explicit Traffic(uint32_t itsLimit)
        : Bench(itsLimit)
    {
        stepNs = 800000 / kSlot;
    }

    /// Frames at 1.2 times the link, with a pause after every 500, and as many clocks behind them as what waits before
    /// the input takes; `tick` before each clock.
    template <typename Tick>
    void Load(uint64_t frames, Tick tick)
    {
        uint64_t due = 0, offered = 0;
        for (uint64_t rest = 2000; offered < frames || rest != 0; Edge())
        {
            tick();
            Link(true);
            if (due != 0)
            {
                due--;
            }
            else if (offered < frames)
            {
                const uint64_t burst = 1 + (random() % 4 == 0 ? random() % 12 : random() % 2); // 2.75 on average
                for (uint64_t i = 0; i < burst; i++)
                {
                    Come();
                }
                due = burst * kSlot * 10 / 12 + (offered / 500 != (offered + burst) / 500 ? 100 * kSlot : 0);
                offered += burst;
            }
            else
            {
                rest--;
            }
            Offer();
        }
    }

    /// The link stands still until the queue is full; then it takes all there is.
    template <typename Tick>
    void FillAndDrain(Tick tick)
    {
        for (uint32_t i = 0; i < 2 * limit + 60; i++)
        {
            Come();
        }
        for (uint64_t clocks = 40ull * (2 * limit + 60); clocks != 0; clocks--)
        {
            Link(false);
            Offer();
            Edge();
        }
        for (uint32_t i = 0; i < kSlot * (limit + 64) + 1000; i++)
        {
            tick();
            Idle();
        }
    }

    void Idle() override
    {
        Link(true);
        Offer();
        Edge();
    }

  protected:
    Outputs Look() override
    {
        Outputs out;
        out.verdict = top->m_verdict_valid;
        if (out.verdict)
        {
            out.action = top->m_verdict_action;
            out.reason = top->m_verdict_reason;
        }
        if (top->m_axis_tvalid && top->m_axis_tready)
        {
            for (size_t i = 0; i < kLanes && top->m_axis_tkeep >> i & 1; i++)
            {
                leaving.push_back(static_cast<uint8_t>(top->m_axis_tdata >> 8 * i));
            }
            out.place = static_cast<uint32_t>((top->m_axis_tdata * 0x9E3779B97F4A7C15ull + top->m_axis_tkeep) >> 31);
            out.departure = top->m_axis_tlast;
            if (out.departure)
            {
                const Account::Packet packet = Recognized(leaving);
                out.flow = packet.flow;
                out.bytes = packet.bytes;
                leaving.clear();
            }
        }
        return out;
    }

    void Quiet() override
    {
        coming.clear();
        leaving.clear();
        done = 0;
        top->s_axis_tvalid = 0;
        top->m_axis_tready = 0;
    }

  private:
    /// The link's pauses are of whole frames' time.
    void Link(bool isOn)
    {
        if (isOn && clock % kSlot == 0 && pause)
        {
            pause--;
            silent = kSlot;
        }
        silent -= silent != 0;
        top->m_axis_tready = isOn && silent == 0 && clock % kBeat == 0;
    }

    /// The next frame is to come, as soon as those before it are in.
    void Come()
    {
        coming.push_back(number);
        if (phase)
        {
            phase->arrivals++;
            account.Offer({FlowOf(number), number});
        }
        number++;
    }

    /// Presents the beat whose turn it is, which goes with this clock if there is room for it.
    void Offer()
    {
        top->s_axis_tvalid = !coming.empty();
        if (coming.empty())
        {
            return;
        }
        if (done == 0)
        {
            frame = FrameOf(coming.front(), EcnOf(coming.front()));
        }
        const size_t count = std::min(kLanes, frame.size() - done);
        uint64_t data = 0;
        std::memcpy(&data, &frame[done], count);
        top->s_axis_tdata = data;
        top->s_axis_tkeep = (1u << count) - 1;
        top->s_axis_tlast = done + count == frame.size();
        if (top->s_axis_tready)
        {
            done += count;
        }
        if (done == frame.size())
        {
            coming.pop_front();
            done = 0;
        }
    }

    std::mt19937_64 random{1};
    std::deque<uint32_t> coming; ///< numbers of frames, the first of which is being presented
    Bytes frame, leaving;
    size_t done = 0;
    uint64_t silent = 0;
    uint32_t number = 0;
};

} // namespace upsets

#endif // SLUICE_UPSETS_DATAPATH_TRAFFIC_H
