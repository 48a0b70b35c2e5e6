// SPDX-License-Identifier: Apache-2.0
//
// Frames on their way over a long line: each comes out a fixed time after it
// went in. Nothing is allocated after the beginning.
#ifndef SLUICE_LIVE_DELAY_LINE_H
#define SLUICE_LIVE_DELAY_LINE_H

#include <cstdint>
#include <cstring>
#include <memory>

namespace sluice::live
{

/// A frame that comes out.
struct DelayedFrame
{
    uint64_t dueNs;
    uint32_t bytes;
    uint32_t at; ///< of its first byte
};

class DelayLine
{
  public:
    /// Returns whether there was room.
    bool Put(uint64_t dueNs, const uint8_t* frame, uint32_t bytes)
    {
        if (end - begin == FRAMES)
        {
            return false;
        }
        DelayedFrame& slot = frames[end % FRAMES];
        slot = {dueNs, bytes, static_cast<uint32_t>(end % FRAMES * SLOT_BYTES)};
        std::memcpy(&data[slot.at], frame, bytes);
        end++;
        return true;
    }

    /// When the next frame comes out; UINT64_MAX: there is none.
    uint64_t NextNs() const
    {
        return begin == end ? UINT64_MAX : Front().dueNs;
    }

    const DelayedFrame& Front() const
    {
        return frames[begin % FRAMES];
    }

    const uint8_t* FrontData() const
    {
        return &data[Front().at];
    }

    void Drop()
    {
        begin++;
    }

    /// Longest frame.
    static constexpr uint32_t SLOT_BYTES = 1536;

  private:
    static constexpr uint64_t FRAMES = 16384;

    std::unique_ptr<DelayedFrame[]> frames = std::make_unique<DelayedFrame[]>(FRAMES);
    std::unique_ptr<uint8_t[]> data = std::make_unique<uint8_t[]>(FRAMES * SLOT_BYTES);
    uint64_t begin = 0, end = 0;
};

} // namespace sluice::live

#endif
