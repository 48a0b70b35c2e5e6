/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over UDP; see the header.
 */

#include "flows/udp-source.h"

#include "flows/flow-sink.h"
#include "flows/pareto.h"

#include "ns3/double.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"

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
UdpSource::SetHeaders(uint8_t dsField, uint32_t ports)
{
    m_dsField = dsField;
    m_ports = ports;
}

void
UdpSource::DoDispose()
{
    m_ip = nullptr;
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
    constexpr uint32_t ACCESS_LINK = 1; // interface 0 is the loopback

    m_ip = GetNode()->GetObject<Ipv4>();
    m_source = m_ip->GetAddress(ACCESS_LINK, 0).GetLocal();
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
    constexpr uint32_t FIRST_PORT = 49153;

    auto packet = Create<Packet>(m_packetBytes - IP_AND_UDP_HEADER);
    UdpHeader header;
    header.SetSourcePort(static_cast<uint16_t>(FIRST_PORT + m_port));
    header.SetDestinationPort(SINK_PORT);
    packet->AddHeader(header);
    m_port = (m_port + 1) % m_ports;
    if (m_dsField != 0)
    {
        SocketIpTosTag tos;
        tos.SetTos(m_dsField);
        packet->AddPacketTag(tos);
    }
    m_ip->Send(packet, m_source, m_sink, UdpL4Protocol::PROT_NUMBER, nullptr);
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
