# SPDX-License-Identifier: Apache-2.0
"""What a switch under SONiC is configured to do with its queues, as register words: WRED_PROFILE, QUEUE and SCHEDULER"""
