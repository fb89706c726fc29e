/* backend/rows.h: interior of backend: the rows that backend_table.c lists, each defined in its
 * file. */
#ifndef RP_BACKEND_ROWS_H
#define RP_BACKEND_ROWS_H

#include "backend/backend.h"

extern const rp__backend rp__cpu_run_row;
extern const rp__backend rp__gpu_run_row;
extern const rp__backend rp__iiu_run_row;

#endif
