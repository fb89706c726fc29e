/* crc32c.h: the checksum of images. Interior of the room. */
#ifndef RP_SIM_CRC32C_H
#define RP_SIM_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli) of bytes that follow those whose sum is `crc`; 0 for the first. */
uint32_t rp__crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
