/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over UDP; see the header.
 */

#include "flows/udp-source.h"

#include "flows/flow-sink.h"
#include "flows/pareto.h"

#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <cmath>

namespace sluice_ns3
{

using namespace ns3;

void
UdpSource::Configure(Ipv4Address sink, double rateMbps, uint32_t packetBytes)
{
    m_sink = sink;
    m_rateMbps = rateMbps;
    m_packetBytes = packetBytes;
}

void
UdpSource::DoDispose()
{
    m_socket = nullptr;
    Application::DoDispose();
}

Time
UdpSource::GetPacketTime() const
{
    return NanoSeconds(std::llround(m_packetBytes * 8e3 / m_rateMbps));
}

void
UdpSource::StartApplication()
{
    m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    m_socket->Bind();
    m_socket->Connect(InetSocketAddress(m_sink, SINK_PORT));
    m_socket->ShutdownRecv();
    m_next = Simulator::Schedule(FirstGap(), &UdpSource::SendNext, this);
}

void
UdpSource::StopApplication()
{
    m_next.Cancel();
}

Time
UdpSource::FirstGap()
{
    return Time(0);
}

Time
UdpSource::NextGap()
{
    return GetPacketTime();
}

void
UdpSource::SendNext()
{
    constexpr uint32_t IP_AND_UDP_HEADER = 20 + 8;

    m_socket->Send(Create<Packet>(m_packetBytes - IP_AND_UDP_HEADER));
    m_next = Simulator::Schedule(NextGap(), &UdpSource::SendNext, this);
}

void
BurstSource::SetBursts(double burstS, double idleS, double shape)
{
    m_burst = MakeDistribution(burstS / GetPacketTime().GetSeconds(), shape);
    m_idle = MakeDistribution(idleS, shape);
}

Time
BurstSource::FirstGap()
{
    return NextGap();
}

Time
BurstSource::NextGap()
{
    if (m_packetsLeft > 0)
    {
        --m_packetsLeft;
        return GetPacketTime();
    }
    const auto packets = std::max(1.0, std::round(m_burst->GetValue()));
    m_packetsLeft = static_cast<uint64_t>(packets) - 1;
    return GetPacketTime() + Seconds(m_idle->GetValue());
}

} // namespace sluice_ns3
