# SPDX-License-Identifier: Apache-2.0
"""The papers: a package for each, in it a module for each table or figure."""
