// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A Verilated design clock by clock, held against the clean run and against a queue of its own, with a host at its
// registers. What arrives and when the link takes something is the design's own traffic.
#ifndef SLUICE_UPSETS_BENCH_H
#define SLUICE_UPSETS_BENCH_H

#include "account.h"
#include "design.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace upsets
{

class Bench
{
  public:
    explicit Bench(uint32_t itsLimit)
        : limit(itsLimit)
    {
        top = std::make_unique<Design>(context.get());
        top->clk = 0;
        top->rst = 1;
        top->eval();
    }

    /// Verilator takes a model's names from the context that its thread used last.
    virtual ~Bench()
    {
        Verilated::threadContextp(context.get());
    }

    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    /// A clock in which nothing new arrives and the link takes what there is.
    virtual void Idle() = 0;

    /// A reset, and so many clocks behind it.
    void Reset(uint32_t settling)
    {
        Quiet();
        top->rst = 1;
        top->s_axil_wstrb = 0xf;
        nowNs = 1000;
        for (uint32_t i = 0; i < 6 + settling; i++)
        {
            Edge();
            top->rst = i < 5;
        }
    }

    /// One clock with the inputs as they stand.
    void Edge()
    {
        const Outputs out = Look();
        if (phase)
        {
            account.Note(out, *phase);
        }
        if (!clean)
        {
            trace.push_back(out);
        }
        else if (clock >= clean->size() || !(out == (*clean)[clock]))
        {
            differs++;
            lastDiffers = clock;
            if (phase)
            {
                phase->differs++;
            }
        }
        top->clk = !top->clk; // either edge is a clock
        top->eval();
        clock++;
        nowNs += stepNs;
        top->now_ns = nowNs;
    }

    /// One access of the host; always of as many clocks, whether it is answered or not.
    bool Access(bool isWrite, uint32_t address, uint32_t& value)
    {
        bool isTaken = false, isDone = false;
        top->s_axil_awaddr = top->s_axil_araddr = address;
        top->s_axil_wdata = value;
        top->s_axil_awvalid = top->s_axil_wvalid = isWrite;
        top->s_axil_arvalid = !isWrite;
        top->s_axil_bready = top->s_axil_rready = 1;
        for (int i = 0; i < 40; i++)
        {
            top->eval();
            const bool fires = isWrite ? top->s_axil_awready && top->s_axil_wready : top->s_axil_arready;
            if (isTaken && !isDone && (isWrite ? top->s_axil_bvalid : top->s_axil_rvalid))
            {
                isDone = true;
                phase->refuses |= (isWrite ? top->s_axil_bresp : top->s_axil_rresp) != 0;
                value = isWrite ? value : top->s_axil_rdata;
            }
            Idle();
            if (fires && !isTaken)
            {
                isTaken = true;
                top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
            }
        }
        top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
        phase->hangs |= !isDone;
        return isDone;
    }

    /// All traffic so far is over: what the tile still owes is lost.
    void Begin(Phase& next)
    {
        phase = &next;
        account.Clear();
    }

    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Design> top;
    uint64_t clock = 0, differs = 0, lastDiffers = 0;
    uint32_t limit;
    uint64_t pause = 0; ///< packets that the link does not take from now on
    std::vector<Outputs> trace;
    const std::vector<Outputs>* clean = nullptr;
    Phase* phase = nullptr;

  protected:
    /// What the design says with its inputs as they stand.
    virtual Outputs Look() = 0;

    /// No input says anything.
    virtual void Quiet() = 0;

    Account account{limit};
    uint64_t nowNs = 1000, stepNs = 0; ///< the time, and of a clock
};

} // namespace upsets

#endif // SLUICE_UPSETS_BENCH_H
