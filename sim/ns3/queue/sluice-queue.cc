/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The packets of a SluiceQueueDisc; see the header.
 */

#include "queue/sluice-queue.h"

#include <iterator>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SluiceQueue);

TypeId
SluiceQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SluiceQueue")
                            .SetParent<DropTailQueue<QueueDiscItem>>()
                            .SetGroupName("TrafficControl")
                            .AddConstructor<SluiceQueue>();
    return tid;
}

Ptr<QueueDiscItem>
SluiceQueue::TakeAt(uint32_t before)
{
    using Base = Queue<QueueDiscItem>; // what DropTailQueue keeps to itself
    return Base::DoDequeue(std::next(Base::GetContainer().begin(), before));
}

} // namespace ns3
