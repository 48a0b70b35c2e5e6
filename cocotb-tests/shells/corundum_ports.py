# SPDX-License-Identifier: Apache-2.0
"""The ports of Corundum's application block that have nothing to do with its datapath, as cocotb tests."""

from __future__ import annotations

import os
from typing import Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge
from shells.corundum import Block

OWN = os.environ["SLUICE_TAP"]
"""The tap with the datapath: `sync_rx` or `sync_tx`."""

STRAIGHT = [tap for tap in ("direct_tx", "direct_rx", "sync_tx", "sync_rx", "if_tx", "if_rx") if tap != OWN]
COMPLETING = [tap for tap in ("direct_tx", "sync_tx", "if_tx") if tap != OWN]


def block(dut: Any) -> Block:
    """The block of this bench."""
    return Block(dut, OWN, OWN.replace("sync_", "red-512-corundum-"))


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_other_taps_are_wires(dut: Any) -> None:
    """What is on one side of each is on the other, in the same clock; so are the completions of sent frames."""
    bench = block(dut)
    await bench.start()
    pairs = [
        (getattr(dut, f"s_axis_{tap}_{signal}"), getattr(dut, f"m_axis_{tap}_{signal}"))
        for tap in STRAIGHT
        for signal in ("tdata", "tkeep", "tvalid", "tlast", "tuser", *(("tid", "tdest") if "if" in tap else ()))
    ]
    pairs += [
        (getattr(dut, f"s_axis_{tap}_cpl_{signal}"), getattr(dut, f"m_axis_{tap}_cpl_{signal}"))
        for tap in COMPLETING
        for signal in ("ts", "tag", "valid")
    ]
    pairs += [(getattr(dut, f"m_axis_{tap}_tready"), getattr(dut, f"s_axis_{tap}_tready")) for tap in STRAIGHT]
    pairs += [(getattr(dut, f"m_axis_{tap}_cpl_ready"), getattr(dut, f"s_axis_{tap}_cpl_ready")) for tap in COMPLETING]
    pairs.append((dut.jtag_tdi, dut.jtag_tdo))
    for _ in range(20):
        await RisingEdge(dut.clk)
        values = [bench.rng.getrandbits(len(given)) for given, _ in pairs]
        for (given, _), value in zip(pairs, values, strict=True):
            given.value = value
        await ReadOnly()
        assert [int(shown.value) for _, shown in pairs] == values


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def the_rest_asks_for_nothing_and_answers(dut: Any) -> None:
    """No request leaves, whatever comes in; a look into the block's memory finds zeros, and a write is done at once."""
    bench = block(dut)
    await bench.start()
    outputs = [f"m_axil_ctrl_{channel}valid" for channel in ("aw", "w", "ar")]
    outputs += [f"m_axis_{kind}_dma_{way}_desc_valid" for kind in ("ctrl", "data") for way in ("read", "write")]
    outputs += [f"m_axi_{memory}_{channel}valid" for memory in ("ddr", "hbm") for channel in ("aw", "w", "ar")]
    outputs += ["m_axis_stat_tvalid", "gpio_out"]
    for _ in range(20):
        await RisingEdge(dut.clk)
        written, asked, ready = (bench.rng.getrandbits(2) for _ in range(3))
        for kind in ("ctrl", "data"):
            getattr(dut, f"{kind}_dma_ram_wr_cmd_valid").value = written
            getattr(dut, f"{kind}_dma_ram_rd_cmd_valid").value = asked
            getattr(dut, f"{kind}_dma_ram_rd_resp_ready").value = ready
        await ReadOnly()
        for kind in ("ctrl", "data"):
            seen = [int(getattr(dut, f"{kind}_dma_ram_{name}").value) for name in (
                "wr_cmd_ready", "wr_done", "rd_cmd_ready", "rd_resp_valid", "rd_resp_data"
            )]  # fmt: skip
            assert seen == [0b11, written, ready, asked, 0]
        assert [name for name in outputs if getattr(dut, name).value] == []
        assert dut.m_axil_ctrl_bready.value
        assert dut.m_axil_ctrl_rready.value
