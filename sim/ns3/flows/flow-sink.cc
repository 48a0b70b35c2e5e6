/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving end of a flow; see the header.
 */

#include "flows/flow-sink.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

namespace sluice_ns3
{

using namespace ns3;

Ptr<Socket>
MakeTcpSocket(Ptr<Node> node, const TcpManner& manner)
{
    constexpr uint32_t IP_AND_TCP_HEADER = 20 + 20;
    constexpr uint32_t TIMESTAMP_OPTION = 12;

    auto socket = node->GetObject<TcpL4Protocol>()->CreateSocket(manner.congestion.GetTypeId());
    auto tcp = DynamicCast<TcpSocketBase>(socket);
    tcp->SetCongestionControlAlgorithm(manner.congestion.Create<TcpCongestionOps>());

    BooleanValue hasTimestamp;
    tcp->GetAttribute("Timestamp", hasTimestamp);
    const uint32_t header = IP_AND_TCP_HEADER + (hasTimestamp.Get() ? TIMESTAMP_OPTION : 0);
    tcp->SetAttribute("SegmentSize", UintegerValue(manner.packetBytes - header));
    if (manner.ecn)
    {
        const auto use = *manner.ecn ? TcpSocketState::On : TcpSocketState::Off;
        tcp->SetAttribute("UseEcn", EnumValue(use));
    }
    if (manner.initialWindow)
    {
        tcp->SetAttribute("InitialCwnd", UintegerValue(*manner.initialWindow));
    }
    return socket;
}

void
FlowSink::SetSocket(Ptr<Socket> socket)
{
    m_socket = socket;
}

uint64_t
FlowSink::GetBytes() const
{
    return m_bytes;
}

void
FlowSink::DoDispose()
{
    m_socket = nullptr;
    Application::DoDispose();
}

void
FlowSink::StartApplication()
{
    m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT));
    m_socket->SetRecvCallback(MakeCallback(&FlowSink::Read, this));
    m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&FlowSink::Accept, this));
    m_socket->Listen();
}

void
FlowSink::Read(Ptr<Socket> socket)
{
    while (auto packet = socket->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break; // TCP's end of file
        }
        m_bytes += packet->GetSize();
    }
}

void
FlowSink::Accept(Ptr<Socket> socket, const Address& from [[maybe_unused]])
{
    socket->SetRecvCallback(MakeCallback(&FlowSink::Read, this));
    socket->SetCloseCallbacks(MakeCallback(&FlowSink::Close, this),
                              MakeNullCallback<void, Ptr<Socket>>());
}

void
FlowSink::Close(Ptr<Socket> socket)
{
    socket->Close();
}

} // namespace sluice_ns3
