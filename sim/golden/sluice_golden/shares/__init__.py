# SPDX-License-Identifier: Apache-2.0
"""Schemes that reckon how many flows there are, and so the share of each."""

from __future__ import annotations
