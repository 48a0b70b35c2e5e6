// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Drives a Verilated datapath, whose C header library.mk includes, clock by clock: frames and accesses to its registers
// go in as they come, verdicts and frames come out. Time is an input of the datapath, so that clocks in which nothing
// can happen are jumped over, always a whole number of them. What is seen is what a clock that never jumps shows.
//
// Time jumps only to what happens: an arrival, or shortly before the link is free. So what becomes of frames depends on
// their arrivals alone, and not on how far the time goes in one call.
//
// Only tile and shaper look at the time. So the input has a time of its own, which is ahead of theirs while frames are
// on the way to the tile: a frame enters, and the input's time jumps to its arrival, as soon as the frame before it
// will have left when this one is at the tile's door; there the tile's time jumps as far. Where frames wait for a slow
// link, both times jump as one: while nothing moves, to the next arrival or to shortly before the end of the frame on
// the link, whichever is first. Where the link becomes free, clocks run until the tile knows that it is idle.
//
// A tile that is asked for each packet may still drop a frame, or mark it, when the link wants it: m_left says so of
// each frame that was let in, before its first beat.
#ifndef SLUICE_DATAPATH_STREAM_H
#define SLUICE_DATAPATH_STREAM_H

#include "datapath/accesses.h"
#include "datapath/frame-ring.h"
#include "datapath/frames.h"
#include "datapath/link.h"
#include "datapath/reports.h"
#include "datapath/rooms.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <verilated.h>

namespace sluice
{

/// Never; and the time of what is not known and far away.
constexpr uint64_t NEVER = UINT64_MAX;
constexpr uint64_t FAR = NEVER / 2;

class Stream
{
  public:
    /// A datapath after its reset, whose flow hash has its tables. Its time is 0.
    Stream()
    {
        top->s_axis_tvalid = 0;
        top->m_axis_tready = 1;
        accesses.Start();
        top->now_ns = 0;
        top->rst = 1;
        rooms.WakeAll(REGISTERS);
        Clock(4);
        top->rst = 0;
        ClockUntil([this] { return top->s_axis_tready; });
        StandUntilDone();
    }

    uint64_t Now() const
    {
        return now;
    }

    uint64_t Clocks() const
    {
        return cycles;
    }

    const Rooms& ItsRooms() const
    {
        return rooms;
    }

    /// What was before this time is over, and nothing was there.
    void Begin(uint64_t nowNs)
    {
        now = std::max(now, nowNs);
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
        return frames.end - 1;
    }

    /// Earliest time at which something happens; NEVER: not before something comes.
    uint64_t NextEvent() const
    {
        return IsSettled() ? NextJump() : InputNow();
    }

    /// Jumps to what happens next, if nothing is under way, and runs a clock. Returns whether there was something to be
    /// done up to that time.
    bool Turn(uint64_t untilNs)
    {
        if (IsSettled())
        {
            Settle();
            const uint64_t next = NextJump();
            if (next == NEVER || next > untilNs)
            {
                return false;
            }
            if (next >= now + PERIOD_NS)
            {
                now += (next - now) / PERIOD_NS * PERIOD_NS;
                settled = cycles + QUIET;
            }
        }
        if (InputNow() > untilNs || (isSteady && !IsPending() && in.frame == frames.end))
        {
            return false;
        }
        const bool isTaken = Enter(untilNs);
        bool isMoving = reports.Listen(*top, in.frame, cycles);
        isMoving |= Leave();
        if (isTaken)
        {
            Entered();
            isMoving = true;
        }
        const bool isAnswered = accesses.Step([this] { TakeSettings(); });
        WakeRooms();
        Clock();
        cycles++;
        now += isStanding ? 0 : PERIOD_NS;
        if (isMoving)
        {
            settled = cycles + QUIET;
        }
        if (isMoving || isAnswered || !IsPending())
        {
            moved = cycles;
        }
        if (cycles > moved + PATIENCE)
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
        top->s_axis_tvalid = 0;
        for (uint64_t clock = 0; clock < QUIET; clock++)
        {
            WakeRooms();
            Clock();
        }
    }

    FrameRing frames;
    bool isSteady = false; ///< every clock is simulated, so that no jump of time can change anything

    /// Frames that have their verdict, an overlong one when it has come.
    uint64_t Judged() const
    {
        return reports.Judged();
    }

    /// Frames that have left or were dropped.
    uint64_t Gone() const
    {
        return out.frame;
    }

  private:
    friend AxiLiteHost<Stream>;

    static constexpr uint64_t PERIOD_NS = SLUICE_DATAPATH_PERIOD_NS;

    /// Clocks in which a tile that is asked answers, also after heads that were judged too early, and knows of it.
    static constexpr uint64_t ANSWER = IS_ASKED ? 64 : 0;

    /// Clocks from the last movement at the ports, or the last jump, until tile and shaper have taken note of it.
    static constexpr uint64_t QUIET = 16 + ANSWER;

    /// Clocks in which a frame that has been read from the staging memory is at the output, if the link is free.
    static constexpr uint64_t EXIT = 64 + ANSWER;

    /// Time around the moment in which the link is free again that is never jumped over.
    static constexpr uint64_t MARGIN_NS = (32 + ANSWER) * PERIOD_NS;

    /// Clocks from the verdict on a frame that has the datapath to itself until the tile knows of the idle link,
    /// besides one for each beat and the frame's time on the link.
    static constexpr uint64_t LEAVE = 28 + ANSWER;

    /// Clocks from when a frame should have been read from the staging memory until it is in the buffer.
    static constexpr uint64_t KEPT = 12;

    /// Clocks that the buffer goes on when all frames have left.
    static constexpr uint64_t GONE = 6 + ANSWER;

    /// Clocks that the registers go on after a reset and an access: a set of parameters may be refused, and then a word
    /// in force is read and its staged one written for each, either in at most eight clocks.
    inline static const uint64_t REGISTERS = 64 + 16 * SLUICE_MAP.parameter_count;

    /// Clocks without any movement, jumps notwithstanding, after which the datapath counts as stuck.
    static constexpr uint64_t PATIENCE = 1000000;

    /// Where frames go in or come out.
    struct Cursor
    {
        uint64_t frame = 0;
        uint32_t bytes = 0; ///< of it that are through
    };

    /// Has the rooms clocked in which something moves.
    void WakeRooms()
    {
        if (isSteady)
        {
            rooms.WakeAll(1);
        }
        const bool isKept = cycles <= reports.ReadAt() + KEPT;
        if (isKept)
        {
            rooms.Wake(Rooms::STAGING, 1);
            rooms.Wake(Rooms::KEPT, 1);
        }
        if (isKept || out.frame < reports.Judged())
        {
            rooms.Wake(Rooms::BUFFER, GONE);
        }
        if (accesses.AreUnderWay())
        {
            rooms.Wake(Rooms::REGISTERS, REGISTERS);
        }
    }

    uint64_t InputNow() const
    {
        return now + jumpedNs - followedNs;
    }

    /// Whether a beat is at the input.
    bool IsOffered() const
    {
        return in.frame < frames.end && (in.bytes > 0 || InputNow() >= frames[in.frame].arrivalNs);
    }

    /// Whether something moves, or should.
    bool IsPending() const
    {
        return out.frame < in.frame || IsOffered() || accesses.AreUnderWay();
    }

    /// Whether nothing moves until a frame comes or the link is free.
    bool IsSettled() const
    {
        const uint64_t passed = reports.ReadAt() + (out.frame < in.frame ? EXIT : 0);
        return !isSteady && cycles > settled && cycles > passed && reports.Judged() >= in.frame &&
               !accesses.AreUnderWay() && !(IsOffered() && top->s_axis_tready);
    }

    uint64_t NextJump() const
    {
        uint64_t next = NEVER;
        if (in.frame < frames.end && !IsOffered()) // what is held back waits for the link
        {
            next = frames[in.frame].arrivalNs + PERIOD_NS - 1;
        }
        if (now < link.FreeNs() + MARGIN_NS) // a frame waits for it, or the tile's idle time begins with it
        {
            next = std::min(next, link.FreeNs() - std::min(link.FreeNs(), MARGIN_NS));
        }
        const bool isOwed = next == NEVER && (out.frame < in.frame || IsOffered());
        return isOwed ? now : std::max(next, now);
    }

    void Settle()
    {
        now += jumpedNs - followedNs; // that of an overlong frame, which never comes to the tile
        followedNs = jumpedNs;
        if (now >= link.FreeNs() + MARGIN_NS && out.frame >= in.frame)
        {
            goneNs = clearNs = std::min(clearNs, now); // frames that were dropped have not used the link
        }
    }

    /// Offers the next beat. Returns whether it is taken.
    bool Enter(uint64_t untilNs)
    {
        if (top->m_flow_valid)
        {
            const uint64_t jumpedAt = reports.NextNamed().jumpedNs;
            now += jumpedAt - followedNs;
            followedNs = jumpedAt;
        }
        top->now_ns = now;
        if (in.frame < frames.end && in.bytes == 0)
        {
            const HeldFrame& next = frames[in.frame];
            const bool isAhead = InputNow() < next.arrivalNs && next.arrivalNs <= untilNs;
            if (isAhead && InputNow() + (Beats(next.bytes) - 1) * PERIOD_NS >= clearNs && !isSteady && !isStanding &&
                !accesses.AreUnderWay() &&     // which frames come before what it changes is not to depend on a jump
                !accesses.settings.isStalling) // an input that waits looks at the frames before it
            {
                jumpedNs += (next.arrivalNs - InputNow() + PERIOD_NS - 1) / PERIOD_NS * PERIOD_NS;
            }
        }
        const bool isOffered = IsOffered();
        top->s_axis_tvalid = isOffered;
        if (isOffered)
        {
            const HeldFrame& frame = frames[in.frame];
            Present(*top, frames.Data(frame), frame.bytes, in.bytes);
            PresentRtt(*top, in.bytes ? 0 : frame.portRttUs); // it is sampled with the first beat
        }
        return isOffered && top->s_axis_tready;
    }

    /// A beat is in.
    void Entered()
    {
        HeldFrame& frame = frames[in.frame];
        if (in.bytes == 0)
        {
            frame.entryNs = InputNow();
            frame.jumpedNs = jumpedNs;
        }
        in.bytes += std::min<uint32_t>(sizeof(top->s_axis_tdata), frame.bytes - in.bytes);
        if (in.bytes < frame.bytes)
        {
            return;
        }
        const uint64_t aloneNs = (SLUICE_MAP.latency_cycles - SLUICE_MAP.lead_cycles + LEAVE) * PERIOD_NS;
        const auto linkNs = static_cast<uint64_t>(link.CostNs(frame.bytes));
        const uint64_t beatsNs = Beats(frame.bytes) * PERIOD_NS;
        const uint64_t takenNs = std::max(goneNs, InputNow() + aloneNs) + beatsNs;
        goneNs = takenNs + std::max(linkNs, beatsNs);
        // A link that asks does so when the frame's beats are through, and only then is it idle to the tile.
        clearNs = IS_ASKED ? goneNs : std::max(takenNs + linkNs, goneNs - aloneNs);
        in = {in.frame + 1, 0};
    }

    /// Takes a beat that leaves. Returns whether there is one.
    bool Leave()
    {
        for (; out.frame < reports.Judged() && frames[out.frame].action >= SLUICE_DROP; out.frame++)
        {
            frames[out.frame].departureNs = 0;
        }
        if (!top->m_axis_tvalid)
        {
            return false;
        }
        HeldFrame& frame = frames[out.frame];
        if (out.frame >= reports.Judged() || !IsInPlace(*top, frame.bytes - out.bytes))
        {
            throw std::runtime_error("the datapath tears frame " + std::to_string(out.frame + 1));
        }
        if (out.bytes == 0)
        {
            // What has been jumped over since it was judged, it has not waited.
            frame.departureNs = now - (followedNs - frame.jumpedNs);
            link.Start(frame.departureNs, frame.bytes);
        }
        const uint32_t count = std::min<uint32_t>(sizeof(top->m_axis_tdata), frame.bytes - out.bytes);
        std::memcpy(frames.Data(frame) + out.bytes, &top->m_axis_tdata, count);
        out.bytes += count;
        if (out.bytes == frame.bytes)
        {
            out = {out.frame + 1, 0};
        }
        return true;
    }

    /// The shaper is set to something else.
    void TakeSettings()
    {
        const Settings& its = accesses.settings;
        link.Set(now, its.nsPerByte, its.overheadBytes, its.burstNs);
        goneNs = clearNs = FAR; // until it is seen again: frames on the way may take longer now
    }

    void StandUntilDone()
    {
        isStanding = true;
        while (accesses.AreUnderWay())
        {
            Turn(NEVER);
        }
        isStanding = false;
    }

    void Clock(uint64_t clocks = 1)
    {
        for (uint64_t i = 0; i < clocks; i++)
        {
            rooms.Clock();
        }
    }

    template <typename Condition>
    void ClockUntil(Condition condition)
    {
        for (uint64_t i = 0; !condition(); i++)
        {
            if (i == PATIENCE)
            {
                throw std::runtime_error("the datapath does not answer");
            }
            Clock();
        }
    }

    VDatapath& Top()
    {
        return *top;
    }

    void Evaluate()
    {
        rooms.Evaluate();
    }

    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<VDatapath> top = std::make_unique<VDatapath>(context.get());
    Accesses<Stream> accesses{*this};
    Reports reports{frames};
    Rooms rooms{*top};
    Link link;

    uint64_t now = 0; ///< of tile and shaper
    uint64_t cycles = 0;
    uint64_t moved = 0;      ///< the clock of the last movement
    uint64_t settled = 0;    ///< the first clock in which time may jump, if no frame waits for its verdict
    bool isStanding = false; ///< time stands still

    Cursor in, out;
    uint64_t lastArrivalNs = 0;

    uint64_t jumpedNs = 0;   ///< time that the input has jumped over ahead of the tile, so far
    uint64_t followedNs = 0; ///< as much of it as the tile's has jumped over too
    /// Times at the input, at the latest: what has its last beat from `clearNs` on meets an empty queue and an idle
    /// link, and nothing before it on its way out; and at `goneNs` the last frame has left.
    uint64_t clearNs = 0, goneNs = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_STREAM_H
