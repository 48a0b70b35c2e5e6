// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// sluice::Tile over the Verilated top of one configuration, whose C header library.mk includes. The model is clocked
// only while something happens: an arrival runs the decision pipeline to its end, a departure or a register access a
// few clocks. Time is an input, so nothing is lost between.
#include "code-placement.h"
#include "sluice-tile.h"
#include "tile/clocked-tile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>

namespace sluice
{
namespace
{

/// Clocks from a verdict on the port until a packet that it throws out no longer counts, and what it accepts can be
/// drawn.
constexpr int FALLING = 8;

/// What the core may still compute from a departure or a new time after the call that brought it, and what it takes
/// until a packet that left no longer counts.
constexpr int AFTERMATH = IS_THROWING<VTile> ? 3 : 2;

/// The number of the last queue of which a tile keeps lists; fewer queues are rings.
constexpr uint32_t LAST_OF_RINGS = 7;

/// Where a tile of lists says how many there are.
constexpr uint32_t QUEUES = 0x2c;

/// Clocks from a verdict until its packet is in the list of its queue, and from a departure until it no longer counts,
/// where queues are lists.
constexpr int LISTING = 16;

/// Clocks of a turn in which a queue that has no packet leaves one of RFC 8290's two lists, until the next one.
constexpr int TURN = 40;

/// From a new time to the clock in which the tile shows that it makes a tick; at most what a departure takes.
constexpr int TICK_SHOWS = 3;
static_assert(TICK_SHOWS <= 1 + AFTERMATH);

static_assert(COMMIT_ADDRESS == SLUICE_COMMIT);

class VerilatedTile : public Tile
{
  public:
    VerilatedTile()
    {
        for (const auto& p : std::span(SLUICE_MAP.parameters, SLUICE_MAP.parameter_count))
        {
            const double value = std::ldexp(p.default_raw, -static_cast<int>(p.fraction));
            m_parameters.push_back({p.name, p.ns3_name, p.address, p.width, p.fraction, value});
        }
        for (const auto& r : std::span(SLUICE_MAP.reasons, SLUICE_MAP.reason_count))
        {
            m_reasons.push_back(
                {static_cast<uint8_t>(r.code), r.name, r.is_mark ? Action::MARK : Action::DROP, r.address});
        }
        for (const auto& s : std::span(SLUICE_MAP.status, SLUICE_MAP.status_count))
        {
            m_status.push_back({s.name, s.address, s.width, s.fraction});
        }
        Reset();
        const uint32_t last = Read(SLUICE_CAPS) >> 16 & 0xff;
        m_hasLists = last > LAST_OF_RINGS;
        m_lastQueue = m_hasLists ? Read(QUEUES) - 1 : last;
    }

    void Reset() override
    {
        m_tile.Reset();
        m_listed.clear();
        m_hasAsked = false;
    }

    Verdict Offer(const Arrival& arrival) override
    {
        RunTicks(arrival.nowNs);
        m_top->now_ns = arrival.nowNs;
        m_top->s_arrival_flow = arrival.flow;
        m_top->s_arrival_bytes = arrival.bytes;
        m_top->s_arrival_ecn = arrival.ecn;
        SetTo(*m_top, SLUICE_PORT(s_arrival_rtt_us), std::min(arrival.rttUs, MOST_RTT_US));
        SetTo(*m_top, SLUICE_PORT(s_arrival_queue), std::min<uint32_t>(arrival.queue, m_lastQueue));
        SetTo(*m_top, SLUICE_PORT(s_arrival_dscp), arrival.dscp);
        m_top->s_arrival_valid = 1;
        m_tile.Clock();
        m_top->s_arrival_valid = 0;
        m_tile.ClockUntil([this] { return m_top->m_verdict_valid; });
        Verdict verdict{.action = static_cast<Action>(m_top->m_verdict_action),
                        .reason = static_cast<uint8_t>(m_top->m_verdict_reason)};
        if (verdict.action != Action::DROP)
        {
            m_tile.packets.Accept(ValueOf(*m_top, SLUICE_PORT(m_verdict_queue)));
            m_listed.insert(ValueOf(*m_top, SLUICE_PORT(m_verdict_queue)));
        }
        if constexpr (IS_THROWING<VTile>)
        {
            m_tile.victim.reset();
            m_tile.Clock(FALLING);
            verdict.victim = m_tile.victim;
        }
        m_tile.Clock(m_hasLists ? LISTING : 0);
        return verdict;
    }

    const std::vector<Departure>& Depart(uint64_t nowNs) override
    {
        m_top->now_ns = nowNs;
        Ask();
        m_top->m_departure_ready = 1;
        m_tile.Evaluate();
        // What was dropped since the last call is in the list already.
        m_tile.ClockUntil([this] { return m_top->m_departure_valid || m_tile.packets.AreNone(); });
        if (!m_tile.packets.AreNone())
        {
            // Ready is high in the clock in which valid is: the packet leaves in that clock.
            m_tile.packets.Leave({.isDropped = false,
                                  .isMarked = m_top->m_departure_is_ce != 0,
                                  .reason = static_cast<uint8_t>(ValueOf(*m_top, SLUICE_PORT(m_departure_reason)))},
                                 ValueOf(*m_top, SLUICE_PORT(m_departure_queue)));
            m_hasAsked = false;
        }
        m_tile.Clock();
        m_top->m_departure_ready = 0;
        m_tile.Clock(m_hasLists ? LISTING : AFTERMATH);
        if (m_hasAsked && TakesTurns())
        {
            // Each queue goes from the new ones to the old ones, and from these out.
            m_tile.Clock(2 * TURN * static_cast<int>(m_listed.size()));
            m_listed.clear();
        }
        return m_tile.packets.TakeDepartures();
    }

    void Advance(uint64_t nowNs) override
    {
        RunTicks(nowNs);
        m_top->now_ns = nowNs;
        m_tile.Clock(AFTERMATH);
    }

    uint32_t Read(uint32_t address) override
    {
        return m_tile.Read(address);
    }

    void Write(uint32_t address, uint32_t value) override
    {
        m_tile.Write(address, value);
    }

    bool Commit(std::string& refused) override
    {
        Write(SLUICE_COMMIT, 1);
        for (const uint64_t begun = Cycles(); Read(SLUICE_COMMIT) & 1;)
        {
            if (Cycles() - begun > ClockedTile::PATIENCE)
            {
                throw std::runtime_error("the tile never applies the parameters");
            }
        }
        const uint32_t broken = Read(SLUICE_REFUSED);
        Write(SLUICE_REFUSED, broken);
        refused.clear();
        for (const auto& rule : std::span(SLUICE_MAP.rules, SLUICE_MAP.rule_count))
        {
            if (broken >> rule.bit & 1)
            {
                refused += (refused.empty() ? "" : ", ") + std::string(rule.name);
            }
        }
        return broken == 0;
    }

    bool TakesTurns() const override
    {
        return IS_ASKED<VTile> && m_hasLists;
    }

    const std::vector<ParameterInfo>& Parameters() const override
    {
        return m_parameters;
    }

    const std::vector<ReasonInfo>& Reasons() const override
    {
        return m_reasons;
    }

    const std::vector<StatusInfo>& Status() const override
    {
        return m_status;
    }

    uint64_t Cycles() const override
    {
        return m_tile.Cycles();
    }

  private:
    /// Lets the tick that this time makes due come, and have its effect. A departure makes ticks come too, but
    /// need not wait for what they change for arrivals.
    void RunTicks(uint64_t nowNs)
    {
        if (SLUICE_MAP.tick_cycles == 0)
        {
            return;
        }
        m_tile.ClockUntil([this] { return !ValueOf(*m_top, SLUICE_PORT(ticking)); });
        if (nowNs != m_top->now_ns)
        {
            m_top->now_ns = nowNs;
            m_tile.Clock(TICK_SHOWS);
            m_tile.ClockUntil([this] { return !ValueOf(*m_top, SLUICE_PORT(ticking)); });
        }
    }

    /// Asks for a packet, unless one is owed from an earlier call.
    void Ask()
    {
        if (IS_ASKED<VTile> && !m_hasAsked)
        {
            SetTo(*m_top, SLUICE_PORT(s_ask_valid), true);
            m_tile.Clock(); // one ask at a time is always heard
            SetTo(*m_top, SLUICE_PORT(s_ask_valid), false);
            m_hasAsked = true;
        }
    }

    ClockedTile m_tile;
    VTile* const m_top = &m_tile.Top();
    std::vector<ParameterInfo> m_parameters; ///< from the generated header
    std::vector<ReasonInfo> m_reasons;       ///< from the generated header
    std::vector<StatusInfo> m_status;        ///< from the generated header
    bool m_hasAsked = false;                 ///< the link has asked, and no packet has come for it
    bool m_hasLists = false;                 ///< queues are lists, not rings
    uint32_t m_lastQueue = 0;                ///< number of the last queue
    std::set<uint32_t> m_listed;             ///< queues that may be in a list, with or without packets
};

/// What a tile does all day, a few packets of it: arrivals, and departures for most.
void
Work()
{
    static VerilatedTile tile;
    static uint64_t nowNs = 0;
    for (uint32_t i = 0; i < 10; i++)
    {
        nowNs += 1000;
        tile.Offer({.nowNs = nowNs, .flow = i << 27, .bytes = 1000, .ecn = 0, .rttUs = 0});
        if (i % 5 != 0)
        {
            tile.Depart(nowNs);
        }
    }
}

} // namespace
} // namespace sluice

extern "C" __attribute__((visibility("default"))) sluice::Tile*
SluiceCreateTile(std::string& reason) noexcept
try
{
    [[maybe_unused]] static const bool isPlaced = (sluice::PlaceCode(sluice::Work), true);
    return new sluice::VerilatedTile;
}
catch (const std::exception& error)
{
    reason = error.what();
    return nullptr;
}
