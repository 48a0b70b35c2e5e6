# SPDX-License-Identifier: Apache-2.0
"""WRED by profile."""
