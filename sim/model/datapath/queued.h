// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Which frame a datapath means when it says that one leaves: it says the frame's queue, and within a queue frames leave
// in the order in which they were let in. Where it says no queue there is one.
#ifndef SLUICE_DATAPATH_QUEUED_H
#define SLUICE_DATAPATH_QUEUED_H

#include "datapath/frames.h"
#include "sluice-datapath.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice
{

/// The frames in each queue, by number, from their verdict until they leave it.
class Queued
{
  public:
    /// A frame of so many bytes has been let in.
    void Push(uint32_t queue, uint64_t frame, uint32_t bytes)
    {
        queues.resize(std::max<size_t>(queues.size(), queue + 1));
        Queue& its = queues[queue];
        its.frames.push_back(frame);
        its.counts.acceptedPackets++;
        its.counts.acceptedBytes += bytes;
        its.counts.mostPackets = std::max<uint64_t>(its.counts.mostPackets, its.frames.size());
        count++;
    }

    /// The frame that leaves a queue now.
    uint64_t Pop(uint32_t queue)
    {
        if (queue >= queues.size() || queues[queue].frames.empty())
        {
            throw std::runtime_error("the datapath tells of a frame that leaves queue " + std::to_string(queue) +
                                     ", which is empty");
        }
        const uint64_t frame = queues[queue].frames.front();
        queues[queue].frames.pop_front();
        count--;
        return frame;
    }

    /// In all.
    uint64_t Count() const
    {
        return count;
    }

    /// Of a queue so far.
    SluiceQueue Counts(uint32_t queue) const
    {
        return queue < queues.size() ? queues[queue].counts : SluiceQueue{};
    }

  private:
    struct Queue
    {
        std::deque<uint64_t> frames;
        SluiceQueue counts{};
    };

    std::vector<Queue> queues; ///< those that have had a frame, and those before them
    uint64_t count = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_QUEUED_H
