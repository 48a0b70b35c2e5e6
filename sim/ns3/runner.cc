/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs a scenario; see the header.
 */

#include "runner.h"

#include "reading/object-text.h"

#include "ns3/abort.h"
#include "ns3/config.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Set the attribute defaults of a run: first the runner's own, which keep windows from
 * being limited by buffers and sources from giving up, then the scenario's.
 * @param defaults the scenario's
 */
void
SetDefaults(const std::map<std::string, std::string>& defaults)
{
    Config::Reset();
    SetAttributeDefault("ns3::TcpSocket::SndBufSize", "4194304");
    SetAttributeDefault("ns3::TcpSocket::RcvBufSize", "4194304");
    SetAttributeDefault("ns3::TcpSocket::ConnCount", "1000000");
    SetAttributeDefault("ns3::TcpSocket::DataRetries", "1000000");
    for (const auto& [path, value] : defaults)
    {
        SetAttributeDefault(path, value);
    }
}

} // namespace

Runner::Runner(const Scenario& scenario, Progress progress)
    : m_scenario(scenario),
      m_progress(std::move(progress))
{
    SetDefaults(scenario.defaults);
    RngSeedManager::SetSeed(scenario.seed);
    m_topology = std::make_unique<Topology>(scenario);
    for (std::size_t i = 0; i < scenario.flows.size(); ++i)
    {
        m_flows.push_back(std::make_unique<Flow>(scenario.flows[i], m_topology->GetEnds(i)));
    }
    for (std::size_t i = 0; i < scenario.hops.size(); ++i)
    {
        m_hops.push_back(std::make_unique<HopMonitor>(
            m_topology->GetQueueDisc(i),
            [this](const QueueDiscItem& item) { return FindFlow(item); },
            scenario.flows.size()));
    }
    ConnectFlowSources();
}

Runner::~Runner()
{
    Simulator::Destroy();
}

Result
Runner::Run()
{
    constexpr double FLOW_INTERVAL_S = 1;
    constexpr double PROGRESS_REPORTS = 100;

    const double durationS = m_scenario.durationS;
    m_result.flowIntervalS = std::max(FLOW_INTERVAL_S, m_scenario.sampleIntervalS);
    Repeat(m_scenario.sampleIntervalS, [this] {
        m_result.sampleTimesS.push_back(Simulator::Now().GetSeconds());
        for (auto& hop : m_hops)
        {
            hop->Sample();
        }
    });
    Repeat(m_result.flowIntervalS, [this] {
        for (auto& flow : m_flows)
        {
            flow->Sample(m_result.flowIntervalS);
        }
    });
    Repeat(durationS / PROGRESS_REPORTS,
           [this] { m_progress(Simulator::Now().GetSeconds(), m_scenario.durationS); });
    Simulator::Schedule(Seconds(m_scenario.warmupS), [this] {
        for (auto& flow : m_flows)
        {
            flow->StartMeasuring();
        }
        for (auto& hop : m_hops)
        {
            hop->StartMeasuring();
        }
    });

    // One nanosecond more, so that what is due at the very end still happens.
    Simulator::Stop(Seconds(durationS) + NanoSeconds(1));
    const auto begin = std::chrono::steady_clock::now();
    Simulator::Run();
    m_result.wallS =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    m_result.events = Simulator::GetEventCount();

    for (auto& flow : m_flows)
    {
        m_result.flows.push_back(flow->Finish(durationS - m_scenario.warmupS));
    }
    for (auto& hop : m_hops)
    {
        m_result.hops.push_back(hop->Finish());
    }
    return std::move(m_result);
}

void
Runner::ConnectFlowSources()
{
    for (std::size_t i = 0; i < m_scenario.hops.size(); ++i)
    {
        auto sluice = DynamicCast<SluiceQueueDisc>(m_topology->GetQueueDisc(i));
        if (!sluice)
        {
            continue;
        }
        sluice->SetFactsSource([this](const QueueDiscItem& item) -> SluiceQueueDisc::Facts {
            const std::size_t flow = FindFlow(item);
            if (flow >= m_flows.size())
            {
                return {};
            }
            const FlowSpec& spec = m_scenario.flows[flow];
            return {m_flows[flow]->GetRttUs(), spec.subscriber, spec.queue};
        });
    }
}

std::size_t
Runner::FindFlow(const QueueDiscItem& item) const
{
    const auto* ipv4 = dynamic_cast<const Ipv4QueueDiscItem*>(&item);
    NS_ABORT_MSG_UNLESS(ipv4, "a packet at a bottleneck that is not of IPv4 belongs to no flow");
    return m_topology->FindFlow(ipv4->GetHeader().GetDestination());
}

void
Runner::Repeat(double intervalS, std::function<void()> action)
{
    Simulator::Schedule(Seconds(intervalS), [this, intervalS, action = std::move(action)] {
        RepeatNow(intervalS, 1, action);
    });
}

// Times are multiples of the interval, not sums, so that they do not drift.
void
Runner::RepeatNow(double intervalS, uint64_t count, std::function<void()> action)
{
    action();
    const Time next = Seconds(intervalS * static_cast<double>(count + 1));
    Simulator::Schedule(next - Simulator::Now(),
                        &Runner::RepeatNow,
                        this,
                        intervalS,
                        count + 1,
                        action);
}

} // namespace sluice_ns3
