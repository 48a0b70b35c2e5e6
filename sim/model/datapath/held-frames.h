// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames from when they are offered to a datapath until whoever offered them has been told what became of them, in
// whatever order that is.
#ifndef SLUICE_DATAPATH_HELD_FRAMES_H
#define SLUICE_DATAPATH_HELD_FRAMES_H

#include "sluice-datapath.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

namespace sluice
{

/// What is known of a frame.
struct HeldFrame
{
    SluiceSeen seen;      ///< with the verdict on its arrival
    uint64_t arrivalNs;   ///< earliest time of its first beat
    uint64_t entryNs;     ///< of its first beat
    uint64_t departureNs; ///< of the first beat that leaves; 0: dropped
    uint64_t jumpedNs;    ///< what the input's time was ahead by, since the beginning, as it entered
    uint32_t bytes;
    uint32_t portRttUs;
    uint8_t action, reason;          ///< what was last said of it
    std::unique_ptr<uint8_t[]> data; ///< what leaves is written over what came; null: it is not held any more
};

/// The frames, by number. One that is not held any more keeps its place until those before it are not either.
class HeldFrames
{
  public:
    static constexpr uint64_t FRAMES = 4096;
    static constexpr uint64_t BYTES = 1 << 24;

    /// Takes a frame in, behind all others. Returns whether there was room for it.
    bool Put(uint64_t arrivalNs, const uint8_t* data, uint32_t bytes, uint32_t portRttUs)
    {
        if (bytes == 0 || held == FRAMES || heldBytes + bytes > BYTES)
        {
            return false;
        }
        frames.push_back({.arrivalNs = arrivalNs,
                          .bytes = bytes,
                          .portRttUs = portRttUs,
                          .data = std::make_unique_for_overwrite<uint8_t[]>(bytes)});
        std::copy_n(data, bytes, frames.back().data.get());
        held++;
        heldBytes += bytes;
        return true;
    }

    /// Forgets a frame that is held.
    void Drop(uint64_t number)
    {
        HeldFrame& frame = (*this)[number];
        frame.data.reset();
        held--;
        heldBytes -= frame.bytes;
        for (; !frames.empty() && !frames.front().data; begin++)
        {
            frames.pop_front();
        }
    }

    /// The frame of that number, from that of the oldest one on.
    HeldFrame& operator[](uint64_t number)
    {
        return frames[number - begin];
    }

    const HeldFrame& operator[](uint64_t number) const
    {
        return frames[number - begin];
    }

    /// Number of the oldest frame that is held, and of the next one to come.
    uint64_t Begin() const
    {
        return begin;
    }

    uint64_t End() const
    {
        return begin + frames.size();
    }

  private:
    std::deque<HeldFrame> frames;
    uint64_t begin = 0;
    uint64_t held = 0, heldBytes = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_HELD_FRAMES_H
