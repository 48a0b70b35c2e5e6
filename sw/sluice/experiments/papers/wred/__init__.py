# SPDX-License-Identifier: Apache-2.0
"""Experiments with WRED as switches have it: profiles by queue, and by the colour of a packet."""
