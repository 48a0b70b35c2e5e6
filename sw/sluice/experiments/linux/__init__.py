# SPDX-License-Identifier: Apache-2.0
"""The kernel's own queue disciplines beside the RTL: the same arrivals through both."""
