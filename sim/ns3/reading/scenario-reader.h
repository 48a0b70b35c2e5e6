/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The scenario as a Python dictionary, and every rule that it must obey.
 */

#ifndef SCENARIO_READER_H
#define SCENARIO_READER_H

#include "reading/scenario.h"

#include <pybind11/pybind11.h>

namespace sluice_ns3
{

/**
 * @brief Read a scenario.
 *
 * Throws std::invalid_argument, with the path of the value, for anything missing, unknown or
 * contradictory. README.md lists the keys.
 *
 * @param object the dictionary
 * @return the scenario
 */
Scenario ReadScenario(const pybind11::handle& object);

} // namespace sluice_ns3

#endif /* SCENARIO_READER_H */
