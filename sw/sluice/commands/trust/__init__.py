# SPDX-License-Identifier: Apache-2.0
"""Put it to the test"""
