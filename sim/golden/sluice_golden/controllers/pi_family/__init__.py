# SPDX-License-Identifier: Apache-2.0
"""Controllers with a proportional and an integral part: PI of the queue, PIE, PI2 and DualPI2 of the delay."""
