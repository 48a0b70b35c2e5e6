/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The queue discipline of a bottleneck from its description as text.
 */

#ifndef QUEUE_DISC_TEXT_H
#define QUEUE_DISC_TEXT_H

#include "ns3/queue-disc.h"

#include <cstdint>
#include <string>

namespace sluice_ns3
{

/**
 * @brief Make the queue discipline of a bottleneck, seeded with the run's seed unless its
 * description says otherwise.
 *
 * ns-3's fair queues, FqCoDel, FqPie and FqCobalt, must be told beside their attributes the
 * "quantum", the bytes that a flow may send on its turn: without one they take the MTU of the
 * device, and the devices here have the largest there is. Throws std::invalid_argument for a
 * description that is wrong, a fair queue without a quantum and another discipline with one.
 *
 * @param text the description, "ns3::TypeId[Name=value|Name=value]"
 * @param seed the seed
 * @return the discipline
 */
ns3::Ptr<ns3::QueueDisc> MakeQueueDisc(const std::string& text, uint32_t seed);

} // namespace sluice_ns3

#endif /* QUEUE_DISC_TEXT_H */
