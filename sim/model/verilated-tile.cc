// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// sluice::Tile over the Verilated top of one configuration, whose C header library.mk includes. The model is clocked
// only while something happens: an arrival runs the decision pipeline to its end, a departure or a register access a
// few clocks. Time is an input, so nothing is lost between.
#include "VTile.h"
#include "axi-lite-host.h"
#include "code-placement.h"
#include "sluice-tile.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <verilated.h>

/// The model itself, out of Verilator's files. VTile::eval() wraps it in locks for threads and messages that a tile has
/// not, which take 15 % of the time.
void VTile___024root___eval(VTile___024root* model);

namespace sluice
{
namespace
{

/// No access of the tile takes this many clocks; a model that does hangs.
constexpr int PATIENCE = 100000;

/// Clocks that the registers go on after an access: what a write starts has reached the core, and what is shown is new.
constexpr int REGISTERS_SETTLE = 64;

/// Clocks that the registers go on after a reset and after a set of parameters, which may be refused: a word in force
/// is read and its staged one written for each parameter, either in at most eight clocks.
const int REGISTERS_RESTORE = REGISTERS_SETTLE + 16 * static_cast<int>(SLUICE_MAP.parameter_count);

/// The value of a port, or 0 where the tile has no such port: it has only those that its core asks for. Ports are
/// looked up by a generic lambda, so that naming one that is not there is no error.
template <typename Top, typename Port>
uint32_t
ValueOf(const Top& top, Port port)
{
    if constexpr (requires { port(top); })
    {
        return port(top);
    }
    return 0;
}

/// The same by name.
#define SLUICE_PORT(name) ValueOf(*m_top, [](const auto& top) -> decltype(top.name) { return top.name; })

/// Whether the link asks for each packet: the core judges packets at the head, or throws queued ones out.
template <typename Top>
constexpr bool IS_ASKED = requires(Top& top) { top.s_ask_valid; };

/// Says whether the link asks.
template <typename Top>
void
SetAsk(Top& top, bool isAsking)
{
    if constexpr (IS_ASKED<Top>)
    {
        top.s_ask_valid = isAsking;
    }
}

/// The longest round-trip time that a tile is told of: it has 22 bits.
constexpr uint32_t MOST_RTT_US = (1 << 22) - 1;

/// Says the round-trip time of the arriving packet's flow to a core that asks for it.
template <typename Top>
void
SetRtt(Top& top, uint32_t rttUs)
{
    if constexpr (requires { top.s_arrival_rtt_us; })
    {
        top.s_arrival_rtt_us = std::min(rttUs, MOST_RTT_US);
    }
}

/// Whether the core throws queued packets out.
template <typename Top>
constexpr bool IS_THROWING = requires(Top& top) { top.m_victim_valid; };

/// Clocks from a verdict on the port until a packet that it throws out no longer counts, and what it accepts can be
/// drawn.
constexpr int FALLING = 8;

/// What the core may still compute from a departure or a new time after the call that brought it, and what it takes
/// until a packet that left no longer counts.
constexpr int AFTERMATH = IS_THROWING<VTile> ? 3 : 2;

/// The number of the last queue of which a tile keeps lists; fewer queues are rings.
constexpr uint32_t LAST_OF_RINGS = 7;

/// Clocks from a verdict until its packet is in the list of its queue, and from a departure until it no longer counts,
/// where queues are lists.
constexpr int LISTING = 16;

/// Clocks of a turn in which a queue that has no packet leaves one of RFC 8290's two lists, until the next one.
constexpr int TURN = 40;

/// From a new time to the clock in which the tile shows that it makes a tick; at most what a departure takes.
constexpr int TICK_SHOWS = 3;
static_assert(TICK_SHOWS <= 1 + AFTERMATH);

class VerilatedTile : public Tile
{
  public:
    VerilatedTile()
        : m_context(std::make_unique<VerilatedContext>()),
          m_top(std::make_unique<VTile>(m_context.get()))
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
        m_hasLists = (Read(SLUICE_CAPS) >> 16 & 0xff) > LAST_OF_RINGS;
    }

    ~VerilatedTile() override
    {
        m_top->final();
    }

    void Reset() override
    {
        m_top->now_ns = 0; // the tile's time is the latest since reset
        m_top->s_arrival_valid = 0;
        m_top->m_departure_ready = 0;
        SetAsk(*m_top, false);
        m_host.Begin();
        m_top->rst = 1;
        m_top->eval(); // the first one makes the model begin
        WakeRegisters(REGISTERS_RESTORE);
        Clock(4);
        m_top->rst = 0;
        Clock(4);
        m_queue.clear();
        m_departures.clear();
        m_listed.clear();
        m_accepted = 0;
        m_hasAsked = false;
    }

    Verdict Offer(const Arrival& arrival) override
    {
        RunTicks(arrival.nowNs);
        m_top->now_ns = arrival.nowNs;
        m_top->s_arrival_flow = arrival.flow;
        m_top->s_arrival_bytes = arrival.bytes;
        m_top->s_arrival_ecn = arrival.ecn;
        SetRtt(*m_top, arrival.rttUs);
        m_top->s_arrival_valid = 1;
        Clock();
        m_top->s_arrival_valid = 0;
        ClockUntil([this] { return m_top->m_verdict_valid; });
        Verdict verdict{.action = static_cast<Action>(m_top->m_verdict_action),
                        .reason = static_cast<uint8_t>(m_top->m_verdict_reason)};
        if (verdict.action != Action::DROP)
        {
            m_queue.push_back({.place = m_accepted++, .queue = SLUICE_PORT(m_verdict_queue), .isThere = true});
            m_listed.insert(m_queue.back().queue);
        }
        if constexpr (IS_THROWING<VTile>)
        {
            m_victim.reset();
            Clock(FALLING);
            verdict.victim = m_victim;
        }
        Clock(m_hasLists ? LISTING : 0);
        return verdict;
    }

    const std::vector<Departure>& Depart(uint64_t nowNs) override
    {
        m_top->now_ns = nowNs;
        Ask();
        m_top->m_departure_ready = 1;
        Evaluate();
        // What was dropped since the last call is in the list already.
        ClockUntil([this] { return m_top->m_departure_valid || m_queue.empty(); });
        if (!m_queue.empty())
        {
            // Ready is high in the clock in which valid is: the packet leaves in that clock.
            Left({.isDropped = false,
                  .isMarked = m_top->m_departure_is_ce != 0,
                  .reason = static_cast<uint8_t>(SLUICE_PORT(m_departure_reason))},
                 SLUICE_PORT(m_departure_queue));
            m_hasAsked = false;
        }
        Clock();
        m_top->m_departure_ready = 0;
        Clock(m_hasLists ? LISTING : AFTERMATH);
        if (m_hasAsked && TakesTurns())
        {
            // Each queue goes from the new ones to the old ones, and from these out.
            Clock(2 * TURN * static_cast<int>(m_listed.size()));
            m_listed.clear();
        }
        m_left.clear();
        std::swap(m_left, m_departures);
        return m_left;
    }

    void Advance(uint64_t nowNs) override
    {
        RunTicks(nowNs);
        m_top->now_ns = nowNs;
        Clock(AFTERMATH);
    }

    uint32_t Read(uint32_t address) override
    {
        WakeRegisters(REGISTERS_SETTLE);
        return m_host.Read(address);
    }

    void Write(uint32_t address, uint32_t value) override
    {
        WakeRegisters(address == SLUICE_COMMIT ? REGISTERS_RESTORE : REGISTERS_SETTLE);
        m_host.Write(address, value);
    }

    bool Commit(std::string& refused) override
    {
        Write(SLUICE_COMMIT, 1);
        for (const uint64_t begun = m_cycles; Read(SLUICE_COMMIT) & 1;)
        {
            if (m_cycles - begun > PATIENCE)
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
        return m_cycles;
    }

  private:
    /// A packet in the tile.
    struct Queued
    {
        uint64_t place; ///< how many were accepted before it
        uint32_t queue; ///< number of its queue
        bool isThere;   ///< it has not been thrown out
    };

    /// Lets the tick that this time makes due come, and have its effect. A departure makes ticks come too, but
    /// need not wait for what they change for arrivals.
    void RunTicks(uint64_t nowNs)
    {
        if (SLUICE_MAP.tick_cycles == 0)
        {
            return;
        }
        ClockUntil([this] { return !SLUICE_PORT(ticking); });
        if (nowNs != m_top->now_ns)
        {
            m_top->now_ns = nowNs;
            Clock(TICK_SHOWS);
            ClockUntil([this] { return !SLUICE_PORT(ticking); });
        }
    }

    /// Asks for a packet, unless one is owed from an earlier call.
    void Ask()
    {
        if (IS_ASKED<VTile> && !m_hasAsked)
        {
            SetAsk(*m_top, true);
            Clock(); // one ask at a time is always heard
            SetAsk(*m_top, false);
            m_hasAsked = true;
        }
    }

    /// The oldest packet of a queue leaves.
    void Left(Departure departure, uint32_t queue)
    {
        const auto left = std::ranges::find(m_queue, queue, &Queued::queue);
        if (left == m_queue.end())
        {
            throw std::runtime_error("the tile lets out what is not queued");
        }
        if (left->isThere) // who was thrown out has been told of before
        {
            departure.before = std::ranges::count(m_queue.begin(), left, true, &Queued::isThere);
            m_departures.push_back(departure);
        }
        m_queue.erase(left);
    }

    /// What the tile says in this clock besides verdicts and departures.
    void Listen()
    {
        if (SLUICE_PORT(m_dropped_valid))
        {
            Left({.isDropped = true,
                  .isMarked = SLUICE_PORT(m_dropped_is_ce) != 0,
                  .reason = static_cast<uint8_t>(SLUICE_PORT(m_dropped_reason))},
                 SLUICE_PORT(m_dropped_queue));
        }
        if (SLUICE_PORT(m_victim_valid))
        {
            ThrowOut(SLUICE_PORT(m_victim_place));
        }
    }

    /// A queued packet is thrown out; its place is counted as the tile does.
    void ThrowOut(uint32_t place)
    {
        const uint32_t mask = 2 * SLUICE_MAP.ring_packets - 1;
        uint32_t before = 0;
        for (Queued& queued : m_queue)
        {
            if ((queued.place & mask) == place)
            {
                queued.isThere = false;
                m_victim = before;
                return;
            }
            before += queued.isThere;
        }
        throw std::runtime_error("the tile throws out what is not queued");
    }

    friend AxiLiteHost<VerilatedTile>;

    VTile& Top()
    {
        return *m_top;
    }

    void Clock(int cycles = 1)
    {
        for (int i = 0; i < cycles; i++)
        {
            Listen();
            m_top->clk = !m_top->clk; // either edge is a clock, see model.mk
            if (m_registersAwake > 0)
            {
                m_top->registers_clk = !m_top->registers_clk;
                m_registersAwake--;
            }
            Evaluate();
        }
        m_cycles += cycles;
    }

    void Evaluate()
    {
        VTile___024root___eval(m_top->rootp);
    }

    /// Clocks the registers, too, for so many clocks at least.
    void WakeRegisters(int cycles)
    {
        m_registersAwake = std::max(m_registersAwake, cycles);
    }

    template <typename Condition>
    void ClockUntil(Condition condition)
    {
        for (int i = 0; !condition(); i++)
        {
            if (i == PATIENCE)
            {
                throw std::runtime_error("the tile does not answer");
            }
            Clock();
        }
    }

    std::unique_ptr<VerilatedContext> m_context; ///< simulation time and settings of this model alone
    std::unique_ptr<VTile> m_top;                ///< the Verilated tile
    AxiLiteHost<VerilatedTile> m_host{*this};    ///< of its registers
    std::vector<ParameterInfo> m_parameters;     ///< from the generated header
    std::vector<ReasonInfo> m_reasons;           ///< from the generated header
    std::vector<StatusInfo> m_status;            ///< from the generated header
    uint64_t m_cycles = 0;                       ///< clocks run
    int m_registersAwake = 0;                    ///< clocks until the registers stand still
    std::deque<Queued> m_queue;                  ///< packets accepted and not departed, oldest first
    uint64_t m_accepted = 0;                     ///< packets accepted since reset
    std::optional<uint32_t> m_victim;            ///< who was thrown out last
    std::vector<Departure> m_departures;         ///< what has left since the last call of Depart()
    std::vector<Departure> m_left;               ///< what that call has told
    bool m_hasAsked = false;                     ///< the link has asked, and no packet has come for it
    bool m_hasLists = false;                     ///< queues are lists, not rings
    std::set<uint32_t> m_listed;                 ///< queues that may be in a list, with or without packets
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
