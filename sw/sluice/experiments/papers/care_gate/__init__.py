# SPDX-License-Identifier: Apache-2.0
"""CARE's gate, which its paper has not: what it does to few flows and to the paper's own table."""
