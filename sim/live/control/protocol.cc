// SPDX-License-Identifier: Apache-2.0
#include "control/protocol.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sluice::live
{

static_assert(std::endian::native == std::endian::little);

namespace
{

constexpr uint32_t WRITE_BIT = 1u << 31;

template <typename Number>
Number
At(std::span<const std::byte> message, size_t offset)
{
    Number number;
    std::memcpy(&number, message.data() + offset, sizeof number);
    return number;
}

/// What each operation may have behind its head.
bool
IsCount(Op op, size_t count)
{
    switch (op)
    {
    case Op::Access:
        return count <= MOST_ACCESSES;
    case Op::Hello:
    case Op::Lock:
        return count == 1;
    case Op::Unlock:
        return count == 0;
    }
    return false;
}

} // namespace

bool
Request::Writes() const
{
    return std::ranges::any_of(Accesses(), &Access::isWrite);
}

bool
ReadRequest(std::span<const std::byte> message, size_t bytes, Request& request)
{
    request.op = bytes > 0 ? At<uint8_t>(message, 0) : 0;
    request.direction = bytes > 1 ? At<uint8_t>(message, 1) : 0;
    request.tag = bytes >= 8 ? At<uint32_t>(message, 4) : 0;
    request.count = 0;
    if (bytes < 8)
    {
        return false;
    }
    const auto op = static_cast<Op>(request.op);
    const size_t count = At<uint16_t>(message, 2);
    if (!IsCount(op, count) || bytes != 8 + 8 * count)
    {
        return false;
    }
    for (size_t i = 0; i < count; i++)
    {
        const auto address = At<uint32_t>(message, 8 + 8 * i);
        const auto word = At<uint32_t>(message, 12 + 8 * i);
        request.accesses[i] = {address & ~WRITE_BIT, word, (address & WRITE_BIT) != 0};
    }
    request.count = count;
    return true;
}

Answer::Answer(const Request& request, Status status, std::span<const uint32_t> words)
    : size(8 + words.size_bytes())
{
    const auto done = static_cast<uint16_t>(words.size());
    bytes[0] = std::byte(request.op | 0x80);
    bytes[1] = std::byte(status);
    std::memcpy(&bytes[2], &done, sizeof done);
    std::memcpy(&bytes[4], &request.tag, sizeof request.tag);
    std::ranges::copy(std::as_bytes(words), &bytes[8]);
}

} // namespace sluice::live
