# SPDX-License-Identifier: Apache-2.0
"""Subcommands of `sluice`: each module is one, and holds it as `command`."""
