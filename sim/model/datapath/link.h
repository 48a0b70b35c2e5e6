// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The shaper's token bucket once more, as seen at the output: so that it is known when the link is free again, and time
// can jump there.
#ifndef SLUICE_DATAPATH_LINK_H
#define SLUICE_DATAPATH_LINK_H

#include <algorithm>
#include <cstdint>

namespace sluice
{

/// A frame starts, earns the time since the last one and pays for itself.
class Link
{
  public:
    /// A full bucket may hold more than it is set to, for a while, by so much at most. It is taken to do so: then the
    /// link is free no earlier than this says.
    explicit Link(uint64_t itsMoreNs)
        : moreNs(static_cast<double>(itsMoreNs))
    {
    }

    /// What the shaper is set to from now on. The debt of the frame on the link stays as it was; a link without a limit
    /// has none, and a full bucket.
    void Set(uint64_t nowNs, double itsNsPerByte, double itsOverheadBytes, double itsBurstNs)
    {
        if (nsPerByte == 0)
        {
            savedNs = itsBurstNs;
            savedAtNs = nowNs;
        }
        nsPerByte = itsNsPerByte;
        overheadBytes = itsOverheadBytes;
        burstNs = itsBurstNs;
        if (nsPerByte == 0)
        {
            freeNs = std::min(freeNs, nowNs);
            savedNs = std::max(savedNs, 0.0);
        }
    }

    /// Time that a frame of so many bytes takes.
    double CostNs(uint32_t bytes) const
    {
        return (bytes + overheadBytes) * nsPerByte;
    }

    void Start(uint64_t nowNs, uint32_t bytes)
    {
        const double earned = savedNs + static_cast<double>(nowNs - savedAtNs);
        savedNs = (earned < burstNs ? earned : burstNs + moreNs) - CostNs(bytes);
        savedAtNs = nowNs;
        freeNs = nowNs + static_cast<uint64_t>(std::max(0.0, -savedNs));
    }

    /// A frame is asked for, of a length that is not known: the next one is not asked for before the time of the
    /// shortest one of Ethernet has passed.
    void Ask(uint64_t nowNs)
    {
        freeNs = std::max(freeNs, nowNs + static_cast<uint64_t>(SHORTEST * nsPerByte));
    }

    /// When all debt is paid.
    uint64_t FreeNs() const
    {
        return freeNs;
    }

  private:
    static constexpr uint32_t SHORTEST = 64;

    double moreNs;
    double nsPerByte = 0, overheadBytes = 0, burstNs = 0;
    double savedNs = 0;     ///< link time in the bucket, owed below zero, as the last frame started
    uint64_t savedAtNs = 0; ///< when that was
    uint64_t freeNs = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_LINK_H
