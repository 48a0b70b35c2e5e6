# SPDX-License-Identifier: Apache-2.0
"""Drivers, checkers and the simulator's runner, shared by all benches."""
