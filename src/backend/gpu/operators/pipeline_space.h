/* backend/gpu/operators/pipeline_space.h: interior of operators: where in the scratch, and in
 * memory of the host, a query's operators have what they need. */
#ifndef RP_BACKEND_GPU_OPERATORS_PIPELINE_SPACE_H
#define RP_BACKEND_GPU_OPERATORS_PIPELINE_SPACE_H

#include "backend/gpu/operators/pipeline.h"

/* Lays all out, once methods and forms are chosen. */
rp_status rp__pipeline_space_plan(rp__pipeline *p);
/* Tiny lists that are decoded and auxiliary data that are not on the device, to memory of the host.
 * Reads mapped memory. */
rp_status rp__pipeline_space_stage(rp__pipeline *p);

#endif
