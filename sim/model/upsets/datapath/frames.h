// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames that tell by themselves which they are: UDP over IPv4, whose payload is a number and bytes that follow from
// it.
#ifndef SLUICE_UPSETS_DATAPATH_FRAMES_H
#define SLUICE_UPSETS_DATAPATH_FRAMES_H

#include "account.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace upsets
{

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kFlows = 40;
constexpr size_t kIp = 14, kPorts = 34, kNumber = 42;
constexpr uint8_t kEct = 2, kCe = 3;

/// A third is of flow 0.
inline uint32_t
FlowOf(uint32_t number)
{
    const uint32_t mixed = number * 0x9E3779B1u >> 8;
    return mixed % 3 == 0 ? 0 : mixed / 3 % kFlows;
}

inline void
Put16(Bytes& frame, size_t at, uint32_t value)
{
    frame[at] = static_cast<uint8_t>(value >> 8);
    frame[at + 1] = static_cast<uint8_t>(value);
}

/// The frame of that number, with a field of ECN.
inline Bytes
FrameOf(uint32_t number, uint8_t ecn)
{
    const size_t length = 64 + number * 37 % 193;
    Bytes frame(length);
    frame[5] = 1; // to one station, from another
    frame[11] = 2;
    frame[12] = 0x08; // IPv4
    frame[kIp] = 0x45;
    frame[kIp + 1] = ecn;
    Put16(frame, kIp + 2, static_cast<uint32_t>(length - kIp));
    frame[kIp + 8] = 64;
    frame[kIp + 9] = 17; // UDP
    frame[kIp + 12] = 10;
    frame[kIp + 15] = 1;
    frame[kIp + 16] = 10;
    frame[kIp + 19] = 2;
    Put16(frame, kPorts, 1024 + FlowOf(number));
    Put16(frame, kPorts + 2, 9);
    Put16(frame, kPorts + 4, static_cast<uint32_t>(length - kPorts));
    std::memcpy(&frame[kNumber], &number, sizeof(number));
    for (size_t i = kNumber + sizeof(number); i < length; i++)
    {
        frame[i] = static_cast<uint8_t>(number * 7 + i * 31);
    }
    uint32_t sum = 0;
    for (size_t i = kIp; i < kPorts; i += 2)
    {
        sum += frame[i] << 8 | frame[i + 1];
    }
    sum = (sum & 0xFFFF) + (sum >> 16);
    Put16(frame, kIp + 10, ~((sum & 0xFFFF) + (sum >> 16)));
    return frame;
}

/// One in four is ECN-capable.
inline uint8_t
EcnOf(uint32_t number)
{
    return (number * 0x85EBCA6Bu >> 11) % 4 == 0 ? kEct : 0;
}

/// Which frame this is; of one that is none of ours, torn or altered in anything but its mark, flow and number are all
/// ones.
inline Account::Packet
Recognized(const Bytes& frame)
{
    uint32_t number = 0;
    if (frame.size() >= kNumber + sizeof(number))
    {
        std::memcpy(&number, &frame[kNumber], sizeof(number));
        const uint8_t ecn = EcnOf(number);
        if (frame == FrameOf(number, ecn) || (ecn != 0 && frame == FrameOf(number, kCe)))
        {
            return {FlowOf(number), number};
        }
    }
    return {~0u, ~0u};
}

} // namespace upsets

#endif // SLUICE_UPSETS_DATAPATH_FRAMES_H
