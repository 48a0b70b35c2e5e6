// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames from when they are offered to a datapath until whoever offered them has been told what became of them.
#ifndef SLUICE_DATAPATH_FRAME_RING_H
#define SLUICE_DATAPATH_FRAME_RING_H

#include "sluice-datapath.h"

#include <cstdint>
#include <cstring>
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
    uint64_t at;          ///< of its first byte, counted since the beginning
    uint32_t bytes;
    uint32_t portRttUs;
    uint8_t action, reason; ///< what was last said of it
};

/// The frames and their bytes, which lie one behind the other and no frame's in two parts. What leaves is written over
/// what came.
class FrameRing
{
  public:
    static constexpr uint64_t FRAMES = 4096;
    static constexpr uint64_t BYTES = 1 << 24;

    /// Takes a frame in, behind all others. Returns whether there was room for it.
    bool Put(uint64_t arrivalNs, const uint8_t* data, uint32_t bytes, uint32_t portRttUs)
    {
        const uint64_t rest = BYTES - endByte % BYTES;
        const uint64_t at = bytes <= rest ? endByte : endByte + rest;
        const uint64_t oldest = begin < end ? (*this)[begin].at : at;
        if (bytes == 0 || end - begin == FRAMES || at + bytes - oldest > BYTES)
        {
            return false;
        }
        HeldFrame& frame = (*this)[end++];
        frame = {.arrivalNs = arrivalNs, .at = at, .bytes = bytes, .portRttUs = portRttUs};
        std::memcpy(Data(frame), data, bytes);
        endByte = at + bytes;
        return true;
    }

    /// Forgets the oldest frame.
    void Drop()
    {
        begin++;
    }

    /// The frame of that number, which is held.
    HeldFrame& operator[](uint64_t number)
    {
        return frames[number % FRAMES];
    }

    const HeldFrame& operator[](uint64_t number) const
    {
        return frames[number % FRAMES];
    }

    uint8_t* Data(const HeldFrame& frame)
    {
        return &data[frame.at % BYTES];
    }

    /// Number of the oldest frame that is held, and of the next one to come.
    uint64_t begin = 0, end = 0;

  private:
    std::unique_ptr<HeldFrame[]> frames = std::make_unique<HeldFrame[]>(FRAMES);
    std::unique_ptr<uint8_t[]> data = std::make_unique_for_overwrite<uint8_t[]>(BYTES);
    uint64_t endByte = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_FRAME_RING_H
