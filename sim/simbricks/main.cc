// SPDX-License-Identifier: Apache-2.0
//
// A Verilated datapath as a network component of SimBricks: frames from one simulator go through it to another one,
// what comes back goes as it is. `sluice simbricks` makes the words of this process.
//
//   sluice-simbricks LIBRARY DIGEST LEFT RIGHT LATENCY-PS INTERVAL-PS [ADDRESS=WORD...]
#include "link.h"
#include "path/model.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <thread>
#include <vector>

namespace sluice::simbricks
{

namespace
{

using live::Model;

constexpr uint64_t PS = 1000; ///< in a ns

/// A frame is told of once its last beat has left, and is sent with the time of its first one. So what is said to the
/// right is so much behind: 64 clocks, more than the beats of 512 bits that fit into a message. It is said that much
/// more often, too, or both would wait for the other one's word at silences of the latency.
constexpr uint64_t FRAME_PS = 256 * PS;

constexpr uint64_t ANY_CLOCKS = std::numeric_limits<uint64_t>::max();
constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

/// The datapath and both its ends.
class Component
{
  public:
    Component(Model itsModel, const std::string& left, const std::string& right, const Timing& timing)
        : model(std::move(itsModel)),
          left(left, timing),
          right(right, {timing.latencyPs, std::min(timing.intervalPs, timing.latencyPs - FRAME_PS)})
    {
    }

    /// Until both simulators have ended.
    void Run()
    {
        for (uint64_t nowPs = 0; nowPs != NEVER;)
        {
            left.Sync(nowPs);
            right.Sync(Behind(nowPs));
            nowPs = Heard(nowPs);
            if (nowPs != NEVER)
            {
                model.RunUntil(nowPs / PS, ANY_CLOCKS);
                Forward();
            }
        }
        left.End();
        right.End();
        std::printf("%lu frames in, %lu dropped\n", frames, dropped);
    }

  private:
    static uint64_t Behind(uint64_t nowPs)
    {
        return nowPs - std::min(nowPs, FRAME_PS);
    }

    /// Takes all that arrives by now, and waits until it is known what comes until some later time, which it returns;
    /// NEVER if nothing comes any more.
    uint64_t Heard(uint64_t nowPs)
    {
        for (unsigned waits = 0;; waits++)
        {
            while (const auto arrival = left.Take(nowPs))
            {
                Offer(*arrival);
            }
            while (const auto arrival = right.Take(nowPs))
            {
                left.Send(nowPs, arrival->frame);
            }
            const uint64_t knownPs = std::min(left.KnownUntilPs(), right.KnownUntilPs());
            const uint64_t saidPs = std::min(left.NextSyncPs(), right.NextSyncPs() + (right.HasEnded() ? 0 : FRAME_PS));
            if (knownPs > nowPs)
            {
                return std::min(knownPs, saidPs);
            }
            if (waits % 1024 == 1023)
            {
                left.HasEnded() ? void() : left.Check();
                right.HasEnded() ? void() : right.Check();
            }
            std::this_thread::yield();
        }
    }

    void Offer(const Arrival& arrival)
    {
        if (!model.Offer(arrival.timePs / PS, arrival.frame.data(), static_cast<uint32_t>(arrival.frame.size())))
        {
            throw std::runtime_error("more frames at once than the model has room for");
        }
        frames++;
    }

    void Forward()
    {
        std::array<SluiceVerdict, 64> verdicts;
        while (!model.Verdicts(verdicts).empty())
        {
        }
        std::array<SluiceDeparted, 64> room;
        for (auto gone = model.Departed(room); !gone.empty(); gone = model.Departed(room))
        {
            for (const SluiceDeparted& frame : gone)
            {
                dropped += frame.bytes == 0;
                if (frame.bytes)
                {
                    right.Send(frame.departureNs * PS, {frame.data, frame.bytes});
                }
            }
        }
    }

    Model model;
    Link left, right;
    unsigned long frames = 0, dropped = 0;
};

int
Main(const std::vector<std::string>& words)
{
    std::vector<std::pair<uint32_t, uint32_t>> parameters;
    for (const std::string& word : std::span(words).subspan(6))
    {
        parameters.emplace_back(std::stoul(word), std::stoul(word.substr(word.find('=') + 1)));
    }
    const Timing timing{std::stoull(words[4]), std::stoull(words[5])};
    Model model(words[0], static_cast<uint32_t>(std::stoul(words[1])), parameters);
    Component(std::move(model), words[2], words[3], timing).Run();
    return 0;
}

} // namespace

} // namespace sluice::simbricks

int
main(int count, char** words)
try
{
    if (count < 7)
    {
        std::fputs("usage: see `sluice simbricks --help`\n", stderr);
        return 2;
    }
    return sluice::simbricks::Main({words + 1, words + count});
}
catch (const std::exception& error)
{
    std::fprintf(stderr, "sluice simbricks: %s\n", error.what());
    return 2;
}
