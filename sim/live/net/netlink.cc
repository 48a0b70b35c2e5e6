// SPDX-License-Identifier: Apache-2.0
#include "net/netlink.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdexcept>
#include <sys/socket.h>

namespace sluice::live
{

size_t
Address::Size() const
{
    return family == AF_INET ? 4 : 16;
}

std::string
Address::Text() const
{
    char text[INET6_ADDRSTRLEN];
    return inet_ntop(family, bytes.data(), text, sizeof text);
}

Address
AddressOf(std::string_view text)
{
    const size_t slash = text.find('/');
    const std::string host(text.substr(0, slash));
    Address address{.family = host.find(':') == std::string::npos ? AF_INET : AF_INET6, .bytes = {}, .prefix = 0};
    const int prefix = slash == std::string_view::npos ? -1 : std::atoi(text.data() + slash + 1);
    if (inet_pton(address.family, host.c_str(), address.bytes.data()) != 1 || prefix < 0 ||
        static_cast<size_t>(prefix) > 8 * address.Size())
    {
        throw std::invalid_argument(std::string(text) + " is no address with a prefix");
    }
    address.prefix = static_cast<uint8_t>(prefix);
    return address;
}

/// A message that grows: its head, then attributes.
class Netlink::Request
{
  public:
    template <typename Head>
    Request(uint16_t type, uint16_t flags, const Head& head)
    {
        message()->nlmsg_type = type;
        message()->nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
        message()->nlmsg_len = NLMSG_HDRLEN;
        Append(&head, sizeof head);
    }

    void Attribute(uint16_t type, const void* data, size_t size)
    {
        const rtattr head{.rta_len = static_cast<uint16_t>(RTA_LENGTH(size)), .rta_type = type};
        Append(&head, sizeof head);
        Append(data, size);
    }

    const nlmsghdr* Message() const
    {
        return reinterpret_cast<const nlmsghdr*>(buffer);
    }

  private:
    nlmsghdr* message()
    {
        return reinterpret_cast<nlmsghdr*>(buffer);
    }

    void Append(const void* data, size_t size)
    {
        std::memcpy(buffer + message()->nlmsg_len, data, size);
        message()->nlmsg_len += NLMSG_ALIGN(size);
    }

    alignas(nlmsghdr) char buffer[256] = {};
};

Netlink::Netlink()
    : socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "cannot reach the kernel's network")
{
}

void
Netlink::Send(Request& request, const char* what)
{
    char answer[1024];
    const bool isSent = send(socket.Get(), request.Message(), request.Message()->nlmsg_len, 0) >= 0;
    if (!isSent || recv(socket.Get(), answer, sizeof answer, 0) < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr))))
    {
        throw std::system_error(errno, std::generic_category(), what);
    }
    const int error = reinterpret_cast<nlmsgerr*>(answer + NLMSG_HDRLEN)->error;
    if (error != 0)
    {
        throw std::system_error(-error, std::generic_category(), what);
    }
}

void
Netlink::SetMac(int interface, const Mac& mac)
{
    Request request(RTM_NEWLINK, 0, ifinfomsg{.ifi_index = interface});
    request.Attribute(IFLA_ADDRESS, mac.data(), mac.size());
    Send(request, "cannot set a hardware address");
}

void
Netlink::SetUp(int interface)
{
    Request request(RTM_NEWLINK, 0, ifinfomsg{.ifi_index = interface, .ifi_flags = IFF_UP, .ifi_change = IFF_UP});
    Send(request, "cannot set a device up");
}

void
Netlink::AddAddress(int interface, const Address& address)
{
    Request request(RTM_NEWADDR,
                    NLM_F_CREATE | NLM_F_EXCL,
                    ifaddrmsg{.ifa_family = static_cast<uint8_t>(address.family),
                              .ifa_prefixlen = address.prefix,
                              .ifa_flags = IFA_F_PERMANENT | IFA_F_NODAD,
                              .ifa_index = static_cast<uint32_t>(interface)});
    request.Attribute(IFA_LOCAL, address.bytes.data(), address.Size());
    request.Attribute(IFA_ADDRESS, address.bytes.data(), address.Size());
    Send(request, "cannot add an address");
}

void
Netlink::AddNeighbour(int interface, const Address& address, const Mac& mac)
{
    Request request(RTM_NEWNEIGH,
                    NLM_F_CREATE | NLM_F_REPLACE,
                    ndmsg{.ndm_family = static_cast<uint8_t>(address.family),
                          .ndm_ifindex = interface,
                          .ndm_state = NUD_PERMANENT});
    request.Attribute(NDA_DST, address.bytes.data(), address.Size());
    request.Attribute(NDA_LLADDR, mac.data(), mac.size());
    Send(request, "cannot add a neighbour");
}

void
Netlink::SetCongestion(int interface, const Address& source, const std::string& algorithm)
{
    Address network = source;
    for (size_t bit = source.prefix; bit < 8 * source.Size(); bit++)
    {
        network.bytes[bit / 8] &= static_cast<uint8_t>(~(0x80 >> bit % 8));
    }
    const bool isVersion4 = source.family == AF_INET;
    Request request(RTM_NEWROUTE,
                    NLM_F_CREATE | NLM_F_REPLACE,
                    rtmsg{.rtm_family = static_cast<uint8_t>(source.family),
                          .rtm_dst_len = source.prefix,
                          .rtm_table = RT_TABLE_MAIN,
                          .rtm_protocol = RTPROT_KERNEL,
                          .rtm_scope = isVersion4 ? uint8_t{RT_SCOPE_LINK} : uint8_t{RT_SCOPE_UNIVERSE},
                          .rtm_type = RTN_UNICAST});
    request.Attribute(RTA_DST, network.bytes.data(), network.Size());
    request.Attribute(RTA_OIF, &interface, sizeof interface);
    if (isVersion4)
    {
        request.Attribute(RTA_PREFSRC, source.bytes.data(), source.Size());
    }
    else
    {
        const uint32_t metric = 1; // before the kernel's own, which it puts beside
        request.Attribute(RTA_PRIORITY, &metric, sizeof metric);
    }
    alignas(rtattr) char metrics[64] = {};
    const rtattr head{.rta_len = static_cast<uint16_t>(RTA_LENGTH(algorithm.size() + 1)), .rta_type = RTAX_CC_ALGO};
    if (algorithm.size() >= sizeof metrics - sizeof head)
    {
        throw std::invalid_argument(algorithm + " is no congestion control");
    }
    std::memcpy(metrics, &head, sizeof head);
    std::memcpy(metrics + sizeof head, algorithm.c_str(), algorithm.size() + 1);
    request.Attribute(RTA_METRICS, metrics, head.rta_len);
    Send(request, ("cannot have TCP use the congestion control " + algorithm).c_str());
}

int
InterfaceOf(const char* name)
{
    const unsigned number = if_nametoindex(name);
    if (number == 0)
    {
        throw std::system_error(errno, std::generic_category(), name);
    }
    return static_cast<int>(number);
}

} // namespace sluice::live
