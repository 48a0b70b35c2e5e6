// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What a datapath says of its frames: that one is parsed, its flow id, the verdict on it, each in the order in which
// they came; and that one leaves its queue, and whether it is marked or dropped there, by its queue. Where it does not
// say the latter, a frame that has been let in leaves, in its turn.
#ifndef SLUICE_DATAPATH_REPORTS_H
#define SLUICE_DATAPATH_REPORTS_H

#include "datapath/frames.h"
#include "datapath/held-frames.h"
#include "datapath/queued.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace sluice
{

class Reports
{
  public:
    explicit Reports(HeldFrames& itsFrames)
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
        return frames[Told(named)];
    }

    /// Whether a frame that waits in its queue is to leave, where so many have been asked for so far.
    bool IsAnswerDue(uint64_t asked) const
    {
        return asked > answered && queued.Count() > 0;
    }

    /// Bytes of the last frame that has left its queue to be sent: the link asks for none before its beats could be
    /// through.
    uint32_t LastBytes() const
    {
        return lastBytes;
    }

    /// Takes note of what is said in a clock, before which so many frames had entered. Returns whether it moves a
    /// frame.
    bool Listen(const VDatapath& top, uint64_t entered, uint64_t clock)
    {
        const bool isParsed = top.m_parsed_valid;
        if (isParsed)
        {
            Note(top, frames[Told(parsed)].seen);
            parsed++;
        }
        if (top.m_flow_valid)
        {
            SluiceSeen& seen = frames[Told(named)].seen;
            NoteRtt(top, seen);
            seen.flow = top.m_flow_id;
            named++;
        }
        const bool isJudged = top.m_verdict_valid;
        if (isJudged)
        {
            const uint64_t number = Told(judged);
            HeldFrame& frame = frames[number];
            frame.action = frame.seen.action = top.m_verdict_action;
            frame.reason = frame.seen.reason = top.m_verdict_reason;
            frame.seen.queue = QueuesOf(top).judged;
            readAt = std::max(readAt, clock) + frame.bytes / sizeof(top.s_axis_tdata) + 1;
            judged++;
            if (frame.action < SLUICE_DROP)
            {
                queued.Push(frame.seen.queue, number, frame.bytes);
            }
            else
            {
                gone.push_back(number);
            }
        }
        for (; judged < entered && frames[judged].bytes > LONGEST; judged++)
        {
            frames[judged].action = frames[judged].seen.action = SLUICE_OVERSIZE;
            gone.push_back(judged);
        }
        return ListenLeft(top) || isParsed || isJudged;
    }

    Queued queued;
    std::deque<uint64_t> leaving; ///< frames that have left their queues and come out, in this order
    std::deque<uint64_t> gone;    ///< that have come out or were dropped, in this order, and of which nobody was told

  private:
    /// Longer frames get no verdict: the datapath drops them as they arrive.
    static constexpr uint32_t LONGEST = 9600;

    /// The next frame that the datapath says something of; it says nothing of overlong ones.
    uint64_t Told(uint64_t& number) const
    {
        number = std::max(number, frames.Begin());
        while (number < frames.End() && frames[number].bytes > LONGEST)
        {
            number++;
        }
        if (number >= frames.End())
        {
            throw std::runtime_error("the datapath tells of more frames than came");
        }
        return number;
    }

    /// Whether a frame leaves its queue.
    template <typename Top>
    bool ListenLeft(const Top& its)
    {
        if constexpr (Telling<Top>)
        {
            if (!its.m_left_valid)
            {
                return false;
            }
            const uint64_t number = queued.Pop(QueuesOf(its).left);
            HeldFrame& frame = frames[number];
            if (its.m_left_action != SLUICE_PASS)
            {
                frame.action = its.m_left_action;
                frame.reason = its.m_left_reason;
            }
            const bool isDropped = frame.action >= SLUICE_DROP;
            (isDropped ? gone : leaving).push_back(number);
            answered += !isDropped;
            lastBytes = isDropped ? lastBytes : frame.bytes;
            return true;
        }
        else
        {
            while (queued.Count() > 0)
            {
                leaving.push_back(queued.Pop(0));
            }
            return false;
        }
    }

    HeldFrames& frames;
    uint64_t parsed = 0, named = 0, judged = 0; ///< frames of which that is known
    uint64_t answered = 0;                      ///< asks for a frame that was sent
    uint32_t lastBytes = 0;
    uint64_t readAt = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_REPORTS_H
