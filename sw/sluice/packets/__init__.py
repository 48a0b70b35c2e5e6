# SPDX-License-Identifier: Apache-2.0
"""Real packets: captured ones, the Verilated datapath that they go through, and a table of what became of each."""
