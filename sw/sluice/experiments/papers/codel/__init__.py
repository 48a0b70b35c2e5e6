# SPDX-License-Identifier: Apache-2.0
"""What CoDel's experiments have in common. K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, RFC 8289, 2018."""
