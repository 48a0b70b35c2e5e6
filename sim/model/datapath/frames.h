// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames at the ports of a Verilated datapath: what is presented of one, and what the datapath says of it.
#ifndef SLUICE_DATAPATH_FRAMES_H
#define SLUICE_DATAPATH_FRAMES_H

#include "VDatapath.h"
#include "sluice-datapath.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace sluice
{

/// Whether the datapath says when a frame leaves its queue, as it does where the tile is asked for each packet, or
/// where there are several queues, of which frames leave in any order.
template <typename Top>
concept Telling = requires(Top& top) { top.m_left_valid; };
constexpr bool IS_TOLD = Telling<VDatapath>;

template <typename Top>
concept Queueing = requires(Top& top) { top.m_left_queue; };
constexpr bool HAS_QUEUES = Queueing<VDatapath>;

/// Whether the core asks for round-trip times.
template <typename Top>
concept Timed = requires(Top& top) { top.m_rtt_valid; };

/// tkeep of a beat with this many bytes.
inline std::array<uint8_t, sizeof(VDatapath::s_axis_tkeep)>
Keep(uint32_t count)
{
    std::array<uint8_t, sizeof(VDatapath::s_axis_tkeep)> keep{};
    for (uint32_t i = 0; i < count; i++)
    {
        keep[i / 8] |= 1 << (i % 8);
    }
    return keep;
}

/// Whether the beat that leaves is full, or has the `rest` of its frame and its end.
inline bool
IsInPlace(const VDatapath& top, uint32_t rest)
{
    constexpr uint32_t lanes = sizeof(top.m_axis_tdata);
    return std::memcmp(&top.m_axis_tkeep, Keep(std::min(lanes, rest)).data(), sizeof(top.m_axis_tkeep)) == 0 &&
           top.m_axis_tlast == (rest <= lanes);
}

/// The frame's beat at `done`, zero beyond its end.
inline void
Present(VDatapath& top, const uint8_t* frame, uint32_t bytes, uint32_t done)
{
    constexpr uint32_t lanes = sizeof(top.s_axis_tdata);
    const uint32_t count = std::min(lanes, bytes - done);
    uint8_t data[lanes] = {};
    std::memcpy(data, frame + done, count);
    std::memcpy(&top.s_axis_tdata, data, lanes);
    std::memcpy(&top.s_axis_tkeep, Keep(count).data(), sizeof(top.s_axis_tkeep));
    top.s_axis_tlast = done + count == bytes;
    top.s_axis_tuser = 0;
}

/// What the port says of the round-trip time of the frame that is presented.
template <typename Top>
void
PresentRtt(Top& top, uint32_t us)
{
    if constexpr (Timed<Top>)
    {
        top.s_axis_rtt_us = us;
    }
}

/// The queues of a frame that is judged, and of one that leaves.
struct SaidQueues
{
    uint16_t judged = 0, left = 0;
};

template <typename Top>
SaidQueues
QueuesOf(const Top& top)
{
    if constexpr (Queueing<Top>)
    {
        return {.judged = top.m_verdict_queue, .left = top.m_left_queue};
    }
    return {};
}

/// What the core is told of it, which comes with the flow.
template <typename Top>
void
NoteRtt(const Top& top, SluiceSeen& seen)
{
    if constexpr (Timed<Top>)
    {
        seen.rttUs = top.m_rtt_us;
        seen.rttOption = top.m_rtt_option;
    }
}

/// All that the parser has found.
inline void
Note(const VDatapath& top, SluiceSeen& seen)
{
    const auto reversed = [](uint8_t* to, const auto& wide) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(&wide);
        std::reverse_copy(bytes, bytes + 16, to);
    };
    reversed(seen.source, top.m_parsed_source);
    reversed(seen.destination, top.m_parsed_destination);
    seen.tunnelId = top.m_parsed_tunnel_id;
    seen.mplsLabel = top.m_parsed_mpls_label;
    seen.has = top.m_parsed_has_vlan_0 * SLUICE_HAS_VLAN0 + top.m_parsed_has_vlan_1 * SLUICE_HAS_VLAN1 +
               top.m_parsed_has_type * SLUICE_HAS_TYPE + top.m_parsed_has_mpls * SLUICE_HAS_MPLS +
               top.m_parsed_has_ip * SLUICE_HAS_IP + top.m_parsed_is_ipv6 * SLUICE_IS_IPV6 +
               top.m_parsed_has_protocol * SLUICE_HAS_PROTOCOL + top.m_parsed_is_fragment * SLUICE_IS_FRAGMENT +
               top.m_parsed_has_ports * SLUICE_HAS_PORTS + top.m_parsed_has_tunnel_id * SLUICE_HAS_TUNNEL +
               top.m_parsed_has_tcp_flags * SLUICE_HAS_TCP_FLAGS + top.m_parsed_mark_is_shifted * SLUICE_IS_SHIFTED;
    seen.etherType = top.m_parsed_ether_type;
    seen.vlanId[0] = top.m_parsed_vlan_id_0;
    seen.vlanId[1] = top.m_parsed_vlan_id_1;
    seen.sourcePort = top.m_parsed_source_port;
    seen.destinationPort = top.m_parsed_destination_port;
    seen.fragmentOffset = top.m_parsed_fragment_offset;
    seen.ipLength = top.m_parsed_ip_length;
    seen.ipId = top.m_parsed_ip_id;
    seen.tcpFlags = top.m_parsed_tcp_flags;
    seen.outcome = top.m_parsed_outcome;
    seen.tunnel = top.m_parsed_tunnel;
    seen.protocol = top.m_parsed_protocol;
    seen.service = top.m_parsed_service;
    seen.ttl = top.m_parsed_ttl;
    seen.networkWord = top.m_parsed_mark_service_word - 3; // the ECN field is at the end of word 3, from byte 0
    seen.transportWord = top.m_parsed_transport_at;
}

/// Clocks that it takes to bring so many bytes.
inline uint64_t
Beats(uint32_t bytes)
{
    return (bytes + sizeof(VDatapath::s_axis_tdata) - 1) / sizeof(VDatapath::s_axis_tdata);
}

} // namespace sluice

#endif // SLUICE_DATAPATH_FRAMES_H
