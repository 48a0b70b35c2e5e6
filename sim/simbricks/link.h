// SPDX-License-Identifier: Apache-2.0
//
// An end of a link of SimBricks: messages from a simulator and to it, in step with its time.
#ifndef SLUICE_SIMBRICKS_LINK_H
#define SLUICE_SIMBRICKS_LINK_H

#include "file-descriptor.h"
#include "layout.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace sluice::simbricks
{

/// How far two simulators may be apart.
struct Timing
{
    uint64_t latencyPs;  ///< of the link: what is sent arrives so much later
    uint64_t intervalPs; ///< longest silence; at most the latency
};

/// A frame that has come.
struct Arrival
{
    uint64_t timePs;
    std::span<const uint8_t> frame; ///< until the next call
};

using live::FileDescriptor;

class Link
{
  public:
    /// Connects to a simulator that listens at this path, and needs it to keep in step. Throws std::runtime_error.
    Link(const std::string& path, const Timing& itsTiming);

    /// The next frame that has arrived by that time. None: there is no more by then, or what is known ends before it.
    std::optional<Arrival> Take(uint64_t nowPs);

    /// Nothing that is not known yet arrives before that; UINT64_MAX: nothing comes any more.
    uint64_t KnownUntilPs() const
    {
        return knownPs;
    }

    bool HasEnded() const
    {
        return hasEnded;
    }

    /// Says at that time that nothing was sent before it, if it is time to say something.
    void Sync(uint64_t nowPs);
    /// When it is.
    uint64_t NextSyncPs() const;
    /// Sends a frame at that time, which is none before the last one. Waits for room.
    void Send(uint64_t nowPs, std::span<const uint8_t> frame);
    /// Nothing is sent any more.
    void End();

    /// Throws std::runtime_error if the other simulator is not there any more. To be called while one waits for it.
    void Check() const;

  private:
    /// A ring of slots, as one side sees it.
    struct Queue
    {
        uint8_t* base = nullptr;
        size_t slotBytes = 0, slots = 0, next = 0;

        Message* Slot() const
        {
            return reinterpret_cast<Message*>(base + next * slotBytes);
        }
    };

    void Greet();
    Queue Mapped(const QueueGreeting& its) const;
    Message* Room(uint64_t nowPs);
    void Pass(Message* message, uint8_t kind);

    std::string path;
    Timing timing;
    FileDescriptor socket;
    std::span<uint8_t> memory; ///< shared, as long as the process lives
    Queue in, out;
    Message* taken = nullptr; ///< to be given back
    uint64_t knownPs = 0;
    std::optional<uint64_t> saidPs; ///< when something was sent last
    bool hasEnded = false;
};

} // namespace sluice::simbricks

#endif
