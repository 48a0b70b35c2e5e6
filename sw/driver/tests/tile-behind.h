/* SPDX-License-Identifier: Apache-2.0
 *
 * A Verilated tile behind functions of C. The driver's `struct sluice` and the model's `namespace sluice` cannot be in
 * one file of C++.
 */
#ifndef TILE_BEHIND_H
#define TILE_BEHIND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The only tile, out of a library. */
void tile_load(const char *library);
uint32_t tile_read(uint32_t address);
void tile_write(uint32_t address, uint32_t word);
/* A packet of a queue, which need not find room. */
void tile_offer(uint64_t now_ns, uint32_t bytes, uint16_t queue);
/* The link wants a packet. */
void tile_depart(uint64_t now_ns);

#ifdef __cplusplus
}
#endif

#endif
