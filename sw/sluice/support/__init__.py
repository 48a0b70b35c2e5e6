# SPDX-License-Identifier: Apache-2.0
"""What every room stands on: where files are, how a mistake is told, units, progress, templates."""
