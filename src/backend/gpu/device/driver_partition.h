/* backend/gpu/device/driver_partition.h: interior of gpu: a card of which only some multiprocessors
 * are used: for measuring. */
#ifndef RP_BACKEND_GPU_DEVICE_DRIVER_PARTITION_H
#define RP_BACKEND_GPU_DEVICE_DRIVER_PARTITION_H

#include "backend/gpu/device/driver.h"

/* A driver like `of` whose devices of this card have `processors` multiprocessors, or the next
 * number that the card can be cut at: *have. It lasts until the process ends, and there is one at a
 * time. RP_USAGE: the card has fewer. RP_UNAVAILABLE: it cannot be cut here, and why. One thread at
 * a time. */
rp_status rp__driver_partition_make(const rp__driver *of, int ordinal, uint32_t processors,
                                    const rp__driver **out, uint32_t *have, rp_error *err);

#endif
