// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The clocks of a Verilated datapath: the one of all, and those of its rooms, which rooms.py has given it. A room's
// clock stands still while nothing comes to the room and nothing in it moves: what is in it stays, and what it shows is
// looked at by nobody. A frame's way through ingress and parser is a fixed number of clocks from its last beat on, and
// that through the core is one from its flow id on, whatever else there is: so it is known in which stage it is. Either
// edge of a clock is one.
#ifndef SLUICE_DATAPATH_ROOMS_H
#define SLUICE_DATAPATH_ROOMS_H

#include "VDatapath.h"
#include "VRooms.h"

#include <algorithm>
#include <array>
#include <cstdint>

/// The model itself, out of Verilator's files. VDatapath::eval() wraps it in locks for threads and messages that a
/// datapath has not.
void VDatapath___024root___eval(VDatapath___024root* model);

namespace sluice
{

class Rooms
{
  public:
    /// In the order of their clocks.
    enum Room : uint8_t
    {
        INGRESS,
        PARSER, ///< but its stages
        HASH,
        STAGING,
        BUFFER, ///< but the marker
        MARKER,
        REGISTERS,
        PARSER_STAGES,
        CORE_STAGES = PARSER_STAGES + PARSER_LAST_STAGE / STAGES_OF_ROOM + 1,
        COUNT = CORE_STAGES + CORE_LAST_STAGE / STAGES_OF_ROOM + 1,
    };

    explicit Rooms(VDatapath& its)
        : top(its),
          clock{SLUICE_ROOM_CLOCKS(its)}
    {
        its.eval(); // the first one makes the model begin
    }

    /// A room is clocked for so many clocks at least.
    void Wake(Room room, uint64_t clocks)
    {
        awake[room] = std::max(awake[room], clocks);
    }

    void WakeAll(uint64_t clocks)
    {
        for (uint64_t& its : awake)
        {
            its = std::max(its, clocks);
        }
    }

    /// A clock of all, and of the rooms that are awake.
    void Clock()
    {
        WakeOnWay();
        top.clk ^= 1;
        for (size_t room = 0; room < COUNT; room++)
        {
            if (awake[room] > 0)
            {
                awake[room]--;
                clocks[room]++;
                *clock[room] ^= 1;
            }
        }
        entered <<= 1;
        named <<= 1;
        Evaluate();
    }

    void Evaluate()
    {
        VDatapath___024root___eval(top.rootp);
    }

    /// Clocks of a room so far.
    uint64_t Clocks(size_t room) const
    {
        return clocks[room];
    }

    /// What the rooms are called.
    static constexpr const char* NAMES[COUNT] = {SLUICE_ROOM_NAMES};

  private:
    /// From a frame's last beat to the parser, and from there to its headers.
    static constexpr uint64_t INGRESS_CYCLES = 3;
    static constexpr uint64_t HEADERS = INGRESS_CYCLES + PARSER_LAST_STAGE + 1;

    /// From there until the staging memory has what is said of the frame, and the core all that it is told.
    static constexpr uint64_t TOLD = 16;
    static_assert(HEADERS + TOLD < 63);

    /// From when a frame is taken out of the buffer until its beat is with the marker, marked, and at the output.
    static constexpr uint64_t MARKED = 12;

    /// Bits `from` to `to`.
    static constexpr uint64_t Bits(uint64_t from, uint64_t to)
    {
        return (2ULL << to) - (1ULL << from);
    }

    /// Those rooms to which something comes, or has just come.
    void WakeOnWay()
    {
        if (top.s_axis_tvalid)
        {
            entered |= top.s_axis_tlast;
            Wake(INGRESS, INGRESS_CYCLES + 2);
            Wake(STAGING, INGRESS_CYCLES + 5);
        }
        named |= top.m_flow_valid;
        if (top.is_taking)
        {
            Wake(MARKER, MARKED);
        }
        if (!top.is_hash_complete || awake[REGISTERS] > 0)
        {
            Wake(HASH, 1);
        }
        if (entered != 0)
        {
            WakeIf(PARSER, Bits(INGRESS_CYCLES - 1, HEADERS + TOLD));
            if (entered & Bits(HEADERS - 1, HEADERS + TOLD))
            {
                Wake(HASH, 1);
                Wake(STAGING, 1);
            }
            WakeStages(PARSER_STAGES, CORE_STAGES, entered, INGRESS_CYCLES, 0);
        }
        if (named != 0)
        {
            WakeStages(CORE_STAGES, COUNT, named, 0, LOOKING);
        }
    }

    void WakeIf(Room room, uint64_t when)
    {
        if (entered & when)
        {
            Wake(room, 1);
        }
    }

    /// Those rooms of stages in which frames are, or that they have just left; the first stage is so many clocks from
    /// where `frames` says that they were, or up to `spread` more.
    void WakeStages(size_t begin, size_t end, uint64_t frames, uint64_t first, uint64_t spread)
    {
        uint64_t when = Bits(first, first + STAGES_OF_ROOM + spread);
        for (size_t room = begin; room < end; room++, when <<= STAGES_OF_ROOM)
        {
            awake[room] = std::max<uint64_t>(awake[room], (frames & when) != 0);
        }
    }

    /// Clocks in which a tile looks into its queue for the core, besides those of the core, its input, and the commit
    /// point.
    inline static const uint64_t LOOKING = SLUICE_MAP.latency_cycles - SLUICE_MAP.lead_cycles - 2 - CORE_LAST_STAGE;

    VDatapath& top;
    std::array<CData*, COUNT> clock;
    std::array<uint64_t, COUNT> awake{};  ///< clocks until each stands still
    std::array<uint64_t, COUNT> clocks{}; ///< of each so far
    uint64_t entered = 0;                 ///< bit n: the last beat of a frame came n clocks ago
    uint64_t named = 0;                   ///< bit n: a flow id
};

} // namespace sluice

#endif // SLUICE_DATAPATH_ROOMS_H
