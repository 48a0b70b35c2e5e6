// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames at the two ports of a Verilated datapath, beat by beat: which one goes in, and which one comes out.
#ifndef SLUICE_DATAPATH_PASSAGE_H
#define SLUICE_DATAPATH_PASSAGE_H

#include "datapath/frame-ring.h"
#include "datapath/frames.h"
#include "datapath/reports.h"
#include "datapath/times.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace sluice
{

class Passage
{
  public:
    Passage(VDatapath& itsTop, FrameRing& itsFrames, const Reports& itsReports, Times& itsTimes)
        : top(itsTop),
          frames(itsFrames),
          reports(itsReports),
          times(itsTimes)
    {
    }

    /// Frames that are in.
    uint64_t Entered() const
    {
        return in.frame;
    }

    /// Frames that have left or were dropped.
    uint64_t Gone() const
    {
        return out.frame;
    }

    /// Whether one is in that has not left.
    bool IsOnWay() const
    {
        return out.frame < in.frame;
    }

    /// Whether a beat is at the input.
    bool IsOffered() const
    {
        return in.frame < frames.end && (in.bytes > 0 || times.InputNow() >= frames[in.frame].arrivalNs);
    }

    /// Whether the next frame's first beat is not in yet.
    bool IsBetween() const
    {
        return in.frame < frames.end && in.bytes == 0;
    }

    /// The next frame's arrival; NEVER: none is to come, or it is there.
    uint64_t NextArrivalNs() const
    {
        return in.frame < frames.end && !IsOffered() ? frames[in.frame].arrivalNs : NEVER;
    }

    /// Offers the next beat. Returns whether it is taken.
    bool Offer()
    {
        const bool isOffered = IsOffered();
        top.s_axis_tvalid = isOffered;
        if (isOffered)
        {
            const HeldFrame& frame = frames[in.frame];
            Present(top, frames.Data(frame), frame.bytes, in.bytes);
            PresentRtt(top, in.bytes ? 0 : frame.portRttUs); // it is sampled with the first beat
        }
        return isOffered && top.s_axis_tready;
    }

    /// The beat is in.
    void Enter()
    {
        HeldFrame& frame = frames[in.frame];
        if (in.bytes == 0)
        {
            frame.entryNs = times.InputNow();
            frame.jumpedNs = times.JumpedNs();
        }
        in.bytes += std::min<uint32_t>(sizeof(top.s_axis_tdata), frame.bytes - in.bytes);
        if (in.bytes == frame.bytes)
        {
            times.Entered(frame.bytes);
            in = {in.frame + 1, 0};
        }
    }

    /// Takes a beat that leaves. Returns whether there is one.
    bool Leave()
    {
        for (; out.frame < reports.Judged() && frames[out.frame].action >= SLUICE_DROP; out.frame++)
        {
            frames[out.frame].departureNs = 0;
        }
        if (!top.m_axis_tvalid)
        {
            return false;
        }
        HeldFrame& frame = frames[out.frame];
        if (out.frame >= reports.Judged() || !IsInPlace(top, frame.bytes - out.bytes))
        {
            throw std::runtime_error("the datapath tears frame " + std::to_string(out.frame + 1));
        }
        if (out.bytes == 0)
        {
            frame.departureNs = times.Leave(frame);
        }
        const uint32_t count = std::min<uint32_t>(sizeof(top.m_axis_tdata), frame.bytes - out.bytes);
        std::memcpy(frames.Data(frame) + out.bytes, &top.m_axis_tdata, count);
        out.bytes += count;
        if (out.bytes == frame.bytes)
        {
            out = {out.frame + 1, 0};
        }
        return true;
    }

  private:
    /// Where frames go in or come out.
    struct Cursor
    {
        uint64_t frame = 0;
        uint32_t bytes = 0; ///< of it that are through
    };

    VDatapath& top;
    FrameRing& frames;
    const Reports& reports;
    Times& times;
    Cursor in, out;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_PASSAGE_H
