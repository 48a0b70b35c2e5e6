# SPDX-License-Identifier: Apache-2.0
"""Passes over a mapped netlist, between Yosys and nextpnr."""
