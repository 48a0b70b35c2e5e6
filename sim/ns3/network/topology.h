/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A chain of routers joined by the bottlenecks, with a host of its own for the source and for the
 * sink of every flow.
 */

#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "reading/scenario.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/queue-disc.h"

#include <unordered_map>
#include <vector>

namespace sluice_ns3
{

/// The two ends of a flow.
struct FlowEnds
{
    ns3::Ptr<ns3::Node> source;   //!< host that sends
    ns3::Ptr<ns3::Node> sink;     //!< host that receives
    ns3::Ipv4Address sinkAddress; //!< where to send
};

/**
 * @brief The network of a scenario.
 *
 * Links are point-to-point links of ns-3, which add 2 bytes of PPP header to each packet on the
 * wire. Every queue is a long FIFO, or on the way back as long as the scenario says, except in
 * the forward direction of a bottleneck: there the root queue discipline is the scenario's, over a
 * device that holds one waiting packet beside the one that it sends.
 */
class Topology
{
  public:
    /**
     * @brief Build the network.
     * @param scenario the scenario
     */
    explicit Topology(const Scenario& scenario);

    /**
     * @brief Get the forward queue discipline of a bottleneck.
     * @param hop index of the bottleneck
     * @return the root queue discipline
     */
    ns3::Ptr<ns3::QueueDisc> GetQueueDisc(std::size_t hop) const;

    /**
     * @brief Get the hosts of a flow.
     * @param flow index of the flow
     * @return its ends
     */
    const FlowEnds& GetEnds(std::size_t flow) const;

    /**
     * @brief Find the flow of a packet at a bottleneck by the host that it goes to.
     * @param farEnd address of the host behind the chain: a flow's sink, or the source of one that
     * goes back, whose acknowledgements these packets are
     * @return index of the flow, or the number of flows if the address is of no such host
     */
    std::size_t FindFlow(ns3::Ipv4Address farEnd) const;

  private:
    /// @brief Make routers and bottlenecks.
    void BuildChain();

    /**
     * @brief Make the hosts of a flow, their links and the routes between them.
     * @param flow the flow
     */
    void AddFlow(const FlowSpec& flow);

    const Scenario& m_scenario;                         //!< the scenario
    std::vector<ns3::Ptr<ns3::Node>> m_routers;         //!< one more than bottlenecks
    std::vector<ns3::Ptr<ns3::NetDevice>> m_forward;    //!< device into each bottleneck
    std::vector<ns3::Ptr<ns3::NetDevice>> m_backward;   //!< device at its far end
    std::vector<ns3::Ptr<ns3::QueueDisc>> m_queueDiscs; //!< root discipline of each bottleneck
    std::vector<FlowEnds> m_ends;                       //!< by flow
    std::unordered_map<uint32_t, std::size_t> m_flowByFarEnd; //!< by the host behind the chain
};

} // namespace sluice_ns3

#endif /* TOPOLOGY_H */
