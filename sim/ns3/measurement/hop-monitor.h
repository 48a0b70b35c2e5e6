/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Measures one bottleneck: counters, queue length, delay, and series of these.
 */

#ifndef HOP_MONITOR_H
#define HOP_MONITOR_H

#include "measurement/histograms.h"
#include "measurement/result.h"
#include "queue/sluice-queue-disc.h"

#include <functional>
#include <unordered_set>
#include <vector>

namespace sluice_ns3
{

/**
 * @brief Watches a root queue discipline at a constant cost per packet.
 */
class HopMonitor
{
  public:
    /// Tells which flow a packet is of, by its index.
    using FlowFinder = std::function<std::size_t(const ns3::QueueDiscItem&)>;

    /**
     * @brief Watch a queue discipline from now on.
     * @param queueDisc the discipline
     * @param findFlow whose packets are whose
     * @param flows how many flows there are
     */
    HopMonitor(ns3::Ptr<ns3::QueueDisc> queueDisc, FlowFinder findFlow, std::size_t flows);

    HopMonitor(const HopMonitor&) = delete;
    HopMonitor& operator=(const HopMonitor&) = delete;

    /// @brief End the warm-up.
    void StartMeasuring();

    /// @brief Take a sample of every series.
    void Sample();

    /**
     * @brief Get what was measured up to now. Once, at the end.
     * @return the result
     */
    HopResult Finish();

  private:
    /**
     * @brief The queue length has changed.
     * @param before packets before
     * @param now packets now
     */
    void QueueChanged(uint32_t before, uint32_t now);

    /**
     * @brief A packet has come, to be queued or dropped.
     * @param item the packet
     */
    void PacketCame(ns3::Ptr<const ns3::QueueDiscItem> item);

    /**
     * @brief A packet has been dropped, before or after it was queued.
     * @param item the packet
     */
    void PacketDropped(ns3::Ptr<const ns3::QueueDiscItem> item);

    /**
     * @brief A packet has left the queue.
     * @param item the packet
     */
    void PacketLeft(ns3::Ptr<const ns3::QueueDiscItem> item);

    /**
     * @brief Read the counters.
     * @return the counters since time zero
     */
    HopCounters ReadCounters() const;

    ns3::Ptr<ns3::QueueDisc> m_queueDisc;    //!< the discipline
    ns3::Ptr<ns3::SluiceQueueDisc> m_sluice; //!< the same, if it is a tile
    FlowFinder m_findFlow;                   //!< whose packets are whose
    std::vector<FlowFate> m_byFlow;          //!< what became of each flow's packets
    bool m_isMeasuring{false};               //!< whether the warm-up is over
    HopCounters m_warmup;                    //!< counters at the end of the warm-up
    LevelHistogram m_queue;                  //!< queue length
    TimeHistogram m_delay;                   //!< sojourn times
    HopSeries m_series;                      //!< the series
    uint64_t m_sampledArrivals{0};           //!< arrivals up to the last sample
    uint64_t m_sampledDrops{0};              //!< drops up to the last sample
    uint64_t m_sampledMarks{0};              //!< marks up to the last sample
    int64_t m_sojournNs{0};                  //!< sojourn times since the last sample together
    uint64_t m_left{0};                      //!< packets that have left since the last sample
    std::unordered_set<uint32_t> m_flows;    //!< flows of what has come since the last sample
};

} // namespace sluice_ns3

#endif /* HOP_MONITOR_H */
