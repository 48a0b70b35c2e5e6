// SPDX-License-Identifier: Apache-2.0
//
// An end of the line: a TAP in a namespace, with addresses, routes and TCP's
// settings, so that programs there reach the other end.
#ifndef SLUICE_LIVE_ENDPOINT_H
#define SLUICE_LIVE_ENDPOINT_H

#include "file-descriptor.h"
#include "net/namespace.h"
#include "net/netlink.h"

#include <cstdint>
#include <string>

namespace sluice::live
{

/// What an end has, and what it knows of the other one.
struct EndpointAddresses
{
    Mac mac, otherMac;
    Address ipv4, otherIpv4, ipv6, otherIpv6;
};

/// Addresses of the left end; the right one has them the other way round. They
/// are always the same, so that recordings compare.
EndpointAddresses LeftAddresses();
EndpointAddresses Mirrored(const EndpointAddresses& its);

class Endpoint
{
  public:
    /// The device's name, in each namespace.
    static constexpr const char* DEVICE = "slu0";

    /// Longest frame that the device gives or takes.
    static constexpr uint32_t MOST_BYTES = 1514;

    /// A device that is up. TCP to the other end has this congestion
    /// control. Throws std::system_error.
    Endpoint(const EndpointAddresses& its, const std::string& congestion);

    /// Frames that the kernel had for us and dropped, because nobody read them in
    /// time.
    uint64_t DroppedFrames() const;

    /// Reads a frame, whose head the kernel has not padded. Returns its bytes; 0:
    /// there is none now.
    uint32_t Read(uint8_t* room) const;

    /// Returns whether the device has taken it.
    bool Write(const uint8_t* frame, uint32_t bytes) const;

    int Tap() const
    {
        return tap.Get();
    }

    const Namespace& Space() const
    {
        return space;
    }

  private:
    Namespace space;
    FileDescriptor tap;
};

} // namespace sluice::live

#endif
