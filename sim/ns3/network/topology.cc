/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The network of a scenario; see the header.
 */

#include "network/topology.h"

#include "network/links.h"
#include "queue/queue-disc-text.h"

#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"

namespace sluice_ns3
{

using namespace ns3;

namespace
{

constexpr uint32_t ROUTER_NETWORK = 0x0b000000; //!< 11.0.0.0: ends of the bottlenecks
constexpr uint32_t HOST_NETWORK = 0x0a000000;   //!< 10.0.0.0: hosts and their routers' ends

} // namespace

Topology::Topology(const Scenario& scenario)
    : m_scenario(scenario)
{
    BuildChain();
    for (const auto& flow : scenario.flows)
    {
        AddFlow(flow);
    }
}

void
Topology::BuildChain()
{
    m_routers.push_back(MakeNode());
    for (const auto& hop : m_scenario.hops)
    {
        m_routers.push_back(MakeNode());
        const Link link = Connect(m_routers.rbegin()[1],
                                  m_routers.back(),
                                  {hop.rateMbps, hop.delayMs, m_scenario.accessQueuePackets});
        const auto index = static_cast<uint32_t>(m_forward.size());
        HoldOnePacket(link.first);
        if (hop.back)
        {
            SetRate(link.second, hop.back->rateMbps);
            SetQueueLimit(link.second, hop.back->queuePackets);
        }
        for (const auto& step : hop.steps)
        {
            Simulator::Schedule(Seconds(step.atS), &SetRate, link.first, step.rateMbps);
            if (!hop.back)
            {
                Simulator::Schedule(Seconds(step.atS), &SetRate, link.second, step.rateMbps);
            }
        }
        SetAddress(link.first, Ipv4Address(ROUTER_NETWORK + 2 * index + 1));
        SetAddress(link.second, Ipv4Address(ROUTER_NETWORK + 2 * index + 2));

        auto queueDisc = MakeQueueDisc(hop.aqm, m_scenario.seed + index);
        link.first->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(
            link.first,
            queueDisc);
        m_forward.push_back(link.first);
        m_backward.push_back(link.second);
        m_queueDiscs.push_back(queueDisc);
    }
}

void
Topology::AddFlow(const FlowSpec& flow)
{
    const auto index = static_cast<uint32_t>(m_ends.size());
    const Ipv4Address sourceAddress(HOST_NETWORK + 4 * index + 1);
    const Ipv4Address sinkAddress(HOST_NETWORK + 4 * index + 2);
    const FlowEnds ends{MakeNode(), MakeNode(), sinkAddress};

    const uint32_t queuePackets = m_scenario.accessQueuePackets;
    const auto& nearRouter = m_routers[flow.fromHop];
    const auto& farRouter = m_routers[flow.toHop + 1];
    const Link in = Connect(ends.source,
                            flow.isBack ? farRouter : nearRouter,
                            {flow.accessMbps, flow.sourceDelayMs, queuePackets});
    const Link out = Connect(flow.isBack ? nearRouter : farRouter,
                             ends.sink,
                             {flow.accessMbps, flow.sinkDelayMs, queuePackets});
    SetAddress(in.first, sourceAddress);
    SetAddress(in.second, Ipv4Address(HOST_NETWORK + 4 * index + 3));
    SetAddress(out.first, Ipv4Address(HOST_NETWORK + 4 * index + 4));
    SetAddress(out.second, sinkAddress);

    AddRoute(in.first, sinkAddress);
    AddRoute(in.second, sourceAddress);
    AddRoute(out.first, sinkAddress);
    AddRoute(out.second, sourceAddress);
    const Ipv4Address nearAddress = flow.isBack ? sinkAddress : sourceAddress;
    const Ipv4Address farAddress = flow.isBack ? sourceAddress : sinkAddress;
    for (uint32_t hop = flow.fromHop; hop <= flow.toHop; ++hop)
    {
        AddRoute(m_forward[hop], farAddress);
        AddRoute(m_backward[hop], nearAddress);
    }
    m_flowByFarEnd[farAddress.Get()] = index;
    m_ends.push_back(ends);
}

Ptr<QueueDisc>
Topology::GetQueueDisc(std::size_t hop) const
{
    return m_queueDiscs[hop];
}

const FlowEnds&
Topology::GetEnds(std::size_t flow) const
{
    return m_ends[flow];
}

std::size_t
Topology::FindFlow(Ipv4Address farEnd) const
{
    const auto found = m_flowByFarEnd.find(farEnd.Get());
    return found == m_flowByFarEnd.end() ? m_ends.size() : found->second;
}

} // namespace sluice_ns3
