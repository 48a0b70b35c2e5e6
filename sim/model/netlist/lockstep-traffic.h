// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Random traffic for a tile, a datapath or a counter of flows: whatever ports of it there are, by name. Every input
// that nothing here knows, and all that belongs to a `valid` that is 0, is random in every clock.
//
// Traffic changes its kind now and then. In half of the stretches all parameters have their defaults, the link is
// slower than what arrives, and a clock is long, up to a millisecond: queues stand for many intervals of a control law.
// In the others parameters are drawn, most of them absurd.
#ifndef SLUICE_LOCKSTEP_TRAFFIC_H
#define SLUICE_LOCKSTEP_TRAFFIC_H

#include "lockstep-frames.h"
#include "lockstep-pins.h"
#include "lockstep-registers.h"

#include <algorithm>
#include <array>

namespace sluice
{

/// What has happened.
struct Seen
{
    uint64_t arrivals = 0; ///< packets that were given
    uint64_t departures = 0;
    uint64_t resets = 0;
    uint64_t writes = 0;                ///< of registers
    uint64_t reads = 0;                 ///< of registers
    std::array<uint64_t, 16> reasons{}; ///< drops and marks by reason, on arrival and in the queue; 0: packets passed
    uint64_t longestSeries = 0;         ///< most drops in the queue in one stretch for any reason but a full one
};

class Traffic
{
  public:
    Traffic(Pins& pins, const std::string& design, unsigned seed)
        : m_inputs(pins.Inputs()),
          m_master(pins, seed),
          m_registers(m_master, design),
          m_frames(m_master),
          m_nowNs(m_master.Draw() >> 24)
    {
    }

    /// Sets all inputs for a clock.
    void Drive(bool isFirst)
    {
        if (m_left == 0)
        {
            Stretch();
        }
        m_left--;
        const bool hasFrames = m_master.Look().Width("s_axis_tdata") != 0; // which take long to come behind a reset
        if (!isFirst && m_master.Draw(hasFrames ? 100'000 : 10'000) == 0)
        {
            m_resetLeft = 1 + m_master.Draw(4);
            m_seen.resets++;
        }
        m_isReset = isFirst || m_resetLeft != 0;
        m_resetLeft -= m_resetLeft != 0;
        for (const std::string& input : m_inputs)
        {
            m_master.Set(input, m_master.Draw());
        }
        m_nowNs += m_stepNs;
        m_master.Set("now_ns", m_nowNs);
        m_master.Set("rst", m_isReset);
        m_isArriving = !m_isReset && m_master.Look().Width("s_arrival_valid") && m_master.Chance(m_offer);
        m_master.Set("s_arrival_valid", m_isArriving);
        static constexpr std::array<uint16_t, 10> SIZES{1, 40, 64, 500, 1000, 1500, 1500, 1500, 9600, 65535};
        m_master.Set("s_arrival_bytes", SIZES[m_master.Draw(m_isStanding ? 8 : SIZES.size())]);
        m_master.Set("s_arrival_flow", m_master.Draw(m_flows) * 0x9e3779b1u);
        // A core that judges at the head is asked for each packet; the link then takes what comes.
        const bool isAsked = m_master.Look().Width("s_ask_valid") != 0;
        m_isAsking = !m_isReset && (m_isAsking || m_master.Chance(m_take));
        m_master.Set("s_ask_valid", m_isAsking);
        m_master.Set("m_departure_ready", m_isLinkReady = isAsked || m_master.Chance(m_take));
        m_master.Set("window_end", m_master.Draw(2000) == 0);
        m_master.Set("m_axis_tready", m_isTaking = m_master.Chance(m_take));
        m_frames.Drive(m_isReset, m_offer, m_flows);
        m_registers.Drive(m_isReset);
    }

    /// Notes what came of it, before the edge.
    void Look()
    {
        if (m_isReset)
        {
            return;
        }
        m_seen.arrivals += m_isArriving;
        if (m_isAsking && m_master.Look().Read("s_ask_ready"))
        {
            m_isAsking = false;
        }
        if (m_master.Look().Read("m_verdict_valid"))
        {
            m_seen.reasons[m_master.Look().Read("m_verdict_reason") % 16]++;
        }
        if (m_master.Look().Read("m_departure_valid") && m_isLinkReady)
        {
            m_seen.departures++;
            if (const uint32_t reason = m_master.Look().Read("m_departure_reason") % 16)
            {
                m_seen.reasons[reason]++;
            }
        }
        if (m_master.Look().Read("m_dropped_valid"))
        {
            const uint32_t reason = m_master.Look().Read("m_dropped_reason") % 16;
            m_seen.reasons[reason]++;
            m_series += reason != FULL;
            m_seen.longestSeries = std::max(m_seen.longestSeries, m_series);
        }
        if (m_master.Look().Read("m_axis_tvalid") && m_master.Look().Read("m_axis_tlast") && m_isTaking)
        {
            m_seen.departures++;
        }
        m_seen.arrivals += m_frames.Look();
        m_registers.Look();
        m_seen.writes = m_registers.Writes();
        m_seen.reads = m_registers.Reads();
    }

    const struct Seen& Seen() const
    {
        return m_seen;
    }

  private:
    static constexpr uint32_t FULL = 15; ///< the reason of a queue that is full

    /// Another kind of traffic.
    void Stretch()
    {
        m_isStanding = m_master.Chance(0.5);
        m_series = 0;
        m_left = 500 + m_master.Draw(5000);
        m_flows = m_master.OneOf({1, 2, 5, 20, 200, 5000});
        if (m_isStanding)
        {
            m_offer = 0.2 + 0.1 * static_cast<double>(m_master.Draw(4));
            m_take = m_offer * (0.5 + 0.1 * static_cast<double>(m_master.Draw(5)));
            m_stepNs = m_master.OneOf({4, 20'000, 200'000, 1'000'000});
        }
        else
        {
            m_offer = m_master.OneOf({0.02, 0.1, 0.3, 0.5, 0.9, 1.0});
            m_take = m_master.Chance(0.15)  ? 0
                     : m_master.Chance(0.2) ? 1
                                            : m_offer * (0.6 + 0.1 * static_cast<double>(m_master.Draw(8)));
            m_stepNs = m_master.OneOf({4, 4, 100, 1000, 20'000});
            if (m_master.Chance(0.1))
            {
                m_nowNs += m_master.Draw(uint64_t{1} << m_master.Draw(36));
            }
        }
        m_registers.Configure(m_isStanding);
    }

    std::vector<std::string> m_inputs;
    Master m_master;
    RegisterMaster m_registers;
    FrameMaster m_frames;
    struct Seen m_seen;

    uint64_t m_nowNs;
    uint64_t m_stepNs = 4;
    uint64_t m_left = 0; ///< clocks of this stretch
    uint64_t m_resetLeft = 0;
    uint64_t m_flows = 1;
    uint64_t m_series = 0;
    double m_offer = 0, m_take = 0; ///< arrivals and departures per clock
    bool m_isStanding = false;
    bool m_isReset = true;
    bool m_isArriving = false;
    bool m_isAsking = false;
    bool m_isLinkReady = false;
    bool m_isTaking = false;
};

} // namespace sluice

#endif // SLUICE_LOCKSTEP_TRAFFIC_H
