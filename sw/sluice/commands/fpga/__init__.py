# SPDX-License-Identifier: Apache-2.0
"""On an FPGA"""
