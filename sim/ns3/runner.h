/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs a scenario from beginning to end.
 */

#ifndef RUNNER_H
#define RUNNER_H

#include "flows/flow.h"
#include "measurement/hop-monitor.h"
#include "measurement/result.h"
#include "network/topology.h"
#include "reading/scenario.h"

#include "ns3/nstime.h"

#include <functional>
#include <memory>
#include <vector>

namespace sluice_ns3
{

/**
 * @brief One run of the simulator. ns-3 has one simulation per process at a time.
 */
class Runner
{
  public:
    /// Told of the progress: simulated seconds so far and in all.
    using Progress = std::function<void(double, double)>;

    /**
     * @brief Build the network and the flows.
     * @param scenario what to simulate; it must outlive this object
     * @param progress told about a hundred times
     */
    Runner(const Scenario& scenario, Progress progress);
    ~Runner();

    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    /**
     * @brief Simulate. Once.
     * @return what was measured
     */
    Result Run();

  private:
    /// @brief Let the tiles see whose packets are whose, and what round-trip times the sources know
    /// of.
    void ConnectFlowSources();

    /**
     * @brief Find the flow of a packet on its way to the sink.
     * @param item the packet
     * @return index of the flow, or the number of flows if it goes to no sink
     */
    std::size_t FindFlow(const ns3::QueueDiscItem& item) const;

    /**
     * @brief Call a method at every multiple of an interval up to the end.
     * @param intervalS the interval
     * @param action what to call
     */
    void Repeat(double intervalS, std::function<void()> action);

    /**
     * @brief Call a method now and schedule the next call.
     * @param intervalS the interval
     * @param count calls up to and with this one
     * @param action what to call
     */
    void RepeatNow(double intervalS, uint64_t count, std::function<void()> action);

    const Scenario& m_scenario;                      //!< what to simulate
    Progress m_progress;                             //!< told of the progress
    std::unique_ptr<Topology> m_topology;            //!< the network
    std::vector<std::unique_ptr<Flow>> m_flows;      //!< as in the scenario
    std::vector<std::unique_ptr<HopMonitor>> m_hops; //!< as in the scenario
    Result m_result;                                 //!< collected so far
};

} // namespace sluice_ns3

#endif /* RUNNER_H */
