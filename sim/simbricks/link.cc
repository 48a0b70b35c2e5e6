// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include "unix-address.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>

namespace sluice::simbricks
{

namespace
{

FileDescriptor
Connected(const std::string& path)
{
    const sockaddr_un address = live::UnixAddress(path);
    FileDescriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    if (connect(made.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    {
        throw std::system_error(errno, std::generic_category(), path);
    }
    return made;
}

/// The listener's greeting, and the descriptor that comes with it; -1: none.
std::pair<ListenerGreeting, int>
Heard(int socket)
{
    ListenerGreeting greeting{};
    iovec part{&greeting, sizeof greeting};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    const ssize_t size = recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    int descriptor = -1;
    const cmsghdr* beside = CMSG_FIRSTHDR(&message);
    if (beside && beside->cmsg_type == SCM_RIGHTS)
    {
        std::memcpy(&descriptor, CMSG_DATA(beside), sizeof descriptor);
    }
    return {size == sizeof greeting ? greeting : ListenerGreeting{}, descriptor};
}

std::atomic_ref<uint8_t>
Owner(Message* message)
{
    return std::atomic_ref<uint8_t>(message->ownerAndKind);
}

} // namespace

Link::Link(const std::string& itsPath, const Timing& itsTiming)
    : path(itsPath),
      timing(itsTiming),
      socket(Connected(path))
{
    Greet();
}

void
Link::Greet()
{
    const ConnecterGreeting own{.version = VERSION,
                                .flags = WANTS_STEP | NEEDS_STEP,
                                .upper = NETWORK,
                                .upperOffset = offsetof(ConnecterGreeting, unused),
                                .unused = 0};
    if (send(socket.Get(), &own, sizeof own, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof own))
    {
        throw std::system_error(errno, std::generic_category(), path);
    }
    const auto [its, number] = Heard(socket.Get());
    if (its.version != VERSION || its.upper != NETWORK || number < 0)
    {
        throw std::runtime_error(path + ": nobody who speaks SimBricks' network protocol, version 1");
    }
    const FileDescriptor shared(number, "shared memory");
    if (!(its.flags & WANTS_STEP))
    {
        throw std::runtime_error(path + ": does not keep in step");
    }
    struct stat status;
    if (fstat(shared.Get(), &status) != 0)
    {
        throw std::system_error(errno, std::generic_category(), path);
    }
    const auto bytes = static_cast<size_t>(status.st_size);
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.Get(), 0);
    if (base == MAP_FAILED)
    {
        throw std::system_error(errno, std::generic_category(), path);
    }
    memory = {static_cast<uint8_t*>(base), bytes};
    in = Mapped(its.toConnecter);
    out = Mapped(its.toListener);
}

Link::Queue
Link::Mapped(const QueueGreeting& its) const
{
    if (its.slotBytes < sizeof(Message) || its.slots == 0 || its.offset > memory.size() ||
        its.slots > (memory.size() - its.offset) / its.slotBytes)
    {
        throw std::runtime_error(path + ": a queue that is none");
    }
    return {memory.data() + its.offset, its.slotBytes, its.slots};
}

std::optional<Arrival>
Link::Take(uint64_t nowPs)
{
    for (;;)
    {
        if (taken) // what was in it has been seen
        {
            Owner(taken).fetch_and(static_cast<uint8_t>(~READABLE), std::memory_order_release);
            taken = nullptr;
        }
        Message* const message = in.Slot();
        const uint8_t kind = Owner(message).load(std::memory_order_acquire);
        if (hasEnded || !(kind & READABLE))
        {
            return {};
        }
        knownPs = message->timePs;
        if (knownPs > nowPs)
        {
            return {};
        }
        taken = message;
        in.next = (in.next + 1) % in.slots;
        if (kind == (READABLE | FRAME) && message->bytes <= in.slotBytes - sizeof(Message))
        {
            return Arrival{message->timePs, {reinterpret_cast<const uint8_t*>(message + 1), message->bytes}};
        }
        if (kind == (READABLE | END))
        {
            hasEnded = true;
            knownPs = UINT64_MAX;
        }
        else if (kind != (READABLE | SYNC))
        {
            throw std::runtime_error(path + ": a message that is none");
        }
    }
}

uint64_t
Link::NextSyncPs() const
{
    return hasEnded ? UINT64_MAX : saidPs ? *saidPs + timing.intervalPs : 0;
}

void
Link::Sync(uint64_t nowPs)
{
    if (nowPs >= NextSyncPs())
    {
        Pass(Room(nowPs), SYNC);
    }
}

void
Link::Send(uint64_t nowPs, std::span<const uint8_t> frame)
{
    if (hasEnded) // nobody is there to read it
    {
        return;
    }
    if (frame.size() > out.slotBytes - sizeof(Message))
    {
        throw std::runtime_error(path + ": its messages have no room for a frame of " + std::to_string(frame.size()));
    }
    Message* const message = Room(nowPs);
    message->bytes = static_cast<uint16_t>(frame.size());
    message->port = 0;
    std::memcpy(message + 1, frame.data(), frame.size());
    Pass(message, FRAME);
}

void
Link::End()
{
    if (!hasEnded)
    {
        Pass(Room(saidPs.value_or(0)), END);
    }
}

Message*
Link::Room(uint64_t nowPs)
{
    if (nowPs < saidPs.value_or(0))
    {
        throw std::runtime_error(path + ": a message would come before one that was sent");
    }
    Message* const message = out.Slot();
    while (Owner(message).load(std::memory_order_acquire) & READABLE)
    {
        Check();
        std::this_thread::yield();
    }
    message->timePs = nowPs + timing.latencyPs;
    saidPs = nowPs;
    return message;
}

void
Link::Pass(Message* message, uint8_t kind)
{
    out.next = (out.next + 1) % out.slots;
    Owner(message).store(READABLE | kind, std::memory_order_release);
}

void
Link::Check() const
{
    pollfd its{socket.Get(), POLLRDHUP, 0};
    if (poll(&its, 1, 0) > 0)
    {
        throw std::runtime_error(path + ": the simulator has gone");
    }
}

} // namespace sluice::simbricks
