/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts and point-to-point links; see the header.
 */

#include "network/links.h"

#include "network/indexed-routing.h"

#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"

#include <cmath>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Give a device a FIFO.
 * @param device the device
 * @param packets its limit
 * @return the FIFO
 */
Ptr<DropTailQueue<Packet>>
SetFifo(Ptr<PointToPointNetDevice> device, uint32_t packets)
{
    auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, packets));
    device->SetQueue(queue);
    return queue;
}

/**
 * @brief Convert a rate.
 * @param mbps Mbit/s
 * @return the same for ns-3
 */
DataRate
ToDataRate(double mbps)
{
    return DataRate(static_cast<uint64_t>(std::llround(mbps * 1e6)));
}

/**
 * @brief Give a node a device.
 * @param node the node
 * @param spec the link that it is for
 * @return the device
 */
Ptr<PointToPointNetDevice>
AddDevice(Ptr<Node> node, const LinkSpec& spec)
{
    // No fragments, whatever the size of the packets; see queue-disc-text.h for who else reads it.
    constexpr uint16_t LARGEST_PACKET = 65535;

    auto device = CreateObject<PointToPointNetDevice>();
    device->SetAddress(Mac48Address::Allocate());
    device->SetDataRate(ToDataRate(spec.rateMbps));
    device->SetMtu(LARGEST_PACKET);
    node->AddDevice(device);
    SetFifo(device, spec.queuePackets);
    return device;
}

/**
 * @brief Get the first address of a device.
 * @param device the device
 * @return its address
 */
Ipv4Address
GetAddress(Ptr<NetDevice> device)
{
    const auto ipv4 = device->GetNode()->GetObject<Ipv4>();
    return ipv4->GetAddress(ipv4->GetInterfaceForDevice(device), 0).GetAddress();
}

} // namespace

Ptr<Node>
MakeNode()
{
    auto node = CreateObject<Node>();
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(node);
    node->GetObject<Ipv4>()->SetRoutingProtocol(CreateObject<IndexedRouting>());
    return node;
}

Link
Connect(Ptr<Node> first, Ptr<Node> second, const LinkSpec& spec)
{
    const Link link{AddDevice(first, spec), AddDevice(second, spec)};
    auto channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", TimeValue(NanoSeconds(std::llround(spec.delayMs * 1e6))));
    link.first->Attach(channel);
    link.second->Attach(channel);
    return link;
}

void
SetRate(Ptr<PointToPointNetDevice> device, double rateMbps)
{
    device->SetDataRate(ToDataRate(rateMbps));
}

void
SetQueueLimit(Ptr<PointToPointNetDevice> device, uint32_t packets)
{
    SetFifo(device, packets);
}

void
SetAddress(Ptr<NetDevice> device, Ipv4Address address)
{
    auto ipv4 = device->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask::GetOnes()));
    ipv4->SetUp(interface);
}

void
HoldOnePacket(Ptr<PointToPointNetDevice> device)
{
    auto queue = SetFifo(device, 1);
    auto control = CreateObject<NetDeviceQueueInterface>();
    control->GetTxQueue(0)->ConnectQueueTraces(queue);
    device->AggregateObject(control);
}

void
AddRoute(Ptr<NetDevice> device, Ipv4Address destination)
{
    const auto ipv4 = device->GetNode()->GetObject<Ipv4>();
    const auto routing = DynamicCast<IndexedRouting>(ipv4->GetRoutingProtocol());
    routing->AddRoute(destination, GetAddress(device), device);
}

} // namespace sluice_ns3
