# SPDX-License-Identifier: Apache-2.0
"""The closed loop: traffic of a scenario in ns-3 through the RTL of an AQM, what came of it, and its report."""
