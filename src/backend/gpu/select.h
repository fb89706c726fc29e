/* backend/gpu/select.h: interior of gpu: the k best of many scored documents on a device. */
#ifndef RP_BACKEND_GPU_SELECT_H
#define RP_BACKEND_GPU_SELECT_H

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"
#include "backend/gpu/kernels/tuning.h"

enum { RP_SELECT_MAX = TUNE_SELECT_FITS }; /* of k */

/* By select_sample.cu. Scratch: KARG_SELECT_ZEROS words, which are 0 before the first launch, and n
 * / 2 keys. */
rp_status rp__select_by_sample(rp__device *device, karg_select args);

#endif
