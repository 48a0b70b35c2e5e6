# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: small faults in a design's netlist, and whether the design's own tests notice them."""
