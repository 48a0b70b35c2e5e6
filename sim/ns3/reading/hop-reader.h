/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A bottleneck of a scenario, as a Python dictionary.
 */

#ifndef SLUICE_NS3_HOP_READER_H
#define SLUICE_NS3_HOP_READER_H

#include "reading/dict-reader.h"
#include "reading/scenario.h"

namespace sluice_ns3
{

constexpr double LEAST_POSITIVE = 1e-9;               //!< for what must not be zero
constexpr DictReader::Range POSITIVE{LEAST_POSITIVE}; //!< rates and mean times
constexpr DictReader::Range NOT_NEGATIVE{0};          //!< delays

/**
 * @brief Read one bottleneck.
 * @param dict its dictionary
 * @return the bottleneck
 */
HopSpec ReadHop(DictReader dict);

} // namespace sluice_ns3

#endif /* SLUICE_NS3_HOP_READER_H */
