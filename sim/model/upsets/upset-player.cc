// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Single-bit upsets of a Verilated tile or datapath, whichever its folder's `traffic.h` is of. A clean run is recorded;
// in a second one a child process is split off at the clock of each upset, which inverts one bit and runs to the end:
// traffic, fill and drain; the same again; all parameters written anew with COMMIT, traffic and drain; reset, traffic
// and drain. A run that has the clean one's state again is over.
//
//   upset-player list TAPS [parameter=raw ...]           items, and the clocks of the main traffic
//   upset-player play TAPS UPSETS [parameter=raw ...]    a row for each line "item word bit clock lively" of UPSETS
//
// With `lively` 1 the word is the so manieth of those that were written lately.

#include "course.h"
#include "judgment.h"
#include "state.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace upsets
{
namespace
{

constexpr uint64_t kCheckpoint = 1024; ///< clocks
constexpr int kOthers = 8;             ///< runs of another course

/// One line of UPSETS.
struct Upset
{
    size_t number, item;
    uint32_t word, bit;
    uint64_t clock;
    bool isLively;
};

std::vector<Upset>
Read(const char* file)
{
    std::vector<Upset> upsets;
    std::ifstream in(file);
    Upset upset{};
    while (in >> upset.item >> upset.word >> upset.bit >> upset.clock >> upset.isLively)
    {
        upset.number = upsets.size();
        upsets.push_back(upset);
    }
    std::ranges::stable_sort(upsets, {}, &Upset::clock);
    return upsets;
}

/// The clean run, and how far apart runs are that differ in their random words and in a few packets' time on the link.
struct Clean
{
    Run run;
    std::vector<Outputs> trace;
    std::vector<Image> checkpoints;
    double tolerance = 0.01;

    Clean(const char* taps, const Settings& settings, uint32_t limit, bool isMeasured)
    {
        Traffic traffic(limit);
        const State state(*traffic.context, taps);
        Play(
            traffic,
            settings,
            run,
            [&] {
                if (traffic.clock % kCheckpoint == 0)
                {
                    checkpoints.resize(traffic.clock / kCheckpoint + 1);
                    checkpoints.back() = state.Take();
                }
            },
            [&](int k) { run.ends[k] = state.Take(); });
        trace = std::move(traffic.trace);
        for (int other = 0; isMeasured && other < kOthers; other++)
        {
            Measure(taps, settings, limit, 0x35u + 9 * static_cast<uint32_t>(other));
        }
    }

  private:
    void Measure(const char* taps, const Settings& settings, uint32_t limit, uint32_t disturbance)
    {
        Traffic traffic(limit);
        State state(*traffic.context, taps);
        Run other;
        uint64_t lastTick = 0;
        Play(
            traffic,
            settings,
            other,
            [&] {
                const bool isBegun = traffic.clock > lastTick + 1; // a phase: then the link stops for a little
                lastTick = traffic.clock;
                if (isBegun)
                {
                    traffic.pause = 1 + disturbance % 16;
                }
                for (size_t i = 0; isBegun && i < state.items.size(); i++)
                {
                    if (state.items[i].name == "onDraw_generator_state_0")
                    {
                        state.items[i].data[1] ^= static_cast<uint8_t>(disturbance);
                    }
                }
            },
            [](int) {});
        for (int k = 0; k < 3; k++)
        {
            tolerance = std::max(tolerance, 1.6 * Distance(other.phases[k], run.phases[k]));
        }
    }
};

void
List(const Clean& clean, const State& state)
{
    std::cout << "clocks " << clean.run.begin[0] << " " << clean.run.begin[1] << " " << clean.trace.size() << "\n";
    for (const Phase& phase : clean.run.phases)
    {
        const std::string wrong = Wrongs(phase, phase, 1);
        std::cout << "phase " << phase.arrivals << " " << phase.drops + phase.headDrops << " " << phase.marks << " "
                  << (wrong.empty() ? "good" : wrong) << "\n";
    }
    for (size_t i = 0; i < state.items.size(); i++)
    {
        const Item& item = state.items[i];
        std::cout << "item " << i << " " << item.module << " " << item.scope << " " << item.name << " " << item.bits
                  << " " << item.words << "\n";
    }
}

/// In the child process: what became of its upset.
[[noreturn]] void
Say(const Upset& upset, const Traffic& traffic, const std::string& rest)
{
    std::cout << upset.number << "," << upset.word << "," << traffic.differs << ","
              << (traffic.differs ? static_cast<long>(traffic.lastDiffers - upset.clock) : -1) << "," << rest
              << std::endl;
    _exit(0);
}

void
PlayUpsets(const Clean& clean, const char* taps, std::vector<Upset> plan, const Settings& settings, uint32_t limit)
{
    Traffic traffic(limit);
    State state(*traffic.context, taps);
    traffic.clean = &clean.trace;
    Run run;
    size_t next = 0;
    const Upset* mine = nullptr;
    std::string latent;
    const auto split = [&] {
        for (; !mine && next < plan.size() && plan[next].clock <= traffic.clock; next++)
        {
            Upset& upset = plan[next];
            const auto at = upset.clock / kCheckpoint;
            if (upset.isLively && at + 1 < clean.checkpoints.size() && !clean.checkpoints[at].empty() &&
                !clean.checkpoints[at + 1].empty())
            {
                const auto lively = state.Lively(upset.item, clean.checkpoints[at], clean.checkpoints[at + 1]);
                upset.word =
                    lively.empty() ? upset.word % state.items[upset.item].words : lively[upset.word % lively.size()];
            }
            upset.word %= state.items[upset.item].words;
            std::cout.flush();
            const pid_t child = fork();
            if (child == 0)
            {
                alarm(600);
                mine = &upset;
                state.Flip(upset.item, upset.word, upset.bit);
                traffic.top->eval();
                return;
            }
            int status = 0;
            waitpid(child, &status, 0);
            if (!WIFEXITED(status))
            {
                std::cout << upset.number << "," << upset.word << ",0,-1,crash,,,,,,," << std::endl;
            }
        }
        if (!mine && next == plan.size())
        {
            std::cout.flush();
            _exit(0);
        }
        const auto at = traffic.clock / kCheckpoint;
        if (mine && traffic.clock % kCheckpoint == 0 && traffic.clock < clean.run.begin[1] &&
            at < clean.checkpoints.size() && clean.checkpoints[at] == state.Take())
        {
            Say(*mine, traffic, "same,,,,,,,");
        }
    };
    Play(traffic, settings, run, split, [&](int k) {
        if (k == 2)
        {
            const auto [count, names] = state.Differing(clean.run.ends[k]);
            latent = std::to_string(count) + "," + names;
        }
    });
    std::string rest = "ran,";
    std::string other;
    for (int k = 0; k < kPhases; k++)
    {
        const Phase &phase = run.phases[k], &good = clean.run.phases[k];
        rest += Wrongs(phase, good, clean.tolerance) + ",";
        other += phase.differs ? "t" : phase.read != good.read ? "r" : "-";
    }
    Say(*mine, traffic, rest + other + "," + latent);
}

} // namespace
} // namespace upsets

int
main(int argc, char** argv)
{
    using namespace upsets;
    const std::string verb = argc > 2 ? argv[1] : "";
    if (verb != "list" && (verb != "play" || argc < 4))
    {
        std::cerr << "usage: upset-player list TAPS [parameter=raw ...] | play TAPS UPSETS [parameter=raw ...]\n";
        return 2;
    }
    Settings settings;
    for (int i = verb == "list" ? 3 : 4; i < argc; i++)
    {
        const std::string pair = argv[i];
        const size_t at = pair.find('=');
        settings[pair.substr(0, at)] = static_cast<uint32_t>(std::strtoul(pair.c_str() + at + 1, nullptr, 0));
    }
    const uint32_t limit = settings.at("limit");
    const Clean clean(argv[2], settings, limit, verb == "play");
    if (verb == "list")
    {
        const Traffic traffic(limit);
        List(clean, State(*traffic.context, argv[2]));
        return 0;
    }
    PlayUpsets(clean, argv[2], Read(argv[3]), settings, limit);
    return 0;
}
