// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Shows a recording to mutants of one Verilated design and says at which row each is first seen to be wrong. A row is
// IN_WORDS words of inputs, OUT_WORDS of outputs as the good design gave them, and OUT_WORDS of a mask: the output bits
// that count. Inputs stand through a clock, outputs are read just before the edge that ends it. Per mutant, one line:
// its number and the row, or -1.

#include "Vreplay.h"
#include "verilated.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace
{

constexpr size_t kRow = IN_WORDS + 2 * OUT_WORDS;

std::vector<uint32_t>
Read(const char* name)
{
    std::vector<uint32_t> words;
    std::FILE* file = std::fopen(name, "rb");
    if (!file)
    {
        std::perror(name);
        std::exit(2);
    }
    std::fseek(file, 0, SEEK_END);
    words.resize(static_cast<size_t>(std::ftell(file)) / sizeof(uint32_t));
    std::rewind(file);
    const size_t read = std::fread(words.data(), sizeof(uint32_t), words.size(), file);
    std::fclose(file);
    words.resize(read / kRow * kRow);
    return words;
}

bool
IsWrong(const Vreplay& top, const uint32_t* expected, const uint32_t* mask)
{
    for (size_t i = 0; i < OUT_WORDS; i++)
    {
        if ((top.out[i] ^ expected[i]) & mask[i])
        {
            return true;
        }
    }
    return false;
}

/// The first row with a wrong output, or -1. Registers start with random values: what is never reset must not matter.
long
FirstWrongRow(const std::vector<uint32_t>& recording, unsigned mutant)
{
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(1);
    const auto top = std::make_unique<Vreplay>(&context);
    top->mutant = mutant;
    long row = 0;
    for (auto words = recording.begin(); words != recording.end(); words += kRow, row++)
    {
        top->clk = 0;
        std::copy_n(words, IN_WORDS, &top->in[0]);
        top->eval();
        if (IsWrong(*top, &words[IN_WORDS], &words[IN_WORDS + OUT_WORDS]))
        {
            return row;
        }
        top->clk = 1;
        top->eval();
    }
    return -1;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc < 3)
    {
        std::fprintf(stderr, "usage: player recording mutant...\n");
        return 2;
    }
    const std::vector<uint32_t> recording = Read(argv[1]);
    for (int i = 2; i < argc; i++)
    {
        const auto mutant = static_cast<unsigned>(std::atoi(argv[i]));
        std::printf("%u %ld\n", mutant, FirstWrongRow(recording, mutant));
        std::fflush(stdout);
    }
}
