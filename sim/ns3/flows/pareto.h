/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Pareto distributions by their mean.
 */

#ifndef PARETO_H
#define PARETO_H

#include "ns3/random-variable-stream.h"

namespace sluice_ns3
{

/**
 * @brief Make a Pareto distribution without an upper bound.
 * @param mean its mean
 * @param shape its shape, more than 1
 * @return the distribution, with scale mean (shape - 1) / shape
 */
ns3::Ptr<ns3::ParetoRandomVariable> MakePareto(double mean, double shape);

/**
 * @brief Make the distribution of bursts or pauses.
 * @param mean its mean
 * @param shape shape of a Pareto distribution, 0: exponential
 * @return the distribution
 */
ns3::Ptr<ns3::RandomVariableStream> MakeDistribution(double mean, double shape);

} // namespace sluice_ns3

#endif /* PARETO_H */
