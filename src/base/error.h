/* base/error.h: filling a caller's rp_error. */
#ifndef RP_BASE_ERROR_H
#define RP_BASE_ERROR_H

#include "riposte/status.h"

/* Writes code and text (cut to fit, never inside a UTF-8 sequence; control bytes become '?') and
 * returns the code, so that `return rp__error_set(err, RP_IO, ...)` is the whole failure path. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
rp_status rp__error_set(rp_error *err, rp_status code, const char *format, ...);

/* The message that every failed allocation leaves. Here, so that compilers see that it is no success. */
static inline rp_status rp__error_no_memory(rp_error *err)
{
    (void)rp__error_set(err, RP_NO_MEMORY, "out of memory; give the process more, or use less of it");
    return RP_NO_MEMORY;
}

#endif
