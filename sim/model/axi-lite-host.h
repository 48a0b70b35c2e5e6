// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The host of a Verilated top's registers: one access of its AXI4-Lite at a time, whose answer is always heard.
#ifndef SLUICE_AXI_LITE_HOST_H
#define SLUICE_AXI_LITE_HOST_H

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace sluice
{

/// Accesses words through whoever drives a model, who has `Top()`, the model; `Clock()`, which runs one clock;
/// `ClockUntil(condition)`, which runs them until a condition of the outputs holds; and `Evaluate()`, after which
/// outputs are those of the inputs. An access that is not answered with OKAY throws std::invalid_argument.
template <typename Driver>
struct AxiLiteHost
{
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

    uint32_t Read(uint32_t address)
    {
        auto& top = driver.Top();
        top.s_axil_araddr = address;
        top.s_axil_arvalid = 1;
        driver.ClockUntil([&] { return top.s_axil_arready; });
        driver.Clock();
        top.s_axil_arvalid = 0;
        driver.ClockUntil([&] { return top.s_axil_rvalid; });
        const bool isOkay = top.s_axil_rresp == 0;
        const uint32_t value = top.s_axil_rdata;
        driver.Clock();
        Check(isOkay, "read", address);
        return value;
    }

    void Write(uint32_t address, uint32_t value)
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
        const bool isOkay = top.s_axil_bresp == 0;
        driver.Clock();
        Check(isOkay, "write", address);
    }

    /// Registers answer SLVERR where there is no such word, or it does not take what is written.
    static void Check(bool isOkay, const char* access, uint32_t address)
    {
        if (!isOkay)
        {
            char text[64];
            std::snprintf(text, sizeof text, "the registers refuse a %s at address 0x%03x", access, address);
            throw std::invalid_argument(text);
        }
    }

    Driver& driver;
};

} // namespace sluice

#endif /* SLUICE_AXI_LITE_HOST_H */
