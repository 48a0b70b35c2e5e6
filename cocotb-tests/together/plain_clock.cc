// SPDX-License-Identifier: Apache-2.0
//
// The clock of the plain bench in Verilator. Registers and memories that have no value at the start begin with random ones, other ones
// with each seed.

#include <cstdlib>
#include <memory>

#include "Vtop.h"
#include "verilated.h"

int main(int argc, char** argv) {
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(argc > 1 ? std::atoi(argv[1]) : 1);
    auto top = std::make_unique<Vtop>(&context);
    while (!context.gotFinish()) {
        top->clk = 0;
        top->eval();
        top->clk = 1;
        top->eval();
    }
    top->final();
    return 0;
}
