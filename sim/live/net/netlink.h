// SPDX-License-Identifier: Apache-2.0
//
// Requests to the kernel about the interfaces of the network namespace that the
// calling thread was in when this was made.
#ifndef SLUICE_LIVE_NETLINK_H
#define SLUICE_LIVE_NETLINK_H

#include "file-descriptor.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::live
{

/// A hardware address.
using Mac = std::array<uint8_t, 6>;

/// An address of version 4 or 6, and the length of its network's prefix.
struct Address
{
    int family;
    std::array<uint8_t, 16> bytes; ///< of version 4 the first four
    uint8_t prefix;

    size_t Size() const;
    std::string Text() const;
};

/// Reads "10.99.0.1/24". Throws std::invalid_argument.
Address AddressOf(std::string_view text);

/// A socket of rtnetlink. What the kernel refuses throws std::system_error,
/// which says what it was.
class Netlink
{
  public:
    Netlink();

    void SetMac(int interface, const Mac& mac);
    void SetUp(int interface);
    /// An IPv6 address is in use at once, and nobody is asked whether he has it
    /// too.
    void AddAddress(int interface, const Address& address);
    /// A neighbour that need not be looked for.
    void AddNeighbour(int interface, const Address& address, const Mac& mac);
    /// The network's route, on which TCP has this congestion control whoever
    /// opens the connection.
    void SetCongestion(int interface, const Address& source, const std::string& algorithm);

  private:
    class Request;
    void Send(Request& request, const char* what);

    FileDescriptor socket;
};

/// Number of an interface of the calling thread's namespace.
int InterfaceOf(const char* name);

} // namespace sluice::live

#endif
