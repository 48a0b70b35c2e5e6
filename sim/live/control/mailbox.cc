// SPDX-License-Identifier: Apache-2.0
#include "control/mailbox.h"

#include <algorithm>
#include <sys/eventfd.h>

namespace sluice::live
{

Bell::Bell()
    : descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")
{
}

void
Bell::Ring()
{
    eventfd_write(descriptor.Get(), 1); // fails only beyond 2^64 - 2 rings, when it is readable anyway
}

void
Bell::Silence()
{
    eventfd_t rings;
    eventfd_read(descriptor.Get(), &rings);
}

std::span<Access>
Mailbox::Posted()
{
    posted.Silence(); // before the look: a ring that comes later wakes for what the look has not seen
    if (state.load(std::memory_order_acquire) != State::Posted)
    {
        return {};
    }
    return std::span(accesses).first(count);
}

void
Mailbox::Reply(const RunReply& itsReply)
{
    reply = itsReply;
    state.store(State::Answered, std::memory_order_release);
    answered.Ring();
}

void
Mailbox::Close()
{
    isClosed.store(true, std::memory_order_release);
    answered.Ring();
}

void
Mailbox::Post(std::span<const Access> run)
{
    std::ranges::copy(run, accesses.begin());
    count = run.size();
    state.store(State::Posted, std::memory_order_release);
    posted.Ring();
}

std::optional<RunReply>
Mailbox::Take(std::span<Access> run)
{
    answered.Silence(); // before the look, as above
    if (state.load(std::memory_order_acquire) != State::Answered)
    {
        return {};
    }
    std::ranges::copy(std::span(accesses).first(reply.done), run.begin());
    state.store(State::Empty, std::memory_order_relaxed);
    return reply;
}

} // namespace sluice::live
