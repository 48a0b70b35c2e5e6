/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * From text to register words; see the header.
 */

#include "queue/tile-parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/**
 * @brief Find a parameter by register name or by ns-3 attribute name.
 * @param tile the tile
 * @param name either name
 * @return the parameter
 */
const sluice::ParameterInfo&
FindParameter(const sluice::Tile& tile, const std::string& name)
{
    std::string known;
    for (const auto& info : tile.Parameters())
    {
        if (name == info.name || (!name.empty() && name == info.ns3Name))
        {
            return info;
        }
        known += (known.empty() ? "" : ", ") + std::string(info.name);
    }
    throw std::invalid_argument("unknown parameter '" + name + "'; the model has: " + known);
}

/**
 * @brief Read the value of a "name=value" pair.
 * @param name the name, for the message
 * @param text a decimal number, "true" or "false"
 * @return the number, or 1 and 0 for true and false
 */
double
ParseValue(const std::string& name, const std::string& text)
{
    if (text == "true" || text == "false")
    {
        return text == "true" ? 1 : 0;
    }
    double value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value))
    {
        throw std::invalid_argument("parameter " + name + ": '" + text + "' is not a number");
    }
    return value;
}

} // namespace

std::array<uint32_t, 3>
MakeTaus88State(uint32_t seed)
{
    constexpr uint32_t MULTIPLIER = 69069;
    constexpr std::array<uint32_t, 3> LEAST{2, 8, 16};

    std::array<uint32_t, 3> state{};
    uint32_t word = seed == 0 ? 1 : seed;
    for (std::size_t i = 0; i < state.size(); ++i)
    {
        word *= MULTIPLIER;
        if (word < LEAST[i])
        {
            word += LEAST[i];
        }
        state[i] = word;
    }
    return state;
}

uint32_t
ToRawParameter(const sluice::ParameterInfo& info, double value)
{
    const double scale = std::ldexp(1.0, static_cast<int>(info.fraction));
    const double largest = std::ldexp(1.0, static_cast<int>(info.width)) - 1;
    const double raw = std::round(value * scale); // away from zero, which is upwards: none is below
    if (!(value >= 0 && raw <= largest))
    {
        std::ostringstream message;
        message << "parameter " << info.name << ": " << value << " is not within 0.."
                << largest / scale;
        throw std::invalid_argument(message.str());
    }
    return static_cast<uint32_t>(raw);
}

void
StageTileParameter(sluice::Tile& tile, const std::string& name, double value)
{
    const auto& info = FindParameter(tile, name);
    tile.Write(info.address, ToRawParameter(info, value));
}

void
StageTileParameters(sluice::Tile& tile, const std::string& text)
{
    std::istringstream list(text);
    std::string pair;
    while (std::getline(list, pair, ','))
    {
        const auto equals = pair.find('=');
        if (equals == std::string::npos)
        {
            throw std::invalid_argument("parameters: '" + pair + "' is not name=value");
        }
        const std::string name = pair.substr(0, equals);
        StageTileParameter(tile, name, ParseValue(name, pair.substr(equals + 1)));
    }
}

} // namespace ns3
