# SPDX-License-Identifier: Apache-2.0
"""What pages show of kept results: tables, and the evidence for each core."""
