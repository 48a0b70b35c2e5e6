# SPDX-License-Identifier: Apache-2.0
"""CARE's gate, which its paper does not have: what it does to few flows and to the paper's own table."""
