/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Unicast routes found by hashing the destination; see the header.
 */

#include "network/indexed-routing.h"

#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/output-stream-wrapper.h"

namespace sluice_ns3
{

using namespace ns3;

void
IndexedRouting::AddRoute(Ipv4Address destination, Ipv4Address source, Ptr<NetDevice> device)
{
    auto route = Create<Ipv4Route>();
    route->SetDestination(destination);
    route->SetSource(source);
    route->SetGateway(Ipv4Address::GetZero());
    route->SetOutputDevice(device);
    m_routes[destination.Get()] = route;
}

Ptr<Ipv4Route>
IndexedRouting::RouteOutput(Ptr<Packet> packet [[maybe_unused]],
                            const Ipv4Header& header,
                            Ptr<NetDevice> device [[maybe_unused]],
                            Socket::SocketErrno& error)
{
    const auto found = m_routes.find(header.GetDestination().Get());
    error = found == m_routes.end() ? Socket::ERROR_NOROUTETOHOST : Socket::ERROR_NOTERROR;
    return found == m_routes.end() ? nullptr : found->second;
}

bool
IndexedRouting::RouteInput(Ptr<const Packet> packet,
                           const Ipv4Header& header,
                           Ptr<const NetDevice> device,
                           const UnicastForwardCallback& forward,
                           const MulticastForwardCallback& multicast [[maybe_unused]],
                           const LocalDeliverCallback& deliver,
                           const ErrorCallback& fail [[maybe_unused]])
{
    const auto found = m_routes.find(header.GetDestination().Get());
    if (found != m_routes.end())
    {
        forward(found->second, packet, header);
    }
    else
    {
        deliver(packet, header, m_ipv4->GetInterfaceForDevice(device));
    }
    return true;
}

void
IndexedRouting::NotifyInterfaceUp(uint32_t interface [[maybe_unused]])
{
}

void
IndexedRouting::NotifyInterfaceDown(uint32_t interface [[maybe_unused]])
{
}

void
IndexedRouting::NotifyAddAddress(uint32_t interface [[maybe_unused]],
                                 Ipv4InterfaceAddress address [[maybe_unused]])
{
}

void
IndexedRouting::NotifyRemoveAddress(uint32_t interface [[maybe_unused]],
                                    Ipv4InterfaceAddress address [[maybe_unused]])
{
}

void
IndexedRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_ipv4 = ipv4;
}

void
IndexedRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                                  Time::Unit unit [[maybe_unused]]) const
{
    for (const auto& [destination, route] : m_routes)
    {
        *stream->GetStream() << *route << '\n';
    }
}

void
IndexedRouting::DoDispose()
{
    m_ipv4 = nullptr;
    m_routes.clear();
    Ipv4RoutingProtocol::DoDispose();
}

} // namespace sluice_ns3
