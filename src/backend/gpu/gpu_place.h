/* backend/gpu/gpu_place.h: interior of gpu: which driver and which card a user means. */
#ifndef RP_BACKEND_GPU_GPU_PLACE_H
#define RP_BACKEND_GPU_GPU_PLACE_H

#include "backend/backend.h"
#include "backend/gpu/driver.h"

/* RP_USAGE: no card has such a name; RP_UNAVAILABLE: there is no driver. */
rp_status rp__gpu_place_find(const rp__place *place, const rp__driver **driver, int *ordinal,
                             rp_error *err);

#endif
