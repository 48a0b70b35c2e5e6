/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts and point-to-point links: the parts that a topology is put together from.
 */

#ifndef LINKS_H
#define LINKS_H

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"

#include <string>

namespace sluice_ns3
{

/// The devices at the ends of a link.
struct Link
{
    ns3::Ptr<ns3::PointToPointNetDevice> first;  //!< device of the first node
    ns3::Ptr<ns3::PointToPointNetDevice> second; //!< device of the second node
};

/**
 * @brief Make a node with IPv4, TCP, UDP and traffic control, routed by IndexedRouting.
 * @return the node
 */
ns3::Ptr<ns3::Node> MakeNode();

/// What a link is like.
struct LinkSpec
{
    double rateMbps;       //!< rate in each direction
    double delayMs;        //!< propagation delay
    uint32_t queuePackets; //!< limit of the FIFO at each end
};

/**
 * @brief Join two nodes; the devices have no address yet.
 * @param first one node
 * @param second the other
 * @param spec what the link is like
 * @return the devices
 */
Link Connect(ns3::Ptr<ns3::Node> first, ns3::Ptr<ns3::Node> second, const LinkSpec& spec);

/**
 * @brief Change the rate at which a device sends; a packet on its way keeps the old one.
 * @param device the device
 * @param rateMbps the new rate
 */
void SetRate(ns3::Ptr<ns3::PointToPointNetDevice> device, double rateMbps);

/**
 * @brief Give a device a FIFO of another length. Before anything is sent.
 * @param device the device
 * @param packets its limit
 */
void SetQueueLimit(ns3::Ptr<ns3::PointToPointNetDevice> device, uint32_t packets);

/**
 * @brief Give a device an address; after that it can send and receive.
 * @param device the device
 * @param address the address, alone in its network
 */
void SetAddress(ns3::Ptr<ns3::NetDevice> device, ns3::Ipv4Address address);

/**
 * @brief Make a device hold one waiting packet and stop its queue discipline while it does, so
 * that the queue stands in the discipline.
 * @param device the device
 */
void HoldOnePacket(ns3::Ptr<ns3::PointToPointNetDevice> device);

/**
 * @brief Add a route to the table of a node.
 * @param device where packets leave the node
 * @param destination the far end
 */
void AddRoute(ns3::Ptr<ns3::NetDevice> device, ns3::Ipv4Address destination);

} // namespace sluice_ns3

#endif /* LINKS_H */
