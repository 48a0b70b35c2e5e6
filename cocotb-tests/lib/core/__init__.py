# SPDX-License-Identifier: Apache-2.0
"""A core alone, beside its golden model: bench, stimulus, what must happen, what is said of a failure."""
