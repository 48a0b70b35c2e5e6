// SPDX-License-Identifier: Apache-2.0
#include "path/path.h"

#include <algorithm>
#include <poll.h>
#include <sys/prctl.h>

namespace sluice::live
{

namespace
{

/// Frames on a wire have at least so many bytes without their check sequence;
/// the kernel sends shorter ones.
constexpr uint32_t LEAST_BYTES = 60;

/// Clocks until the devices are looked at again.
constexpr uint64_t MOST_CLOCKS = 128;

/// A model that is behind by more takes no more frames.
constexpr uint64_t MOST_LAG_NS = 1000000000;

/// How long frames may take to come out when the run is over.
constexpr uint64_t MOST_DRAIN_NS = 1000000000;

/// Verdicts, or frames, that are taken in one call.
constexpr size_t ROOM = 64;

uint64_t
Behind(uint64_t nowNs, uint64_t thenNs)
{
    return nowNs - std::min(nowNs, thenNs);
}

} // namespace

Path::Path(const Wall& itsWall,
           const Endpoint& itsFrom,
           const Endpoint& itsTo,
           std::optional<Model> itsModel,
           uint64_t itsDelayNs,
           Tape* itsTape)
    : wall(itsWall),
      from(itsFrom),
      to(itsTo),
      model(std::move(itsModel)),
      delayNs(itsDelayNs),
      tape(itsTape),
      wake(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")
{
}

Path::~Path()
{
    Stop();
}

void
Path::Start()
{
    thread = std::thread([this] {
        try
        {
            Run();
        }
        catch (const std::exception& error)
        {
            failure = error.what();
            hasFailed.store(true, std::memory_order_release);
        }
        mailbox.Close();
    });
}

void
Path::Stop()
{
    isStopping.store(true, std::memory_order_relaxed);
    eventfd_write(wake.Get(), 1);
    if (thread.joinable())
    {
        thread.join();
    }
}

std::string
Path::Failure() const
{
    return hasFailed.load(std::memory_order_acquire) ? failure : "";
}

void
Path::Run()
{
    prctl(PR_SET_TIMERSLACK,
          1); // a thread of the normal class wakes 50 us late by default
    for (uint64_t stopNs = 0;;)
    {
        const uint64_t nowNs = wall.Now();
        if (stopNs == 0 && isStopping.load(std::memory_order_relaxed))
        {
            stopNs = nowNs + MOST_DRAIN_NS;
        }
        if (stopNs == 0)
        {
            Drain(nowNs);
        }
        if (model)
        {
            RunModel(nowNs);
            TakeOut();
            registers.Serve(*model, tape);
        }
        WriteDue();
        const uint64_t nextNs = std::min(model ? model->NextEvent() : UINT64_MAX, line.NextNs());
        if (stopNs != 0 && (wall.Now() > stopNs || (gone == offered && line.NextNs() == UINT64_MAX)))
        {
            return;
        }
        Sleep(stopNs == 0 ? nextNs : std::min(nextNs, stopNs));
    }
}

/// Reads all frames that the device has, before the model is clocked: so no
/// queue that nobody sees builds up there. They all have come now, and enter
/// one behind the other.
void
Path::Drain(uint64_t nowNs)
{
    const bool isLate = model && LagNs(nowNs) > MOST_LAG_NS;
    while (uint32_t bytes = from.Read(frame.data()))
    {
        if (bytes < LEAST_BYTES)
        {
            std::fill(frame.begin() + bytes, frame.begin() + LEAST_BYTES, 0);
            bytes = LEAST_BYTES;
        }
        const bool isIn = !isLate && (model ? model->Offer(nowNs, frame.data(), bytes)
                                            : line.Put(nowNs + delayNs, frame.data(), bytes));
        if (!isIn)
        {
            Add(counters.overrun, 1);
            continue;
        }
        Add(counters.inFrames, 1);
        Add(counters.inBytes, bytes);
        if (model && offered++ == gone)
        {
            busyFromNs = nowNs;
        }
        if (tape)
        {
            const std::span its(frame.data(), bytes);
            tape->Put({.kind = TapeEvent::Kind::Offered, .action = SLUICE_PASS, .reason = 0}, its);
            if (!model)
            {
                tape->Put({.kind = TapeEvent::Kind::Judged, .action = SLUICE_PASS, .reason = 0, .timeNs = nowNs}, {});
                tape->Put({.kind = TapeEvent::Kind::Gone,
                           .action = SLUICE_PASS,
                           .reason = 0,
                           .timeNs = nowNs,
                           .frame = taped++},
                          its);
            }
        }
    }
}

void
Path::RunModel(uint64_t nowNs)
{
    if (model->NextEvent() > nowNs)
    {
        return;
    }
    counters.lag.Note(LagNs(nowNs));
    Add(counters.clocks, model->RunUntil(nowNs, MOST_CLOCKS));
    Add(counters.busyNs, wall.Now() - nowNs);
}

/// How far the model is behind the wall with frames that it has. The time of an idle one stands, also while it answers
/// an access to its registers: that is no lag.
uint64_t
Path::LagNs(uint64_t nowNs) const
{
    return gone == offered ? 0 : Behind(nowNs, std::max(model->NextEvent(), busyFromNs));
}

/// Takes what the model has done with frames.
void
Path::TakeOut()
{
    std::array<SluiceVerdict, ROOM> verdicts;
    for (std::span<const SluiceVerdict> some; !(some = model->Verdicts(verdicts)).empty();)
    {
        for (const SluiceVerdict& verdict : some)
        {
            if (tape)
            {
                tape->Put({.kind = TapeEvent::Kind::Judged,
                           .action = verdict.seen.action,
                           .reason = verdict.seen.reason,
                           .timeNs = verdict.entryNs},
                          {});
            }
        }
    }
    std::array<SluiceDeparted, ROOM> departed;
    for (std::span<const SluiceDeparted> some; !(some = model->Departed(departed)).empty();)
    {
        for (const SluiceDeparted& its : some)
        {
            gone++;
            if (its.bytes == 0)
            {
                Add(counters.drops[its.reason], 1);
            }
            else
            {
                if (its.action == SLUICE_MARK)
                {
                    Add(counters.marks[its.reason], 1);
                }
                counters.delay.Note(its.departureNs - its.entryNs);
                if (!line.Put(its.departureNs + delayNs, its.data, its.bytes))
                {
                    Add(counters.overrun, 1);
                }
            }
            if (tape)
            {
                tape->Put({.kind = TapeEvent::Kind::Gone,
                           .action = its.action,
                           .reason = its.reason,
                           .timeNs = its.departureNs,
                           .frame = its.frame},
                          {its.data, its.bytes});
            }
        }
    }
    counters.queued.store(offered - gone, std::memory_order_relaxed);
}

void
Path::WriteDue()
{
    for (uint64_t nowNs = wall.Now(); line.NextNs() <= nowNs; nowNs = wall.Now())
    {
        const DelayedFrame& due = line.Front();
        counters.late.Note(Behind(nowNs, due.dueNs));
        const bool isTaken = to.Write(line.FrontData(), due.bytes);
        Add(isTaken ? counters.outFrames : counters.refused, 1);
        Add(counters.outBytes, isTaken ? due.bytes : 0);
        line.Drop();
    }
}

/// Until a frame comes, or somebody rings, or that time.
void
Path::Sleep(uint64_t nextNs)
{
    const uint64_t nowNs = wall.Now();
    if (nextNs <= nowNs)
    {
        return;
    }
    const uint64_t restNs = nextNs - nowNs;
    const timespec rest{static_cast<time_t>(restNs / 1000000000), static_cast<long>(restNs % 1000000000)};
    std::array<pollfd, 3> awaited{{{from.Tap(), POLLIN, 0}, {wake.Get(), POLLIN, 0}, {mailbox.Wake(), POLLIN, 0}}};
    const int ready = ppoll(awaited.data(), awaited.size(), nextNs == UINT64_MAX ? nullptr : &rest, nullptr);
    if (ready == 0)
    {
        counters.slept.Note(Behind(wall.Now(), nextNs));
    }
    if (awaited[1].revents)
    {
        eventfd_t rings;
        eventfd_read(wake.Get(), &rings);
    }
}

} // namespace sluice::live
