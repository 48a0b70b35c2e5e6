// SPDX-License-Identifier: Apache-2.0
//
// Registers over a socket: what a message says. A Unix socket of kind SOCK_SEQPACKET keeps messages apart, so each is
// one request or one answer and nothing is ever out of step. Numbers are little endian, as is every host that this runs
// on.
//
//   request  u8 op, u8 direction, u16 n, u32 tag, then n times u32 address, u32 word
//   answer   u8 op | 0x80, u8 status, u16 done, u32 tag, then `done` words: as read, 0 for a write
//
// docs/driver.md has the protocol for who writes a client.
#ifndef SLUICE_LIVE_CONTROL_PROTOCOL_H
#define SLUICE_LIVE_CONTROL_PROTOCOL_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::live
{

/// The number that HELLO brings.
constexpr uint32_t PROTOCOL = 1;

/// Accesses in one message.
constexpr size_t MOST_ACCESSES = 256;

/// Longest wait that LOCK may ask for.
constexpr uint32_t MOST_LOCK_MS = 10000;

/// What a request asks for.
enum class Op : uint8_t
{
    Hello,
    Access, ///< bit 31 of an address says that it is written
    Lock,
    Unlock,
};

/// What came of it.
enum class Status : uint8_t
{
    Done,
    Refused,   ///< SLVERR at the access of index `done`; what is before it has been done
    Malformed, ///< not a request; the connection stays
    Locked,    ///< by another client
    Gone,      ///< the model is stuck or has ended
    Protocol,  ///< HELLO of another protocol
};

/// One access to a 32-bit word at a byte address.
struct Access
{
    uint32_t address;
    uint32_t word; ///< to be written, or as read
    bool isWrite;
};

/// A request, as far as it could be read: what answers bear is there also where the rest is no request.
struct Request
{
    uint8_t op = 0;
    uint8_t direction = 0;
    uint32_t tag = 0;
    size_t count = 0;
    std::array<Access, MOST_ACCESSES> accesses; ///< the first `count` of them

    /// Whether it would change a word: what a client that has not the lock may not do.
    bool Writes() const;

    std::span<const Access> Accesses() const
    {
        return std::span(accesses).first(count);
    }
};

/// Longest request; a message may be longer, and is none then.
constexpr size_t MOST_REQUEST_BYTES = 8 + 8 * MOST_ACCESSES;

/// Reads a message whose first bytes are these and that has so many in all. Returns whether it is a request.
bool ReadRequest(std::span<const std::byte> message, size_t bytes, Request& request);

/// An answer in its bytes.
class Answer
{
  public:
    /// An answer to a request, with as many words as were done.
    Answer(const Request& request, Status status, std::span<const uint32_t> words = {});

    std::span<const std::byte> Bytes() const
    {
        return std::span(bytes).first(size);
    }

  private:
    std::array<std::byte, 8 + 4 * MOST_ACCESSES> bytes;
    size_t size;
};

} // namespace sluice::live

#endif
