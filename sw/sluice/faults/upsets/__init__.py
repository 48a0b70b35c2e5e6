# SPDX-License-Identifier: Apache-2.0
"""Single-bit upsets of a design's registers and memories, and what comes of each."""
