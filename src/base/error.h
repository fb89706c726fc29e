/* base/error.h: filling a caller's rp_error. */
#ifndef RP_BASE_ERROR_H
#define RP_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "riposte/status.h"

/* Writes code and text (cut to fit, never inside a UTF-8 sequence; control bytes become '?') and
 * returns the code, so that `return rp__error_set(err, RP_IO, ...)` is the whole failure path. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
rp_status
rp__error_set(rp_error *err, rp_status code, const char *format, ...);

/* The message that every failed allocation leaves. Here, so that compilers see that it is no
 * success. */
static inline rp_status rp__error_no_memory(rp_error *err)
{
    if (rp__alloc_was_refused())
        (void)rp__error_set(err, RP_NO_MEMORY, "--memory %llu MiB is too little; give more",
                            (unsigned long long)(rp__alloc_get_limit() >> 20));
    else
        (void)rp__error_set(err, RP_NO_MEMORY,
                            "out of memory; give the process more, or use less of it");
    return RP_NO_MEMORY;
}

/* Whether one of these arguments of a public function is NULL; then err says which one. Public
 * functions begin with `if (RP_MISSING(err, dir, out)) return RP_USAGE;`. */
#define RP_MISSING(err, ...)                                                                       \
    rp__error_missing((err), __func__, #__VA_ARGS__, (const void *const[]){__VA_ARGS__},           \
                      sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))

/* The same of an array or a string of n elements, which may be NULL if n is 0. */
#define RP_MISSING_ARRAY(err, at, n) ((n) > 0 && RP_MISSING(err, at))

/* The message: `names` is a list with commas, of which the i-th is missing. */
void rp__error_set_missing(rp_error *err, const char *function, const char *names, size_t i);

static inline bool rp__error_missing(rp_error *err, const char *function, const char *names,
                                     const void *const *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!at[i]) {
            rp__error_set_missing(err, function, names, i);
            return true;
        }
    return false;
}

#endif
