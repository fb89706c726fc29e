/* fuzz_aux.c: any bytes as auxiliary data of a list.
 *
 * Byte 0 is the kind, bytes 1 to 3 are n, bytes 4 to 7 the universe, byte 8 nothing; the rest is what
 * is opened, in memory of exactly its size.
 * Checked: ranges lie inside the list, and hold the docids for which they are sound. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "codec/codec.h"

enum { HEAD = 9, STEP = 3, MOST = 4096 };

#define MUST(fact) ((fact) ? (void)0 : broken(#fact, __LINE__))

static _Noreturn void broken(const char *fact, int line)
{
    fprintf(stderr, "fuzz_aux.c:%d: does not hold: %s\n", line, fact);
    abort();
}

/* The range of x, which has rank r in a list for which it is sound; UINT32_MAX: of a list unknown. */
static void look_in(const rp__aux *aux, uint32_t x, uint32_t r)
{
    uint32_t lo, hi;
    aux->kind->range(aux, x, &lo, &hi);
    MUST(lo <= hi && hi <= aux->n);
    MUST(r == UINT32_MAX || (lo <= r && r <= hi));
    if (aux->t)
        rp__lr_narrow(aux, x, &lo, &hi);
    MUST(lo <= hi && hi <= aux->n);
    MUST(r == UINT32_MAX || (lo <= r && r <= hi));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The list is every third docid. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t docids[MOST];
    if (size < HEAD)
        return 0;
    const rp__aux_kind *kind = rp__aux_kind_at(data[0] % 16U);
    uint32_t n = (rp__load32(data) >> 8) % MOST, universe = rp__load32(data + 4);
    size_t n_bytes = size - HEAD;
    uint8_t *bytes = aligned_alloc(16, rp__bits_align(n_bytes + 1, 16));
    rp__aux aux;
    memcpy(bytes, data + HEAD, n_bytes);
    for (uint32_t i = 0; i < n; i++)
        docids[i] = i * STEP;
    if (kind && kind->open(kind, bytes, n_bytes, n, universe, &aux) == RP_OK) {
        bool is_sound = kind->is_sound(&aux, docids);
        for (uint32_t x = 0; x < STEP * n; x++)
            look_in(&aux, x, is_sound ? (x + STEP - 1) / STEP : UINT32_MAX);
        for (uint32_t shift = 0; shift < 32; shift++)
            look_in(&aux, UINT32_MAX - (1U << shift), UINT32_MAX);
    }
    free(bytes);
    return 0;
}
