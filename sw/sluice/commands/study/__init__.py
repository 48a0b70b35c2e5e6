# SPDX-License-Identifier: Apache-2.0
"""Repeat what others found, and compare"""
