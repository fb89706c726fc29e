/* backend/gpu/gpu_form.h: interior of gpu: what a device would do for a query, which it is not
 * asked. */
#ifndef RP_BACKEND_GPU_GPU_FORM_H
#define RP_BACKEND_GPU_GPU_FORM_H

#include "backend/backend.h"
#include "backend/gpu/residency/device_norms.h"
#include "backend/gpu/residency/lease.h"

/* A flat AND of terms; one term alone is one. */
bool rp__gpu_form_is_and(const rp__query *query);
/* Why a device does not answer it, whatever its lists and its memory are; NONE: it may. */
rp_fallback rp__gpu_form_check(const rp__gpu_index *index, const rp__query *query);
/* As rp__backend's form. The lease has not begun, and has ended then. Reads mapped memory. */
rp_status rp__gpu_form_find(const rp__gpu_index *index, rp__lease *lease, rp__device_norms *norms,
                            const rp__query *query, rp__arena *arena, rp_form *out);

#endif
