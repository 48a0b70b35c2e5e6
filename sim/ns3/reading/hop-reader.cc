/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A bottleneck of a scenario; see the header.
 */

#include "reading/hop-reader.h"

#include <optional>
#include <vector>

namespace sluice_ns3
{

namespace
{

/**
 * @brief Read the changes of a bottleneck's rate.
 * @param dicts their dictionaries
 * @return the changes
 */
std::vector<RateStep>
ReadSteps(const std::vector<DictReader>& dicts)
{
    std::vector<RateStep> steps;
    double earliestS = 0;
    for (DictReader dict : dicts)
    {
        steps.push_back({.atS = dict.Number("at_s", {earliestS}),
                         .rateMbps = dict.Number("rate_mbps", POSITIVE)});
        earliestS = steps.back().atS;
        dict.Finish();
    }
    return steps;
}

/**
 * @brief Read the way back over a bottleneck.
 * @param dict its dictionary, if it is not like the way there
 * @return the way back
 */
std::optional<BackSpec>
ReadBack(std::optional<DictReader> dict)
{
    if (!dict)
    {
        return {};
    }
    const BackSpec back{.rateMbps = dict->Number("rate_mbps", POSITIVE),
                        .queuePackets = dict->Integer("queue_packets", {1})};
    dict->Finish();
    return back;
}

} // namespace

HopSpec
ReadHop(DictReader dict)
{
    HopSpec hop{.rateMbps = dict.Number("rate_mbps", POSITIVE),
                .delayMs = dict.Number("delay_ms", NOT_NEGATIVE),
                .aqm = dict.Text("aqm"),
                .steps = ReadSteps(dict.DictsIfAny("steps")),
                .back = ReadBack(dict.DictIfAny("back"))};
    dict.Finish();
    return hop;
}

} // namespace sluice_ns3
