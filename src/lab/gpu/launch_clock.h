/* lab/gpu/launch_clock.h: the device's time for each launch between two calls. */
#ifndef RP_LAB_GPU_LAUNCH_CLOCK_H
#define RP_LAB_GPU_LAUNCH_CLOCK_H

#include "backend/gpu/gpu_lab.h"

enum { RP_LAUNCH_CLOCK_MAX = 16 }; /* launches that are timed; others are counted */

/* From now on launches of this device are timed. One device at a time, one thread. */
void rp__launch_clock_begin(rp__device *device);
/* Until now. Waits; seconds of each launch, in their order. How many there were. */
size_t rp__launch_clock_end(rp__device *device, double seconds[RP_LAUNCH_CLOCK_MAX]);

#endif
