# SPDX-License-Identifier: Apache-2.0
"""What is kept and shown of closed loops: rows, tables, pictures and pages."""
