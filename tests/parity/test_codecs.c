/* test_codecs.c: every row of the codec tables gives what the plain arrays and the plain rows
 * give. Short strings are in test_codecs_bytes.c, lists in number in test_codecs_many.c.
 *
 * What is drawn by chance has a fifth of its rounds, over all rows and shapes; with RIPOSTE_THOROUGH all. */
#include "parity/bytes_check.h"
#include "unit/codec/list_case.h"

static int rounds_of(int all)
{
    return getenv("RIPOSTE_THOROUGH") ? all : all / 5;
}

/* ---- Block codes ----------------------------------------------------------------------------- */

/* In memory of exactly that size and pad, so that a sanitiser sees a byte too many. */
static void check_bytes(const uint8_t *bytes, size_t n_bytes, size_t n, uint32_t base)
{
    const families *all = families_here();
    bytes_check bc;
    uint8_t *in = malloc(n_bytes + RP_PAD);
    memcpy(in, bytes, n_bytes);
    memset(in + n_bytes, 0xEE, RP_PAD);
    for (size_t i = 0; i < all->n_codes; i++)
        if (!bytes_check_code(&bc, &all->codes[i], in, n_bytes, n, base))
            fail_msg("%s/%x: %s %u", bc.name, bc.needs, bc.what, bc.place);
    free(in);
}

static void random_bytes(void **unused)
{
    (void)unused;
    uint64_t rng = 11;
    for (int round = 0, n_rounds = rounds_of(200000); round < n_rounds; round++) {
        uint8_t bytes[1100];
        size_t n_bytes = random_length(&rng, sizeof bytes),
               n = random_below(&rng, RP_BLOCK_MAX + 1);
        for (size_t i = 0; i < n_bytes; i++)
            bytes[i] = (uint8_t)random64(&rng);
        if (round % 2)
            bytes[0] = (uint8_t)(bytes[0] % 34); /* a width that may be */
        if (round % 3 == 0 && bytes[0])
            n = n < 8 * n_bytes / bytes[0] ? n : 8 * n_bytes / bytes[0];
        check_bytes(bytes, n_bytes, n, (uint32_t)random64(&rng) >> random_below(&rng, 32));
    }
}

static void check_values(const rp__block_code *code, const uint32_t *values, size_t n)
{
    static uint8_t out[8 * RP_BLOCK_MAX + 1];
    static uint32_t got[RP_BLOCK_CAPACITY];
    const rp__block_code *row;
    memset(out, 0xC3, sizeof out);
    size_t used = code->encode(NULL, values, n, out);
    assert_true(used <= code->bound(n));
    assert_int_equal(out[code->bound(n)], 0xC3);
    uint8_t *in = malloc(used + RP_PAD);
    memcpy(in, out, used);
    memset(in + used, 0, RP_PAD);
    for (size_t j = 0; (row = code_here(j)); j++) {
        if (strcmp(row->name, code->name) != 0)
            continue;
        assert_int_equal(row->decode(in, used, got, n), RP_OK);
        assert_memory_equal(got, values, n * sizeof *got);
        assert_int_equal(row->encode(NULL, values, n, out), used); /* the same bytes */
        assert_memory_equal(out, in, used);
        for (size_t i = 0; row->at && i < n; i++) {
            assert_int_equal(row->at(in, used, n, i, &got[0]), RP_OK);
            assert_int_equal(got[0], values[i]);
        }
        if (used > 0)
            assert_int_equal(row->decode(in, used - 1, got, n), RP_DAMAGED);
    }
    free(in);
}

static void values_of_every_width_and_count(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint64_t rng = 5;
    uint32_t values[RP_BLOCK_MAX];
    for (size_t j = 0; (code = code_here(j)); j++)
        for (uint32_t w = 0; w <= 32 && code->needs == 0;
             w++) /* check_values has all rows of a name */
            for (size_t n = 0; n <= RP_BLOCK_MAX; n += n < 40 || n > 120 ? 1 : 3) {
                for (size_t i = 0; i < n; i++)
                    values[i] = w ? (uint32_t)random64(&rng) >> (32 - w) : 0;
                if (n && w)
                    values[random_below(&rng, n)] |= 1U << (w - 1);
                if (n && w && n % 5 == 0)
                    memset(values, 0xFF, 4); /* one of 32 bits */
                check_values(code, values, n);
            }
}

/* All gaps as large as a width allows: sums that would leave a narrow lane do so here. */
static void docids_of_the_largest_gaps(void **unused)
{
    (void)unused;
    for (uint32_t w = 0; w <= 32; w++) {
        uint8_t bytes[1 + 4 * RP_BLOCK_MAX];
        bytes[0] = (uint8_t)w;
        memset(bytes + 1, 0xFF, sizeof bytes - 1);
        for (size_t n = 1; n <= RP_BLOCK_MAX; n++) {
            uint32_t total = (uint32_t)(n << w); /* what fits below 2^32, and one step beyond it */
            check_bytes(bytes, 1 + (n * w + 7) / 8, n, UINT32_MAX);
            check_bytes(bytes, 1 + (n * w + 7) / 8, n, UINT32_MAX - total);
            check_bytes(bytes, 1 + (n * w + 7) / 8, n, UINT32_MAX - total + 1);
            check_bytes(bytes, 1 + (n * w + 7) / 8, n, 0x7FFFFFF0);
        }
    }
}

/* Blocks that are almost sound: with exceptions of every share, and a byte or two changed. */
static void changed_blocks(void **unused)
{
    (void)unused;
    const rp__block_code *code;
    uint64_t rng = 31;
    for (int round = 0, n_rounds = rounds_of(3000); round < n_rounds; round++)
        for (size_t j = 0; (code = code_here(j)); j++) {
            uint32_t values[RP_BLOCK_MAX], low = (uint32_t)random_below(&rng, 20);
            uint8_t bytes[8 * RP_BLOCK_MAX + 1];
            size_t n = 1 + random_below(&rng, round % 4 ? RP_BLOCK : RP_BLOCK_MAX);
            rp__codec_options options = {.has_exceptions = round % 3 != 0,
                                         .exceptions = (double)random_below(&rng, 7) / 10};
            for (size_t i = 0; i < n; i++) {
                uint32_t bits = random_below(&rng, 9) ? low : (uint32_t)random_below(&rng, 30);
                values[i] = bits ? (uint32_t)random64(&rng) >> (32 - bits) : 0;
            }
            size_t used = code->encode(&options, values, n, bytes);
            for (int k = 0; k < 6 && used; k++) {
                check_bytes(bytes, used - (k == 5), n, (uint32_t)random64(&rng) >> 8);
                bytes[random_below(&rng, k % 2      ? used
                                         : used < 4 ? used
                                                    : 4)] ^= (uint8_t)(1U << random_below(&rng, 8));
            }
        }
}

/* ---- Docid codecs ---------------------------------------------------------------------------- */

static void check_open_list(const rp__list *list, const list_case *lc)
{
    uint32_t *docids = malloc((lc->n + RP_BLOCK_CAPACITY) * sizeof *docids);
    uint32_t *tfs = malloc((lc->n + RP_BLOCK_CAPACITY) * sizeof *tfs);
    uint32_t *scratch = malloc(2 * RP_BLOCK_CAPACITY * sizeof *scratch), one;
    assert_int_equal(rp__list_decode(list, docids, tfs), RP_OK);
    assert_memory_equal(docids, lc->docids, lc->n * sizeof *docids);
    assert_memory_equal(tfs, lc->tfs, lc->n * sizeof *tfs);
    assert_int_equal(rp__list_validate(list, scratch), RP_OK);
    assert_memory_equal(list->bounds, lc->bounds, list->n_blocks);
    if (list->kths)
        assert_memory_equal(list->kths, lc->kths, RP_LIST_KTHS);
    for (uint32_t i = 0; list->codec->at && i < lc->n; i++) {
        assert_int_equal(list->codec->at(list, i, &one), RP_OK);
        assert_int_equal(one, lc->docids[i]);
    }
    for (uint32_t i = 0; i < lc->n; i += 1 + lc->n / 1000) {
        assert_int_equal(rp__list_tf(list, i, &one), RP_OK);
        assert_int_equal(one, lc->tfs[i]);
    }
    free(docids);
    free(tfs);
    free(scratch);
}

static void check_next(const rp__list *list, const list_case *lc)
{
    rp__cursor *c = aligned_alloc(64, sizeof *c);
    rp__cursor_open(c, list);
    for (uint32_t i = 0; i < lc->n; i++) {
        assert_int_equal(c->docid, lc->docids[i]);
        assert_int_equal(rp__cursor_rank(c), i);
        if (i % 3 == 0)
            assert_int_equal(rp__cursor_tf(c), lc->tfs[i]);
        rp__cursor_next(c);
    }
    assert_int_equal(c->docid, RP_NO_DOC);
    assert_int_equal(c->status, RP_OK);
    assert_int_equal(c->decoded, lc->n);
    rp__cursor_open(c, list);
    for (uint32_t i = 0; i < lc->n;) {
        const uint32_t *rest;
        uint32_t count = rp__cursor_block(c, &rest);
        assert_memory_equal(rest, lc->docids + i, count * sizeof *rest);
        i += count;
        rp__cursor_next_block(c);
    }
    assert_int_equal(c->docid, RP_NO_DOC);
    free(c);
}

/* Jumps of all lengths: to docids that are there, just before and after them, and to the end. */
static void check_next_geq(const rp__list *list, const list_case *lc, uint64_t *rng)
{
    rp__cursor *c = aligned_alloc(64, sizeof *c);
    for (int round = 0; round < 4; round++) {
        rp__cursor_open(c, list);
        for (uint64_t i = 0; i < lc->n;) {
            i += random_below(rng,
                              1ULL << random_below(rng, round == 3 ? 20 : 4 + 5 * (unsigned)round));
            if (i >= lc->n)
                break;
            uint32_t target = lc->docids[i] + (uint32_t)random_below(rng, 3) - 1;
            if (target == UINT32_MAX)
                target = lc->docids[i];
            uint64_t want = i && lc->docids[i - 1] >= target ? i - 1 : i;
            want += want < lc->n && lc->docids[want] < target;
            uint64_t now = c->docid == RP_NO_DOC ? lc->n : rp__cursor_rank(c);
            want = want < now ? now : want;
            assert_int_equal(rp__cursor_next_geq(c, target),
                             want < lc->n ? lc->docids[want] : RP_NO_DOC);
            if (want < lc->n) {
                assert_int_equal(rp__cursor_rank(c), want);
                assert_int_equal(rp__cursor_tf(c), lc->tfs[want]);
            }
            i++;
        }
        assert_true(c->decoded <= lc->n);
        rp__cursor_next_geq(c, RP_NO_DOC - 1);
        assert_true(c->docid == RP_NO_DOC || c->docid == RP_NO_DOC - 1);
        assert_int_equal(c->status, RP_OK);
    }
    free(c);
}

static void check_list(list_case *lc, uint64_t *rng)
{
    const rp__codec *codec;
    rp__list list;
    for (size_t j = 0; (codec = codec_here(j)); j++) {
        bool positions = random64(rng) & 1;
        bool fits = list_case_fits(lc, codec);
        lc->is_close = random64(rng) & 1;
        assert_int_equal(list_case_encode(lc, codec, positions), fits ? RP_OK : RP_LIMIT);
        if (!fits)
            continue;
        assert_int_equal(
            rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, positions, &list),
            RP_OK);
        check_open_list(&list, lc);
        check_next(&list, lc);
        check_next_geq(&list, lc, rng);
        assert_int_equal(walk_cursor(&list, rng), RP_OK);
    }
    rp__list_from_arrays(lc->docids, lc->tfs, lc->n, lc->universe, &list);
    check_next(&list, lc);
    check_next_geq(&list, lc, rng);
    assert_int_equal(walk_cursor(&list, rng), RP_OK);
}

static void random_lists(void **unused)
{
    (void)unused;
    uint64_t rng = 77;
    for (int round = 0, n_rounds = rounds_of(400); round < n_rounds; round++) {
        uint32_t n = random_length(&rng, round % 20 ? 20000 : 200000);
        uint64_t top = 1ULL << random_below(&rng, 33);
        uint64_t universe = round % 7 ? n + random_below(&rng, top) : UINT32_MAX;
        list_case lc;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n,
                       universe < UINT32_MAX ? (uint32_t)universe : UINT32_MAX);
        check_list(&lc, &rng);
        list_case_free(&lc);
    }
}

/* Rows that choose, told to choose by speed. */
static void lists_by_speed(void **unused)
{
    (void)unused;
    uint64_t rng = 57;
    const rp__codec_options options = {.by = RP_BY_SPEED};
    for (int round = 0, n_rounds = rounds_of(200); round < n_rounds; round++) {
        list_case lc;
        const rp__codec *codec;
        rp__list list;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), random_length(&rng, 20000), 40000000);
        for (size_t j = 0; (codec = codec_here(j)); j++) {
            if (!list_case_fits(&lc, codec))
                continue;
            assert_int_equal(list_case_encode_as(&lc, codec, round & 1, &options), RP_OK);
            assert_int_equal(
                rp__list_open(codec, lc.bytes, lc.n_bytes, lc.n, lc.universe, round & 1, &list),
                RP_OK);
            check_open_list(&list, &lc);
        }
        list_case_free(&lc);
    }
}

/* Every docid codec with its frequencies in every code; iiu's stay with its docids. */
static void frequencies_in_every_code(void **unused)
{
    (void)unused;
    uint64_t rng = 41;
    const rp__codec *row;
    const rp__block_code *code;
    for (int round = 0; round < 6; round++) {
        list_case lc;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), random_length(&rng, 2000), 40000000);
        for (size_t j = 0; (row = codec_here(j)); j++)
            for (size_t k = 0; list_case_fits(&lc, row) && (code = code_here(k)); k++) {
                rp__list list;
                const rp__codec codec = rp__codec_with_freqs(row, code);
                assert_int_equal(list_case_encode(&lc, &codec, round & 1), RP_OK);
                assert_int_equal(rp__list_open(&codec, lc.bytes, lc.n_bytes, lc.n, lc.universe,
                                               round & 1, &list),
                                 RP_OK);
                assert_ptr_equal(list.freq_code, row->freqs ? code : NULL);
                check_open_list(&list, &lc);
                assert_int_equal(walk_cursor(&list, &rng), RP_OK);
            }
        list_case_free(&lc);
    }
}

/* Rows of one name write the same bytes, whatever they need. */
static void bytes_do_not_depend_on_instructions(void **unused)
{
    (void)unused;
    uint64_t rng = 123;
    for (int round = 0, n_rounds = rounds_of(200); round < n_rounds; round++) {
        list_case a;
        const rp__codec *codec;
        list_case_make(&a, &rng, (shape)(round % N_SHAPES), random_length(&rng, 5000),
                       round % 4 < 2 ? 2000000000U : 3000000000U);
        for (size_t j = 0; (codec = codec_here(j)); j++) {
            const rp__codec *plain = rp__codec_find(codec->name, 0);
            assert_int_equal(plain->id, codec->id);
            if (!list_case_fits(&a, codec))
                continue;
            assert_int_equal(list_case_encode(&a, plain, round & 1), RP_OK);
            size_t n_bytes = a.n_bytes;
            uint8_t *bytes = a.bytes;
            a.bytes = NULL;
            assert_int_equal(list_case_encode(&a, codec, round & 1), RP_OK);
            assert_int_equal(a.n_bytes, n_bytes);
            assert_memory_equal(a.bytes, bytes, n_bytes);
            free(bytes);
        }
        list_case_free(&a);
    }
}

/* One byte changed: no memory is broken, the cursor keeps its promise, where validate finds nothing it
 * ends well, and all rows agree. Whether validate found something. */
static bool damage(const codec_family *f, list_case *lc, uint64_t *rng, bool is_near)
{
    static uint32_t scratch[2 * RP_BLOCK_CAPACITY];
    size_t near = lc->n_bytes < 64 ? lc->n_bytes : 64;
    size_t at = random_below(rng, is_near ? near : lc->n_bytes);
    uint8_t was = lc->bytes[at];
    rp_status s = RP_OK;
    bytes_check bc;
    lc->bytes[at] = (uint8_t)(was ^ (1 + random_below(rng, 255)));
    for (size_t k = 0; k < f->n; k++) {
        rp__list list;
        s = rp__list_open(f->rows[k], lc->bytes, lc->n_bytes, lc->n, lc->universe, false, &list);
        if (s == RP_OK && (s = rp__list_validate(&list, scratch)) == RP_OK)
            assert_int_equal(walk_cursor(&list, rng), RP_OK);
        else if (list.bounds)
            walk_cursor(&list, rng);
    }
    if (!bytes_check_list(&bc, f, lc->bytes, lc->n_bytes, lc->n, lc->universe, false))
        fail_msg("%s/%x: %s %u", bc.name, bc.needs, bc.what, bc.place);
    lc->bytes[at] = was;
    return s != RP_OK;
}

static void damaged_lists(void **unused)
{
    (void)unused;
    enum { ROUNDS = 400, TIMES = 20 };
    uint64_t rng = 999;
    size_t caught = 0, tried = 0;
    const families *all = families_here();
    for (int round = 0, n_rounds = rounds_of(ROUNDS); round < n_rounds; round++) {
        list_case lc;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), random_length(&rng, 20000), 40000000);
        for (size_t i = 0; i < all->n_codecs; i++) {
            if (!list_case_fits(&lc, all->codecs[i].plain))
                continue;
            assert_int_equal(list_case_encode(&lc, all->codecs[i].plain, false), RP_OK);
            for (int k = 0; k < TIMES; k++, tried++)
                caught += damage(&all->codecs[i], &lc, &rng, k % 2 == 0);
        }
        list_case_free(&lc);
    }
    assert_true(caught > tried / 4); /* the harness damages, and validate looks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(values_of_every_width_and_count),
        cmocka_unit_test(docids_of_the_largest_gaps),
        cmocka_unit_test(changed_blocks),
        cmocka_unit_test(random_lists),
        cmocka_unit_test(lists_by_speed),
        cmocka_unit_test(frequencies_in_every_code),
        cmocka_unit_test(bytes_do_not_depend_on_instructions),
        cmocka_unit_test(damaged_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
