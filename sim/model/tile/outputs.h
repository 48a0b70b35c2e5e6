// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a design with an AQM says in a clock, whatever its core asks for.
#ifndef SLUICE_TILE_OUTPUTS_H
#define SLUICE_TILE_OUTPUTS_H

#include <cstdint>
#include <cstring>

namespace pins
{

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

} // namespace pins

#endif // SLUICE_TILE_OUTPUTS_H
