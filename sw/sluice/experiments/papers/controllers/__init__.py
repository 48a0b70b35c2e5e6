# SPDX-License-Identifier: Apache-2.0
"""REM, PI and AVQ beside ns-2.35's own code."""
