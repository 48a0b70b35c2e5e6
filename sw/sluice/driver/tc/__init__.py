# SPDX-License-Identifier: Apache-2.0
"""The words of `tc` for datapaths: what iproute2 reads and prints for red, choke, codel, pie, sfb, as parameters and counters."""
