/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One flow at work; see the header.
 */

#include "flows/flow.h"

#include "flows/dscp.h"
#include "flows/udp-source.h"
#include "reading/object-text.h"

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <limits>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Tell whether a flow runs over TCP.
 * @param spec the flow
 * @return true for all kinds but those of UDP
 */
bool
IsTcp(const FlowSpec& spec)
{
    return spec.kind != FlowKind::UDP_CBR && spec.kind != FlowKind::UDP_ONOFF;
}

/**
 * @brief Say what the connections of a flow are like.
 * @param spec the flow
 * @return the same for both ends
 */
TcpManner
MannerOf(const FlowSpec& spec)
{
    return {.congestion = ParseObjectText(spec.congestion, TcpCongestionOps::GetTypeId()),
            .packetBytes = spec.packetBytes,
            .ecn = spec.ecn,
            .initialWindow = spec.initialWindow};
}

/**
 * @brief Convert bytes over a time to a rate.
 * @param bytes the bytes
 * @param seconds the time
 * @return Mbit/s
 */
double
ToMbps(uint64_t bytes, double seconds)
{
    return static_cast<double>(bytes) * 8e-6 / seconds;
}

} // namespace

Flow::Flow(const FlowSpec& spec, const FlowEnds& ends)
    : m_spec(spec),
      m_ends(ends)
{
    InstallSink();
    InstallSource();
}

void
Flow::StartMeasuring()
{
    m_warmupEnd = Simulator::Now();
    m_warmupIpBytes = m_ipBytes;
    m_warmupBytes = m_sink->GetBytes();
}

void
Flow::Sample(double intervalS)
{
    m_throughput.push_back(ToMbps(m_ipBytes - m_sampledIpBytes, intervalS));
    m_sampledIpBytes = m_ipBytes;
}

FlowResult
Flow::Finish(double measuredS)
{
    FlowResult result{.throughputMbps = ToMbps(m_ipBytes - m_warmupIpBytes, measuredS),
                      .goodputMbps = ToMbps(m_sink->GetBytes() - m_warmupBytes, measuredS),
                      .throughputBy = std::move(m_throughput),
                      .transfersBegun = 0,
                      .transferS = {}};
    if (!m_tcp)
    {
        return result;
    }
    for (const auto& transfer : m_tcp->GetTransfers())
    {
        if (transfer->GetBegin() < m_warmupEnd)
        {
            continue;
        }
        ++result.transfersBegun;
        if (const auto duration = transfer->GetDuration())
        {
            result.transferS.push_back(duration->GetSeconds());
        }
    }
    return result;
}

uint32_t
Flow::GetRttUs() const
{
    constexpr double LONGEST = std::numeric_limits<uint32_t>::max();
    return static_cast<uint32_t>(std::min(m_rttUs * m_spec.rttError, LONGEST));
}

void
Flow::InstallSource()
{
    Ptr<Application> source;
    if (IsTcp(m_spec))
    {
        m_tcp = MakeTcpSource();
        m_tcp->Configure(m_ends.sinkAddress, MannerOf(m_spec), [this](Time rtt) {
            m_rttUs = static_cast<double>(rtt.GetMicroSeconds());
        });
        source = m_tcp;
        if (m_spec.dscp != 0)
        {
            SetTcpDscp(m_ends.source, m_spec.dscp);
        }
    }
    else
    {
        source = MakeUdpSource();
    }
    source->SetStartTime(Seconds(m_spec.startS));
    source->SetStopTime(Seconds(m_spec.stopS));
    m_ends.source->AddApplication(source);
}

Ptr<TcpSource>
Flow::MakeTcpSource() const
{
    if (m_spec.kind == FlowKind::TCP_ONOFF)
    {
        auto gated = CreateObject<GatedSource>();
        gated->SetBursts(m_spec.burstS, m_spec.idleS, m_spec.shape);
        return gated;
    }
    if (m_spec.kind == FlowKind::WEB)
    {
        auto web = CreateObject<WebSource>();
        web->SetLoad(m_spec.meanBytes, m_spec.shape, m_spec.thinkS);
        return web;
    }
    if (m_spec.kind == FlowKind::SHORT)
    {
        auto arrivals = CreateObject<ArrivalSource>();
        arrivals->SetLoad(m_spec.meanBytes, m_spec.shape, m_spec.perS);
        return arrivals;
    }
    if (m_spec.kind == FlowKind::INCAST)
    {
        auto rounds = CreateObject<ArrivalSource>();
        rounds->SetRounds(m_spec.meanBytes, m_spec.everyS);
        return rounds;
    }
    return CreateObject<TcpSource>();
}

Ptr<Application>
Flow::MakeUdpSource() const
{
    auto bursts = m_spec.kind == FlowKind::UDP_ONOFF ? CreateObject<BurstSource>() : nullptr;
    Ptr<UdpSource> udp = bursts ? Ptr<UdpSource>(bursts) : CreateObject<UdpSource>();
    udp->Configure(m_ends.sinkAddress, m_spec.rateMbps, m_spec.packetBytes);
    udp->SetHeaders(DsField(m_spec.dscp, m_spec.ecnField), m_spec.ports);
    if (bursts)
    {
        bursts->SetBursts(m_spec.burstS, m_spec.idleS, m_spec.shape);
    }
    return udp;
}

void
Flow::InstallSink()
{
    m_sink = CreateObject<FlowSink>();
    m_sink->SetSocket(IsTcp(m_spec)
                          ? MakeTcpSocket(m_ends.sink, MannerOf(m_spec))
                          : Socket::CreateSocket(m_ends.sink, UdpSocketFactory::GetTypeId()));
    m_ends.sink->AddApplication(m_sink);
    m_ends.sink->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
        "LocalDeliver",
        MakeCallback(&Flow::PacketArrived, this));
}

void
Flow::PacketArrived(const Ipv4Header& header,
                    Ptr<const Packet> packet,
                    uint32_t interface [[maybe_unused]])
{
    m_ipBytes += header.GetSerializedSize() + packet->GetSize();
}

} // namespace sluice_ns3
