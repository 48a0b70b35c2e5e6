/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Pareto distributions by their mean; see the header.
 */

#include "flows/pareto.h"

#include "ns3/double.h"
#include "ns3/object-factory.h"

namespace sluice_ns3
{

using namespace ns3;

Ptr<ParetoRandomVariable>
MakePareto(double mean, double shape)
{
    const DoubleValue scale(mean * (shape - 1) / shape);
    return CreateObjectWithAttributes<ParetoRandomVariable>("Scale",
                                                            scale,
                                                            "Shape",
                                                            DoubleValue(shape));
}

Ptr<RandomVariableStream>
MakeDistribution(double mean, double shape)
{
    if (shape > 0)
    {
        return MakePareto(mean, shape);
    }
    return CreateObjectWithAttributes<ExponentialRandomVariable>("Mean", DoubleValue(mean));
}

} // namespace sluice_ns3
