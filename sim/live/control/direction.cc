// SPDX-License-Identifier: Apache-2.0
#include "control/direction.h"

#include "sluice_registers.h"

#include <algorithm>
#include <utility>

namespace sluice::live
{

namespace
{

/// Reads of COMMIT in place of one, while it says 1.
constexpr int MOST_REPEATS = 1000;

/// For one run of accesses, which takes a model some milliseconds; one that takes longer is stuck.
constexpr auto PATIENCE = std::chrono::seconds(1);

bool
IsPoll(const Access& access)
{
    return !access.isWrite && access.address == SLUICE_COMMIT;
}

} // namespace

bool
Direction::IsGone() const
{
    return mailbox.IsClosed() || isLate;
}

bool
Direction::IsFree() const
{
    return work == Work::Nothing && forgotten.empty();
}

Clock::time_point
Direction::Deadline() const
{
    return work == Work::Nothing || isLate ? Clock::time_point::max() : deadline;
}

void
Direction::Begin(ClientId client, std::span<const Access> itsAccesses)
{
    std::ranges::copy(itsAccesses, accesses.begin());
    owner = client;
    count = itsAccesses.size();
    done = 0;
    repeats = 0;
    work = Work::Message;
    PostRun();
}

void
Direction::Forget(ClientId client)
{
    lockedBy = lockedBy == client ? 0 : lockedBy;
    forgotten.push_back(client);
}

std::optional<Executed>
Direction::Advance(Clock::time_point now)
{
    while (work != Work::Nothing || BeginSettingBack())
    {
        const auto reply = done < count ? mailbox.Take(std::span(accesses).subspan(done)) : RunReply{0, false};
        if (!reply && mailbox.IsClosed())
        {
            return End(Status::Gone);
        }
        if (!reply && now < deadline)
        {
            return {};
        }
        if (!reply) // it stays with the model, and what it does of it counts when it does come back
        {
            return std::exchange(isLate, true) ? std::nullopt : std::optional(Result(Status::Gone));
        }
        if (GoOn(*reply))
        {
            continue;
        }
        if (auto ended = End(reply->isRefused ? Status::Refused : Status::Done))
        {
            return ended;
        }
    }
    return {};
}

/// Hands over what is to be done next. A run ends behind a read of COMMIT, which may have to be repeated.
void
Direction::PostRun()
{
    const auto rest = std::span(accesses).first(count).subspan(done);
    if (rest.empty())
    {
        return;
    }
    const auto poll = std::ranges::find_if(rest, IsPoll);
    deadline = Clock::now() + PATIENCE;
    mailbox.Post(rest.first(std::min<size_t>(poll - rest.begin() + 1, rest.size())));
}

/// Takes note of what a run has done, and posts the next one. Returns whether there is one.
bool
Direction::GoOn(const RunReply& reply)
{
    const auto run = std::span(accesses).subspan(done, reply.done);
    done += reply.done;
    if (work == Work::Message)
    {
        NoteStaged(run);
        const bool isBusy = !run.empty() && IsPoll(run.back()) && run.back().word & 1;
        repeats = isBusy ? repeats + 1 : 0;
        if (reply.isRefused || isLate)
        {
            return false;
        }
        done -= isBusy && repeats < MOST_REPEATS;
    }
    else if (reply.isRefused) // nothing is in force there: it is no parameter
    {
        std::shift_left(accesses.begin() + done, accesses.begin() + count--, 1);
    }
    if (done == count && work == Work::ReadForce)
    {
        for (Access& access : std::span(accesses).first(count))
        {
            access.address -= SLUICE_IN_FORCE_OFFSET;
            access.isWrite = true;
        }
        done = 0;
        work = Work::SetBack;
    }
    if (done == count)
    {
        return false;
    }
    PostRun();
    return true;
}

void
Direction::NoteStaged(std::span<const Access> run)
{
    for (const Access& access : run)
    {
        if (access.isWrite && access.address == SLUICE_COMMIT)
        {
            staged.clear();
        }
        else if (access.isWrite)
        {
            staged[access.address] = owner;
        }
    }
}

/// Begins to read what is in force where clients that have gone have staged something. Returns whether there is such a
/// word.
bool
Direction::BeginSettingBack()
{
    count = 0;
    done = 0;
    for (const ClientId client : std::exchange(forgotten, {}))
    {
        std::erase_if(staged, [&](const auto& word) {
            if (word.second != client || count == MOST_ACCESSES)
            {
                return false;
            }
            accesses[count++] = {word.first + SLUICE_IN_FORCE_OFFSET, 0, false};
            return true;
        });
    }
    if (count == 0 || IsGone())
    {
        return false;
    }
    owner = 0;
    work = Work::ReadForce;
    PostRun();
    return true;
}

Executed
Direction::Result(Status status) const
{
    return {owner, status, done, std::span(accesses).first(count)};
}

/// Returns what has ended, unless that was said before.
std::optional<Executed>
Direction::End(Status status)
{
    work = Work::Nothing;
    return std::exchange(isLate, false) ? std::nullopt : std::optional(Result(status));
}

} // namespace sluice::live
