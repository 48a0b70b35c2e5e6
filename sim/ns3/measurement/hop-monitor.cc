/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Measures one bottleneck; see the header.
 */

#include "measurement/hop-monitor.h"

#include "flows/flow-hash.h"

#include "ns3/simulator.h"

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Subtract counts of the same reasons.
 * @param after later counts
 * @param before earlier counts
 * @return what came in between, without zeros
 */
ReasonCounts
Difference(const ReasonCounts& after, const ReasonCounts& before)
{
    ReasonCounts difference;
    for (const auto& [reason, count] : after)
    {
        const auto found = before.find(reason);
        const uint64_t earlier = found == before.end() ? 0 : found->second;
        if (count > earlier)
        {
            difference[reason] = count - earlier;
        }
    }
    return difference;
}

/**
 * @brief Get the simulated time.
 * @return nanoseconds
 */
int64_t
NowNs()
{
    return Simulator::Now().GetNanoSeconds();
}

} // namespace

HopMonitor::HopMonitor(Ptr<QueueDisc> queueDisc, FlowFinder findFlow, std::size_t flows)
    : m_queueDisc(queueDisc),
      m_sluice(DynamicCast<SluiceQueueDisc>(queueDisc)),
      m_findFlow(std::move(findFlow)),
      m_byFlow(flows)
{
    using Dropped = Callback<void, Ptr<const QueueDiscItem>, const char*>;

    queueDisc->TraceConnectWithoutContext("PacketsInQueue",
                                          MakeCallback(&HopMonitor::QueueChanged, this));
    queueDisc->TraceConnectWithoutContext("Dequeue", MakeCallback(&HopMonitor::PacketLeft, this));
    queueDisc->TraceConnectWithoutContext("Enqueue", MakeCallback(&HopMonitor::PacketCame, this));
    queueDisc->TraceConnectWithoutContext(
        "DropBeforeEnqueue",
        Dropped([this](Ptr<const QueueDiscItem> item, const char*) {
            PacketCame(item);
            PacketDropped(item);
        }));
    queueDisc->TraceConnectWithoutContext(
        "DropAfterDequeue",
        Dropped([this](Ptr<const QueueDiscItem> item, const char*) { PacketDropped(item); }));
}

void
HopMonitor::StartMeasuring()
{
    m_isMeasuring = true;
    m_warmup = ReadCounters();
    m_queue.Start(NowNs(), m_queueDisc->GetNPackets());
}

void
HopMonitor::Sample()
{
    const auto& stats = m_queueDisc->GetStats();
    m_series.queuePackets.push_back(m_queueDisc->GetNPackets());
    m_series.arrivals.push_back(stats.nTotalReceivedPackets - m_sampledArrivals);
    m_series.drops.push_back(stats.nTotalDroppedPackets - m_sampledDrops);
    m_sampledArrivals = stats.nTotalReceivedPackets;
    m_sampledDrops = stats.nTotalDroppedPackets;
    m_series.marks.push_back(stats.nTotalMarkedPackets - m_sampledMarks);
    m_sampledMarks = stats.nTotalMarkedPackets;
    const double before = m_series.delayMs.empty() ? 0 : m_series.delayMs.back();
    m_series.delayMs.push_back(m_left ? static_cast<double>(m_sojournNs) /
                                            static_cast<double>(m_left) / NS_PER_MS
                                      : before);
    m_sojournNs = 0;
    m_left = 0;
    m_series.flows.push_back(m_flows.size());
    m_flows.clear();

    if (!m_sluice)
    {
        return;
    }
    if (m_series.status.empty())
    {
        for (const auto& name : m_sluice->GetStatusNames())
        {
            m_series.status.emplace_back(name, std::vector<double>());
        }
    }
    for (auto& [name, values] : m_series.status)
    {
        values.push_back(m_sluice->GetStatus(name));
    }
}

HopResult
HopMonitor::Finish()
{
    m_queue.Change(NowNs(), m_queueDisc->GetNPackets());

    HopResult result;
    result.total = ReadCounters();
    result.measured = {.arrived = result.total.arrived - m_warmup.arrived,
                       .departed = result.total.departed - m_warmup.departed,
                       .departedBytes = result.total.departedBytes - m_warmup.departedBytes,
                       .drops = Difference(result.total.drops, m_warmup.drops),
                       .marks = Difference(result.total.marks, m_warmup.marks)};
    result.byFlow = std::move(m_byFlow);
    result.queued = m_queueDisc->GetNPackets();
    result.queueMean = m_queue.GetMean();
    result.queueStd = m_queue.GetStandardDeviation();
    result.queueP99 = m_queue.GetQuantile(0.99);
    result.delayMeanMs = m_delay.GetMean() / NS_PER_MS;
    result.delayP99Ms = m_delay.GetQuantile(0.99) / NS_PER_MS;
    result.delayP999Ms = m_delay.GetQuantile(0.999) / NS_PER_MS;
    result.series = std::move(m_series);
    return result;
}

void
HopMonitor::QueueChanged(uint32_t before [[maybe_unused]], uint32_t now)
{
    if (m_isMeasuring)
    {
        m_queue.Change(NowNs(), now);
    }
}

void
HopMonitor::PacketCame(Ptr<const QueueDiscItem> item)
{
    m_flows.insert(FlowHash(*item, 0));
    if (m_isMeasuring)
    {
        ++m_byFlow.at(m_findFlow(*item)).arrived;
    }
}

void
HopMonitor::PacketDropped(Ptr<const QueueDiscItem> item)
{
    if (m_isMeasuring)
    {
        ++m_byFlow.at(m_findFlow(*item)).dropped;
    }
}

void
HopMonitor::PacketLeft(Ptr<const QueueDiscItem> item)
{
    const int64_t sojournNs = NowNs() - item->GetTimeStamp().GetNanoSeconds();
    m_sojournNs += sojournNs;
    ++m_left;
    if (m_isMeasuring)
    {
        m_delay.Add(sojournNs);
        m_byFlow.at(m_findFlow(*item)).delay.Add(sojournNs);
    }
}

HopCounters
HopMonitor::ReadCounters() const
{
    const auto& stats = m_queueDisc->GetStats();
    HopCounters counters{.arrived = stats.nTotalReceivedPackets,
                         .departed = stats.nTotalSentPackets,
                         .departedBytes = stats.nTotalSentBytes,
                         .drops = {},
                         .marks = {}};
    for (const auto& [reason, count] : stats.nDroppedPacketsBeforeEnqueue)
    {
        counters.drops[reason] += count;
    }
    for (const auto& [reason, count] : stats.nDroppedPacketsAfterDequeue)
    {
        counters.drops[reason] += count;
    }
    for (const auto& [reason, count] : stats.nMarkedPackets)
    {
        counters.marks[reason] += count;
    }
    return counters;
}

} // namespace sluice_ns3
