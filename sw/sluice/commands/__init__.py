# SPDX-License-Identifier: Apache-2.0
"""Subcommands of `sluice`: each module of these packages is one, and holds it as `command`."""
