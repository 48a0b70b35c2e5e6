# SPDX-License-Identifier: Apache-2.0
"""How fast a design is: paths of what was placed, levels of what was not, and their lines of Scala."""
