// SPDX-License-Identifier: Apache-2.0
//
// Plays a recorded stimulus on one Verilated module, a row of 32-bit words per clock, and records its
// outputs, so that a million clocks take seconds. A port of more than 32 bits takes two words, the lower
// first. player.py writes ports.h, which says INPUT(port) and OUTPUT(port) for each port in order. A row's
// inputs stand through its clock; its outputs are read just before the edge that ends it.
//
// A program that is compiled with tracing writes the waveform of some rows too: row r begins at r ns.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include "Vtop.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

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

// The waveform of rows [first, end), as three arguments say: file, first, end. A program without tracing has none.
class Waves {
   public:
#if VM_TRACE
    static constexpr int kArguments = 3;

    Waves(VerilatedContext& context, Vtop& top, char** argument)
        : first_(std::strtoull(argument[1], nullptr, 10)), end_(std::strtoull(argument[2], nullptr, 10)) {
        context.traceEverOn(true);
        top.trace(&file_, kAllLevels);
        file_.set_time_unit("1ns");
        file_.set_time_resolution("1ps");
        file_.open(argument[0]);
    }

    // After an evaluation in a row, in the first or the second half of its clock.
    void Show(uint64_t row, bool is_second_half) {
        if (row >= first_ && row < end_) {
            file_.dump(row * kClockPs + is_second_half * (kClockPs / 2));
        }
    }

    ~Waves() {
        file_.close();
    }

   private:
    static constexpr int kAllLevels = 99;
    static constexpr uint64_t kClockPs = 1000;
    VerilatedFstC file_;
    const uint64_t first_;
    const uint64_t end_;
#else
    static constexpr int kArguments = 0;

    Waves(VerilatedContext&, Vtop&, char**) {}

    void Show(uint64_t, bool) {}
#endif
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 + Waves::kArguments) {
        std::fprintf(stderr, "usage: player stimulus response%s\n", Waves::kArguments ? " waves first end" : "");
        return 2;
    }
    std::FILE* stimulus = std::fopen(argv[1], "rb");
    std::FILE* response = std::fopen(argv[2], "wb");
    if (!stimulus || !response) {
        std::perror("player");
        return 2;
    }
    VerilatedContext context;
    context.randReset(2); // what no reset sets begins at random, as a chip does
    context.randSeed(1);
    auto top = std::make_unique<Vtop>(&context);
    Waves waves(context, *top, argv + 3);
    std::vector<uint32_t> inputs(kInputs);
    std::vector<uint32_t> outputs(kOutputs);
    for (uint64_t row = 0; std::fread(inputs.data(), sizeof(uint32_t), kInputs, stimulus) == kInputs; ++row) {
        top->clk = 0;
        Present(*top, inputs.data());
        top->eval();
        waves.Show(row, false);
        Record(*top, outputs.data());
        std::fwrite(outputs.data(), sizeof(uint32_t), kOutputs, response);
        top->clk = 1;
        top->eval();
        waves.Show(row, true);
    }
    top->final();
    std::fclose(stimulus);
    return std::fclose(response) == 0 ? 0 : 1;
}
