# SPDX-License-Identifier: Apache-2.0
"""Functions of one number, as the hardware computes them."""
