/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The DSCP of what a host sends over TCP.
 */

#ifndef DSCP_H
#define DSCP_H

#include "ns3/node.h"

#include <cstdint>

namespace sluice_ns3
{

constexpr int ECN_BITS = 2;         //!< of the IP header's byte; those of the DSCP are above
constexpr uint8_t ECN_FIELD = 0x03; //!< these

/**
 * @brief Put a DSCP and an ECN field into one byte, as the IP header has them.
 * @param dscp the DSCP
 * @param ecnField the ECN field
 * @return the byte
 */
constexpr uint8_t
DsField(uint8_t dscp, uint8_t ecnField)
{
    return static_cast<uint8_t>(dscp << ECN_BITS | ecnField);
}

/**
 * @brief Give a DSCP to all that a host sends over TCP from now on, and leave the ECN field to TCP.
 *
 * A socket with a DSCP of its own, Socket::SetIpTos(), has no ECN in ns-3: it clears the field.
 *
 * @param node the host
 * @param dscp the DSCP
 */
void SetTcpDscp(ns3::Ptr<ns3::Node> node, uint8_t dscp);

} // namespace sluice_ns3

#endif /* DSCP_H */
