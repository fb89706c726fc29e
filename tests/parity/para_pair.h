/* para_pair.h: a search of PARA as one launch: docids of A are looked up in B by one of its kernels, and nothing else is
 * done. For tests of what the searches find. */
#ifndef RP_TESTS_PARA_PAIR_H
#define RP_TESTS_PARA_PAIR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/gpu/device/device.h"
#include "backend/gpu/kernels/args.h"

enum { PARA_PAIR_THREADS = 32 };

/* What the kernel reads, as it lies on the device; docids of A and marks follow. */
typedef struct para_pair {
    karg_para_list lists[2];
    karg_para_query queries[2];
    karg_list stored[2];
} para_pair;

/* Docids of A, which rise, that the kernel finds in B go to `found`, which has space for n; returns how many they are.
 * `stored`: B in its codec; NULL: it is read as docids. */
static inline uint32_t para_pair_run(rp__device *device, rp__kernel_id kernel, const uint32_t *a,
                                     uint32_t n, const karg_para_list *b, const karg_list *stored,
                                     uint32_t *found)
{
    const size_t words = (n + 31) / 32, docids = n * sizeof *a;
    const size_t bytes = sizeof(para_pair) + docids + words * sizeof(uint32_t);
    uint32_t n_found = 0, *marks = malloc(words * sizeof *marks);
    rp__cu_ptr at;
    assert_non_null(marks);
    assert_int_equal(rp__device_alloc(device, bytes, &at), RP_OK);
    para_pair pair = {.lists = {{.docids = at + sizeof pair, .n = n}, *b},
                      .queries = {{.n_lists = 2}, {.first = n, .list = 2}}};
    if (stored)
        pair.stored[1] = *stored;
    const karg_para args = {.lists = at + offsetof(para_pair, lists),
                            .stored = stored ? at + offsetof(para_pair, stored) : 0,
                            .queries = at + offsetof(para_pair, queries),
                            .marks = at + sizeof pair + docids,
                            .n = n,
                            .n_queries = 1,
                            .end = UINT32_MAX};
    const rp__launch how = {(n + PARA_PAIR_THREADS - 1) / PARA_PAIR_THREADS, PARA_PAIR_THREADS, 0};
    assert_int_equal(rp__device_copy_in(device, at, &pair, sizeof pair), RP_OK);
    assert_int_equal(rp__device_copy_in(device, at + sizeof pair, a, docids), RP_OK);
    assert_int_equal(rp__device_launch(device, kernel, how, &args), RP_OK);
    assert_int_equal(rp__device_copy_out(device, marks, args.marks, words * sizeof *marks), RP_OK);
    assert_int_equal(rp__device_wait(device), RP_OK);
    for (uint32_t i = 0; i < n; i++)
        if (marks[i / 32] >> i % 32 & 1)
            found[n_found++] = a[i];
    rp__device_free(device, at);
    free(marks);
    return n_found;
}

#endif
