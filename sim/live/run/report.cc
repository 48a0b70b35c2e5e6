// SPDX-License-Identifier: Apache-2.0
#include "run/report.h"

#include "json.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace sluice::live
{

namespace
{

/// Lines under one head.
constexpr unsigned PAGE = 20;

/// Writes that are later than this are more than TCP should feel, in ms.
constexpr double MOST_LATE_MS = 2, MOST_LATE_MS_NORMAL = 10;

uint64_t
Sum(const std::array<std::atomic<uint64_t>, 16>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0}, [](uint64_t sum, const auto& count) {
        return sum + count.load(std::memory_order_relaxed);
    });
}

template <typename... Values>
std::string
Format(const char* format, Values... values)
{
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

double
Mbit(uint64_t bytes, double seconds)
{
    return seconds > 0 ? static_cast<double>(bytes) * 8e-6 / seconds : 0;
}

Json
Quantiles(const HistogramView& view)
{
    Json json;
    json.Add("p50", view.QuantileMs(0.5)).Add("p99", view.QuantileMs(0.99)).Add("most", view.QuantileMs(1));
    return json;
}

} // namespace

Report::Report(const Options& itsOptions, std::vector<NamedPath> itsPaths)
    : options(itsOptions),
      paths(std::move(itsPaths)),
      last(paths.size())
{
}

Report::Seen
Report::Now(const Path& path) const
{
    const PathCounters& c = path.counters;
    return {.inBytes = c.inBytes,
            .outBytes = c.outBytes,
            .drops = Sum(c.drops),
            .marks = Sum(c.marks),
            .busyNs = c.busyNs,
            .delay = c.delay.View(),
            .late = c.late.View()};
}

void
Report::Line(double seconds)
{
    const double passed = seconds - lastSeconds;
    if (lines++ % PAGE == 0)
    {
        std::fputs("    s            in Mbit/s  out Mbit/s  queue  drops/s  "
                   "marks/s  delay ms p50   p99  late ms p99  model %\n",
                   stderr);
    }
    for (size_t i = 0; i < paths.size(); i++)
    {
        if (!paths[i].hasModel)
        {
            continue;
        }
        const Seen now = Now(paths[i].path);
        const Seen& then = std::exchange(last[i], now);
        const HistogramView delay = now.delay.Since(then.delay);
        const std::string line = Format("%5.0f  %-8s  %9.3f  %10.3f  %5lu  %7.0f  %7.0f  %12.1f  %4.1f  "
                                        "%11.1f  %7.0f\n",
                                        seconds,
                                        paths[i].name.c_str(),
                                        Mbit(now.inBytes - then.inBytes, passed),
                                        Mbit(now.outBytes - then.outBytes, passed),
                                        static_cast<unsigned long>(paths[i].path.counters.queued),
                                        static_cast<double>(now.drops - then.drops) / passed,
                                        static_cast<double>(now.marks - then.marks) / passed,
                                        delay.QuantileMs(0.5),
                                        delay.QuantileMs(0.99),
                                        now.late.Since(then.late).QuantileMs(0.99),
                                        static_cast<double>(now.busyNs - then.busyNs) * 1e-7 / passed);
        std::fputs(line.c_str(), stderr);
    }
    lastSeconds = seconds;
}

std::string
Report::Unsound(bool isFifo) const
{
    const double most = isFifo ? MOST_LATE_MS : MOST_LATE_MS_NORMAL;
    for (const NamedPath& its : paths)
    {
        const PathCounters& c = its.path.counters;
        if (c.overrun > 0)
        {
            return Format("%s: too slow, %lu frames were not offered",
                          its.name.c_str(),
                          static_cast<unsigned long>(c.overrun));
        }
        if (const uint64_t dropped = its.from.DroppedFrames())
        {
            return Format("%s: %lu frames were dropped before they were read",
                          its.name.c_str(),
                          static_cast<unsigned long>(dropped));
        }
        if (const double late = c.late.View().QuantileMs(0.99); late > most)
        {
            return Format("%s: late by %.1f ms, p99, which is more than %.0f", its.name.c_str(), late, most);
        }
    }
    return "";
}

std::string
Report::PathJson(const NamedPath& its) const
{
    const PathCounters& c = its.path.counters;
    Json drops;
    Json marks;
    for (const Reason& reason : options.reasons)
    {
        if (its.hasModel)
        {
            (reason.isMark ? marks : drops).Add(reason.name, (reason.isMark ? c.marks : c.drops)[reason.code].load());
        }
    }
    Json json;
    json.Add("has_model", its.hasModel)
        .Add("input_frames", c.inFrames.load())
        .Add("input_bytes", c.inBytes.load())
        .Add("output_frames", c.outFrames.load())
        .Add("output_bytes", c.outBytes.load())
        .Add("output_refused", c.refused.load())
        .Add("overrun_frames", c.overrun.load())
        .Add("device_dropped_frames", its.from.DroppedFrames())
        .Add("dropped", drops)
        .Add("marked", marks)
        .Add("delay_ms", Quantiles(c.delay.View()))
        .Add("late_ms", Quantiles(c.late.View()))
        .Add("lag_ms", Quantiles(c.lag.View()))
        .Add("slept_late_ms", Quantiles(c.slept.View()))
        .Add("clocks", c.clocks.load())
        .Add("busy_s", static_cast<double>(c.busyNs) * 1e-9)
        .Add("clocks_per_second", c.busyNs ? static_cast<double>(c.clocks) * 1e9 / static_cast<double>(c.busyNs) : 0.0);
    return json.Text();
}

std::string
Report::AsJson(const Ending& ending) const
{
    const std::string unsound = Unsound(ending.isFifo);
    Json parameters;
    for (const auto& [name, value] : options.parameters)
    {
        parameters.AddRaw(name, value);
    }
    Json all;
    all.Add("config", options.datapath)
        .Add("digest", static_cast<uint64_t>(options.digest))
        .Add("parameters", parameters)
        .Add("delay_ms", static_cast<double>(options.delayNs) * 1e-6)
        .Add("congestion", options.congestion)
        .Add("seconds", ending.seconds)
        .Add("ended", ending.why)
        .Add("status", static_cast<uint64_t>(ending.status))
        .Add("class", ending.isFifo ? "fifo" : "normal")
        .Add("sound", unsound.empty())
        .Add("unsound", unsound);
    for (const NamedPath& its : paths)
    {
        all.AddRaw(its.name, PathJson(its));
    }
    return all.Text() + "\n";
}

std::string
Report::AsText(const Ending& ending) const
{
    std::string words = Format("%s after %.1f s\n", ending.why.c_str(), ending.seconds);
    for (const NamedPath& its : paths)
    {
        const PathCounters& c = its.path.counters;
        words += Format("%s: %lu frames in, %lu out, %.3f Mbit/s; %lu dropped, %lu "
                        "marked; late %.1f ms p99",
                        its.name.c_str(),
                        static_cast<unsigned long>(c.inFrames),
                        static_cast<unsigned long>(c.outFrames),
                        Mbit(c.outBytes, ending.seconds),
                        static_cast<unsigned long>(Sum(c.drops)),
                        static_cast<unsigned long>(Sum(c.marks)),
                        c.late.View().QuantileMs(0.99));
        words += its.hasModel && c.busyNs ? Format("; %.0f kclocks/s, %.0f %% of the time\n",
                                                   static_cast<double>(c.clocks) * 1e6 / static_cast<double>(c.busyNs),
                                                   static_cast<double>(c.busyNs) * 1e-7 / ending.seconds)
                                          : "\n";
    }
    const std::string unsound = Unsound(ending.isFifo);
    return words + (unsound.empty() ? "sound: frames had the times that the model gave them\n"
                                    : "not sound: " + unsound + "\n");
}

} // namespace sluice::live
