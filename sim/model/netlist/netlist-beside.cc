// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Runs two netlists side by side with the same random `in` in every clock and compares `out` before every edge.
//
//     netlist-beside ONE OTHER SEED CLOCKS
//
// Both are texts as `sluice.synthesis.gates` writes them, with ports of the same widths. Exit status 1 if a bit of
// `out` differed, whose number is printed.
#include "gate-netlist.h"

#include <bit>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <vector>

namespace sluice
{
namespace
{

/// The first bit of `out` in which both differ; its width if none does.
size_t
Differing(const GateNetlist& one, const GateNetlist& other)
{
    const auto& nets = one.Port("out");
    const auto& others = other.Port("out");
    for (size_t first = 0; first < nets.size(); first += 32)
    {
        if (const uint32_t bits = one.Word(nets, first) ^ other.Word(others, first))
        {
            return first + static_cast<size_t>(std::countr_zero(bits));
        }
    }
    return nets.size();
}

int
Run(const char* oneFile, const char* otherFile, unsigned seed, unsigned clocks)
{
    GateNetlist one(oneFile);
    GateNetlist other(otherFile);
    const size_t inputs = one.Port("in").size();
    const size_t outputs = one.Port("out").size();
    if (other.Port("in").size() != inputs || other.Port("out").size() != outputs)
    {
        throw std::runtime_error("the netlists have other ports");
    }
    std::mt19937 random(seed);
    std::vector<uint32_t> words(inputs / 32 + 1);
    for (unsigned clock = 0; clock < clocks; clock++)
    {
        std::generate(words.begin(), words.end(), std::ref(random));
        for (GateNetlist* netlist : {&one, &other})
        {
            netlist->Set(netlist->Port("in"), words.data());
            netlist->Settle();
        }
        if (const size_t bit = Differing(one, other); bit < outputs)
        {
            std::printf("%zu\n", bit);
            return 1;
        }
        one.Rise();
        other.Rise();
    }
    return 0;
}

} // namespace
} // namespace sluice

int
main(int argc, char** argv)
{
    try
    {
        if (argc != 5)
        {
            throw std::runtime_error("netlist-beside ONE OTHER SEED CLOCKS");
        }
        const auto number = [](const char* text) { return static_cast<unsigned>(std::stoul(text)); };
        return sluice::Run(argv[1], argv[2], number(argv[3]), number(argv[4]));
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
