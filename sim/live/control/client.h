// SPDX-License-Identifier: Apache-2.0
//
// One connection to the server of registers: what it has asked for, and what it has not been told yet.
#ifndef SLUICE_LIVE_CONTROL_CLIENT_H
#define SLUICE_LIVE_CONTROL_CLIENT_H

#include "control/direction.h"
#include "control/protocol.h"
#include "file-descriptor.h"

#include <optional>

namespace sluice::live
{

/// A client has one request at a time: the next one is read once this is answered and the answer is on its way. So
/// requests are answered in their order, and nothing of a client takes room without end.
class Client
{
  public:
    /// A connection that has been accepted and does not block.
    Client(FileDescriptor connection, ClientId itsId);

    /// Goes on with sending and reading as far as it can; afterwards `request` may be there.
    void Move();
    /// Answers the request, which is none from then on.
    void Tell(Status status, std::span<const uint32_t> words = {});

    const ClientId id;

    bool mayRead = true; ///< there may be something to read
    bool isGreeted = false;
    bool hasLeft = false; ///< the connection is broken

    std::optional<Request> request;                         ///< to be answered
    bool isMalformed = false;                               ///< it is none
    bool isBegun = false;                                   ///< its accesses are under way
    Clock::time_point waitUntil = Clock::time_point::max(); ///< of a LOCK: the end of its patience

  private:
    void Send();
    void Read();

    FileDescriptor socket;
    std::optional<Answer> unsent;
};

} // namespace sluice::live

#endif
