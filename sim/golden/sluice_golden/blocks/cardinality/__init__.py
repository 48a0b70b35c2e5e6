# SPDX-License-Identifier: Apache-2.0
"""How many different flows."""
