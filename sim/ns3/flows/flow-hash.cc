/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Hashes of flows; see the header.
 */

#include "flows/flow-hash.h"

#include "ns3/hash.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/packet.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <array>

namespace ns3
{

uint32_t
FlowHash(const QueueDiscItem& item, uint32_t seed)
{
    const auto* ipv4 = dynamic_cast<const Ipv4QueueDiscItem*>(&item);
    if (ipv4 == nullptr)
    {
        return item.Hash(seed);
    }
    const Ipv4Header& header = ipv4->GetHeader();
    const uint8_t protocol = header.GetProtocol();

    // Source, destination, protocol, both ports as they begin a TCP and a UDP header, seed.
    std::array<uint8_t, 17> key{};
    header.GetSource().Serialize(&key[0]);
    header.GetDestination().Serialize(&key[4]);
    key[8] = protocol;
    const bool hasPorts =
        protocol == TcpL4Protocol::PROT_NUMBER || protocol == UdpL4Protocol::PROT_NUMBER;
    if (hasPorts && header.GetFragmentOffset() == 0)
    {
        item.GetPacket()->CopyData(&key[9], 4);
    }
    for (int i = 0; i < 4; ++i)
    {
        key[13 + i] = static_cast<uint8_t>(seed >> (24 - 8 * i));
    }
    return Hash32(reinterpret_cast<const char*>(key.data()), key.size());
}

uint32_t
NameHash(const std::string& name, uint32_t seed)
{
    return Hash32(std::to_string(seed) + ' ' + name);
}

} // namespace ns3
