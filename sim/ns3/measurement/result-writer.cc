/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A result as a Python dictionary; see the header.
 */

#include "measurement/result-writer.h"

#include <cmath>
#include <pybind11/stl.h>

namespace sluice_ns3
{

namespace py = pybind11;
using namespace pybind11::literals;

namespace
{

/**
 * @brief Shorten a series: four digits behind the point are more than it is worth.
 * @param values the series
 * @return the rounded series
 */
std::vector<double>
Rounded(std::vector<double> values)
{
    constexpr double SCALE = 1e4;
    for (double& value : values)
    {
        value = std::round(value * SCALE) / SCALE;
    }
    return values;
}

/**
 * @brief Write counters.
 * @param counters the counters
 * @return the dictionary
 */
py::dict
WriteCounters(const HopCounters& counters)
{
    return py::dict("arrived"_a = counters.arrived,
                    "departed"_a = counters.departed,
                    "departed_bytes"_a = counters.departedBytes,
                    "drops"_a = counters.drops,
                    "marks"_a = counters.marks);
}

/**
 * @brief Write the series of a bottleneck.
 * @param series the series
 * @param times times of the samples
 * @return the dictionary
 */
py::dict
WriteSeries(const HopSeries& series, const std::vector<double>& times)
{
    py::dict status;
    for (const auto& [name, values] : series.status)
    {
        status[name.c_str()] = values;
    }
    return py::dict("time_s"_a = times,
                    "queue_packets"_a = series.queuePackets,
                    "arrivals"_a = series.arrivals,
                    "drops"_a = series.drops,
                    "marks"_a = series.marks,
                    "flows"_a = series.flows,
                    "delay_ms"_a = Rounded(series.delayMs),
                    "status"_a = status);
}

/**
 * @brief Tell whether a flow is one transfer after the other.
 * @param spec the flow
 * @return true for those that are timed
 */
bool
HasTransfers(const FlowSpec& spec)
{
    return spec.kind == FlowKind::WEB || spec.kind == FlowKind::SHORT ||
           spec.kind == FlowKind::INCAST;
}

/**
 * @brief Write what became of each flow's packets at a bottleneck.
 * @param byFlow the counts
 * @param flows the flows
 * @return the dictionary
 */
py::dict
WriteFates(const std::vector<FlowFate>& byFlow, const std::vector<FlowSpec>& flows)
{
    py::dict dict;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const TimeHistogram& delay = byFlow[i].delay;
        dict[flows[i].id.c_str()] =
            py::dict("arrived"_a = byFlow[i].arrived,
                     "dropped"_a = byFlow[i].dropped,
                     "delay_ms"_a = py::dict("mean"_a = delay.GetMean() / NS_PER_MS,
                                             "p99"_a = delay.GetQuantile(0.99) / NS_PER_MS));
    }
    return dict;
}

/**
 * @brief Write a bottleneck.
 * @param scenario what was simulated
 * @param hop the bottleneck
 * @param times times of the samples
 * @return the dictionary
 */
py::dict
WriteHop(const Scenario& scenario, const HopResult& hop, const std::vector<double>& times)
{
    py::dict dict = WriteCounters(hop.total);
    dict["queued"] = hop.queued;
    dict["measured"] = WriteCounters(hop.measured);
    dict["by_flow"] = WriteFates(hop.byFlow, scenario.flows);
    dict["queue_packets"] =
        py::dict("mean"_a = hop.queueMean, "std"_a = hop.queueStd, "p99"_a = hop.queueP99);
    dict["queue_delay_ms"] =
        py::dict("mean"_a = hop.delayMeanMs, "p99"_a = hop.delayP99Ms, "p999"_a = hop.delayP999Ms);
    dict["series"] = WriteSeries(hop.series, times);
    return dict;
}

} // namespace

py::dict
WriteResult(const Scenario& scenario, const Result& result)
{
    py::list flows;
    py::dict throughput;
    for (std::size_t i = 0; i < result.flows.size(); ++i)
    {
        const FlowSpec& spec = scenario.flows[i];
        const FlowResult& flow = result.flows[i];
        py::dict written("id"_a = spec.id,
                         "kind"_a = spec.kindName,
                         "throughput_mbps"_a = flow.throughputMbps,
                         "goodput_mbps"_a = flow.goodputMbps);
        if (HasTransfers(spec))
        {
            written["transfers"] =
                py::dict("begun"_a = flow.transfersBegun, "seconds"_a = flow.transferS);
        }
        flows.append(written);
        throughput[spec.id.c_str()] = Rounded(flow.throughputBy);
    }
    py::list hops;
    for (const HopResult& hop : result.hops)
    {
        hops.append(WriteHop(scenario, hop, result.sampleTimesS));
    }
    return py::dict("flows"_a = flows,
                    "hops"_a = hops,
                    "per_flow_series"_a = py::dict("interval_s"_a = result.flowIntervalS,
                                                   "throughput_mbps"_a = throughput),
                    "events"_a = result.events,
                    "wall_s"_a = result.wallS);
}

} // namespace sluice_ns3
