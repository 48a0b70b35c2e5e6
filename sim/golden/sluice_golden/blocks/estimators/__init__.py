# SPDX-License-Identifier: Apache-2.0
"""How often each flow has come, and what follows from a sample of it."""
