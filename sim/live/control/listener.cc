// SPDX-License-Identifier: Apache-2.0
#include "control/listener.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace sluice::live
{

namespace
{

sockaddr_un
AddressOf(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
    {
        throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

FileDescriptor
NewSocket()
{
    return {socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket"};
}

/// Whether what lies at the address is a socket that nobody listens at.
bool
IsStale(const sockaddr_un& address)
{
    struct stat file{};
    const FileDescriptor probe = NewSocket();
    return stat(address.sun_path, &file) == 0 && S_ISSOCK(file.st_mode) &&
           connect(probe.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
           errno == ECONNREFUSED;
}

} // namespace

// The file has its mode before anybody can connect, for it is not listened at before.
FileDescriptor
Listen(const std::string& path, int backlog)
{
    const sockaddr_un address = AddressOf(path);
    FileDescriptor listener = NewSocket();
    const auto tryBind = [&] {
        return bind(listener.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    };
    const bool isBound =
        tryBind() || (errno == EADDRINUSE && IsStale(address) && unlink(path.c_str()) == 0 && tryBind());
    if (!isBound || chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listener.Get(), backlog) != 0)
    {
        throw std::system_error(errno, std::generic_category(), path);
    }
    return listener;
}

} // namespace sluice::live
