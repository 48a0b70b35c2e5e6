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

/// One access to a 32-bit word.
struct HostAccess
{
    uint32_t address = 0;
    uint32_t value = 0; ///< to be written, or as read
    bool isWrite = false;
    bool isOkay = false; ///< it was answered OKAY, and not SLVERR
};

/// Accesses words through whoever drives a model, who has `Top()`, the model; `ClockUntil(condition)`, which runs
/// clocks until a condition holds before an edge; `Clock()`, which runs one; and `Evaluate()`, after which outputs are
/// those of the inputs.
///
/// Whoever runs clocks of his own meanwhile begins an access with Ask and calls Step once in each clock, until it says
/// that the access ends. Read and Write do it all at once; what is not answered with OKAY throws std::invalid_argument.
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

    bool IsBusy() const
    {
        return phase != Phase::Idle;
    }

    /// Begins an access; the one before has ended.
    void Ask(const HostAccess& wanted)
    {
        access = wanted;
        phase = Phase::Asking;
    }

    /// Before the edge of a clock: whether the access ends with it. Then `access` has its answer.
    bool Step()
    {
        auto& top = driver.Top();
        const bool isAsking = phase == Phase::Asking;
        if (access.isWrite)
        {
            top.s_axil_awaddr = access.address;
            top.s_axil_wdata = access.value;
            top.s_axil_awvalid = isAsking;
            top.s_axil_wvalid = isAsking;
        }
        else
        {
            top.s_axil_araddr = access.address;
            top.s_axil_arvalid = isAsking;
        }
        driver.Evaluate();
        if (isAsking)
        {
            // The block takes address and data of a write together.
            const bool isTaken =
                access.isWrite ? top.s_axil_awready && top.s_axil_wready : static_cast<bool>(top.s_axil_arready);
            phase = isTaken ? Phase::Waiting : phase;
            return false;
        }
        if (!(access.isWrite ? top.s_axil_bvalid : top.s_axil_rvalid))
        {
            return false;
        }
        access.isOkay = (access.isWrite ? top.s_axil_bresp : top.s_axil_rresp) == 0;
        access.value = access.isWrite ? access.value : top.s_axil_rdata;
        phase = Phase::Idle;
        return true;
    }

    uint32_t Read(uint32_t address)
    {
        Finish({.address = address});
        return Checked(access).value;
    }

    void Write(uint32_t address, uint32_t value)
    {
        Finish({.address = address, .value = value, .isWrite = true});
        Checked(access);
    }

    /// Registers answer SLVERR where there is no such word, or it does not take what is written.
    static const HostAccess& Checked(const HostAccess& done)
    {
        if (!done.isOkay)
        {
            char text[64];
            std::snprintf(text,
                          sizeof text,
                          "the registers refuse a %s at address 0x%03x",
                          done.isWrite ? "write" : "read",
                          done.address);
            throw std::invalid_argument(text);
        }
        return done;
    }

    enum class Phase
    {
        Idle,
        Asking,
        Waiting,
    };

    Driver& driver;
    HostAccess access{}; ///< the last one
    Phase phase = Phase::Idle;

  private:
    void Finish(const HostAccess& wanted)
    {
        Ask(wanted);
        driver.ClockUntil([this] { return Step(); });
        driver.Clock();
    }
};

} // namespace sluice

#endif /* SLUICE_AXI_LITE_HOST_H */
