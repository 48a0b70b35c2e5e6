# SPDX-License-Identifier: Apache-2.0
#
# OpenNIC's build sources this file of every plugin. Sluice needs no crossbar.
