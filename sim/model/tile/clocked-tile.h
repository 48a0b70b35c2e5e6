// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The Verilated top of one configuration, whose C header library.mk includes, clock by clock. What it says in any clock
// besides verdicts and departures, it says to the packets that are in it. Its registers have a clock of their own,
// which stands still while nobody accesses them.
#ifndef SLUICE_CLOCKED_TILE_H
#define SLUICE_CLOCKED_TILE_H

#include "VTile.h"
#include "axi-lite-host.h"
#include "tile/packets.h"
#include "tile/ports.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <verilated.h>

/// The model itself, out of Verilator's files. VTile::eval() wraps it in locks for threads and messages that a tile has
/// not, which take 15 % of the time.
void VTile___024root___eval(VTile___024root* model);

namespace sluice
{

class ClockedTile
{
  public:
    /// No access of the tile takes this many clocks; a model that does hangs.
    static constexpr int PATIENCE = 100000;

    ~ClockedTile()
    {
        m_top->final();
    }

    /// A reset, at time 0: the tile's time is the latest since then.
    void Reset()
    {
        m_top->now_ns = 0;
        m_top->s_arrival_valid = 0;
        m_top->m_departure_ready = 0;
        SetTo(*m_top, SLUICE_PORT(s_ask_valid), false);
        m_host.Begin();
        m_top->rst = 1;
        m_top->eval(); // the first one makes the model begin
        WakeRegisters(REGISTERS_RESTORE);
        Clock(4);
        m_top->rst = 0;
        Clock(4);
        packets.Clear();
    }

    VTile& Top()
    {
        return *m_top;
    }

    uint64_t Cycles() const
    {
        return m_cycles;
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

    /// What is between registers follows the inputs.
    void Evaluate()
    {
        VTile___024root___eval(m_top->rootp);
    }

    uint32_t Read(uint32_t address)
    {
        WakeRegisters(REGISTERS_SETTLE);
        return m_host.Read(address);
    }

    void Write(uint32_t address, uint32_t value)
    {
        WakeRegisters(address == SLUICE_COMMIT ? REGISTERS_RESTORE : REGISTERS_SETTLE);
        m_host.Write(address, value);
    }

    TilePackets packets;
    std::optional<uint32_t> victim; ///< who was thrown out last: how many are before it

  private:
    /// Clocks that the registers go on after an access: what a write starts has reached the core, and what is shown is
    /// new.
    static constexpr int REGISTERS_SETTLE = 64;

    /// Clocks that the registers go on after a reset and after a set of parameters, which may be refused: a word in
    /// force is read and its staged one written for each parameter, either in at most eight clocks.
    inline static const int REGISTERS_RESTORE = REGISTERS_SETTLE + 16 * static_cast<int>(SLUICE_MAP.parameter_count);

    /// What the tile says in this clock besides verdicts and departures.
    void Listen()
    {
        if (ValueOf(*m_top, SLUICE_PORT(m_dropped_valid)))
        {
            packets.Leave({.isDropped = true,
                           .isMarked = ValueOf(*m_top, SLUICE_PORT(m_dropped_is_ce)) != 0,
                           .reason = static_cast<uint8_t>(ValueOf(*m_top, SLUICE_PORT(m_dropped_reason)))},
                          ValueOf(*m_top, SLUICE_PORT(m_dropped_queue)));
        }
        if (ValueOf(*m_top, SLUICE_PORT(m_victim_valid)))
        {
            victim = packets.ThrowOut(ValueOf(*m_top, SLUICE_PORT(m_victim_place)), 2 * SLUICE_MAP.ring_packets);
        }
    }

    /// Clocks the registers, too, for so many clocks at least.
    void WakeRegisters(int cycles)
    {
        m_registersAwake = std::max(m_registersAwake, cycles);
    }

    /// Simulation time and settings of this model alone.
    std::unique_ptr<VerilatedContext> m_context = std::make_unique<VerilatedContext>();
    std::unique_ptr<VTile> m_top = std::make_unique<VTile>(m_context.get());
    AxiLiteHost<ClockedTile> m_host{*this}; ///< of its registers
    uint64_t m_cycles = 0;                  ///< clocks run
    int m_registersAwake = 0;               ///< clocks until the registers stand still
};

} // namespace sluice

#endif // SLUICE_CLOCKED_TILE_H
