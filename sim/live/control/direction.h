// SPDX-License-Identifier: Apache-2.0
//
// The registers of one model, as clients share them: whole messages one after the other, a lock, and nobody's half set
// left behind.
#ifndef SLUICE_LIVE_CONTROL_DIRECTION_H
#define SLUICE_LIVE_CONTROL_DIRECTION_H

#include "control/mailbox.h"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace sluice::live
{

using Clock = std::chrono::steady_clock;

/// A client for as long as it is connected; none is 0.
using ClientId = uint64_t;

/// What came of a message's accesses, or of setting words back.
struct Executed
{
    ClientId client;                  ///< who asked for it, connected or not; 0: words were set back
    Status status;                    ///< Done, Refused or Gone
    size_t done;                      ///< accesses that were done, from the first one on
    std::span<const Access> accesses; ///< all of them, with what was read; until the next call
};

/// Does one message's accesses at a time and knows what is staged and by whom.
///
/// A parameter's word that a client has staged is set back to what is in force when the client goes before a COMMIT, so
/// that the next one cannot carry a stranger's half set. Nothing here knows a register map: a word is a parameter if
/// there is one in force beside it.
class Direction
{
  public:
    explicit Direction(Mailbox& itsMailbox)
        : mailbox(itsMailbox)
    {
    }

    /// Whether the model has ended, or does not come back to what it was given. Messages are to be answered so, and not
    /// to begin.
    bool IsGone() const;
    /// Whether a message can begin.
    bool IsFree() const;
    void Begin(ClientId client, std::span<const Access> accesses);
    /// Goes on as far as it can; returns what has ended thereby.
    std::optional<Executed> Advance(Clock::time_point now);
    /// The client has gone: its lock is free, and what it has staged is set back before anything else is done. Its
    /// message, if it is under way, ends as it would have.
    void Forget(ClientId client);
    /// When Advance is to be called, whatever else happens.
    Clock::time_point Deadline() const;

    /// Who has the lock; 0: nobody.
    ClientId lockedBy = 0;

  private:
    void PostRun();
    bool BeginSettingBack();
    bool GoOn(const RunReply& reply);
    void NoteStaged(std::span<const Access> run);
    Executed Result(Status status) const;
    std::optional<Executed> End(Status status);

    /// What is under way.
    enum class Work
    {
        Nothing,
        Message,
        ReadForce, ///< of words to be set back
        SetBack,
    };

    Mailbox& mailbox;
    Work work = Work::Nothing;
    bool isLate = false; ///< the model has not done in time what is under way
    ClientId owner = 0;
    std::array<Access, MOST_ACCESSES> accesses{};
    size_t count = 0;
    size_t done = 0; ///< of them
    int repeats = 0; ///< of a read of COMMIT that said 1
    Clock::time_point deadline = Clock::time_point::max();
    std::map<uint32_t, ClientId> staged; ///< words written since the last COMMIT, by address
    std::vector<ClientId> forgotten;     ///< whose words are to be set back
};

} // namespace sluice::live

#endif
