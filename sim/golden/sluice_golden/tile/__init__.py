# SPDX-License-Identifier: Apache-2.0
"""The tile around a core: its queues, limits, counters and time."""
