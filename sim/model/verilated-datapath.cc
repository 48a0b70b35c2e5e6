// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Drives a Verilated datapath, whose C header library.mk includes, clock by clock. Time is an input of the datapath,
// so that clocks in which nothing can happen are jumped over, always a whole number of them. What is seen is what a
// clock that never jumps shows.
//
// Only tile and shaper look at the time. So the input has a time of its own, which is ahead of theirs while frames are
// on the way to the tile: a frame enters, and the input's time jumps to its arrival, as soon as the frame before it
// will have left when this one is at the tile's door; there the tile's time jumps as far. Where frames wait for a slow
// link, both times jump as one: while nothing moves, to the next arrival or to shortly before the end of the frame on
// the link, whichever is first.
//
// A tile that is asked for each packet may still drop a frame, or mark it, when the link wants it: m_left says so of
// each frame that was let in, before its first beat.
#include "axi-lite-host.h"
#include "datapath-frames.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#include <verilated.h>

using namespace sluice;

namespace
{

/// Clocks in which such a tile answers, also after heads that were judged too early, and knows of it.
constexpr uint64_t ANSWER = IS_ASKED ? 64 : 0;

/// Clocks from the last movement at the ports, or the last jump, until tile and shaper have taken note of it.
constexpr uint64_t QUIET = 16 + ANSWER;

/// Clocks in which a frame that has been read from the staging memory is at the output, if the link is free.
constexpr uint64_t EXIT = 64 + ANSWER;

/// Clocks around the time at which the link is free again that are never jumped over.
constexpr uint64_t LINK_MARGIN = 32 + ANSWER;

/// Clocks from the verdict on a frame that has the datapath to itself until the tile knows of the idle link, besides
/// one for each beat and the frame's time on the link.
constexpr uint64_t LEAVE = 28 + ANSWER;

/// Clocks without any movement, jumps notwithstanding, after which the datapath counts as stuck.
constexpr uint64_t PATIENCE = 1000000;

/// Verdicts between two calls of the progress function.
constexpr uint64_t PROGRESS = 1000;

/// Longer frames get no verdict: the datapath drops them as they arrive.
constexpr uint32_t LONGEST = 9600;

/// Where a stream stands.
struct Cursor
{
    uint64_t frame = 0; ///< index in the capture
    uint32_t bytes = 0; ///< of it that are through
};

} // namespace

struct SluiceDatapath
{
    SluiceDatapath()
        : context(std::make_unique<VerilatedContext>()),
          top(std::make_unique<VDatapath>(context.get()))
    {
        top->s_axis_tvalid = 0;
        top->m_axis_tready = 1;
        host.Begin();
        top->now_ns = 0;
        top->rst = 1;
        Clock(4);
        top->rst = 0;
        ClockUntil([this] { return top->s_axis_tready; }); // the flow hash computes its tables
    }

    void Clock(int cycles = 1)
    {
        for (int i = 0; i < cycles; i++)
        {
            top->clk = 0;
            top->eval();
            top->clk = 1;
            top->eval();
        }
    }

    /// The shaper's token bucket once more, as seen at the output: a frame starts, earns the time since the last one
    /// and pays for itself.
    void PayForLink(uint64_t now, const SluiceReplay& r, uint32_t bytes)
    {
        const double earned = std::min(r.linkBurstNs, savedNs + static_cast<double>(now - savedAtNs));
        savedNs = earned - (bytes + r.linkOverheadBytes) * r.linkNsPerByte;
        savedAtNs = now;
        linkFreeNs = now + static_cast<uint64_t>(std::max(0.0, -savedNs));
    }

    uint64_t Replay(const SluiceReplay& r, void (*progress)(uint64_t))
    {
        const bool mayLead = !r.isSteady && !Setting("stall"); // an input that waits looks at the frames before it
        const uint64_t margin = LINK_MARGIN * r.periodNs;
        std::vector<uint64_t> jumpedAt(r.frames); // `jumped` as each frame enters
        uint64_t jumped = 0;                      // time that the input has jumped over ahead of the tile, so far
        uint64_t followed = 0;                    // as much of it as the tile's has jumped over too
        // Times at the input, at the latest: what has its last beat from then on meets an empty queue and an idle link,
        // and nothing before it on its way out; and the last frame has left.
        uint64_t clearNs = 0;
        uint64_t goneNs = 0;
        const uint64_t aloneNs = (SLUICE_MAP.latency_cycles - SLUICE_MAP.lead_cycles + LEAVE) * r.periodNs;
        Cursor in;
        Cursor out;
        uint64_t parsed = 0;
        uint64_t named = 0;
        uint64_t judged = 0;
        uint64_t left = 0; // the queue of a tile that is asked
        uint64_t now = r.frames ? std::max(top->now_ns, r.arrivalNs[0]) : top->now_ns;
        uint64_t cycles = 0;
        uint64_t moved = 0;   // the clock of the last movement
        uint64_t settled = 0; // the first clock in which time may jump, if no frame waits for its verdict
        uint64_t read = 0;    // the clock in which the last frame with a verdict has been read from the staging memory
        const auto skip = [&r](uint64_t& frame) { // over frames that the datapath says nothing of
            while (frame < r.frames && r.bytes[frame] > LONGEST)
            {
                r.seen[frame++].action = SLUICE_OVERSIZE;
            }
        };
        skip(parsed);
        skip(named);
        skip(judged);
        while (in.frame < r.frames || judged < r.frames || out.frame < r.frames)
        {
            if (top->m_flow_valid)
            {
                now += jumpedAt[Came(r, named)] - followed;
                followed = jumpedAt[named];
            }
            top->now_ns = now;
            uint64_t inputNow = now + jumped - followed;
            const uint64_t beats = in.frame < r.frames ? Beats(r.bytes[in.frame]) : 0;
            if (in.frame < r.frames && in.bytes == 0 && inputNow < r.arrivalNs[in.frame] &&
                inputNow + (beats - 1) * r.periodNs >= clearNs && mayLead)
            {
                const uint64_t clocks = (r.arrivalNs[in.frame] - inputNow + r.periodNs - 1) / r.periodNs;
                jumped += clocks * r.periodNs;
                inputNow += clocks * r.periodNs;
            }
            const bool isOffered = in.frame < r.frames && (in.bytes > 0 || inputNow >= r.arrivalNs[in.frame]);
            top->s_axis_tvalid = isOffered;
            if (isOffered)
            {
                Present(*top, r.data + r.offset[in.frame], r.bytes[in.frame], in.bytes);
                PresentRtt(*top, in.bytes ? 0 : r.portRttUs[in.frame]); // it is sampled with the first beat
            }
            const bool isTaken = isOffered && top->s_axis_tready;
            bool isMoving = isTaken || top->m_axis_tvalid || top->m_verdict_valid || top->m_parsed_valid;
            if (top->m_parsed_valid)
            {
                Note(*top, r.seen[Came(r, parsed++)]);
                skip(parsed);
            }
            if (top->m_flow_valid)
            {
                NoteRtt(*top, r.seen[named]);
                r.seen[named++].flow = top->m_flow_id;
                skip(named);
            }
            if (top->m_verdict_valid)
            {
                SluiceSeen& seen = r.seen[Came(r, judged)];
                seen.action = top->m_verdict_action;
                seen.reason = top->m_verdict_reason;
                read = std::max(read, cycles) + r.bytes[judged] / sizeof(top->s_axis_tdata) + 1;
                if (++judged % PROGRESS == 0)
                {
                    progress(judged);
                }
                skip(judged);
            }
            isMoving |= NoteLeft(*top, r, left);
            while (out.frame < judged && r.seen[out.frame].action >= SLUICE_DROP)
            {
                r.departureNs[out.frame++] = 0;
            }
            if (top->m_axis_tvalid)
            {
                if (out.frame >= judged || !IsInPlace(*top, r.bytes[out.frame] - out.bytes))
                {
                    throw std::runtime_error("the datapath tears frame " + std::to_string(out.frame + 1));
                }
                const uint32_t total = r.bytes[out.frame];
                const uint32_t count = std::min<uint32_t>(sizeof(top->m_axis_tdata), total - out.bytes);
                std::memcpy(r.output + r.offset[out.frame] + out.bytes, &top->m_axis_tdata, count);
                if (out.bytes == 0)
                {
                    // What has been jumped over since it was judged, it has not waited.
                    r.departureNs[out.frame] = now - (followed - jumpedAt[out.frame]);
                    PayForLink(r.departureNs[out.frame], r, total);
                }
                out.bytes += count;
                if (out.bytes == total)
                {
                    out = {out.frame + 1, 0};
                }
            }
            if (isTaken)
            {
                if (in.bytes == 0)
                {
                    r.entryNs[in.frame] = inputNow;
                    jumpedAt[in.frame] = jumped;
                }
                in.bytes += std::min<uint32_t>(sizeof(top->s_axis_tdata), r.bytes[in.frame] - in.bytes);
                if (in.bytes == r.bytes[in.frame])
                {
                    const auto linkNs = static_cast<uint64_t>((in.bytes + r.linkOverheadBytes) * r.linkNsPerByte);
                    const uint64_t takenNs = std::max(goneNs, inputNow + aloneNs) + beats * r.periodNs;
                    goneNs = takenNs + std::max(linkNs, beats * r.periodNs);
                    // A link that asks does so when the frame's beats are through, and only then is it idle to the
                    // tile.
                    clearNs = IS_ASKED ? goneNs : std::max(takenNs + linkNs, goneNs - aloneNs);
                    in = {in.frame + 1, 0};
                }
            }
            Clock();
            cycles++;
            now += r.periodNs;
            if (isMoving)
            {
                moved = cycles;
                settled = cycles + QUIET;
            }
            if (cycles > moved + PATIENCE)
            {
                throw std::runtime_error("the datapath stopped moving at frame " + std::to_string(judged + 1));
            }
            const bool isEmpty = out.frame >= in.frame;
            const uint64_t passed = read + (isEmpty ? 0 : EXIT);
            if (cycles > settled && cycles > passed && judged >= in.frame && !r.isSteady)
            {
                now += jumped - followed; // that of an overlong frame, which never comes to the tile
                followed = jumped;
                const bool isAwaited = in.frame < r.frames && !isOffered; // what is held back waits for the link
                uint64_t next = isAwaited ? r.arrivalNs[in.frame] + r.periodNs - 1 : UINT64_MAX;
                if (now < linkFreeNs + margin) // a frame waits for it, or the tile's idle time begins with it
                {
                    next = std::min(next, linkFreeNs - std::min(linkFreeNs, margin));
                }
                else if (isEmpty)
                {
                    goneNs = clearNs = std::min(clearNs, now); // frames that were dropped have not used the link
                }
                if (next != UINT64_MAX && next >= now + r.periodNs)
                {
                    now += (next - now) / r.periodNs * r.periodNs;
                    settled = cycles + QUIET;
                }
            }
        }
        progress(judged);
        top->s_axis_tvalid = 0;
        Clock(QUIET); // until the counters have the last frame too
        return std::max<uint64_t>(cycles, 1);
    }

    /// A parameter's raw value.
    uint32_t Setting(std::string_view name)
    {
        const std::span parameters(SLUICE_MAP.parameters, SLUICE_MAP.parameter_count);
        const auto its = std::ranges::find(parameters, name, [](const auto& p) { return std::string_view(p.name); });
        return its == parameters.end() ? 0 : Read(its->address + SLUICE_IN_FORCE_OFFSET);
    }

    uint32_t Read(uint32_t address)
    {
        return host.Read(address);
    }

    void Write(uint32_t address, uint32_t value)
    {
        host.Write(address, value);
    }

    VDatapath& Top()
    {
        return *top;
    }

    void Evaluate()
    {
        top->eval();
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

    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<VDatapath> top;
    sluice::AxiLiteHost<SluiceDatapath> host{*this};
    double savedNs = 0;      ///< link time in the bucket, owed below zero, as the last frame started
    uint64_t savedAtNs = 0;  ///< when that was
    uint64_t linkFreeNs = 0; ///< when the debt is paid
};

namespace
{

thread_local std::string g_error; ///< why the last call that failed did, in this thread

/// What a call returns, or 0 where it throws; then the error says why. No exception leaves the library.
template <typename Call>
auto
Guarded(Call call) noexcept -> decltype(call())
{
    try
    {
        return call();
    }
    catch (const std::exception& error)
    {
        g_error = error.what();
        return {};
    }
}

} // namespace

extern "C" __attribute__((visibility("default"))) SluiceDatapath*
sluice_datapath_create()
{
    return Guarded([] { return new SluiceDatapath; });
}

extern "C" __attribute__((visibility("default"))) void
sluice_datapath_destroy(SluiceDatapath* datapath)
{
    delete datapath;
}

extern "C" __attribute__((visibility("default"))) const char*
sluice_datapath_error()
{
    return g_error.c_str();
}

extern "C" __attribute__((visibility("default"))) uint32_t
sluice_datapath_read(SluiceDatapath* datapath, uint32_t address, uint32_t* value)
{
    return Guarded([&] {
        *value = datapath->Read(address);
        return true;
    });
}

extern "C" __attribute__((visibility("default"))) uint32_t
sluice_datapath_write(SluiceDatapath* datapath, uint32_t address, uint32_t value)
{
    return Guarded([&] {
        datapath->Write(address, value);
        return true;
    });
}

extern "C" __attribute__((visibility("default"))) uint64_t
sluice_datapath_replay(SluiceDatapath* datapath, const SluiceReplay* replay, void (*progress)(uint64_t))
{
    return Guarded([&] { return datapath->Replay(*replay, progress); });
}

extern "C" __attribute__((visibility("default"))) uint32_t
sluice_datapath_seen_bytes()
{
    return sizeof(SluiceSeen);
}
