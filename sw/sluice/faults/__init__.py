# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on purpose: small faults in the RTL, flipped bits, and very long runs."""
