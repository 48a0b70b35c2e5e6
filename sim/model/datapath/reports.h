// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a datapath says of its frames: that one is parsed, its flow id, the verdict on it, and, where the tile is asked
// for each packet, what becomes of it as the link wants it. Each comes in the order of the frames, and names none.
#ifndef SLUICE_DATAPATH_REPORTS_H
#define SLUICE_DATAPATH_REPORTS_H

#include "datapath/frame-ring.h"
#include "datapath/frames.h"

#include <algorithm>
#include <stdexcept>

namespace sluice
{

class Reports
{
  public:
    explicit Reports(FrameRing& itsFrames)
        : frames(itsFrames)
    {
    }

    /// Frames that have their verdict, an overlong one when it has come.
    uint64_t Judged() const
    {
        return judged;
    }

    /// The clock in which the last frame with a verdict has been read from the staging memory.
    uint64_t ReadAt() const
    {
        return readAt;
    }

    /// The frame whose flow id is told next.
    const HeldFrame& NextNamed()
    {
        return Told(named);
    }

    /// Takes note of what is said in a clock, before which so many frames had entered. Returns whether it moves a
    /// frame.
    bool Listen(const VDatapath& top, uint64_t entered, uint64_t clock)
    {
        const bool isParsed = top.m_parsed_valid;
        if (isParsed)
        {
            Note(top, Told(parsed).seen);
            parsed++;
        }
        if (top.m_flow_valid)
        {
            SluiceSeen& seen = Told(named).seen;
            NoteRtt(top, seen);
            seen.flow = top.m_flow_id;
            named++;
        }
        const bool isJudged = top.m_verdict_valid;
        if (isJudged)
        {
            HeldFrame& frame = Told(judged);
            frame.action = frame.seen.action = top.m_verdict_action;
            frame.reason = frame.seen.reason = top.m_verdict_reason;
            readAt = std::max(readAt, clock) + frame.bytes / sizeof(top.s_axis_tdata) + 1;
            judged++;
        }
        for (; judged < entered && frames[judged].bytes > LONGEST; judged++)
        {
            frames[judged].action = frames[judged].seen.action = SLUICE_OVERSIZE;
        }
        return ListenLeft(top) || isParsed || isJudged;
    }

  private:
    /// Longer frames get no verdict: the datapath drops them as they arrive.
    static constexpr uint32_t LONGEST = 9600;

    /// The next frame that the datapath says something of; it says nothing of overlong ones.
    HeldFrame& Told(uint64_t& number)
    {
        number = std::max(number, frames.begin);
        while (number < frames.end && frames[number].bytes > LONGEST)
        {
            number++;
        }
        if (number >= frames.end)
        {
            throw std::runtime_error("the datapath tells of more frames than came");
        }
        return frames[number];
    }

    /// Whether a frame that had been let in leaves the queue.
    template <typename Top>
    bool ListenLeft(const Top& its)
    {
        if constexpr (Asked<Top>)
        {
            if (its.m_left_valid)
            {
                while (Told(left).action >= SLUICE_DROP)
                {
                    left++;
                }
                HeldFrame& frame = frames[left++];
                if (its.m_left_action != SLUICE_PASS)
                {
                    frame.action = its.m_left_action;
                    frame.reason = its.m_left_reason;
                }
                return true;
            }
        }
        return false;
    }

    FrameRing& frames;
    uint64_t parsed = 0, named = 0, judged = 0; ///< frames of which that is known
    uint64_t left = 0;                          ///< that have left the queue of a tile that is asked
    uint64_t readAt = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_REPORTS_H
