# SPDX-License-Identifier: Apache-2.0
"""The queue disciplines that datapaths have the words of."""

from __future__ import annotations

from sluice.driver.tc import choke, codel, pie, red, sfb

KINDS = {kind.name: kind for kind in (choke.KIND, codel.KIND, pie.KIND, red.KIND, sfb.KIND)}
"""By the name that the algorithm and tc have in common."""
