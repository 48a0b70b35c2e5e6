/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over TCP; see the header.
 */

#include "tcp-source.h"

#include "flow-sink.h"
#include "pareto.h"

#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice_ns3
{

using namespace ns3;

void
TcpSource::Configure(Ipv4Address sink,
                     const ObjectFactory& congestion,
                     uint32_t packetBytes,
                     RttSink rttSink)
{
    m_sink = sink;
    m_congestion = congestion;
    m_packetBytes = packetBytes;
    m_rttSink = std::move(rttSink);
}

void
TcpSource::DoDispose()
{
    m_socket = nullptr;
    m_rttSink = nullptr;
    Application::DoDispose();
}

void
TcpSource::StartApplication()
{
    Transfer(std::numeric_limits<uint64_t>::max());
}

// The host goes off the network: what the socket still holds must not trickle out.
void
TcpSource::StopApplication()
{
    constexpr uint32_t LINK_INTERFACE = 1; // 0 is the loopback
    auto ipv4 = GetNode()->GetObject<Ipv4>();
    ipv4->SetDown(LINK_INTERFACE);
}

void
TcpSource::Transfer(uint64_t bytes)
{
    m_bytesLeft = bytes;
    m_socket = MakeTcpSocket(GetNode(), m_congestion, m_packetBytes);
    m_socket->TraceConnectWithoutContext("RTT", MakeCallback(&TcpSource::RttChanged, this));
    m_socket->SetConnectCallback(MakeCallback(&TcpSource::Connected, this),
                                 MakeCallback(&TcpSource::Ended, this));
    m_socket->SetCloseCallbacks(MakeCallback(&TcpSource::Ended, this),
                                MakeCallback(&TcpSource::Ended, this));
    m_socket->SetSendCallback(MakeCallback(&TcpSource::Feed, this));
    m_socket->Bind();
    m_socket->Connect(InetSocketAddress(m_sink, SINK_PORT));
}

void
TcpSource::Continue()
{
    Transfer(std::numeric_limits<uint64_t>::max());
}

void
TcpSource::Feed(Ptr<Socket> socket, uint32_t room)
{
    constexpr uint64_t LARGEST_WRITE = 65536;

    while (room > 0 && m_bytesLeft > 0)
    {
        const uint64_t size = std::min({uint64_t{room}, m_bytesLeft, LARGEST_WRITE});
        if (socket->Send(Create<Packet>(static_cast<uint32_t>(size))) <= 0)
        {
            return;
        }
        m_bytesLeft -= size;
        room = socket->GetTxAvailable();
        if (m_bytesLeft == 0)
        {
            socket->Close();
        }
    }
}

void
TcpSource::Connected(Ptr<Socket> socket)
{
    Feed(socket, socket->GetTxAvailable());
}

void
TcpSource::Ended(Ptr<Socket> socket)
{
    if (socket == m_socket)
    {
        m_socket = nullptr;
        Continue();
    }
}

void
TcpSource::RttChanged(Time before [[maybe_unused]], Time now)
{
    m_rttSink(now);
}

void
WebSource::SetLoad(double meanBytes, double shape, double thinkS)
{
    m_bytes = MakePareto(meanBytes, shape);
    m_pauses = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(thinkS));
}

void
WebSource::StartApplication()
{
    TransferNext();
}

void
WebSource::StopApplication()
{
    m_next.Cancel();
    TcpSource::StopApplication();
}

void
WebSource::Continue()
{
    m_next = Simulator::Schedule(Seconds(m_pauses->GetValue()), &WebSource::TransferNext, this);
}

void
WebSource::TransferNext()
{
    Transfer(static_cast<uint64_t>(std::ceil(m_bytes->GetValue())));
}

} // namespace sluice_ns3
