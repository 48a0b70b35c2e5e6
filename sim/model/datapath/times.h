// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The times of a datapath. Only tile and shaper look at the time. So the input has a time of its own, which is ahead of
// theirs while frames are on the way to the tile: a frame enters, and the input's time jumps to its arrival, as soon as
// the frame before it will have left when this one is at the tile's door; there the tile's time jumps as far. Where
// frames wait for a slow link, both times jump as one: while nothing moves, to the next arrival or to shortly before
// the end of the frame on the link, whichever is first. Where the link becomes free, clocks run until the tile knows
// that it is idle.
//
// All jumps are whole numbers of clocks. Of many queues both times jump as one, for the link does not know how long the
// frame is that it asks for: it looks at the time that passed in some hundred clocks before and behind an ask, and so
// none of these are jumped over, and jumps are whole numbers of the stretches that it divides time into.
#ifndef SLUICE_DATAPATH_TIMES_H
#define SLUICE_DATAPATH_TIMES_H

#include "datapath/frames.h"
#include "datapath/held-frames.h"
#include "datapath/link.h"
#include "datapath/settings.h"

#include <algorithm>
#include <cstdint>

namespace sluice
{

/// Never; and the time of what is not known and far away.
constexpr uint64_t NEVER = UINT64_MAX;
constexpr uint64_t FAR = NEVER / 2;

/// Clocks in which a tile that is asked answers, also after heads that were judged too early, and knows of it; and in
/// which the link of many queues asks for more behind an answer.
constexpr uint64_t ANSWER = HAS_QUEUES ? 144 : IS_TOLD ? 64 : 0;

/// That link looks at the time of two stretches before an ask, and keeps the ask as long in mind.
constexpr uint64_t STRETCH = HAS_QUEUES ? 128 : 1;
constexpr uint64_t ASKING = 2 * STRETCH + 96;

class Times
{
  public:
    static constexpr uint64_t PERIOD_NS = SLUICE_DATAPATH_PERIOD_NS;

    /// Of tile and shaper.
    uint64_t Now() const
    {
        return now;
    }

    uint64_t InputNow() const
    {
        return now + jumpedNs - followedNs;
    }

    /// Time that the input has jumped over ahead of the tile, so far.
    uint64_t JumpedNs() const
    {
        return jumpedNs;
    }

    /// What was before this time is over, and nothing was there.
    void Begin(uint64_t nowNs)
    {
        if (HAS_QUEUES)
        {
            Jump(BeforeArrival(nowNs));
        }
        else
        {
            now = std::max(now, nowNs);
        }
    }

    /// A clock.
    void Tick()
    {
        now += PERIOD_NS;
    }

    /// Both times jump. Returns whether there was a clock to jump over.
    bool Jump(uint64_t toNs)
    {
        constexpr uint64_t step = STRETCH * PERIOD_NS;
        const bool isAhead = toNs >= now + step;
        now += isAhead ? (toNs - now) / step * step : 0;
        return isAhead;
    }

    /// Whether the input's time may jump to a frame's arrival: it meets an empty queue and an idle link.
    bool MayJumpInput(const HeldFrame& frame) const
    {
        return !HAS_QUEUES && InputNow() + (Beats(frame.bytes) - 1) * PERIOD_NS >= clearNs;
    }

    void JumpInput(uint64_t arrivalNs)
    {
        jumpedNs += (arrivalNs - InputNow() + PERIOD_NS - 1) / PERIOD_NS * PERIOD_NS;
    }

    /// The tile's time jumps as far as the input's had when the frame entered that is at the tile's door.
    void Follow(const HeldFrame& frame)
    {
        now += frame.jumpedNs - followedNs;
        followedNs = frame.jumpedNs;
    }

    /// Nothing moves any more; and everything that has come may have left.
    void Settle(bool isEmpty)
    {
        now = InputNow(); // also of an overlong frame, which never comes to the tile
        followedNs = jumpedNs;
        if (now >= link.FreeNs() + MARGIN_NS && isEmpty)
        {
            goneNs = clearNs = std::min(clearNs, now); // frames that were dropped have not used the link
        }
    }

    /// When the link is to be looked at again; NEVER: nobody is on it.
    uint64_t LinkNs() const
    {
        // A frame waits for it, or the tile's idle time begins with it.
        return now < link.FreeNs() + MARGIN_NS ? link.FreeNs() - std::min(link.FreeNs(), MARGIN_NS) : NEVER;
    }

    /// Whether a frame that waits for the link may start now, or soon.
    bool IsLinkFree() const
    {
        return now + MARGIN_NS >= link.FreeNs();
    }

    /// A frame's last beat is in.
    void Entered(uint32_t bytes)
    {
        const uint64_t aloneNs = (SLUICE_MAP.latency_cycles - SLUICE_MAP.lead_cycles + LEAVE) * PERIOD_NS;
        const auto linkNs = static_cast<uint64_t>(link.CostNs(bytes));
        const uint64_t beatsNs = Beats(bytes) * PERIOD_NS;
        const uint64_t takenNs = std::max(goneNs, InputNow() + aloneNs) + beatsNs;
        goneNs = takenNs + std::max(linkNs, beatsNs);
        // A link that asks does so when the frame's beats are through, and only then is it idle to the tile.
        clearNs = IS_TOLD ? goneNs : std::max(takenNs + linkNs, goneNs - aloneNs);
    }

    /// A frame's first beat leaves. Returns when that is: what has been jumped over since it was judged, it has not
    /// waited.
    uint64_t Leave(const HeldFrame& frame)
    {
        const uint64_t departureNs = now - (followedNs - frame.jumpedNs);
        link.Start(departureNs, frame.bytes);
        return departureNs;
    }

    /// The link of many queues asks for a frame.
    void Ask()
    {
        link.Ask(now);
    }

    /// How far time may jump to a frame's arrival: an idle link of many queues asks for the next one when it has come.
    uint64_t BeforeArrival(uint64_t arrivalNs) const
    {
        if (HAS_QUEUES && arrivalNs + MARGIN_NS > link.FreeNs())
        {
            return arrivalNs - std::min(arrivalNs, MARGIN_NS);
        }
        return arrivalNs + PERIOD_NS - 1;
    }

    /// The shaper is set to something else.
    void Set(const Settings& its)
    {
        link.Set(now, its.nsPerByte, its.overheadBytes, its.burstNs);
        goneNs = clearNs = FAR; // until it is seen again: frames on the way may take longer now
    }

  private:
    /// Time around the moment in which the link is free again that is never jumped over.
    static constexpr uint64_t MARGIN_NS = (HAS_QUEUES ? ASKING : 32 + ANSWER) * PERIOD_NS;

    /// Clocks from the verdict on a frame that has the datapath to itself until the tile knows of the idle link,
    /// besides one for each beat and the frame's time on the link.
    static constexpr uint64_t LEAVE = 28 + ANSWER;

    Link link{HAS_QUEUES ? 2 * STRETCH * PERIOD_NS : 0}; // behind an ask
    uint64_t now = 0;
    uint64_t jumpedNs = 0;
    uint64_t followedNs = 0; ///< as much of it as the tile's has jumped over too

    /// Times at the input, at the latest: what has its last beat from `clearNs` on meets an empty queue and an idle
    /// link, and nothing before it on its way out; and at `goneNs` the last frame has left.
    uint64_t clearNs = 0, goneNs = 0;
};

} // namespace sluice

#endif // SLUICE_DATAPATH_TIMES_H
