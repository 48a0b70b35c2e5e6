// SPDX-License-Identifier: Apache-2.0
//
// What two simulators of SimBricks say to each other, byte by byte: greetings over a Unix socket, then messages in
// queues of shared memory. Numbers are the host's; times are picoseconds.
#ifndef SLUICE_SIMBRICKS_LAYOUT_H
#define SLUICE_SIMBRICKS_LAYOUT_H

#include <cstdint>

namespace sluice::simbricks
{

constexpr uint64_t VERSION = 1;

/// The protocol above the queues: frames of a network.
constexpr uint64_t NETWORK = 1;

/// Flags of a greeting.
enum Flags : uint64_t
{
    WANTS_STEP = 1, ///< simulators keep in step
    NEEDS_STEP = 2, ///< or do not run
};

/// A ring of slots in the shared memory.
struct QueueGreeting
{
    uint64_t offset, slotBytes, slots;
};

/// From the side that listens, with the shared memory's descriptor beside it.
struct ListenerGreeting
{
    uint64_t version, flags;
    QueueGreeting toConnecter, toListener;
    uint64_t upper, upperOffset; ///< the protocol above, and where its own greeting begins
    uint32_t unused;             ///< the network's
} __attribute__((packed));

/// From the side that connects.
struct ConnecterGreeting
{
    uint64_t version, flags, upper, upperOffset;
    uint32_t unused;
} __attribute__((packed));

/// In `ownerAndKind` of a message: whose the slot is, and what it says.
enum Kind : uint8_t
{
    READABLE = 0x80, ///< the reader's; else the writer's
    SYNC = 0x00,     ///< nothing but its time
    END = 0x01,      ///< nothing more comes
    FRAME = 0x40,
};

/// The head of a message. Its frame is behind it.
struct Message
{
    uint16_t bytes; ///< of a frame
    uint8_t port;
    uint8_t unused[45];
    uint64_t timePs; ///< when it arrives
    uint8_t unused2[7];
    uint8_t ownerAndKind;
} __attribute__((packed));

static_assert(sizeof(ListenerGreeting) == 84 && sizeof(ConnecterGreeting) == 36 && sizeof(Message) == 64);

} // namespace sluice::simbricks

#endif
