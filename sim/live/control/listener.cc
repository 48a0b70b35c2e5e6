// SPDX-License-Identifier: Apache-2.0
#include "control/listener.h"

#include "unix-address.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>

namespace sluice::live
{

namespace
{

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

// It has its name once it listens and only this user may connect: so whatever has that name and refuses is stale.
FileDescriptor
Listen(const std::string& path, int backlog)
{
    const std::string unfinished = path + "~";
    const sockaddr_un address = UnixAddress(unfinished);
    FileDescriptor listener = NewSocket();
    const auto tryName = [&] {
        return renameat2(AT_FDCWD, unfinished.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0;
    };
    unlink(unfinished.c_str()); // of one that was killed in here
    if (bind(listener.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        chmod(unfinished.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listener.Get(), backlog) != 0 ||
        !(tryName() || (errno == EEXIST && IsStale(UnixAddress(path)) && unlink(path.c_str()) == 0 && tryName())))
    {
        const int error = errno == EEXIST ? EADDRINUSE : errno;
        unlink(unfinished.c_str());
        throw std::system_error(error, std::generic_category(), path);
    }
    return listener;
}

} // namespace sluice::live
