/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over TCP; see the header.
 */

#include "flows/tcp-source.h"

#include "flows/pareto.h"

#include "ns3/double.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <cmath>
#include <limits>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Make a distribution that has one value only.
 * @param value the value
 * @return the distribution
 */
Ptr<RandomVariableStream>
MakeConstant(double value)
{
    return CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(value));
}

} // namespace

void
TcpSource::Configure(Ipv4Address sink, const TcpManner& manner, TcpTransfer::RttSink rttSink)
{
    m_path = {nullptr, sink, manner};
    m_rttSink = std::move(rttSink);
}

const std::vector<std::unique_ptr<TcpTransfer>>&
TcpSource::GetTransfers() const
{
    return m_transfers;
}

void
TcpSource::DoDispose()
{
    for (auto& transfer : m_transfers)
    {
        transfer->Release();
    }
    m_path.node = nullptr;
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
    m_path.node = GetNode();
    m_transfers.push_back(
        std::make_unique<TcpTransfer>(m_path, bytes, m_rttSink, [this] { Continue(); }));
}

void
TcpSource::Continue()
{
    Transfer(std::numeric_limits<uint64_t>::max());
}

void
GatedSource::SetBursts(double burstS, double idleS, double shape)
{
    m_burst = MakeDistribution(burstS, shape);
    m_idle = MakeDistribution(idleS, shape);
}

void
GatedSource::StartApplication()
{
    TcpSource::StartApplication();
    Turn();
}

void
GatedSource::StopApplication()
{
    m_next.Cancel();
    TcpSource::StopApplication();
}

// A connection that fails is followed by one in the same burst or pause.
void
GatedSource::Continue()
{
    TcpSource::StartApplication();
    GetTransfers().back()->Hold(m_isIdle);
}

void
GatedSource::Turn()
{
    m_isIdle = !m_isIdle;
    GetTransfers().back()->Hold(m_isIdle);
    const double lengthS = (m_isIdle ? m_idle : m_burst)->GetValue();
    m_next = Simulator::Schedule(Seconds(lengthS), &GatedSource::Turn, this);
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

void
ArrivalSource::SetLoad(double meanBytes, double shape, double perS)
{
    if (shape > 0)
    {
        m_bytes = MakePareto(meanBytes, shape);
    }
    else
    {
        m_bytes = MakeConstant(meanBytes);
    }
    m_gaps = CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(1 / perS));
}

void
ArrivalSource::SetRounds(double bytes, double everyS)
{
    m_bytes = MakeConstant(bytes);
    m_gaps = MakeConstant(everyS);
}

void
ArrivalSource::StartApplication()
{
    WaitForNext();
}

void
ArrivalSource::StopApplication()
{
    m_next.Cancel();
    TcpSource::StopApplication();
}

// The next transfer does not wait for the end of this one.
void
ArrivalSource::Continue()
{
}

void
ArrivalSource::WaitForNext()
{
    m_next = Simulator::Schedule(Seconds(m_gaps->GetValue()), &ArrivalSource::TransferNext, this);
}

void
ArrivalSource::TransferNext()
{
    Transfer(static_cast<uint64_t>(std::ceil(m_bytes->GetValue())));
    WaitForNext();
}

} // namespace sluice_ns3
