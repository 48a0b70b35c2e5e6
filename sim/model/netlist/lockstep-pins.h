// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A design's pins by name, and the numbers that a random master of them draws.
#ifndef SLUICE_LOCKSTEP_PINS_H
#define SLUICE_LOCKSTEP_PINS_H

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace sluice
{

/// A design's pins by name.
class Pins
{
  public:
    virtual ~Pins() = default;
    /// Bits of an input; 0: there is none of that name.
    virtual size_t Width(const std::string& input) const = 0;
    virtual void Drive(const std::string& input, std::span<const uint32_t> words) = 0;
    /// The lowest bits of an output; 0 where there is none of that name.
    virtual uint32_t Read(const std::string& output) const = 0;
    virtual std::vector<std::string> Inputs() const = 0;
};

/// Drives pins at random; everything that draws shares one generator.
class Master
{
  public:
    Master(Pins& pins, unsigned seed)
        : m_pins(pins),
          m_random(seed)
    {
    }

    uint64_t Draw()
    {
        return m_random();
    }

    uint64_t Draw(uint64_t below)
    {
        return m_random() % below;
    }

    bool Chance(double probability)
    {
        return static_cast<double>(m_random() >> 11) * 0x1p-53 < probability;
    }

    template <size_t N, typename T>
    T OneOf(const T (&values)[N])
    {
        return values[Draw(N)];
    }

    /// An input of up to 64 bits; a wider one is random above.
    void Set(const std::string& input, uint64_t value)
    {
        const size_t width = m_pins.Width(input);
        if (width == 0)
        {
            return;
        }
        m_words.assign((width + 31) / 32 + 1, 0);
        for (size_t i = 0; i < m_words.size(); i++)
        {
            m_words[i] = i < 2 ? static_cast<uint32_t>(value >> 32 * i) : static_cast<uint32_t>(Draw());
        }
        m_pins.Drive(input, m_words);
    }

    const Pins& Look() const
    {
        return m_pins;
    }

    /// All bits of a wide input.
    void SetWide(const std::string& input, std::span<const uint32_t> words)
    {
        m_pins.Drive(input, words);
    }

  private:
    Pins& m_pins;
    std::mt19937_64 m_random;
    std::vector<uint32_t> m_words;
};

} // namespace sluice

#endif // SLUICE_LOCKSTEP_PINS_H
