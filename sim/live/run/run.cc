// SPDX-License-Identifier: Apache-2.0
#include "run/run.h"

#include "child.h"
#include "control/server.h"
#include "net/endpoint.h"
#include "path/path.h"
#include "run/recorder.h"
#include "run/report.h"
#include "run/run-file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <system_error>

namespace sluice::live
{

namespace
{

/// Between two looks at the tapes, and at paths that have failed.
constexpr long TICK_NS = 100000000;
constexpr uint64_t TICKS_PER_LINE = 10;

/// Asks for the class SCHED_FIFO, which threads that are begun have from
/// whoever begins them.
bool
BeFifo(bool isWanted)
{
    const sched_param parameters{.sched_priority = isWanted ? 10 : 0};
    return sched_setscheduler(0, isWanted ? SCHED_FIFO : SCHED_OTHER, &parameters) == 0;
}

FileDescriptor
Signals()
{
    sigset_t awaited;
    sigemptyset(&awaited);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD})
    {
        sigaddset(&awaited, signal);
    }
    sigprocmask(SIG_BLOCK, &awaited, nullptr);
    return {signalfd(-1, &awaited, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd"};
}

FileDescriptor
Timer()
{
    FileDescriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd");
    const itimerspec every{{0, TICK_NS}, {0, TICK_NS}};
    timerfd_settime(timer.Get(), 0, &every, nullptr);
    return timer;
}

void
WriteText(const std::string& path, const std::string& text)
{
    std::ofstream file(path);
    if (!(file << text << std::flush))
    {
        throw std::system_error(errno, std::generic_category(), "cannot write " + path);
    }
}

/// A path with all that belongs to it.
struct Lane
{
    std::string name;
    std::unique_ptr<Recorder> recorder; ///< null where nothing is recorded
    std::unique_ptr<Path> path;
};

/// Waits for the end and does all that the paths' threads have no time for.
/// Returns why it has come and with which status.
class Supervisor
{
  public:
    Supervisor(const Options& itsOptions,
               const Wall& itsWall,
               std::span<Lane> itsLanes,
               Report& itsReport,
               RegisterServer& itsServer,
               std::optional<Child>& itsChild,
               const FileDescriptor& itsSignals)
        : options(itsOptions),
          wall(itsWall),
          lanes(itsLanes),
          report(itsReport),
          server(itsServer),
          child(itsChild),
          signals(itsSignals)
    {
    }

    std::pair<std::string, int> Wait()
    {
        const FileDescriptor timer = Timer();
        for (uint64_t ticks = 0;;)
        {
            std::array<pollfd, 3> awaited{
                {{signals.Get(), POLLIN, 0}, {timer.Get(), POLLIN, 0}, {server.Wake(), POLLIN, 0}}};
            poll(awaited.data(), awaited.size(), -1);
            server.Serve();
            for (const Lane& lane : lanes)
            {
                if (lane.recorder)
                {
                    lane.recorder->Work();
                }
                if (const std::string failure = lane.path->Failure(); !failure.empty())
                {
                    return {lane.name + ": " + failure, STUCK};
                }
            }
            for (signalfd_siginfo signal; read(signals.Get(), &signal, sizeof signal) > 0;)
            {
                if (signal.ssi_signo != SIGCHLD)
                {
                    return {"ended by a signal", FINE};
                }
            }
            if (child && child->HasEnded())
            {
                return {"the command has ended", child->Status()};
            }
            const uint64_t nowNs = wall.Now();
            if (options.durationNs != 0 && nowNs >= options.durationNs)
            {
                return {"the time is over", FINE};
            }
            uint64_t expired = 0;
            if (read(timer.Get(), &expired, sizeof expired) > 0)
            {
                const uint64_t before = std::exchange(ticks, ticks + expired);
                if (!options.isQuiet && before / TICKS_PER_LINE < ticks / TICKS_PER_LINE)
                {
                    report.Line(static_cast<double>(nowNs) * 1e-9);
                }
            }
        }
    }

  private:
    const Options& options;
    const Wall& wall;
    std::span<Lane> lanes;
    Report& report;
    RegisterServer& server;
    std::optional<Child>& child;
    const FileDescriptor& signals;
};

} // namespace

int
Run(const Options& options)
{
    const FileDescriptor signals = Signals();
    // Before there is a user namespace: from within one nobody may ask, but what
    // a process has it keeps.
    const bool isFifo = BeFifo(true);
    AllowNamespaces();
    const Endpoint left(LeftAddresses(), options.congestion);
    const Endpoint right(Mirrored(LeftAddresses()), options.congestion);

    std::array<std::optional<Model>, 2> models;
    models[0].emplace(options.library, options.digest, options.words);
    if (options.isBothWays)
    {
        models[1].emplace(options.library, options.digest, options.words);
    }
    const Wall wall;
    std::array<Lane, 2> lanes;
    std::vector<NamedPath> named;
    std::vector<Mailbox*> mailboxes;
    for (size_t i = 0; i < lanes.size(); i++)
    {
        Lane& lane = lanes[i];
        const Endpoint& from = i == 0 ? left : right;
        const Endpoint& to = i == 0 ? right : left;
        lane.name = i == 0 ? "forward" : "backward";
        if (!options.record.empty())
        {
            lane.recorder = std::make_unique<Recorder>(options.record, lane.name, options.reasons);
        }
        const bool hasModel = models[i].has_value();
        Tape* tape = lane.recorder ? &lane.recorder->tape : nullptr;
        lane.path = std::make_unique<Path>(wall, from, to, std::move(models[i]), options.delayNs, tape);
        named.push_back({lane.name, *lane.path, from, hasModel});
        if (hasModel)
        {
            mailboxes.push_back(&lane.path->mailbox);
        }
    }
    mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT); // where it is not allowed, a page may be waited for

    for (Lane& lane : lanes)
    {
        lane.path->Start();
    }
    BeFifo(false);
    RegisterServer server(options.socket, mailboxes);
    setenv("SLUICE_SOCKET", options.socket.c_str(), 1);
    const RunFile file(options, left, right);
    Report report(options, named);
    Ending ending{.why = "", .status = FINE, .seconds = 0, .isFifo = isFifo};
    {
        std::optional<Child> child;
        if (!options.command.empty())
        {
            child.emplace(options.command, left, right);
        }
        std::tie(ending.why, ending.status) = Supervisor(options, wall, lanes, report, server, child, signals).Wait();
        ending.seconds = static_cast<double>(wall.Now()) * 1e-9;
    }
    for (Lane& lane : lanes)
    {
        lane.path->Stop();
        if (const std::string wrong = lane.recorder ? lane.recorder->Finish() : ""; !wrong.empty())
        {
            std::fprintf(stderr, "%s\n", wrong.c_str());
        }
    }
    if (options.isStrict && ending.status == FINE && !report.Unsound(isFifo).empty())
    {
        ending.status = UNSOUND;
    }
    for (const std::string& path : {options.json, options.record.empty() ? "" : options.record + "/run.json"})
    {
        if (!path.empty())
        {
            WriteText(path, report.AsJson(ending));
        }
    }
    std::fputs(report.AsText(ending).c_str(), stderr);
    return ending.status;
}

} // namespace sluice::live
