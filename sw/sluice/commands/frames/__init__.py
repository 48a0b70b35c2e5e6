# SPDX-License-Identifier: Apache-2.0
"""Frames, captures and hosts"""
