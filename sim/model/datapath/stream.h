// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Drives a Verilated datapath, whose C header library.mk includes, clock by clock: frames and accesses to its registers
// go in as they come, verdicts and frames come out. Time is an input of the datapath, so that clocks in which nothing
// can happen are jumped over, always a whole number of them. What is seen is what a clock that never jumps shows.
//
// Time jumps only to what happens: an arrival, or shortly before the link is free. So what becomes of frames depends on
// their arrivals alone, and not on how far the time goes in one call. Which times jump when, times.h says.
//
// A tile that is asked for each packet may still drop a frame, or mark it, when the link wants it, and of many queues
// frames leave in any order: m_left says so of each frame that was let in, before its first beat.
#ifndef SLUICE_DATAPATH_STREAM_H
#define SLUICE_DATAPATH_STREAM_H

#include "datapath/accesses.h"
#include "datapath/clocked-datapath.h"
#include "datapath/held-frames.h"
#include "datapath/passage.h"
#include "datapath/reports.h"
#include "datapath/times.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

namespace sluice
{

class Stream
{
  public:
    /// A datapath after its reset, whose flow hash has its tables. Its time is 0.
    Stream()
    {
        accesses.Start();
        model.Reset();
        StandUntilDone();
    }

    uint64_t Now() const
    {
        return times.Now();
    }

    uint64_t Clocks() const
    {
        return cycles;
    }

    const Rooms& ItsRooms() const
    {
        return model.ItsRooms();
    }

    /// What was before this time is over, and nothing was there.
    void Begin(uint64_t nowNs)
    {
        times.Begin(nowNs);
    }

    /// Returns the frame's number, or NEVER: there is no room for it now.
    uint64_t Offer(uint64_t arrivalNs, const uint8_t* data, uint32_t bytes, uint32_t portRttUs)
    {
        const uint64_t inOrderNs = std::max(arrivalNs, lastArrivalNs);
        if (!frames.Put(inOrderNs, data, bytes, portRttUs))
        {
            return NEVER;
        }
        lastArrivalNs = inOrderNs;
        return frames.End() - 1;
    }

    /// Earliest time at which something happens; NEVER: not before something comes.
    uint64_t NextEvent() const
    {
        return IsSettled() ? NextJump() : times.InputNow();
    }

    /// Jumps to what happens next, if nothing is under way, and runs a clock. Returns whether there was something to be
    /// done up to that time.
    bool Turn(uint64_t untilNs)
    {
        if (IsSettled())
        {
            times.Settle(!passage.IsOnWay());
            const uint64_t next = NextJump();
            if (next == NEVER || next > untilNs)
            {
                return false;
            }
            if (times.Jump(next))
            {
                settled = cycles + QUIET;
            }
        }
        if (times.InputNow() > untilNs || (isSteady && !IsPending() && passage.Entered() == frames.End()))
        {
            return false;
        }
        Follow(untilNs);
        const bool isTaken = passage.Offer();
        bool isMoving = reports.Listen(model.Top(), passage.Entered(), cycles);
        isMoving |= IsHiddenNew();
        isMoving |= passage.Leave();
        if (isTaken)
        {
            passage.Enter();
            isMoving = true;
        }
        const bool isAnswered = accesses.Step([this] { TakeSettings(); });
        Clock();
        cycles++;
        if (!isStanding)
        {
            times.Tick();
        }
        if (isMoving)
        {
            settled = cycles + QUIET;
        }
        if (isMoving || isAnswered || !IsPending())
        {
            moved = cycles;
        }
        if (cycles > moved + ClockedDatapath::PATIENCE)
        {
            throw std::runtime_error("the datapath stopped moving at frame " + std::to_string(reports.Judged() + 1));
        }
        return true;
    }

    /// Begins an access. Returns whether it may: the one before has been taken back.
    bool BeginAccess(const HostAccess& access)
    {
        return accesses.Begin(access);
    }

    /// The access that has ended, once.
    std::optional<HostAccess> TakeAnswer()
    {
        return accesses.TakeAnswer();
    }

    /// An access for which time stands still.
    HostAccess AccessNow(const HostAccess& access)
    {
        if (!BeginAccess(access))
        {
            throw std::runtime_error("another access is under way");
        }
        StandUntilDone();
        return AxiLiteHost<Stream>::Checked(*TakeAnswer());
    }

    /// Clocks for which time stands still, until counters have what has left.
    void Rest()
    {
        model.Top().s_axis_tvalid = 0;
        for (uint64_t clock = 0; clock < QUIET; clock++)
        {
            Clock();
            clock = IsHiddenNew() ? 0 : clock;
        }
    }

    HeldFrames frames;
    bool isSteady = false; ///< every clock is simulated, so that no jump of time can change anything

    /// Frames that have their verdict, an overlong one when it has come.
    uint64_t Judged() const
    {
        return reports.Judged();
    }

    /// A frame that has left or was dropped, each once, in the order in which they did.
    std::optional<uint64_t> NextGone() const
    {
        return reports.gone.empty() ? std::nullopt : std::optional(reports.gone.front());
    }

    void TakeGone()
    {
        passage.TakeGone();
    }

    /// Of a queue so far.
    SluiceQueue OfQueue(uint32_t queue) const
    {
        return reports.queued.Counts(queue);
    }

  private:
    friend AxiLiteHost<Stream>;

    /// Clocks from the last movement at the ports, or the last jump, until tile and shaper have taken note of it.
    static constexpr uint64_t QUIET = 16 + ANSWER;

    /// Clocks in which a frame that has been read from the staging memory is at the output, if the link is free.
    static constexpr uint64_t EXIT = 64 + ANSWER;

    /// Clocks without any movement after which a tile that owes a frame has it, and the link does not take it yet.
    static constexpr uint64_t HELD_UP = 4096;

    /// Whether something moves, or should.
    bool IsPending() const
    {
        return passage.IsOnWay() || passage.IsOffered() || accesses.AreUnderWay();
    }

    /// Whether nothing moves until a frame comes or the link is free.
    bool IsSettled() const
    {
        const uint64_t passed = reports.ReadAt() + (passage.IsOnWay() ? EXIT : 0);
        return !isSteady && !isStanding && cycles > settled && cycles > passed &&
               reports.Judged() >= passage.Entered() && !accesses.AreUnderWay() &&
               !(passage.IsOffered() && model.Top().s_axis_tready) && (!HAS_QUEUES || AreQueuesSettled());
    }

    /// The same of the link of many queues: it waits for time and not for clocks, and frames wait for it. What it is
    /// owed comes at once, unless as much has come as it can keep.
    bool AreQueuesSettled() const
    {
        const bool isInDebt = !times.IsLinkFree();
        const bool isHeldUp = isInDebt && !reports.leaving.empty() && cycles > moved + HELD_UP;
        return cycles > askedAt + Beats(reports.LastBytes()) + ASKING && (isInDebt || !passage.IsOnWay()) &&
               (isHeldUp || !reports.IsAnswerDue(hidden.asks));
    }

    /// Whether something has moved that no port shows.
    bool IsHiddenNew()
    {
        const Hidden& its = model.ItsHidden();
        const bool isNew = its != hidden;
        if (its.asks != hidden.asks)
        {
            times.Ask();
            askedAt = cycles;
        }
        hidden = its;
        return isNew;
    }

    uint64_t NextJump() const
    {
        const uint64_t arrivalNs = passage.NextArrivalNs(); // what is held back waits for the link
        const uint64_t enteredNs = arrivalNs == NEVER ? NEVER : times.BeforeArrival(arrivalNs);
        const uint64_t next = std::min(times.LinkNs(), enteredNs);
        const bool isOwed = next == NEVER && (passage.IsOnWay() || passage.IsOffered());
        return isOwed ? times.Now() : std::max(next, times.Now());
    }

    /// Lets the times follow what comes to the tile, and jump to what comes to the input.
    void Follow(uint64_t untilNs)
    {
        if (model.Top().m_flow_valid)
        {
            times.Follow(reports.NextNamed());
        }
        model.Top().now_ns = times.Now();
        if (passage.IsBetween())
        {
            const HeldFrame& next = frames[passage.Entered()];
            const bool isAhead = times.InputNow() < next.arrivalNs && next.arrivalNs <= untilNs;
            if (isAhead && times.MayJumpInput(next) && !isSteady && !isStanding &&
                !accesses.AreUnderWay() &&     // which frames come before what it changes is not to depend on a jump
                !accesses.settings.isStalling) // an input that waits looks at the frames before it
            {
                times.JumpInput(next.arrivalNs);
            }
        }
    }

    /// The shaper is set to something else.
    void TakeSettings()
    {
        times.Set(accesses.settings);
    }

    /// Whole stretches of them, so that it does not depend on the accesses of before what becomes of frames.
    void StandUntilDone()
    {
        isStanding = true;
        while (accesses.AreUnderWay() || cycles % STRETCH != 0)
        {
            if (!Turn(NEVER))
            {
                Clock();
                cycles++;
            }
        }
        isStanding = false;
    }

    void Clock()
    {
        model.Wake({.isAll = isSteady,
                    .readAt = std::max(reports.ReadAt(), HAS_QUEUES ? settled : 0),
                    .isQueued = passage.Gone() < reports.Judged(),
                    .isAccessing = accesses.AreUnderWay()},
                   cycles);
        model.Clock();
    }

    VDatapath& Top()
    {
        return model.Top();
    }

    void Evaluate()
    {
        model.Evaluate();
    }

    ClockedDatapath model;
    Accesses<Stream> accesses{*this};
    Reports reports{frames};
    Times times;
    Passage passage{model.Top(), frames, reports, times};

    Hidden hidden; ///< as it was last looked at
    uint64_t cycles = 0;
    uint64_t moved = 0;      ///< the clock of the last movement
    uint64_t askedAt = 0;    ///< that of the last ask of the link of many queues
    uint64_t settled = 0;    ///< the first clock in which time may jump, if no frame waits for its verdict
    bool isStanding = false; ///< time stands still

    uint64_t lastArrivalNs = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_STREAM_H
