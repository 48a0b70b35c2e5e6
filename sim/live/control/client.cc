// SPDX-License-Identifier: Apache-2.0
#include "control/client.h"

#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace sluice::live
{

namespace
{

bool
IsForLater()
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

} // namespace

Client::Client(FileDescriptor connection, ClientId itsId)
    : id(itsId),
      socket(std::move(connection))
{
}

void
Client::Move()
{
    Send();
    if (!unsent && !request && mayRead && !hasLeft)
    {
        Read();
    }
}

void
Client::Tell(Status status, std::span<const uint32_t> words)
{
    unsent.emplace(*request, status, words);
    request.reset();
    isBegun = false;
    waitUntil = Clock::time_point::max();
    Send();
}

void
Client::Send()
{
    if (!unsent || hasLeft)
    {
        return;
    }
    const auto bytes = unsent->Bytes();
    if (send(socket.Get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
    {
        unsent.reset();
    }
    else
    {
        hasLeft = !IsForLater();
    }
}

void
Client::Read()
{
    std::array<std::byte, MOST_REQUEST_BYTES> message;
    const ssize_t bytes = recv(socket.Get(), message.data(), message.size(), MSG_TRUNC | MSG_DONTWAIT);
    if (bytes > 0)
    {
        request.emplace();
        isMalformed = !ReadRequest(message, bytes, *request);
    }
    else if (bytes < 0 && IsForLater())
    {
        mayRead = errno == EINTR;
    }
    else // an empty message is a farewell too
    {
        hasLeft = true;
    }
}

} // namespace sluice::live
