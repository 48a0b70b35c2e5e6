/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The Python module sluice_ns3.
 */

#include "fatal-trap.h"
#include "measurement/result-writer.h"
#include "queue/tile-parameters.h"
#include "reading/scenario-reader.h"
#include "runner.h"
#include "tcp/congestion-script.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace sluice_ns3
{

namespace
{

/**
 * @brief Run a scenario.
 * @param dict the scenario
 * @param progress told of simulated seconds so far and in all
 * @return the result
 */
py::dict
Run(const py::dict& dict, const Runner::Progress& progress)
{
    const Scenario scenario = ReadScenario(dict);
    const FatalTrap trap;
    Runner runner(scenario, progress);
    return WriteResult(scenario, runner.Run());
}

} // namespace

} // namespace sluice_ns3

PYBIND11_MODULE(sluice_ns3, module)
{
    using namespace sluice_ns3;

    module.doc() = "Sluice tiles and ns-3's own queue disciplines under ns-3's TCP";
    module.def("run",
               &Run,
               py::arg("scenario"),
               py::arg("progress"),
               "Run a scenario; ValueError says what is wrong with it");
    module.def(
        "play_congestion_script",
        [](const std::string& congestion,
           uint32_t segmentBytes,
           double window,
           double threshold,
           const std::string& script,
           double rttMs,
           const std::string& watched) {
            return PlayCongestionScript(congestion,
                                        {segmentBytes, window, threshold, rttMs},
                                        script,
                                        watched);
        },
        py::arg("congestion"),
        py::arg("segment_bytes"),
        py::arg("window_segments"),
        py::arg("threshold_segments"),
        py::arg("script"),
        py::arg("rtt_ms") = 100,
        py::arg("watched") = "",
        "Congestion window in segments, or the attribute that is watched, after each of 'a' (ack), "
        "'e' (ack with a mark), 'l' (loss), 't' (timeout), 'r' (a round-trip time)");
    module.def("make_taus88_state",
               &ns3::MakeTaus88State,
               py::arg("seed"),
               "The words for the tile's parameters seed0, seed1 and seed2");
    module.def(
        "to_raw_parameter",
        [](uint32_t width, uint32_t fraction, double value) {
            return ns3::ToRawParameter({.name = "it",
                                        .ns3Name = "",
                                        .address = 0,
                                        .width = width,
                                        .fraction = fraction,
                                        .defaultValue = 0},
                                       value);
        },
        py::arg("width"),
        py::arg("fraction"),
        py::arg("value"),
        "The word for a parameter of so many bits and fraction bits; ValueError if the value does "
        "not fit");
}
