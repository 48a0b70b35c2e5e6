// SPDX-License-Identifier: Apache-2.0
//
// Read inside OpenNIC's box_250mhz: its registers are Sluice's alone, and nothing is to be decoded.
