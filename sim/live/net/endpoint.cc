// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.h"

#include "net/kernel-file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sstream>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace sluice::live
{

namespace
{

/// A device of the calling thread's namespace, which goes when its descriptor
/// is closed. Without IFF_VNET_HDR the kernel cuts TCP's segments and makes
/// their checksums before we read them.
FileDescriptor
MakeTap()
{
    const int number = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    FileDescriptor tap(number,
                       errno == EACCES || errno == EPERM ? "cannot open /dev/net/tun; ask for read and "
                                                           "write on it, or run as root"
                                                         : "cannot open /dev/net/tun");
    ifreq request{};
    std::strncpy(request.ifr_name, Endpoint::DEVICE, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(tap.Get(), TUNSETIFF, &request) != 0)
    {
        throw std::system_error(errno, std::generic_category(), "cannot make a TAP device");
    }
    return tap;
}

FileDescriptor
MakeTapIn(const Namespace& space, const EndpointAddresses& its, const std::string& congestion)
{
    FileDescriptor tap(dup(0), "cannot duplicate a descriptor");
    space.Inside([&] {
        tap = MakeTap();
        Netlink kernel;
        kernel.SetUp(InterfaceOf("lo"));
        const int device = InterfaceOf(Endpoint::DEVICE);
        kernel.SetMac(device, its.mac);
        // TCP takes marks, and a run begins with what the last one has not left
        // behind.
        WriteKernelFile("/proc/sys/net/ipv4/tcp_ecn", "1");
        WriteKernelFile("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
        kernel.SetUp(device); // only so are addresses and routes there
        for (const auto& [own, other] : {std::pair(its.ipv4, its.otherIpv4), std::pair(its.ipv6, its.otherIpv6)})
        {
            kernel.AddAddress(device, own);
            kernel.AddNeighbour(device, other, its.otherMac);
            kernel.SetCongestion(device, own, congestion);
        }
    });
    return tap;
}

} // namespace

EndpointAddresses
LeftAddresses()
{
    return {.mac = {2, 0, 0, 0, 0, 1},
            .otherMac = {2, 0, 0, 0, 0, 2},
            .ipv4 = AddressOf("10.99.0.1/24"),
            .otherIpv4 = AddressOf("10.99.0.2/24"),
            .ipv6 = AddressOf("fd99::1/64"),
            .otherIpv6 = AddressOf("fd99::2/64")};
}

EndpointAddresses
Mirrored(const EndpointAddresses& its)
{
    return {.mac = its.otherMac,
            .otherMac = its.mac,
            .ipv4 = its.otherIpv4,
            .otherIpv4 = its.ipv4,
            .ipv6 = its.otherIpv6,
            .otherIpv6 = its.ipv6};
}

Endpoint::Endpoint(const EndpointAddresses& its, const std::string& congestion)
    : tap(MakeTapIn(space, its, congestion))
{
}

uint64_t
Endpoint::DroppedFrames() const
{
    uint64_t dropped = 0;
    space.Inside([&] {
        std::ifstream table("/proc/thread-self/net/dev");
        for (std::string line; std::getline(table, line);)
        {
            const size_t at = line.find(std::string(DEVICE) + ":");
            if (at != std::string::npos)
            {
                // Eight columns of what it has received, then bytes, packets, errors
                // and drops of what it was to send.
                std::istringstream columns(line.substr(at + std::strlen(DEVICE) + 1));
                for (int i = 0; i < 12; i++)
                {
                    columns >> dropped;
                }
            }
        }
    });
    return dropped;
}

uint32_t
Endpoint::Read(uint8_t* room) const
{
    const ssize_t bytes = read(tap.Get(), room, MOST_BYTES);
    return bytes > 0 ? static_cast<uint32_t>(bytes) : 0;
}

bool
Endpoint::Write(const uint8_t* frame, uint32_t bytes) const
{
    return write(tap.Get(), frame, bytes) == static_cast<ssize_t>(bytes);
}

} // namespace sluice::live
