// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The Verilated model of a datapath, clock by clock, with those of its rooms in which something moves.
#ifndef SLUICE_CLOCKED_DATAPATH_H
#define SLUICE_CLOCKED_DATAPATH_H

#include "datapath/rooms.h"
#include "datapath/times.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <verilated.h>

namespace sluice
{

/// Where something moves in a datapath.
struct Movement
{
    bool isAll;       ///< everywhere
    uint64_t readAt;  ///< the clock in which the last judged frame has been read, or something moved
    bool isQueued;    ///< a judged frame has not left
    bool isAccessing; ///< a register
};

/// What moves in a datapath of many queues and no port shows: packets are asked for, and cells taken and given back.
struct Hidden
{
    uint64_t asks = 0; ///< so far
    uint64_t cells = 0;

    bool operator==(const Hidden&) const = default;
};

class ClockedDatapath
{
  public:
    /// Clocks without any movement, jumps notwithstanding, after which the datapath counts as stuck.
    static constexpr uint64_t PATIENCE = 1000000;

    VDatapath& Top()
    {
        return *top;
    }

    const VDatapath& Top() const
    {
        return *top;
    }

    /// A reset, until frames may come; the hash's tables are still to be made.
    void Reset()
    {
        top->s_axis_tvalid = 0;
        top->m_axis_tready = 1;
        top->now_ns = 0;
        top->rst = 1;
        rooms.WakeAll(REGISTERS);
        Clock(4);
        top->rst = 0;
        for (uint64_t i = 0; !top->s_axis_tready; i++)
        {
            if (i == PATIENCE)
            {
                throw std::runtime_error("the datapath does not answer");
            }
            Clock();
        }
    }

    void Clock(uint64_t clocks = 1)
    {
        for (uint64_t i = 0; i < clocks; i++)
        {
            Look(*top);
            rooms.Clock();
        }
    }

    /// Up to the last clock.
    const Hidden& ItsHidden() const
    {
        return hidden;
    }

    void Evaluate()
    {
        rooms.Evaluate();
    }

    /// Has the rooms clocked in which something moves, in the given clock.
    void Wake(const Movement& its, uint64_t cycle)
    {
        if (its.isAll)
        {
            rooms.WakeAll(1);
        }
        const bool isKept = cycle <= its.readAt + KEPT;
        if (isKept)
        {
            rooms.Wake(Rooms::STAGING, 1);
            rooms.Wake(Rooms::KEPT, 1);
        }
        if (isKept || its.isQueued)
        {
            rooms.Wake(Rooms::BUFFER, GONE);
        }
        if (its.isAccessing)
        {
            rooms.Wake(Rooms::REGISTERS, REGISTERS);
        }
    }

    const Rooms& ItsRooms() const
    {
        return rooms;
    }

  private:
    /// Clocks from when a frame should have been read from the staging memory until it is in the buffer.
    static constexpr uint64_t KEPT = 12;

    /// Clocks that the buffer goes on when all frames have left.
    static constexpr uint64_t GONE = 6 + ANSWER;

    /// Clocks that the registers go on after a reset and an access: a set of parameters may be refused, and then a word
    /// in force is read and its staged one written for each, either in at most eight clocks.
    inline static const uint64_t REGISTERS = 64 + 16 * SLUICE_MAP.parameter_count;

    template <typename Top>
    void Look(const Top& its)
    {
        if constexpr (requires { its.ask_valid; })
        {
            hidden.asks += !its.rst && its.ask_valid && its.ask_ready;
        }
        if constexpr (requires { its.cells_taken; })
        {
            hidden.cells = its.cells_taken;
        }
    }

    Hidden hidden;
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<VDatapath> top = std::make_unique<VDatapath>(context.get());
    Rooms rooms{*top};
};

} // namespace sluice

#endif // SLUICE_CLOCKED_DATAPATH_H
