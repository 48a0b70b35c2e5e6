// SPDX-License-Identifier: Apache-2.0
//
// The way from the thread that owns the sockets to the thread that owns a model, and back. One run of accesses is under
// way at a time, so the way is one slot with a state, and an eventfd in each direction to wake the other side. No lock,
// no allocation.
#ifndef SLUICE_LIVE_CONTROL_MAILBOX_H
#define SLUICE_LIVE_CONTROL_MAILBOX_H

#include "control/protocol.h"
#include "file-descriptor.h"

#include <atomic>
#include <optional>

namespace sluice::live
{

/// An eventfd that belongs to whoever has this.
class Bell
{
  public:
    Bell();

    void Ring();
    void Silence(); ///< until it is rung again

    int Descriptor() const ///< readable once rung
    {
        return descriptor.Get();
    }

  private:
    FileDescriptor descriptor;
};

/// What came of a run.
struct RunReply
{
    size_t done;    ///< accesses that were answered OKAY, from the first one on
    bool isRefused; ///< the next one was answered SLVERR
};

/// A slot for one run of accesses. A thread that owns a model serves it so:
///
///     if (const std::span<Access> run = mailbox.Posted(); !run.empty())
///         ... does them in their order, over any number of turns, puts what it reads into `word`;
///         mailbox.Reply({done, isRefused});
///     mailbox.Close() when the model is stuck or has ended.
///
/// and waits for `Wake()` besides whatever else it waits for.
class Mailbox
{
  public:
    // --- for the model's thread

    /// The run that is to be done, the same one until it is replied to; empty: none.
    std::span<Access> Posted();
    void Reply(const RunReply& reply);
    void Close();

    int Wake() const ///< readable once a run is posted
    {
        return posted.Descriptor();
    }

    // --- for the thread of the sockets

    /// Hands over a copy of a run, at least one access. The last one must have been taken back.
    void Post(std::span<const Access> run);
    /// What came of it, once: then `run` has what was read.
    std::optional<RunReply> Take(std::span<Access> run);

    bool IsClosed() const
    {
        return isClosed.load(std::memory_order_acquire);
    }

    int Answered() const ///< readable once a run is replied to, or the model has ended
    {
        return answered.Descriptor();
    }

  private:
    enum class State
    {
        Empty,
        Posted,
        Answered,
    };

    std::atomic<State> state = State::Empty;
    std::atomic<bool> isClosed = false;
    std::array<Access, MOST_ACCESSES> accesses;
    size_t count = 0;
    RunReply reply{};
    Bell posted, answered;
};

} // namespace sluice::live

#endif
