# SPDX-License-Identifier: Apache-2.0
"""Frames, as the datapath reads them."""

from __future__ import annotations
