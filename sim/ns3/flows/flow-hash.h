/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The flow that a packet in a queue discipline belongs to, as a number.
 */

#ifndef FLOW_HASH_H
#define FLOW_HASH_H

#include "ns3/queue-item.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Hash addresses, protocol and ports of a packet: what item.Hash() gives.
 *
 * For IPv4 the ports are taken from where they stand. Ipv4QueueDiscItem::Hash() reads the whole
 * TCP header for them, options included, which takes a microsecond.
 *
 * @param item the packet, before its IP header is added
 * @param seed another seed, another hash
 * @return the hash
 */
uint32_t FlowHash(const QueueDiscItem& item, uint32_t seed);

/**
 * @brief Hash a name that stands for a flow, or for several that are to be told apart by nothing.
 * @param name the name
 * @param seed another seed, another hash
 * @return the hash
 */
uint32_t NameHash(const std::string& name, uint32_t seed);

} // namespace ns3

#endif /* FLOW_HASH_H */
