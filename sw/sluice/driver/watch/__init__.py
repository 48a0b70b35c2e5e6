# SPDX-License-Identifier: Apache-2.0
"""Datapaths looked at as they run: queue, delay, rates, drops and marks, on a terminal and for Prometheus."""
