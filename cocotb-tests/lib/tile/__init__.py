# SPDX-License-Identifier: Apache-2.0
"""A tile or a datapath beside its golden model: bench, player, registers, what witnesses show."""
