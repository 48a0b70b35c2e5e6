/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The packets of a SluiceQueueDisc.
 */

#ifndef SLUICE_QUEUE_H
#define SLUICE_QUEUE_H

#include "ns3/drop-tail-queue.h"
#include "ns3/queue-item.h"

namespace ns3
{

/**
 * @brief First in, first out; but a packet may also be taken from the middle.
 */
class SluiceQueue : public DropTailQueue<QueueDiscItem>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Take a packet out, for which the queue counts it as dequeued.
     * @param before how many packets are before it
     * @return the packet
     */
    Ptr<QueueDiscItem> TakeAt(uint32_t before);
};

} // namespace ns3

#endif /* SLUICE_QUEUE_H */
