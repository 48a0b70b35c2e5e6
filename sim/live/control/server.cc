// SPDX-License-Identifier: Apache-2.0
#include "control/server.h"

#include "control/listener.h"

#include <algorithm>
#include <limits>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace sluice::live
{

namespace
{

constexpr size_t MOST_CLIENTS = 16;

/// Rounds of answering and reading in one call of Serve, so that it ends, whatever clients send.
constexpr int MOST_ROUNDS = 64;

/// Stands for the listener among clients' numbers.
constexpr ClientId LISTENER = std::numeric_limits<ClientId>::max();

void
Watch(const FileDescriptor& poll, int descriptor, uint32_t events, ClientId client = 0)
{
    epoll_event event{.events = events, .data = {.u64 = client}};
    if (epoll_ctl(poll.Get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    {
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }
}

} // namespace

RegisterServer::RegisterServer(std::string itsPath, std::vector<Mailbox*> mailboxes)
    : path(std::move(itsPath)),
      poll(epoll_create1(EPOLL_CLOEXEC), "epoll_create1"),
      listener(Listen(path, MOST_CLIENTS))
{
    for (Mailbox* mailbox : mailboxes)
    {
        directions.emplace_back(*mailbox);
        Watch(poll, mailbox->Answered(), EPOLLIN);
    }
    Watch(poll, listener.Get(), EPOLLIN | EPOLLET, LISTENER); // who cannot be accepted is no work until there is other
    Watch(poll, alarm.Descriptor(), EPOLLIN);
    Watch(poll, again.Descriptor(), EPOLLIN);
}

RegisterServer::~RegisterServer()
{
    unlink(path.c_str());
}

void
RegisterServer::Serve()
{
    alarm.Silence();
    again.Silence();
    int rounds = 0;
    while (Turn())
    {
        if (++rounds == MOST_ROUNDS)
        {
            again.Ring();
            break;
        }
    }
    SetAlarm();
}

void
RegisterServer::Accept()
{
    int connection;
    while ((connection = accept4(listener.Get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
    {
        FileDescriptor socket(connection, "accept4");
        if (clients.size() == MOST_CLIENTS)
        {
            Hear(); // of one that went before this one came
        }
        if (clients.size() == MOST_CLIENTS)
        {
            const Answer answer({}, Status::Locked);
            send(connection, answer.Bytes().data(), answer.Bytes().size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            continue;
        }
        Watch(poll, connection, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, ++lastId);
        clients.emplace_back(std::move(socket), lastId);
    }
}

/// Learns which clients have something to say, and lets go of those that have gone. Returns whether there was any news.
bool
RegisterServer::Hear()
{
    bool isNews = false;
    epoll_event events[2 * MOST_CLIENTS + 8];
    const int count = epoll_wait(poll.Get(), events, std::size(events), 0);
    for (const epoll_event& event : std::span(events, std::max(count, 0)))
    {
        const auto client = std::ranges::find(clients, event.data.u64, &Client::id);
        isNews |= event.data.u64 == LISTENER;
        if (client != clients.end())
        {
            isNews = true; // which is told once
            client->mayRead |= (event.events & EPOLLIN) != 0;
            client->hasLeft |= (event.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0;
        }
    }
    clients.remove_if([this](const Client& client) {
        if (client.hasLeft)
        {
            for (Direction& direction : directions)
            {
                direction.Forget(client.id);
            }
        }
        return client.hasLeft;
    });
    return isNews;
}

/// Takes in who has come, and lets each direction go on, and one client. Returns whether there may be more to do.
bool
RegisterServer::Turn()
{
    Accept();
    bool hasMoved = false;
    for (Direction& direction : directions)
    {
        while (const auto executed = direction.Advance(Clock::now()))
        {
            End(*executed);
            hasMoved = true;
        }
    }
    std::ranges::for_each(clients, &Client::Move);
    hasMoved |= Hear(); // after the reading: who had gone before a message was sent is forgotten before it begins
    for (auto client = clients.begin(); client != clients.end(); ++client)
    {
        if (client->request && !client->isBegun && Begin(*client))
        {
            clients.splice(clients.end(), clients, client); // its next turn is after all others'
            return true;
        }
    }
    return hasMoved;
}

/// Has Wake() ring when the first wait ends.
void
RegisterServer::SetAlarm()
{
    auto next = Clock::time_point::max();
    for (const Direction& direction : directions)
    {
        next = std::min(next, direction.Deadline());
    }
    for (const Client& client : clients)
    {
        next = std::min(next, client.waitUntil);
    }
    alarm.Set(next);
}

} // namespace sluice::live
