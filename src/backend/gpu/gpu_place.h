/* backend/gpu/gpu_place.h: interior of gpu: which drivers and which cards a user means.
 *
 * Names stand between commas: a card's number, or `emulated`, which may be there several times:
 * "0", "0,1", "emulated,emulated". */
#ifndef RP_BACKEND_GPU_GPU_PLACE_H
#define RP_BACKEND_GPU_GPU_PLACE_H

#include "backend/backend.h"
#include "backend/gpu/device/driver.h"

enum { RP_GPU_PLACE_MAX = 8 }; /* cards */

/* The i-th of them. RP_NOT_FOUND: there are no more. RP_USAGE, whichever is asked for: one of
 * them is no name of a card, or there twice, or they are too many; RP_UNAVAILABLE: there is no
 * driver. */
rp_status rp__gpu_place_find(const rp__place *place, size_t i, const rp__driver **driver,
                             int *ordinal, rp_error *err);

#endif
