// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The host of a Verilated top's registers: one access of its AXI4-Lite at a time.
#ifndef SLUICE_AXI_LITE_HOST_H
#define SLUICE_AXI_LITE_HOST_H

#include <cstdint>

namespace sluice
{

/// Accesses words through whoever drives a model, who has `Top()`, the model; `Clock()`, which runs one clock;
/// `ClockUntil(condition)`, which runs them until a condition of the outputs holds; and `Evaluate()`, after which
/// outputs are those of the inputs.
template <typename Driver>
struct AxiLiteHost
{
    /// What the registers say.
    struct Answer
    {
        bool isOkay;    ///< no SLVERR
        uint32_t value; ///< of a read
    };

    /// Asks for nothing, and takes every answer. So it is to be from before the reset on.
    void Begin()
    {
        auto& top = driver.Top();
        top.s_axil_awvalid = 0;
        top.s_axil_wvalid = 0;
        top.s_axil_arvalid = 0;
        top.s_axil_wstrb = 0xf;
        top.s_axil_bready = 1;
        top.s_axil_rready = 1;
    }

    Answer Read(uint32_t address)
    {
        auto& top = driver.Top();
        top.s_axil_araddr = address;
        top.s_axil_arvalid = 1;
        driver.ClockUntil([&] { return top.s_axil_arready; });
        driver.Clock();
        top.s_axil_arvalid = 0;
        driver.ClockUntil([&] { return top.s_axil_rvalid; });
        const Answer answer{.isOkay = top.s_axil_rresp == 0, .value = top.s_axil_rdata};
        driver.Clock();
        return answer;
    }

    Answer Write(uint32_t address, uint32_t value)
    {
        auto& top = driver.Top();
        top.s_axil_awaddr = address;
        top.s_axil_wdata = value;
        top.s_axil_awvalid = 1;
        top.s_axil_wvalid = 1;
        // The block takes address and data together.
        driver.ClockUntil([&] {
            driver.Evaluate();
            return top.s_axil_awready && top.s_axil_wready;
        });
        driver.Clock();
        top.s_axil_awvalid = 0;
        top.s_axil_wvalid = 0;
        driver.ClockUntil([&] { return top.s_axil_bvalid; });
        const Answer answer{.isOkay = top.s_axil_bresp == 0, .value = 0};
        driver.Clock();
        return answer;
    }

    Driver& driver;
};

} // namespace sluice

#endif /* SLUICE_AXI_LITE_HOST_H */
