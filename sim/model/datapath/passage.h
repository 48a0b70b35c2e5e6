// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Frames at the two ports of a Verilated datapath, beat by beat: which one goes in, and which one comes out.
#ifndef SLUICE_DATAPATH_PASSAGE_H
#define SLUICE_DATAPATH_PASSAGE_H

#include "datapath/frames.h"
#include "datapath/held-frames.h"
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
    Passage(VDatapath& itsTop, HeldFrames& itsFrames, Reports& itsReports, Times& itsTimes)
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

    /// Whether one is in that has not left.
    bool IsOnWay() const
    {
        return Gone() < in.frame;
    }

    /// Frames that have left or were dropped, also those of which somebody was told.
    uint64_t Gone() const
    {
        return told + reports.gone.size();
    }

    /// Somebody was told of the next one.
    void TakeGone()
    {
        reports.gone.pop_front();
        told++;
    }

    /// Whether a beat is at the input.
    bool IsOffered() const
    {
        return in.frame < frames.End() && (in.bytes > 0 || times.InputNow() >= frames[in.frame].arrivalNs);
    }

    /// Whether the next frame's first beat is not in yet.
    bool IsBetween() const
    {
        return in.frame < frames.End() && in.bytes == 0;
    }

    /// The next frame's arrival; NEVER: none is to come, or it is there.
    uint64_t NextArrivalNs() const
    {
        return in.frame < frames.End() && !IsOffered() ? frames[in.frame].arrivalNs : NEVER;
    }

    /// Offers the next beat. Returns whether it is taken.
    bool Offer()
    {
        const bool isOffered = IsOffered();
        top.s_axis_tvalid = isOffered;
        if (isOffered)
        {
            const HeldFrame& frame = frames[in.frame];
            Present(top, frame.data.get(), frame.bytes, in.bytes);
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

    /// Takes a beat that leaves, which is one of the frame that came, but for a mark. Returns whether there is one.
    bool Leave()
    {
        if (!top.m_axis_tvalid)
        {
            return false;
        }
        if (reports.leaving.empty())
        {
            throw std::runtime_error("the datapath lets a frame out that has not left its queue");
        }
        const uint64_t number = reports.leaving.front();
        HeldFrame& frame = frames[number];
        if (!IsInPlace(top, frame.bytes - out))
        {
            throw std::runtime_error("the datapath tears frame " + std::to_string(number + 1));
        }
        if (out == 0)
        {
            frame.departureNs = times.Leave(frame);
            changed = 0;
        }
        const uint32_t count = std::min<uint32_t>(sizeof(top.m_axis_tdata), frame.bytes - out);
        uint8_t data[sizeof(top.m_axis_tdata)];
        std::memcpy(data, &top.m_axis_tdata, sizeof data);
        uint8_t* came = frame.data.get() + out;
        for (uint32_t at = 0; at < count; at++)
        {
            changed += data[at] != came[at];
        }
        if (changed > (frame.action == SLUICE_MARK ? MARKED : 0))
        {
            throw std::runtime_error("the datapath lets out another frame than frame " + std::to_string(number + 1));
        }
        std::copy_n(data, count, came);
        out += count;
        if (out == frame.bytes)
        {
            out = 0;
            reports.leaving.pop_front();
            reports.gone.push_back(number);
        }
        return true;
    }

  private:
    /// Bytes that a mark changes at most: one with the ECN field, and the checksum.
    static constexpr uint32_t MARKED = 3;

    /// Where frames go in.
    struct Cursor
    {
        uint64_t frame = 0;
        uint32_t bytes = 0; ///< of it that are through
    };

    VDatapath& top;
    HeldFrames& frames;
    Reports& reports;
    Times& times;
    Cursor in;
    uint32_t out = 0;     ///< bytes of the frame that comes out that have
    uint32_t changed = 0; ///< of them that are not as they came
    uint64_t told = 0;    ///< frames that are gone of which somebody was told
};

} // namespace sluice

#endif // SLUICE_DATAPATH_PASSAGE_H
