# SPDX-License-Identifier: Apache-2.0
"""PIE's experiments. R. Pan, P. Natarajan, F. Baker, G. White, RFC 8033, 2017."""
