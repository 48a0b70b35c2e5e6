# SPDX-License-Identifier: Apache-2.0
"""Controllers: schemes in which a price, a probability or a capacity follows the queue or the load."""
