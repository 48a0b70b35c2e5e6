/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a run has measured.
 */

#ifndef RESULT_H
#define RESULT_H

#include "measurement/histograms.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice_ns3
{

/// Packets by reason.
using ReasonCounts = std::map<std::string, uint64_t>;

/// Counters of a queue discipline; arrived = departed + drops + queued since time zero.
struct HopCounters
{
    uint64_t arrived{0};       //!< packets offered
    uint64_t departed{0};      //!< packets handed to the device
    uint64_t departedBytes{0}; //!< their IP bytes
    ReasonCounts drops;        //!< packets dropped, before or after queueing
    ReasonCounts marks;        //!< packets marked CE
};

/// What became of a flow's packets at a bottleneck.
struct FlowFate
{
    uint64_t arrived{0}; //!< packets offered
    uint64_t dropped{0}; //!< packets dropped, before or after queueing
    TimeHistogram delay; //!< sojourn of those that left the queue
};

/// Series of a bottleneck; one entry per sample.
struct HopSeries
{
    std::vector<uint32_t> queuePackets; //!< queue at the sample
    std::vector<uint64_t> arrivals;     //!< since the last sample
    std::vector<uint64_t> drops;        //!< since the last sample
    std::vector<uint64_t> marks;        //!< since the last sample
    std::vector<uint64_t> flows;        //!< that packets came of since the last sample
    std::vector<double> delayMs; //!< mean sojourn of what left since the last sample, or the last
    std::vector<std::pair<std::string, std::vector<double>>> status; //!< status values by name
};

/// One bottleneck.
struct HopResult
{
    HopCounters total;            //!< the whole run
    HopCounters measured;         //!< after the warm-up
    std::vector<FlowFate> byFlow; //!< after the warm-up; flows as in the scenario
    uint32_t queued{0};           //!< packets in the queue at the end
    double queueMean{0};          //!< packets, over time after the warm-up
    double queueStd{0};           //!< packets, over time after the warm-up
    uint32_t queueP99{0};         //!< packets, over time after the warm-up
    double delayMeanMs{0};        //!< sojourn of the packets dequeued after the warm-up
    double delayP99Ms{0};         //!< sojourn of the packets dequeued after the warm-up
    double delayP999Ms{0};        //!< sojourn of the packets dequeued after the warm-up
    HopSeries series;             //!< the whole run
};

/// One flow; rates are over the time after the warm-up.
struct FlowResult
{
    double throughputMbps{0};         //!< IP bytes that reached the sink
    double goodputMbps{0};            //!< application bytes that reached the sink, each once
    std::vector<double> throughputBy; //!< throughput of each interval of the flow series
    uint64_t transfersBegun{0};       //!< WEB, SHORT, INCAST: transfers begun after the warm-up
    std::vector<double> transferS;    //!< durations of those of them that have ended
};

/// A whole run.
struct Result
{
    std::vector<FlowResult> flows;    //!< as in the scenario
    std::vector<HopResult> hops;      //!< as in the scenario
    std::vector<double> sampleTimesS; //!< times of the samples of the bottlenecks' series
    double flowIntervalS{0};          //!< interval of the flows' series
    uint64_t events{0};               //!< events that ns-3 executed
    double wallS{0};                  //!< wall-clock time of the simulation
};

} // namespace sluice_ns3

#endif /* RESULT_H */
