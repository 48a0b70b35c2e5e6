# SPDX-License-Identifier: Apache-2.0
"""What other people's tools take: register maps in standard formats, FuseSoC's cores, and a release of all of it."""
