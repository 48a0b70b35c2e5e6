// SPDX-License-Identifier: Apache-2.0
//
// Clocks the Verilated SoC of examples/litex until it is done, for 40,000 clocks at most, and prints what it shows.
#include "Vfair_port.h"

#include <cstdio>
#include <verilated.h>

int
main()
{
    Vfair_port soc;
    int clocks = 0;
    while (!soc.done && clocks < 40'000)
    {
        soc.sys_clk = 0;
        soc.eval();
        soc.sys_clk = 1;
        soc.eval();
        ++clocks;
    }
    soc.final();
    std::printf("id %08x frames %u beats %u\n", soc.id, unsigned{soc.frames}, unsigned{soc.beats});
    return soc.done ? 0 : 1;
}
