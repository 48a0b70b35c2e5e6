/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * From text to register words: "name=value,name=value" becomes the staged parameters of a tile,
 * and one 32-bit seed becomes the state of its random generator.
 */

#ifndef TILE_PARAMETERS_H
#define TILE_PARAMETERS_H

#include "sluice-tile.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Expand a seed into the state of a taus88 generator.
 *
 * Three steps of the congruential generator s = 69069 s mod 2^32 (seed 0 counts as 1), each word
 * raised to the least value that its component of taus88 needs: 2, 8 and 16.
 *
 * @param seed any 32-bit number
 * @return the words for the parameters seed0, seed1 and seed2
 */
std::array<uint32_t, 3> MakeTaus88State(uint32_t seed);

/**
 * @brief Convert a value to a parameter's raw fixed-point word.
 *
 * Rounds to nearest, ties upwards, as the generator rounds defaults and the register driver in
 * sw/sluice/hardware/registers.py rounds what it is told. Throws std::invalid_argument when the
 * value is negative or does not fit the register.
 *
 * @param info the parameter
 * @param value the value in the parameter's unit
 * @return floor(value * 2^fraction + 1/2)
 */
uint32_t ToRawParameter(const sluice::ParameterInfo& info, double value);

/**
 * @brief Stage one parameter of a tile; Commit() is the caller's.
 *
 * Throws std::invalid_argument for an unknown name or a value out of range.
 *
 * @param tile the tile
 * @param name register name or ns-3 attribute name
 * @param value the value in the parameter's unit
 */
void StageTileParameter(sluice::Tile& tile, const std::string& name, double value);

/**
 * @brief Stage every parameter of a list; Commit() is the caller's.
 *
 * Throws std::invalid_argument for a malformed list, an unknown name or a value out of range.
 *
 * @param tile the tile
 * @param text "name=value,name=value"; a value is a decimal number, "true" or "false"
 */
void StageTileParameters(sluice::Tile& tile, const std::string& text);

} // namespace ns3

#endif /* TILE_PARAMETERS_H */
