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
#include "VDatapath___024root.h"
#include "VRooms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

/// The model itself, out of Verilator's files: what follows from its inputs, which clocks have come, and what they
/// move. VDatapath::eval() goes over these until no clock comes any more; here a clock makes no other one, so once is
/// enough.
bool VDatapath___024root___eval_phase__ico(VDatapath___024root* model);
bool VDatapath___024root___eval_phase__act(VDatapath___024root* model);
bool VDatapath___024root___eval_phase__nba(VDatapath___024root* model);

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
        KEPT, ///< beats on their way from the staging memory to the buffer
        PARSER_STAGES,
        CORE_STAGES = PARSER_STAGES + PARSER_LAST_STAGE / STAGES_OF_ROOM + 1,
        COUNT = CORE_STAGES + CORE_LAST_STAGE / STAGES_OF_ROOM + 1,
    };

    static_assert(COUNT < 64);

    explicit Rooms(VDatapath& its)
        : top(its),
          clock{SLUICE_ROOM_CLOCKS(its)}
    {
        its.eval(); // the first one makes the model begin
    }

    /// A room is clocked for so many clocks at least.
    void Wake(Room room, uint64_t count)
    {
        awake |= 1ULL << room;
        until[room] = std::max(until[room], cycle + count);
    }

    void WakeAll(uint64_t count)
    {
        awake = (1ULL << COUNT) - 1;
        for (uint64_t& its : until)
        {
            its = std::max(its, cycle + count);
        }
    }

    /// A clock of all, and of the rooms that are awake.
    void Clock()
    {
        WakeOnWay();
        top.clk ^= 1;
        cycle++;
        ForEach(awake | OnWay(), [this](size_t room) {
            *clock[room] ^= 1;
            clocks[room]++;
            awake &= ~(static_cast<uint64_t>(until[room] <= cycle) << room);
        });
        entered <<= 1;
        named <<= 1;
        Evaluate();
    }

    void Evaluate()
    {
        VDatapath___024root* model = top.rootp;
        model->__VicoFirstIteration = 1;
        VDatapath___024root___eval_phase__ico(model);
        VDatapath___024root___eval_phase__act(model);
        VDatapath___024root___eval_phase__nba(model);
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
    static constexpr uint64_t MARKED = 5;

    /// Clocks in which a tile looks into its queue for the core, besides those of the core, its input, and the commit
    /// point.
    inline static const uint64_t LOOKING = SLUICE_MAP.latency_cycles - SLUICE_MAP.lead_cycles - 2 - CORE_LAST_STAGE;

    /// For each place of a word's ones.
    template <typename Call>
    static void ForEach(uint64_t ones, Call call)
    {
        for (; ones != 0; ones &= ones - 1)
        {
            call(static_cast<size_t>(std::countr_zero(ones)));
        }
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
        if (!top.is_hash_complete || (awake >> REGISTERS & 1))
        {
            Wake(HASH, 1);
        }
    }

    /// Those rooms in which frames are on their way to the verdict, or that they have just left.
    uint64_t OnWay() const
    {
        uint64_t rooms = 0;
        ForEach(entered, [&](size_t ago) { rooms |= way.sinceEntered[ago]; });
        ForEach(named, [&](size_t ago) { rooms |= way.sinceNamed[ago]; });
        return rooms;
    }

    /// The rooms, by clocks since a frame's last beat came, and its flow id.
    struct Way
    {
        std::array<uint64_t, 64> sinceEntered{};
        std::array<uint64_t, 64> sinceNamed{};

        Way()
        {
            Add(sinceEntered, PARSER, INGRESS_CYCLES - 1, HEADERS + TOLD);
            Add(sinceEntered, HASH, HEADERS - 1, HEADERS + TOLD);
            Add(sinceEntered, STAGING, HEADERS - 1, HEADERS + TOLD);
            for (size_t room = PARSER_STAGES; room < CORE_STAGES; room++)
            {
                const uint64_t first = INGRESS_CYCLES + (room - PARSER_STAGES) * STAGES_OF_ROOM;
                Add(sinceEntered, room, first, first + STAGES_OF_ROOM);
            }
            for (size_t room = CORE_STAGES; room < COUNT; room++)
            {
                const uint64_t first = (room - CORE_STAGES) * STAGES_OF_ROOM;
                Add(sinceNamed, room, first, first + STAGES_OF_ROOM + LOOKING);
            }
        }

        static void Add(std::array<uint64_t, 64>& since, size_t room, uint64_t first, uint64_t last)
        {
            for (uint64_t ago = first; ago <= last; ago++)
            {
                since.at(ago) |= 1ULL << room; // throws for a core that is longer than a word has bits
            }
        }
    };

    VDatapath& top;
    std::array<CData*, COUNT> clock;
    const Way way;
    uint64_t cycle = 0;
    uint64_t awake = 0;                   ///< a bit for each room that is to be clocked until some time
    std::array<uint64_t, COUNT> until{};  ///< the clock in which it stands still again
    std::array<uint64_t, COUNT> clocks{}; ///< of each so far
    uint64_t entered = 0;                 ///< bit n: the last beat of a frame came n clocks ago
    uint64_t named = 0;                   ///< bit n: a flow id
};

} // namespace sluice

#endif // SLUICE_DATAPATH_ROOMS_H
