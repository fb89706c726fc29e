/* backend_table.c: the processors, one row each; callers find them by name and never branch on it. */
#include "backend/backend.h"

#include <string.h>

#include "backend/rows.h"

static const rp__backend *const rows[] = {
    &rp__cpu_run_row,
    &rp__gpu_run_row,
    &rp__iiu_run_row,
};

const rp__backend *rp__backend_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? rows[i] : NULL;
}

const rp__backend *rp__backend_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(rows[i]->name, name))
            return rows[i];
    return NULL;
}
