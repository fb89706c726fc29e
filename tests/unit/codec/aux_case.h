/* aux_case.h: an auxiliary of a list of any shape, and what its ranges promise, for the tests of
 * codec. */
#ifndef RP_TESTS_AUX_CASE_H
#define RP_TESTS_AUX_CASE_H

#include "list_case.h"

typedef struct aux_case {
    uint32_t *docids, n, universe;
    uint8_t *bytes; /* 16-byte aligned, of exactly its size */
    size_t n_bytes;
    rp__aux aux;
} aux_case;

static inline void aux_case_fit(aux_case *ac, const rp__aux_kind *kind, const uint32_t *docids,
                                uint32_t n, uint32_t universe)
{
    size_t bound = kind->bound(kind, n);
    uint8_t *room = malloc(bound + 1);
    *ac = (aux_case){.n = n, .universe = universe};
    ac->docids = malloc(n * sizeof *docids);
    memcpy(ac->docids, docids, n * sizeof *docids);
    memset(room, 0xC3, bound + 1);
    ac->n_bytes = kind->fit(kind, docids, n, universe, room);
    assert_true(ac->n_bytes <= bound && ac->n_bytes % 16 == 0 && room[bound] == 0xC3);
    ac->bytes = aligned_alloc(16, ac->n_bytes);
    memcpy(ac->bytes, room, ac->n_bytes);
    free(room);
    assert_int_equal(kind->open(kind, ac->bytes, ac->n_bytes, n, universe, &ac->aux), RP_OK);
    assert_ptr_equal(ac->aux.kind, kind);
}

static inline void aux_case_free(aux_case *ac)
{
    free(ac->docids);
    free(ac->bytes);
}

/* Whether it opens and is sound with what its bytes are now. */
static inline bool aux_case_is_sound(aux_case *ac)
{
    const rp__aux_kind *kind = ac->aux.kind;
    return kind->open(kind, ac->bytes, ac->n_bytes, ac->n, ac->universe, &ac->aux) == RP_OK &&
           kind->is_sound(&ac->aux, ac->docids);
}

static inline uint32_t rank_of(const aux_case *ac, uint32_t x)
{
    uint32_t lo = 0, hi = ac->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ac->docids[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static inline void assert_range(const aux_case *ac, uint32_t x, uint32_t lo, uint32_t hi)
{
    uint32_t r = rank_of(ac, x);
    bool is_there = r < ac->n && ac->docids[r] == x;
    if (lo > r || r > hi || hi > ac->n || (is_there && r == hi))
        fail_msg("%s: docid %u of rank %u of %u: range %u to %u", ac->aux.kind->name, x, r, ac->n,
                 lo, hi);
}

static inline void assert_ranges(const aux_case *ac, uint32_t x)
{
    uint32_t lo, hi;
    ac->aux.kind->range(&ac->aux, x, &lo, &hi);
    assert_range(ac, x, lo, hi);
    if (!ac->aux.t)
        return;
    rp__lr_narrow(&ac->aux, x, &lo, &hi);
    assert_range(ac, x, lo, hi);
    lo = 0;
    hi = ac->n;
    rp__lr_narrow(&ac->aux, x, &lo, &hi);
    assert_range(ac, x, lo, hi);
    assert_true(hi - lo <= RP_LR_SEGMENT);
}

/* All x of a small universe; else all docids, those beside them, the ends, and some at random. */
static inline void assert_all_ranges(const aux_case *ac, uint64_t *rng)
{
    assert_true(ac->aux.kind->is_sound(&ac->aux, ac->docids));
    for (uint32_t x = 0; ac->universe <= 5000 && x <= ac->universe + 2; x++)
        assert_ranges(ac, x);
    for (uint32_t i = 0; i < ac->n; i++)
        for (uint32_t d = 0; d < 3; d++)
            assert_ranges(ac, ac->docids[i] + d - 1);
    for (uint32_t i = 0; i < 1000; i++)
        assert_ranges(ac, (uint32_t)random64(rng) >> random_below(rng, 32));
    assert_ranges(ac, UINT32_MAX);
}

/* Lists of every shape: short and long, dense and spread, up to the end of docids. */
static inline void assert_ranges_of_all_shapes(const rp__aux_kind *kind, uint64_t seed)
{
    enum { MOST = 20000 };
    uint64_t rng = seed;
    uint32_t *docids = malloc(MOST * sizeof *docids);
    for (uint32_t round = 0; round < 150; round++) {
        uint32_t n = random_length(&rng, round % 10 ? 3000 : MOST);
        uint64_t spare = random64(&rng) >> (32 + random_below(&rng, 32));
        uint32_t universe = (uint32_t)(n + spare < UINT32_MAX ? n + spare : UINT32_MAX);
        aux_case ac;
        make_docids(&rng, (shape)(round % N_SHAPES), n, universe, docids);
        if (round % 3 == 0) /* at the end of the universe */
            for (uint32_t i = 0, far = universe - 1 - docids[n - 1]; i < n; i++)
                docids[i] += far;
        aux_case_fit(&ac, kind, docids, n, universe);
        assert_all_ranges(&ac, &rng);
        aux_case_free(&ac);
    }
    free(docids);
}

/* Any bytes open or not; what opens gives ranges inside the list. */
static inline void assert_safe_on_any_bytes(const rp__aux_kind *kind, uint64_t seed)
{
    uint64_t rng = seed;
    uint32_t docids[600];
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t n = 1 + (uint32_t)random_below(&rng, 600), universe = UINT32_MAX >> round % 20;
        aux_case ac;
        make_docids(&rng, UNIFORM, n, universe, docids);
        aux_case_fit(&ac, kind, docids, n, universe);
        for (uint64_t flips = random_below(&rng, 40); flips > 0; flips--)
            ac.bytes[random_below(&rng, ac.n_bytes)] = (uint8_t)random64(&rng);
        if (kind->open(kind, ac.bytes, ac.n_bytes, n, universe, &ac.aux) == RP_OK) {
            bool is_sound = kind->is_sound(&ac.aux, docids);
            for (uint32_t i = 0; i < 100; i++) {
                uint32_t x = (uint32_t)random64(&rng) >> random_below(&rng, 32), lo, hi;
                kind->range(&ac.aux, x, &lo, &hi);
                assert_true(lo <= hi && hi <= n);
                if (ac.aux.t)
                    rp__lr_narrow(&ac.aux, x, &lo, &hi);
                assert_true(lo <= hi && hi <= n);
                if (is_sound)
                    assert_ranges(&ac, x);
            }
        }
        aux_case_free(&ac);
    }
}

static inline void assert_refused(const aux_case *ac, size_t bytes, uint32_t n, uint32_t universe)
{
    const rp__aux_kind *kind = ac->aux.kind;
    rp__aux aux;
    assert_int_equal(kind->open(kind, ac->bytes, bytes, n, universe, &aux), RP_DAMAGED);
}

#endif
