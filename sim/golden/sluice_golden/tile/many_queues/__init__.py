# SPDX-License-Identifier: Apache-2.0
"""A tile with many queues: lists in one memory, turns among them, what they share and what is counted of each."""
