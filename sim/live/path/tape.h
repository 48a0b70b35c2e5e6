// SPDX-License-Identifier: Apache-2.0
//
// From the thread of a path to the one that writes files: what was offered and
// what became of it. One writes, one reads, nobody waits; where the reader is
// too slow, the tape ends.
#ifndef SLUICE_LIVE_TAPE_H
#define SLUICE_LIVE_TAPE_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

namespace sluice::live
{

/// An event, mostly of a frame. Frames of a path have numbers from 0 on; each is
/// offered, judged and gone, in this order. They are offered and judged in the
/// order of their numbers, and gone in any.
struct TapeEvent
{
    enum class Kind : uint8_t
    {
        Offered, ///< bytes: as they came
        Judged,  ///< timeNs: its entry
        Gone,    ///< timeNs: its departure, or 0; bytes: as they left, or none
        Wrote,   ///< of no frame: a word was written; timeNs: when that began; bytes: of a WrittenWord
    };

    Kind kind;
    uint8_t action, reason; ///< of a frame that is gone: what was last said of it
    uint32_t size = 0;      ///< bytes behind this
    uint64_t timeNs = 0;
    uint64_t frame = 0; ///< that is gone
};

/// A word that was written into a register while frames passed.
struct WrittenWord
{
    uint32_t address, word;
};

class Tape
{
  public:
    /// Of the writer.
    void Put(TapeEvent event, std::span<const uint8_t> bytes)
    {
        const uint64_t tail = written.load(std::memory_order_relaxed);
        event.size = static_cast<uint32_t>(bytes.size());
        if (isFull.load(std::memory_order_relaxed) ||
            tail + sizeof event + bytes.size() - taken.load(std::memory_order_acquire) > ROOM)
        {
            isFull.store(true, std::memory_order_relaxed);
            return;
        }
        Copy(tail, &event, sizeof event);
        Copy(tail + sizeof event, bytes.data(), bytes.size());
        written.store(tail + sizeof event + bytes.size(), std::memory_order_release);
    }

    /// Of the reader: the next event, whose bytes go into the room.
    std::optional<TapeEvent> Take(std::span<uint8_t> room)
    {
        const uint64_t head = taken.load(std::memory_order_relaxed);
        if (head == written.load(std::memory_order_acquire))
        {
            return {};
        }
        TapeEvent event;
        Fetch(head, &event, sizeof event);
        Fetch(head + sizeof event, room.data(), event.size);
        taken.store(head + sizeof event + event.size, std::memory_order_release);
        return event;
    }

    /// Whether something was lost; everything from there on is.
    bool IsFull() const
    {
        return isFull.load(std::memory_order_relaxed);
    }

  private:
    static constexpr uint64_t ROOM = 1 << 24;

    void Copy(uint64_t at, const void* from, size_t size)
    {
        const size_t first = std::min<size_t>(size, ROOM - at % ROOM);
        std::memcpy(&ring[at % ROOM], from, first);
        std::memcpy(&ring[0], static_cast<const uint8_t*>(from) + first, size - first);
    }

    void Fetch(uint64_t at, void* to, size_t size) const
    {
        const size_t first = std::min<size_t>(size, ROOM - at % ROOM);
        std::memcpy(to, &ring[at % ROOM], first);
        std::memcpy(static_cast<uint8_t*>(to) + first, &ring[0], size - first);
    }

    std::unique_ptr<uint8_t[]> ring = std::make_unique<uint8_t[]>(ROOM);
    std::atomic<uint64_t> written = 0, taken = 0;
    std::atomic<bool> isFull = false;
};

} // namespace sluice::live

#endif
