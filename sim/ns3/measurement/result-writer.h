/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A result as a Python dictionary.
 */

#ifndef RESULT_WRITER_H
#define RESULT_WRITER_H

#include "measurement/result.h"
#include "reading/scenario.h"

#include <pybind11/pybind11.h>

namespace sluice_ns3
{

/**
 * @brief Write a result. README.md lists the keys.
 * @param scenario what was simulated
 * @param result what was measured
 * @return the dictionary
 */
pybind11::dict WriteResult(const Scenario& scenario, const Result& result);

} // namespace sluice_ns3

#endif /* RESULT_WRITER_H */
