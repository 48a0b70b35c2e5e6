// SPDX-License-Identifier: Apache-2.0
//
// Serves the registers of models on a Unix socket: clients, whose requests are answered in their order, and whose turns
// go round.
#ifndef SLUICE_LIVE_CONTROL_SERVER_H
#define SLUICE_LIVE_CONTROL_SERVER_H

#include "control/alarm.h"
#include "control/client.h"
#include "control/direction.h"
#include "file-descriptor.h"

#include <deque>
#include <list>
#include <string>
#include <vector>

namespace sluice::live
{

/// The server. It has no thread: its owner waits for Wake() besides whatever else it waits for, and then calls Serve(),
/// which does what there is to do and never waits.
class RegisterServer
{
  public:
    /// Listens at the path, which only this user may open; a socket there that nobody serves any more is replaced.
    /// There is a direction for each mailbox, which must outlive this. Throws std::system_error.
    RegisterServer(std::string itsPath, std::vector<Mailbox*> mailboxes);
    ~RegisterServer();

    int Wake() const ///< readable when there is something to do
    {
        return poll.Get();
    }

    void Serve();

  private:
    bool Hear();
    void Accept();
    bool Turn();
    bool Begin(Client& client);
    void Lock(Client& client, Direction& direction);
    void End(const Executed& executed);
    void SetAlarm();

    std::string path;
    FileDescriptor poll, listener;
    Alarm alarm;
    Bell again; ///< there is more to do than fits into one turn
    std::deque<Direction> directions;
    std::list<Client> clients; ///< who has its turn next comes first
    ClientId lastId = 0;
};

} // namespace sluice::live

#endif
