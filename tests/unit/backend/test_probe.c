/* test_probe.c: every row of probes, on lists of every codec and on plain arrays, against a merge of plain
 * arrays; on edges; and on damaged bytes. */
#include "backend/cpu/probe.h"

#include "unit/codec/aux_case.h"

enum { SLACK = 16 }; /* kept and ranks may be written so far past the count */

/* ---- What is right ----------------------------------------------------------------------------- */

/* Docids to seek, and where the list has each: its rank, or UINT32_MAX. */
typedef struct sought {
    uint32_t n, *docids, *ranks;
} sought;

static void find_plainly(sought *s, const list_case *lc)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        while (r < lc->n && lc->docids[r] < s->docids[i])
            r++;
        s->ranks[i] = r < lc->n && lc->docids[r] == s->docids[i] ? r : UINT32_MAX;
    }
}

/* Every posting one time in `of`, as many strangers beside them, and the ends. */
static sought draw(const list_case *lc, uint64_t *rng, uint32_t of, uint32_t strangers)
{
    sought s = {.docids = malloc((2 * (size_t)lc->n + 4) * sizeof(uint32_t))};
    uint64_t next = 0;
    if (strangers && lc->docids[0] > 0 && random_below(rng, 2))
        s.docids[s.n++] = 0;
    for (uint32_t i = 0; i < lc->n; i++) {
        uint64_t docid = lc->docids[i], gap = docid - next;
        if (gap && random_below(rng, of) < strangers &&
            next + gap / 2 > (s.n ? s.docids[s.n - 1] : 0))
            s.docids[s.n++] = (uint32_t)(next + gap / 2);
        if (random_below(rng, of) == 0)
            s.docids[s.n++] = (uint32_t)docid;
        next = docid + 1;
    }
    if (strangers && next < RP_NO_DOC - 1)
        for (uint32_t i = 0; i < 2; i++)
            s.docids[s.n++] = (uint32_t)(i ? RP_NO_DOC - 1 : next);
    s.ranks = malloc((s.n + 1) * sizeof(uint32_t));
    find_plainly(&s, lc);
    return s;
}

static void drop(sought *s)
{
    free(s->docids);
    free(s->ranks);
}

/* ---- What a row says --------------------------------------------------------------------------- */

static rp__probe *open_probe(const rp__probe_row *row, const rp__list *list, const rp__aux *hs)
{
    rp__probe *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
    memset(p, 0xA5, sizeof *p);
    rp__probe_open(p, row, list, hs);
    return p;
}

/* One batch, in memory of exactly the size promised. */
static uint32_t ask(rp__probe *p, const uint32_t *docids, uint32_t n, bool has_ranks,
                    uint32_t *kept, uint32_t *ranks)
{
    uint32_t *in = malloc((n + !n) * sizeof *in), *k = malloc((n + SLACK) * sizeof *k);
    uint32_t *r = has_ranks ? malloc((n + SLACK) * sizeof *r) : NULL;
    memcpy(in, docids, n * sizeof *in);
    uint32_t found = rp__probe_find(p, in, n, k, r);
    assert_true(found <= n);
    memcpy(kept, k, found * sizeof *k);
    if (has_ranks)
        memcpy(ranks, r, found * sizeof *r);
    free(r);
    free(k);
    free(in);
    return found;
}

static void assert_batch(rp__probe *p, const sought *s, uint32_t from, uint32_t n, bool has_ranks)
{
    uint32_t kept[RP_BLOCK_MAX], ranks[RP_BLOCK_MAX], want = 0;
    uint32_t found = ask(p, s->docids + from, n, has_ranks, kept, ranks);
    assert_int_equal(p->status, RP_OK);
    for (uint32_t i = 0; i < n; i++) {
        if (s->ranks[from + i] == UINT32_MAX)
            continue;
        if (want == found || kept[want] != i || (has_ranks && ranks[want] != s->ranks[from + i]))
            fail_msg("%s of %s: docid %u, number %u of a batch of %u from %u: not found at rank %u",
                     p->row->name, p->list->codec ? p->list->codec->name : "arrays",
                     s->docids[from + i], i, n, from, s->ranks[from + i]);
        want++;
    }
    assert_int_equal(found, want);
}

/* batch 0: of any length each. */
static void assert_row(const rp__probe_row *row, const rp__list *list, const rp__aux *hs,
                       const sought *s, uint32_t batch, uint64_t *rng)
{
    rp__probe *p = open_probe(row, list, hs);
    for (uint32_t from = 0; from < s->n;) {
        uint32_t n = batch ? batch : (uint32_t)random_below(rng, RP_BLOCK_MAX + 1);
        n = n < s->n - from ? n : s->n - from;
        assert_batch(p, s, from, n, random_below(rng, 2));
        from += n;
    }
    assert_batch(p, s, s->n, 0, true);
    free(p);
}

static bool can_run(const rp__probe_row *row, const rp__list *list, const rp__aux *hs)
{
    return (row->needs & ~rp__cpu_features()) == 0 && row->applies(list, hs);
}

static void assert_choices(const rp__list *list, const rp__aux *hs, uint64_t n)
{
    static const char *const levels[] = {"scalar", "avx2", "avx512"};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t features = rp__cpu_features_of(levels[i]);
        const rp__probe_row *row = rp__probe_choose(list, hs, n, features);
        assert_true((row->needs & ~features) == 0 && row->applies(list, hs));
    }
}

static void assert_list(const rp__list *list, const rp__aux *hs, const list_case *lc, uint64_t *rng)
{
    static const uint32_t ofs[] = {1, 1, 2, 5, 30, 300};
    static const uint32_t batches[] = {0, 0, 1, RP_BLOCK, RP_BLOCK_MAX, 17};
    const rp__probe_row *row;
    uint32_t kind = (uint32_t)random_below(rng, 6);
    sought s = draw(lc, rng, ofs[kind], kind != 0);
    assert_choices(list, hs, s.n);
    for (size_t i = 0; (row = rp__probe_at(i)); i++)
        if (can_run(row, list, hs))
            assert_row(row, list, hs, &s, batches[random_below(rng, 6)], rng);
    drop(&s);
}

static void make_case(list_case *lc, uint64_t *rng, uint32_t round)
{
    uint32_t n = random_length(rng, round % 8 ? 1500 : 12000);
    uint64_t spare = random64(rng) >> (34 + random_below(rng, 30));
    if (round % 5 == 0)
        n = (uint32_t)(RP_BLOCK * (1 + random_below(rng, 20)));
    list_case_make(lc, rng, (shape)(round % N_SHAPES), n, (uint32_t)(n + spare));
}

/* ---- Tests ------------------------------------------------------------------------------------- */

static void test_arrays(void **state)
{
    uint64_t rng = 1;
    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        list_case lc;
        rp__list list;
        make_case(&lc, &rng, round);
        uint32_t *exact = malloc(lc.n * sizeof *exact);
        memcpy(exact, lc.docids, lc.n * sizeof *exact);
        rp__list_from_arrays(exact, lc.tfs, lc.n, lc.universe, &list);
        assert_list(&list, NULL, &lc, &rng);
        for (uint32_t kind = 1; kind < RP_AUX_KINDS; kind++) { /* all but lr: hs */
            aux_case ac;
            aux_case_fit(&ac, rp__aux_kind_at(kind), exact, lc.n, lc.universe);
            assert_list(&list, &ac.aux, &lc, &rng);
            aux_case_free(&ac);
        }
        free(exact);
        list_case_free(&lc);
    }
}

static void test_codecs(void **state)
{
    uint64_t rng = 2;
    const rp__codec *codec;
    (void)state;
    for (size_t i = 0; (codec = codec_here(i)); i++)
        for (uint32_t round = 0; round < 25; round++) {
            list_case lc;
            rp__list list;
            make_case(&lc, &rng, round);
            list_case_trim(&lc, codec);
            assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
            assert_int_equal(
                rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, false, &list), RP_OK);
            assert_list(&list, NULL, &lc, &rng);
            list_case_free(&lc);
        }
}

static void assert_safe(const rp__probe_row *row, const rp__list *list, const rp__aux *hs,
                        const sought *s)
{
    rp__probe *p = open_probe(row, list, hs);
    uint32_t kept[RP_BLOCK_MAX], ranks[RP_BLOCK_MAX];
    for (uint32_t from = 0; from < s->n; from += RP_BLOCK_MAX) {
        uint32_t n = s->n - from < RP_BLOCK_MAX ? s->n - from : RP_BLOCK_MAX;
        uint32_t found = ask(p, s->docids + from, n, from % 1024 != 0, kept, ranks);
        assert_true(p->status == RP_OK || (p->status == RP_DAMAGED && found == 0));
        for (uint32_t i = 0; i < found; i++)
            assert_true(kept[i] < n && (i == 0 || kept[i] > kept[i - 1]) &&
                        (from % 1024 == 0 || ranks[i] < list->n));
    }
    free(p);
}

static void damage(list_case *lc, uint64_t *rng)
{
    uint64_t reach = random_below(rng, 2) ? lc->n_bytes : lc->n_bytes < 64 ? lc->n_bytes : 64;
    for (uint64_t flips = 1 + random_below(rng, 8); flips > 0; flips--)
        lc->bytes[random_below(rng, reach)] = (uint8_t)random64(rng);
}

static void test_damaged_bytes(void **state)
{
    uint64_t rng = 3;
    const rp__codec *codec;
    const rp__probe_row *row;
    (void)state;
    for (size_t c = 0; (codec = codec_here(c)); c++)
        for (uint32_t round = 0; round < 60; round++) {
            list_case lc;
            rp__list list;
            make_case(&lc, &rng, round);
            list_case_trim(&lc, codec);
            assert_int_equal(list_case_encode(&lc, codec, false), RP_OK);
            sought s = draw(&lc, &rng, 1 + (uint32_t)random_below(&rng, 20), 1);
            damage(&lc, &rng);
            if (rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, false, &list) ==
                RP_OK)
                for (size_t i = 0; (row = rp__probe_at(i)); i++)
                    if (can_run(row, &list, NULL))
                        assert_safe(row, &list, NULL, &s);
            drop(&s);
            list_case_free(&lc);
        }
}

/* A bucket index that says anything, beside an array that is sound. */
static void test_damaged_hs(void **state)
{
    uint64_t rng = 4;
    const rp__probe_row *row;
    (void)state;
    for (uint32_t round = 0; round < 600; round++) {
        list_case lc;
        rp__list list;
        aux_case ac;
        const rp__aux_kind *kind = rp__aux_kind_at(1 + round % (RP_AUX_KINDS - 1));
        make_case(&lc, &rng, round);
        rp__list_from_arrays(lc.docids, lc.tfs, lc.n, lc.universe, &list);
        aux_case_fit(&ac, kind, lc.docids, lc.n, lc.universe);
        sought s = draw(&lc, &rng, 1 + (uint32_t)random_below(&rng, 20), 1);
        for (uint64_t flips = 1 + random_below(&rng, 20); flips > 0; flips--)
            ac.bytes[8 + random_below(&rng, ac.n_bytes - 8)] = (uint8_t)random64(&rng);
        if (kind->open(kind, ac.bytes, ac.n_bytes, lc.n, lc.universe, &ac.aux) == RP_OK)
            for (size_t i = 0; (row = rp__probe_at(i)); i++)
                if (can_run(row, &list, &ac.aux))
                    assert_safe(row, &list, &ac.aux, &s);
        drop(&s);
        aux_case_free(&ac);
        list_case_free(&lc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_codecs),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_damaged_hs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
