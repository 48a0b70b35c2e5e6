// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Ports that not every Verilated tile has: it has only those that its core asks for. They are looked up by generic
// lambdas and requirements, so that naming one that is not there is no error.
#ifndef SLUICE_TILE_PORTS_H
#define SLUICE_TILE_PORTS_H

#include <algorithm>
#include <cstdint>

namespace sluice
{

/// The value of a port, or 0 where the tile has no such port.
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

/// The same by name, of a pointer to a tile.
#define SLUICE_PORT(top, name) sluice::ValueOf(*(top), [](const auto& its) -> decltype(its.name) { return its.name; })

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

/// Says the arriving packet's queue to a tile that is told.
template <typename Top>
void
SetQueue(Top& top, uint32_t queue)
{
    if constexpr (requires { top.s_arrival_queue; })
    {
        top.s_arrival_queue = queue;
    }
}

/// Whether the core throws queued packets out.
template <typename Top>
constexpr bool IS_THROWING = requires(Top& top) { top.m_victim_valid; };

} // namespace sluice

#endif // SLUICE_TILE_PORTS_H
