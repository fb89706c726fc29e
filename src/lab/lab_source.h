/* lab/lab_source.h: interior of lab: what a source has, as cases of kernels read it. */
#ifndef RP_LAB_LAB_SOURCE_H
#define RP_LAB_LAB_SOURCE_H

#include "lab/gpu/gpu_bench.h"
#include "lab/lab.h"

const rp__gpu_source *rp__lab_source_at(const rp__lab_source *source); /* NULL of NULL */

#endif
