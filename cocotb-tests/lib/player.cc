// SPDX-License-Identifier: Apache-2.0
//
// Plays a recorded stimulus on one Verilated module, a row of 32-bit words per clock, and records its
// outputs, so that a million clocks take seconds. A port of more than 32 bits takes two words, the lower
// first. player.py writes ports.h, which says INPUT(port) and OUTPUT(port) for each port in order. A row's
// inputs stand through its clock; its outputs are read just before the edge that ends it.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <vector>

#include "Vtop.h"
#include "verilated.h"

namespace {

// Words of a port: one, or two for those of more than 32 bits.
template <typename T>
constexpr size_t kWords = (sizeof(T) + sizeof(uint32_t) - 1) / sizeof(uint32_t);

constexpr size_t kInputs = 0
#define INPUT(port) +kWords<std::remove_reference_t<decltype(Vtop::port)>>
#define OUTPUT(port)
#include "ports.h"
#undef INPUT
#undef OUTPUT
    ;

constexpr size_t kOutputs = 0
#define INPUT(port)
#define OUTPUT(port) +kWords<std::remove_reference_t<decltype(Vtop::port)>>
#include "ports.h"
#undef INPUT
#undef OUTPUT
    ;

template <typename T>
void Take(T& port, const uint32_t*& word) {
    uint64_t value = *word++;
    if constexpr (kWords<T> == 2) {
        value |= uint64_t{*word++} << 32;
    }
    port = static_cast<T>(value);
}

template <typename T>
void Give(const T& port, uint32_t*& word) {
    *word++ = static_cast<uint32_t>(port);
    if constexpr (kWords<T> == 2) {
        *word++ = static_cast<uint32_t>(port >> 32);
    }
}

void Present(Vtop& top, const uint32_t* word) {
#define INPUT(port) Take(top.port, word);
#define OUTPUT(port)
#include "ports.h"
#undef INPUT
#undef OUTPUT
}

void Record(const Vtop& top, uint32_t* word) {
#define INPUT(port)
#define OUTPUT(port) Give(top.port, word);
#include "ports.h"
#undef INPUT
#undef OUTPUT
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: player stimulus response\n");
        return 2;
    }
    std::FILE* stimulus = std::fopen(argv[1], "rb");
    std::FILE* response = std::fopen(argv[2], "wb");
    if (!stimulus || !response) {
        std::perror("player");
        return 2;
    }
    VerilatedContext context;
    auto top = std::make_unique<Vtop>(&context);
    std::vector<uint32_t> inputs(kInputs);
    std::vector<uint32_t> outputs(kOutputs);
    while (std::fread(inputs.data(), sizeof(uint32_t), kInputs, stimulus) == kInputs) {
        top->clk = 0;
        Present(*top, inputs.data());
        top->eval();
        Record(*top, outputs.data());
        std::fwrite(outputs.data(), sizeof(uint32_t), kOutputs, response);
        top->clk = 1;
        top->eval();
    }
    top->final();
    std::fclose(stimulus);
    return std::fclose(response) == 0 ? 0 : 1;
}
