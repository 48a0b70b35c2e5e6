// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The ports of a Verilated tile, `Vtile`, for programs that drive it clock by clock, whatever its core asks for.
#ifndef SLUICE_TILE_PINS_H
#define SLUICE_TILE_PINS_H

#include "Vtile.h"
#include "tile/outputs.h"
#include "tile/ports.h"

#include <cstdint>

namespace pins
{

using sluice::IS_ASKED;
using sluice::SetTo;
using sluice::ValueOf;

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
