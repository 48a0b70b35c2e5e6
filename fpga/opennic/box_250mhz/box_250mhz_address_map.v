// SPDX-License-Identifier: Apache-2.0
//
// OpenNIC's build reads this file of every plugin. Sluice takes the whole of the box's addresses.
