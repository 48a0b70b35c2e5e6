# SPDX-License-Identifier: Apache-2.0
"""Runs the wrapper for OpenNIC's box, and holds the other direction and the plugin's files against it."""

from __future__ import annotations

import re

from lib.simulation import ROOT, RTL, simulate

TO_WIRE = RTL / "opennic-tx-red" / "sluice_opennic_tx_red.sv"
TO_HOST = RTL / "opennic-rx-red" / "sluice_opennic_rx_red.sv"
PLUGIN = ROOT / "fpga" / "opennic"


def test_the_box_towards_the_wire() -> None:
    simulate(TO_WIRE, "shells.opennic_box", bench="shell-opennic")


def test_the_other_direction_is_the_same_under_other_names() -> None:
    """But for the two destinations. So what is tested of one holds for both."""
    names = {
        "s_axis_qdma_h2c": "s_axis_adap_rx_250mhz",
        "s_axis_adap_rx_250mhz": "s_axis_qdma_h2c",
        "m_axis_adap_tx_250mhz": "m_axis_qdma_c2h",
        "m_axis_qdma_c2h": "m_axis_adap_tx_250mhz",
        "opennic_tx": "opennic_rx",
        "opennic-tx": "opennic-rx",
        "host to wire": "wire to host",
    }
    renamed = re.sub("|".join(names), lambda match: names[match[0]], TO_WIRE.read_text()).split()
    pairs = zip(renamed, TO_HOST.read_text().split(), strict=True)
    destinations = ["16'h0001", "16'h0040"]
    differing = [tuple(word.rstrip(");") for word in pair) for pair in pairs if pair[0] != pair[1]]
    assert sorted(differing) == [tuple(destinations), tuple(reversed(destinations))]


def test_the_plugin_connects_every_port_once() -> None:
    inside = TO_WIRE.read_text().partition(f"module {TO_WIRE.stem} (")[2].partition(");")[0]
    ports = re.findall(r"^ *(?:input|output) +wire +(?:\[\d+:0\])? *(\w+)", inside, re.MULTILINE)
    instance = (PLUGIN / "box_250mhz" / "user_plugin_250mhz_inst.vh").read_text()
    assert re.search(r"^(\w+) sluice \($", instance, re.MULTILINE)[1] == TO_WIRE.stem
    assert sorted(re.findall(r"^  \.(\w+)\(", instance, re.MULTILINE)) == sorted(ports)
    assert str(TO_WIRE.relative_to(RTL)) in (PLUGIN / "build_box_250mhz.tcl").read_text()
