/* backend/gpu/gpu_lab.h: all of gpu that the lab may use: devices, kernels with their arguments,
 * and the launches that its cases measure. No other room includes it. */
#ifndef RP_BACKEND_GPU_GPU_LAB_H
#define RP_BACKEND_GPU_GPU_LAB_H

#include "backend/gpu/device/device.h"
#include "backend/gpu/device/driver_partition.h"
#include "backend/gpu/exec/exec.h"
#include "backend/gpu/exec/fused_and.h"
#include "backend/gpu/exec/fused_or.h"
#include "backend/gpu/gpu_list.h"
#include "backend/gpu/gpu_place.h"
#include "backend/gpu/intersect.h"
#include "backend/gpu/kernels/args.h"
#include "backend/gpu/kernels/tuning.h"
#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/select_table.h"
#include "backend/gpu/residency/transcode_term.h"
#include "backend/gpu/select.h"

#endif
