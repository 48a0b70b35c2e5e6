// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// sluice::Tile over the Verilated top of one configuration, whose C header model.mk includes. The model is clocked only
// while something happens: an arrival runs the decision pipeline to its end, a departure or a register access a few
// clocks. Time is an input, so nothing is lost between.
#include "VTile.h"
#include "code-placement.h"
#include "sluice-tile.h"

#include <algorithm>
#include <cmath>
#include <memory>
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

/// What the core may still compute from a departure or a new time after the call that brought it, and what it takes
/// until a packet that left no longer counts.
constexpr int AFTERMATH = 2;

/// Clocks that the registers go on after an access: what a write starts has reached the core, and what is shown is new.
constexpr int REGISTERS_SETTLE = 64;

/// Clocks that the registers go on after a reset and after a set of parameters, which may be refused: a word in force
/// is read and its staged one written for each parameter, either in at most eight clocks.
const int REGISTERS_RESTORE = REGISTERS_SETTLE + 16 * static_cast<int>(SLUICE_MAP.parameter_count);

/// From a new time to the clock in which the tile shows that it makes a tick; at most what a departure takes.
constexpr int TICK_SHOWS = 3;
static_assert(TICK_SHOWS <= 1 + AFTERMATH);

/// Whether the tile makes a tick. One whose core wants no ticks has no such port.
template <typename Top>
bool
IsTicking(const Top& top)
{
    if constexpr (requires { top.ticking; })
    {
        return top.ticking;
    }
    return false;
}

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
        m_top->s_axil_awvalid = 0;
        m_top->s_axil_wvalid = 0;
        m_top->s_axil_arvalid = 0;
        m_top->s_axil_wstrb = 0xf;
        m_top->s_axil_bready = 1;
        m_top->s_axil_rready = 1;
        m_top->rst = 1;
        m_top->eval(); // the first one makes the model begin
        WakeRegisters(REGISTERS_RESTORE);
        Clock(4);
        m_top->rst = 0;
        Clock(4);
        m_queued = 0;
    }

    Verdict Offer(const Arrival& arrival) override
    {
        RunTicks(arrival.nowNs);
        m_top->now_ns = arrival.nowNs;
        m_top->s_arrival_flow = arrival.flow;
        m_top->s_arrival_bytes = arrival.bytes;
        m_top->s_arrival_ect = arrival.ect;
        m_top->s_arrival_rtt_us = arrival.rttUs;
        m_top->s_arrival_queue = arrival.queue;
        m_top->s_arrival_valid = 1;
        Clock();
        m_top->s_arrival_valid = 0;
        ClockUntil([this] { return m_top->m_verdict_valid; });
        const Verdict verdict{static_cast<Action>(m_top->m_verdict_action),
                              static_cast<uint8_t>(m_top->m_verdict_reason)};
        m_queued += verdict.action != Action::DROP;
        return verdict;
    }

    bool Depart(uint64_t nowNs) override
    {
        m_top->now_ns = nowNs;
        m_top->m_departure_ready = 1;
        const bool isQueued = m_queued > 0;
        if (isQueued)
        {
            // Ready is high in the clock in which valid is: the packet leaves in that clock.
            ClockUntil([this] {
                Evaluate();
                return m_top->m_departure_valid;
            });
            m_queued--;
        }
        Clock();
        m_top->m_departure_ready = 0;
        Clock(AFTERMATH);
        return isQueued;
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
        m_top->s_axil_araddr = address;
        m_top->s_axil_arvalid = 1;
        ClockUntil([this] { return m_top->s_axil_arready; });
        Clock();
        m_top->s_axil_arvalid = 0;
        ClockUntil([this] { return m_top->s_axil_rvalid; });
        const uint32_t value = m_top->s_axil_rdata;
        Clock();
        return value;
    }

    void Write(uint32_t address, uint32_t value) override
    {
        WakeRegisters(address == SLUICE_COMMIT ? REGISTERS_RESTORE : REGISTERS_SETTLE);
        m_top->s_axil_awaddr = address;
        m_top->s_axil_wdata = value;
        m_top->s_axil_awvalid = 1;
        m_top->s_axil_wvalid = 1;
        // The block takes address and data together.
        ClockUntil([this] {
            Evaluate();
            return m_top->s_axil_awready && m_top->s_axil_wready;
        });
        Clock();
        m_top->s_axil_awvalid = 0;
        m_top->s_axil_wvalid = 0;
        ClockUntil([this] { return m_top->s_axil_bvalid; });
        Clock();
    }

    bool Commit(std::string& refused) override
    {
        Write(SLUICE_COMMIT, 1);
        while (Read(SLUICE_COMMIT) & 1)
        {
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
    /// Lets the tick that this time makes due come, and have its effect. A departure makes ticks come too, but
    /// need not wait for what they change for arrivals.
    void RunTicks(uint64_t nowNs)
    {
        if (SLUICE_MAP.tick_cycles == 0)
        {
            return;
        }
        ClockUntil([this] { return !IsTicking(*m_top); });
        if (nowNs != m_top->now_ns)
        {
            m_top->now_ns = nowNs;
            Clock(TICK_SHOWS);
            ClockUntil([this] { return !IsTicking(*m_top); });
        }
    }

    void Clock(int cycles = 1)
    {
        for (int i = 0; i < cycles; i++)
        {
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
    std::vector<ParameterInfo> m_parameters;     ///< from the generated header
    std::vector<ReasonInfo> m_reasons;           ///< from the generated header
    std::vector<StatusInfo> m_status;            ///< from the generated header
    uint64_t m_cycles = 0;                       ///< clocks run
    int m_registersAwake = 0;                    ///< clocks until the registers stand still
    uint64_t m_queued = 0;                       ///< packets accepted and not departed
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
        tile.Offer({.nowNs = nowNs, .flow = i << 27, .bytes = 1000, .ect = false, .rttUs = 0, .queue = 0});
        if (i % 5 != 0)
        {
            tile.Depart(nowNs);
        }
    }
}

} // namespace
} // namespace sluice

extern "C" __attribute__((visibility("default"))) sluice::Tile*
SluiceCreateTile()
{
    [[maybe_unused]] static const bool isPlaced = (sluice::PlaceCode(sluice::Work), true);
    return new sluice::VerilatedTile;
}
