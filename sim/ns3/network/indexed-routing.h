/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Unicast routes found by hashing the destination: the cost of a packet does not grow with the
 * number of flows, as it does with ns-3's own static and global routing.
 */

#ifndef INDEXED_ROUTING_H
#define INDEXED_ROUTING_H

#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"

#include <unordered_map>

namespace sluice_ns3
{

/**
 * @brief Exact-match routing for nodes whose destinations are all known.
 *
 * A packet that a node receives is forwarded when the node has a route for it, and otherwise
 * delivered to the node itself.
 */
class IndexedRouting : public ns3::Ipv4RoutingProtocol
{
  public:
    /**
     * @brief Add the route for one destination.
     * @param destination address of the far end
     * @param source address that packets of this node carry
     * @param device where they leave
     */
    void AddRoute(ns3::Ipv4Address destination,
                  ns3::Ipv4Address source,
                  ns3::Ptr<ns3::NetDevice> device);

    ns3::Ptr<ns3::Ipv4Route> RouteOutput(ns3::Ptr<ns3::Packet> packet,
                                         const ns3::Ipv4Header& header,
                                         ns3::Ptr<ns3::NetDevice> device,
                                         ns3::Socket::SocketErrno& error) override;
    bool RouteInput(ns3::Ptr<const ns3::Packet> packet,
                    const ns3::Ipv4Header& header,
                    ns3::Ptr<const ns3::NetDevice> device,
                    const UnicastForwardCallback& forward,
                    const MulticastForwardCallback& multicast,
                    const LocalDeliverCallback& deliver,
                    const ErrorCallback& fail) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, ns3::Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, ns3::Ipv4InterfaceAddress address) override;
    void SetIpv4(ns3::Ptr<ns3::Ipv4> ipv4) override;
    void PrintRoutingTable(ns3::Ptr<ns3::OutputStreamWrapper> stream,
                           ns3::Time::Unit unit) const override;

  protected:
    void DoDispose() override;

  private:
    ns3::Ptr<ns3::Ipv4> m_ipv4;                                      //!< the node's IPv4
    std::unordered_map<uint32_t, ns3::Ptr<ns3::Ipv4Route>> m_routes; //!< by destination
};

} // namespace sluice_ns3

#endif /* INDEXED_ROUTING_H */
