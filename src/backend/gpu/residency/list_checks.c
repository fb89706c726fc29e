/* list_checks.c: verdicts on stored lists, two bits for each 16 bytes of their section, where lists begin; and the
 * launches that find them (kernels/transcode/check_stored.cu). */
#include "backend/gpu/residency/list_checks.h"

#include <string.h>

#include "backend/gpu/gpu_list.h"

enum { UNIT = 16, WIDTH = 2, IN_WORD = 64 / WIDTH, WARPS = 4 };

/* ---- Verdicts ----------------------------------------------------------------------------------- */

static _Atomic uint64_t *word_of(const rp__residency *r, const rp__term *term)
{
    return &r->verdicts[term->list_offset / UNIT / IN_WORD];
}

static uint32_t shift_of(const rp__term *term)
{
    return (uint32_t)(term->list_offset / UNIT % IN_WORD) * WIDTH;
}

rp__verdict rp__list_checks_find(const rp__residency *r, const rp__term *term)
{
    const uint64_t word = atomic_load_explicit(word_of(r, term), memory_order_relaxed);
    const uint32_t bits = (uint32_t)(word >> shift_of(term)) % (1 << WIDTH);
    return bits & RP_VERDICT_DAMAGED ? RP_VERDICT_DAMAGED : (rp__verdict)bits;
}

void rp__list_checks_keep(rp__residency *r, const rp__term *term, rp__verdict verdict)
{
    atomic_fetch_or_explicit(word_of(r, term), (uint64_t)verdict << shift_of(term),
                             memory_order_relaxed);
}

/* ---- Checks ------------------------------------------------------------------------------------- */

rp__list_check rp__list_checks_of(const rp__list *list, const rp__term *term, const karg_term *word,
                                  bool is_partial)
{
    rp__list_check out = {.term = term, .word = *word, .is_partial = is_partial};
    if (!rp__gpu_list_has_tfs(list))
        out.word.list.freq_code = 0;
    return out;
}

/* Flags that kernels write to; those of before nobody needs any more. */
static rp_status hold_flags(rp__lease *l, size_t n)
{
    void *at = NULL;
    if (n > l->n_flags) {
        if (l->flags)
            l->device->driver->host_free(l->flags);
        l->flags = NULL;
        l->n_flags = 0;
        n = n > KARG_MAX_TERMS ? n : KARG_MAX_TERMS; /* which single queries do not pass */
        rp_status status =
            rp__device_pin_mapped(l->device, n * sizeof *l->flags, &at, &l->flags_at);
        if (status != RP_OK)
            return status;
        l->flags = at;
        l->n_flags = n;
    }
    memset(l->flags, 0, n * sizeof *l->flags);
    return RP_OK;
}

static rp_status launch(rp__lease *l, rp__cu_stream stream, const rp__list_check *checks, size_t n,
                        rp__cu_ptr flags)
{
    karg_check args = {.damaged = flags, .n_lists = (uint32_t)n};
    for (size_t i = 0; i < n; i++) {
        karg_term *to = &args.terms[i];
        *to = checks[i].word;
        to->before = args.n_blocks;
        args.n_blocks += (to->list.n + KARG_BLOCK - 1) / KARG_BLOCK;
        args.partial |= (uint32_t)checks[i].is_partial << i;
    }
    const rp__launch how = {(args.n_blocks + WARPS - 1) / WARPS, 32 * WARPS,
                            WARPS * KARG_SHARED_CHECK};
    return rp__device_launch_on(l->device, stream, RP_KERNEL_check_stored_kernel, how, &args);
}

rp_status rp__list_checks_run(rp__lease *l, rp__cu_stream stream, const rp__list_check *checks,
                              size_t n)
{
    enum { AT_ONCE = KARG_CHECK_LISTS };
    rp_status status = n > 0 ? hold_flags(l, n) : RP_OK;
    for (size_t i = 0; status == RP_OK && i < n; i += AT_ONCE)
        status = launch(l, stream, checks + i, n - i < AT_ONCE ? n - i : AT_ONCE,
                        l->flags_at + i * sizeof *l->flags);
    return status;
}

bool rp__list_checks_end(rp__lease *l, rp__list_check *checks, size_t n)
{
    bool is_sound = true;
    for (size_t i = 0; i < n; i++) {
        rp__list_check *c = &checks[i];
        c->is_damaged = __atomic_load_n(&l->flags[i], __ATOMIC_RELAXED) != 0;
        if (c->is_damaged || !c->is_partial)
            rp__list_checks_keep(l->residency, c->term,
                                 c->is_damaged ? RP_VERDICT_DAMAGED : RP_VERDICT_SOUND);
        is_sound = is_sound && !c->is_damaged;
    }
    return is_sound;
}
