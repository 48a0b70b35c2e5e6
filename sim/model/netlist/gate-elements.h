// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The elements of a mapped netlist, and how each is read from its line of the text that `sluice.synthesis.gates`
// writes. Nets are numbers.
#ifndef SLUICE_GATE_ELEMENTS_H
#define SLUICE_GATE_ELEMENTS_H

#include "gate-block-memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice
{

/// The lowest bit first.
using GateNets = std::vector<uint32_t>;

template <typename T>
T
NextWord(std::istream& words)
{
    T value{};
    if (!(words >> value))
    {
        throw std::runtime_error("a line of the netlist is too short");
    }
    return value;
}

/// How many there are, and each.
inline GateNets
NextNets(std::istream& words)
{
    GateNets nets(NextWord<size_t>(words));
    std::generate(nets.begin(), nets.end(), [&words] { return NextWord<uint32_t>(words); });
    return nets;
}

/// What stands between registers: a look-up table of four inputs, or the place of a multiplier or of a small memory's
/// read among those.
struct GateTable
{
    enum Kind : uint8_t
    {
        LOGIC,
        PRODUCT,
        READ
    };

    std::array<uint32_t, 4> in; ///< the lowest bit of the place first
    uint32_t out;               ///< the net, or which multiplier or small memory
    uint16_t init;
    Kind kind;

    static GateTable Read(std::istream& words)
    {
        GateTable t{.in = {}, .out = 0, .init = NextWord<uint16_t>(words), .kind = LOGIC};
        std::generate(t.in.begin(), t.in.end(), [&words] { return NextWord<uint32_t>(words); });
        t.out = NextWord<uint32_t>(words);
        return t;
    }
};

struct GateRegister
{
    uint32_t data, enable, reset, out;
    uint8_t start;

    static GateRegister Read(std::istream& words)
    {
        GateRegister r{};
        r.start = NextWord<unsigned>(words) != 0;
        r.data = NextWord<uint32_t>(words);
        r.enable = NextWord<uint32_t>(words);
        r.reset = NextWord<uint32_t>(words);
        r.out = NextWord<uint32_t>(words);
        return r;
    }
};

/// A multiplier of two factors of 18 bits.
struct GateProduct
{
    uint32_t isSignedA, isSignedB;
    GateNets a, b, out;

    static GateProduct Read(std::istream& words)
    {
        GateProduct p{};
        p.isSignedA = NextWord<uint32_t>(words);
        p.isSignedB = NextWord<uint32_t>(words);
        p.a = NextNets(words);
        p.b = NextNets(words);
        p.out = NextNets(words);
        return p;
    }
};

/// A memory of sixteen words in look-up tables, which is read without a clock.
struct GateSmallMemory
{
    uint32_t enable;
    GateNets writeAddress, in, readAddress, out;
    std::array<uint8_t, 16> words;

    static GateSmallMemory Read(std::istream& words)
    {
        GateSmallMemory m{};
        m.enable = NextWord<uint32_t>(words);
        m.writeAddress = NextNets(words);
        m.in = NextNets(words);
        m.readAddress = NextNets(words);
        m.out = NextNets(words);
        for (uint8_t& word : m.words)
        {
            word = static_cast<uint8_t>(NextWord<unsigned>(words));
        }
        return m;
    }
};

/// A block memory and the nets of its two sides.
struct GateBlock
{
    struct Pins
    {
        uint32_t enable, write, reset;
        GateNets address, in, out;
    };

    BlockMemory memory;
    std::array<Pins, 2> pins;

    static GateBlock Read(std::istream& words)
    {
        std::array<BlockMemory::Side, 2> sides{};
        std::array<Pins, 2> pins{};
        for (size_t i = 0; i < 2; i++)
        {
            sides[i].width = NextWord<unsigned>(words);
            sides[i].keepsOnWrite = NextWord<unsigned>(words) != 0;
            sides[i].isClocked = NextWord<unsigned>(words) != 0;
            pins[i].enable = NextWord<uint32_t>(words);
            pins[i].write = NextWord<uint32_t>(words);
            pins[i].reset = NextWord<uint32_t>(words);
            pins[i].address = NextNets(words);
            pins[i].in = NextNets(words);
            pins[i].out = NextNets(words);
        }
        std::vector<uint32_t> contents(1024);
        std::generate(contents.begin(), contents.end(), [&words] { return NextWord<uint32_t>(words); });
        return {BlockMemory(sides, std::move(contents)), pins};
    }
};

} // namespace sluice

#endif // SLUICE_GATE_ELEMENTS_H
