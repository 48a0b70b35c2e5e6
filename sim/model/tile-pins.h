// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The ports of a Verilated tile, `Vtile`, for programs that drive it clock by clock, whatever its core asks for.
#ifndef SLUICE_TILE_PINS_H
#define SLUICE_TILE_PINS_H

#include "Vtile.h"
#include "tile/ports.h"

#include <cstdint>
#include <cstring>

namespace pins
{

using sluice::IS_ASKED;
using sluice::SetTo;
using sluice::ValueOf;

template <typename T>
constexpr bool kHasQueues = requires(T& t) { t.m_verdict_queue; };
/// Queues are lists, of which one that is alone sends a packet in twelve clocks.
template <typename T>
constexpr bool kHasLists = requires(T& t) { requires sizeof(t.m_verdict_queue) > 1; };

/// What a tile says in a clock.
struct Outputs
{
    uint8_t verdict = 0, action = 0, reason = 0;
    uint8_t departure = 0, isCe = 0, departureReason = 0;
    uint8_t dropped = 0, droppedReason = 0;
    uint16_t queue = 0, departureQueue = 0;
    uint16_t victim = 0, unused = 0; // no padding, since outputs are compared as bytes
    uint32_t flow = 0, bytes = 0, place = 0, droppedFlow = 0, droppedBytes = 0;

    bool operator==(const Outputs& other) const
    {
        return std::memcmp(this, &other, sizeof(Outputs)) == 0;
    }
};

/// What it says with its inputs as they stand.
inline Outputs
Look(Vtile& t)
{
    Outputs out;
    out.verdict = t.m_verdict_valid;
    if (out.verdict)
    {
        out.action = t.m_verdict_action;
        out.reason = t.m_verdict_reason;
        out.queue = ValueOf(t, SLUICE_PORT(m_verdict_queue));
    }
    out.departure = t.m_departure_valid && t.m_departure_ready;
    if (out.departure)
    {
        out.flow = t.m_departure_flow;
        out.bytes = t.m_departure_bytes;
        out.isCe = t.m_departure_is_ce;
        out.departureReason = ValueOf(t, SLUICE_PORT(m_departure_reason));
        out.departureQueue = ValueOf(t, SLUICE_PORT(m_departure_queue));
    }
    out.dropped = ValueOf(t, SLUICE_PORT(m_dropped_valid));
    if (out.dropped)
    {
        out.droppedFlow = ValueOf(t, SLUICE_PORT(m_dropped_flow));
        out.droppedBytes = ValueOf(t, SLUICE_PORT(m_dropped_bytes));
        out.droppedReason = ValueOf(t, SLUICE_PORT(m_dropped_reason));
    }
    out.victim = ValueOf(t, SLUICE_PORT(m_victim_valid));
    out.place = out.victim ? ValueOf(t, SLUICE_PORT(m_victim_place)) : 0;
    return out;
}

} // namespace pins

#endif /* SLUICE_TILE_PINS_H */
