# SPDX-License-Identifier: Apache-2.0
"""What the hardware is, as its generator says it: catalogue, register maps, datapaths, boards, shells, and digests of the RTL."""
