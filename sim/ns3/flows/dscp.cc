/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The DSCP of what a host sends over TCP; see the header.
 */

#include "flows/dscp.h"

#include "ns3/ipv4-route.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/tcp-l4-protocol.h"

namespace sluice_ns3
{

using namespace ns3;

// Between TCP, which says the ECN field in the packet's tag, and IP, which makes the header of it.
void
SetTcpDscp(Ptr<Node> node, uint8_t dscp)
{
    auto tcp = node->GetObject<TcpL4Protocol>();
    const IpL4Protocol::DownTargetCallback down = tcp->GetDownTarget();
    tcp->SetDownTarget(IpL4Protocol::DownTargetCallback([down, dscp](Ptr<Packet> packet,
                                                                     Ipv4Address source,
                                                                     Ipv4Address destination,
                                                                     uint8_t protocol,
                                                                     Ptr<Ipv4Route> route) {
        SocketIpTosTag tag;
        const bool isThere = packet->RemovePacketTag(tag);
        tag.SetTos(DsField(dscp, isThere ? tag.GetTos() & ECN_FIELD : 0));
        packet->AddPacketTag(tag);
        down(packet, source, destination, protocol, route);
    }));
}

} // namespace sluice_ns3
