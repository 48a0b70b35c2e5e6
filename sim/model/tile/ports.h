// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Ports that not every Verilated tile has: it has only those that its core asks for. They are looked up by generic
// lambdas and requirements, so that naming one that is not there is no error.
#ifndef SLUICE_TILE_PORTS_H
#define SLUICE_TILE_PORTS_H

#include <cstdint>

namespace sluice
{

/// The value of a port, or 0 where the tile has no such port.
template <typename Top, typename Port>
uint64_t
ValueOf(Top& top, Port port)
{
    if constexpr (requires { port(top); })
    {
        return port(top);
    }
    return 0;
}

/// Writes a port, where the tile has it.
template <typename Top, typename Port>
void
SetTo(Top& top, Port port, uint64_t value)
{
    if constexpr (requires { port(top); })
    {
        port(top) = value;
    }
}

/// A port by its name, of any tile.
#define SLUICE_PORT(name) [](auto& its) -> decltype((its.name)) { return its.name; }

/// Whether the link asks for each packet: the core judges packets at the head, or throws queued ones out.
template <typename Top>
constexpr bool IS_ASKED = requires(Top& top) { top.s_ask_valid; };

/// The longest round-trip time that a tile is told of: it has 22 bits.
constexpr uint32_t MOST_RTT_US = (1 << 22) - 1;

/// Whether the core throws queued packets out.
template <typename Top>
constexpr bool IS_THROWING = requires(Top& top) { top.m_victim_valid; };

} // namespace sluice

#endif // SLUICE_TILE_PORTS_H
