// SPDX-License-Identifier: Apache-2.0
//
// The address of a Unix socket in the file system.
#ifndef SLUICE_LIVE_UNIX_ADDRESS_H
#define SLUICE_LIVE_UNIX_ADDRESS_H

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

namespace sluice::live
{

/// Throws std::system_error if the path is too long for one.
inline sockaddr_un
UnixAddress(const std::string& path)
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

} // namespace sluice::live

#endif
