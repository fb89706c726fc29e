/* lab_probe.c: probes by row, on one list: chapter 6 of lab/lab.h. */
#include "backend/cpu/probe.h"
#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "lab/lab_list.h"

struct rp__lab_target {
    rp__list plain;
    const rp__list *list;
    rp__aux buckets;
    const rp__aux *hs; /* NULL: none */
    uint8_t *hs_bytes;
};

bool rp__lab_probe_get(size_t i, rp__lab_probe *out)
{
    if (RP_MISSING(NULL, out))
        return false;
    const rp__probe_row *row = rp__probe_at(i);
    if (!row)
        return false;
    *out = (rp__lab_probe){.name = row->name,
                           .isa = row->needs & RP_CPU_AVX512 ? "avx512"
                                  : row->needs & RP_CPU_AVX2 ? "avx2"
                                                             : "scalar",
                           .can_run = (row->needs & ~rp__cpu_features()) == 0};
    return true;
}

static const rp__aux_kind *find_kind(uint32_t bucket)
{
    const rp__aux_kind *kind;
    for (size_t i = 0; (kind = rp__aux_kind_at(i)); i++)
        if (kind->bucket == bucket)
            return kind;
    return NULL;
}

static rp_status add_buckets(rp__lab_target *target, const uint32_t *docids, uint32_t bucket)
{
    const rp__list *list = target->list;
    const rp__aux_kind *kind = find_kind(bucket);
    if (!kind)
        return RP_NOT_FOUND;
    target->hs_bytes = rp__alloc(kind->bound(kind, list->n));
    if (!target->hs_bytes)
        return RP_NO_MEMORY;
    size_t bytes = kind->fit(kind, docids, list->n, list->universe, target->hs_bytes);
    target->hs = &target->buckets;
    return kind->open(kind, target->hs_bytes, bytes, list->n, list->universe, &target->buckets);
}

rp_status rp__lab_target_new(const rp__lab_list *list, const uint32_t *docids, size_t n,
                             uint32_t bucket, rp__lab_target **out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, docids))
        return RP_USAGE;
    if (n == 0 || n >= UINT32_MAX || docids[n - 1] == UINT32_MAX || (list && list->list.n != n))
        return rp__error_set(err, RP_USAGE, "a target has the docids of its list, one at least");
    rp__lab_target *target = rp__alloc_zero(1, sizeof *target);
    if (!target)
        return rp__error_no_memory(err);
    rp__list_from_arrays(docids, NULL, (uint32_t)n, docids[n - 1] + 1, &target->plain);
    target->list = list ? &list->list : &target->plain;
    rp_status status = bucket ? add_buckets(target, docids, bucket) : RP_OK;
    if (status == RP_OK) {
        *out = target;
        return RP_OK;
    }
    rp__lab_target_free(target);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "buckets of %u postings: there are none", (unsigned)bucket);
}

void rp__lab_target_free(rp__lab_target *target)
{
    if (!target)
        return;
    rp__free(target->hs_bytes);
    rp__free(target);
}

bool rp__lab_probe_applies(size_t probe, const rp__lab_target *target)
{
    if (RP_MISSING(NULL, target))
        return false;
    rp__lab_probe about;
    return rp__lab_probe_get(probe, &about) && about.can_run &&
           rp__probe_at(probe)->applies(target->list, target->hs);
}

size_t rp__lab_probe_choose(const rp__lab_target *target, size_t n)
{
    if (RP_MISSING(NULL, target))
        return 0;
    const rp__probe_row *row = rp__probe_choose(target->list, target->hs, n, rp__cpu_features());
    size_t i = 0;
    while (rp__probe_at(i) != row)
        i++;
    return i;
}

rp_status rp__lab_probe_find(size_t probe, const rp__lab_target *target, const uint32_t *docids,
                             size_t n, bool has_ranks, uint32_t *out, size_t *found)
{
    enum { SLACK = 16 }; /* that rows may write past the last */
    uint32_t kept[RP_BLOCK_MAX + SLACK], ranks[RP_BLOCK_MAX + SLACK];
    rp__probe p;
    if (RP_MISSING(NULL, target, found) || RP_MISSING_ARRAY(NULL, docids, n) ||
        !rp__lab_probe_applies(probe, target))
        return RP_USAGE;
    *found = 0;
    rp__probe_open(&p, rp__probe_at(probe), target->list, target->hs);
    for (size_t i = 0; i < n; i += RP_BLOCK_MAX) {
        uint32_t count = (uint32_t)(n - i < RP_BLOCK_MAX ? n - i : RP_BLOCK_MAX);
        uint32_t here = rp__probe_find(&p, docids + i, count, kept, has_ranks ? ranks : NULL);
        for (uint32_t k = 0; out && k < here; k++)
            out[*found + k] = docids[i + kept[k]];
        *found += here;
    }
    return p.status;
}
