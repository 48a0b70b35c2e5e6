# SPDX-License-Identifier: Apache-2.0
"""The atlas: every scheme in the same situations, set by one rule, as one row a run.

The situations (`cells`) are scenarios that anybody can run alone, most of them those of RFC 7928. What schemes there are is in
`schemes`, how they are set in `rule`, what is measured in `measures`, and the rows in `table`.
"""
