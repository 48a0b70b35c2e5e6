# SPDX-License-Identifier: Apache-2.0
"""Talking to it: the C driver from Python, a serial line, the words of tc and of SONiC, and watching."""
