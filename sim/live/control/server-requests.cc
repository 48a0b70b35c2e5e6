// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a client's request: who may have what, and what is answered.
#include "control/server.h"

#include <algorithm>

namespace sluice::live
{

/// Begins with a client's request, or answers it at once. Returns false where it has to wait.
bool
RegisterServer::Begin(Client& client)
{
    const Request& request = *client.request;
    const auto op = static_cast<Op>(request.op);
    if (client.isMalformed || request.direction >= directions.size() || client.isGreeted == (op == Op::Hello))
    {
        client.Tell(Status::Malformed);
        return true;
    }
    if (op == Op::Hello)
    {
        client.isGreeted = request.accesses[0].word == PROTOCOL;
        client.Tell(client.isGreeted ? Status::Done : Status::Protocol);
        return true;
    }
    Direction& direction = directions[request.direction];
    if (op == Op::Lock || op == Op::Unlock)
    {
        Lock(client, direction);
        return !client.request;
    }
    if (direction.lockedBy != 0 && direction.lockedBy != client.id && request.Writes())
    {
        client.Tell(Status::Locked);
        return true;
    }
    if (direction.IsGone())
    {
        client.Tell(Status::Gone);
        return true;
    }
    if (!direction.IsFree())
    {
        return false;
    }
    direction.Begin(client.id, request.Accesses());
    client.isBegun = true;
    return true;
}

/// Answers LOCK or UNLOCK, or lets a LOCK wait.
void
RegisterServer::Lock(Client& client, Direction& direction)
{
    const bool isMine = direction.lockedBy == client.id;
    const bool isFree = direction.lockedBy == 0 || isMine;
    if (client.request->op == static_cast<uint8_t>(Op::Unlock))
    {
        direction.lockedBy = isMine ? 0 : direction.lockedBy;
        client.Tell(isFree ? Status::Done : Status::Locked);
        return;
    }
    const auto now = Clock::now();
    const uint32_t patienceMs = client.request->accesses[0].word;
    if (client.waitUntil == Clock::time_point::max()) // it has just come
    {
        client.waitUntil = now + std::chrono::milliseconds(patienceMs);
    }
    if (patienceMs > MOST_LOCK_MS)
    {
        client.Tell(Status::Malformed);
    }
    else if (isFree)
    {
        direction.lockedBy = client.id;
        client.Tell(Status::Done);
    }
    else if (now >= client.waitUntil)
    {
        client.Tell(Status::Locked);
    }
}

/// Answers the request whose accesses have ended, if who asked is still there.
void
RegisterServer::End(const Executed& executed)
{
    const auto client = std::ranges::find(clients, executed.client, &Client::id);
    const auto done = executed.accesses.first(executed.done);
    if (client == clients.end())
    {
        return;
    }
    std::array<uint32_t, MOST_ACCESSES> words;
    std::ranges::transform(done, words.begin(), [](const Access& a) { return a.isWrite ? 0 : a.word; });
    client->Tell(executed.status, std::span(words).first(done.size()));
}

} // namespace sluice::live
