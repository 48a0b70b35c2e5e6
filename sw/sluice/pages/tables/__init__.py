# SPDX-License-Identifier: Apache-2.0
"""Tables of README and pages that follow from the generator, from what tests have found, and from runs in the closed loop."""
