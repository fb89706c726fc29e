/* test_operators.c: queries by operators, on the emulated device against the cpu.
 *
 * One collection, whose lists that are asked for have 3 to 9 blocks, is coded in every codec, with all auxiliary data.
 * Every row of operator_table.h that reads a codec answers ANDs over it, chained and stepped; every pair of intersection
 * and selection does in a codec that the intersection reads; ORs are answered in all. Answers equal the cpu's, document
 * for document and score for score, and the row's own kernel was launched. Two orders of threads in `make test`, twenty
 * with RIPOSTE_THOROUGH=1, of which SHARD=i/n has a share: each has chained queries and stepped ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/operator_table.h"
#include "backend/gpu/operators/select_table.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/operators_card.h"
#include "parity/shard.h"

enum { SPOILS = 4 }; /* kinds of scratch memory that a query may begin with */

/* How many rows there are, and how many of them read one codec alone. */
enum { CODECS = 27, DECODES = 32, OWN_DECODES = 31, INTERSECTS = 32, OWN_INTERSECTS = 8 };
enum { SCORES = 3, SELECTS = 10 };

static size_t n_answers;

/* ---- A query ------------------------------------------------------------------------------------- */

/* Operators begin with scratch memory that others have left: zeros, ones and small numbers in turn. */
static void spoil(operators_card *d)
{
    static const uint32_t words[SPOILS] = {0, UINT32_MAX, 1, 0x01010101};
    const rp__scratch *scratch = &d->exec.operators.scratch;
    if (!scratch->at)
        return;
    assert_int_equal(rp__device_fill(&d->device, scratch->at, words[n_answers % SPOILS],
                                     scratch->bytes / sizeof(uint32_t)),
                     RP_OK);
    assert_int_equal(rp__device_wait(&d->device), RP_OK); /* a query may give it back */
}

static void check(operators_card *d, const char *spec, const rp__query *query, const char *text)
{
    rp_error err = {.text = ""};
    rp__answer got;
    rp__query asked = *query;
    asked.algorithm = spec;
    spoil(d);
    if (rp__exec_run(&d->exec, &asked, &d->arena, &got, &err) != RP_OK)
        fail_msg("%s, %s, '%s': %s", operators_codec_of(query), spec, text, err.text);
    operators_compare(d, spec, query, query->k, text, &got);
    n_answers++;
}

static void ask_one(operators_card *d, const char *spec, rp_mode mode, size_t k, size_t q)
{
    rp__query query;
    operators_bind(d, operators_queries[q], mode, k, &query);
    check(d, spec, &query, operators_queries[q]);
}

static void ask(operators_card *d, const char *spec, rp_mode mode, size_t k)
{
    for (size_t q = 0; q < OPERATORS_QUERIES; q++)
        ask_one(d, spec, mode, k, q);
}

/* ---- Reachable ----------------------------------------------------------------------------------- */

static bool is_launched[RP_KERNELS_MAX];
static uint32_t most_buckets; /* of a list that hs searched */

static void see_launch(size_t kernel, const rp__fiber_launch *launch)
{
    karg_intersect args = {.n_buckets = 0};
    is_launched[kernel] = true;
    if (kernel == RP_KERNEL_intersect_hs_x2_kernel)
        memcpy(&args, launch->args, sizeof args);
    most_buckets = args.n_buckets > most_buckets ? args.n_buckets : most_buckets;
}

static const rp__emulated_device_watcher watcher = {.queue_launch = see_launch};

/* The kernel that says that a row was taken; step_and_narrow_kernel, where rows choose by themselves: all score by it. */
static rp__kernel_id kernel_of(rp__operator_phase phase, const rp__operator *row)
{
    static const rp__kernel_id selects[RP_SELECTS] = {
        [RP_SELECT_SAMPLE] = RP_KERNEL_select_sample_kernel,
        [RP_SELECT_RADIX] = RP_KERNEL_select_radix_kernel,
        [RP_SELECT_BUCKET] = RP_KERNEL_select_bucket_kernel,
        [RP_SELECT_HEAP] = RP_KERNEL_select_heap_build_kernel,
        [RP_SELECT_HEAP512] = RP_KERNEL_select_heap512_build_kernel,
        [RP_SELECT_BITONIC] = RP_KERNEL_select_bitonic_kernel,
        [RP_SELECT_SORT] = RP_KERNEL_select_sort_keys_kernel,
        [RP_SELECT_BLOCK] = RP_KERNEL_select_block_kernel};
    switch (row->id) {
    case RP_OPERATOR_PARA_EF:
        return RP_KERNEL_decode_ef128_literal_kernel;
    case RP_OPERATOR_QS + RP_QS_NAIVE:
        return RP_KERNEL_decode_qs_naive_gather_kernel;
    case RP_OPERATOR_QS + RP_QS_SEPARATE:
        return RP_KERNEL_decode_qs_li_combine_kernel;
    case RP_OPERATOR_QS + RP_QS_MERGED:
        return RP_KERNEL_decode_qs_li_gather_kernel;
    case RP_OPERATOR_QS + RP_QS_WORDS:
        return RP_KERNEL_decode_qs_block_gather_kernel;
    case RP_OPERATOR_DING:
        return RP_KERNEL_intersect_chosen_kernel;
    case RP_OPERATOR_LOOKUP:
        return RP_KERNEL_step_and_narrow_kernel;
    case RP_OPERATOR_ACCUMULATE:
        return RP_KERNEL_score_accumulate_kernel;
    case RP_OPERATOR_AUTO:
    case RP_OPERATOR_HOST:
        return RP_KERNEL_step_and_narrow_kernel;
    default:
        return phase == RP_PHASE_DECODE      ? rp__transcode_find(row->id)->kernel
               : phase == RP_PHASE_INTERSECT ? rp__intersect_table[row->id].kernel
                                             : selects[row->id];
    }
}

/* ---- Pairs --------------------------------------------------------------------------------------- */

static const char *const modes[] = {"chained", "stepped"};
static size_t n_pairs; /* that were asked for */

/* The one codec in which a row reads lists, by docs/operators.md; NULL: it reads any. */
static const char *own_codec(rp__operator_phase phase, const char *row)
{
    static const char *const own[OWN_INTERSECTS][2] = {
        {"bp128", "bp128"},       {"bp128-tile", "bp128"}, {"lrc-heads", "lrc"},
        {"lrc", "lrc"},           {"lrcseg", "lrcseg"},    {"seglrc", "seglrc"},
        {"hslrc256", "hslrc256"}, {"hslrc128", "hslrc128"}};
    if (phase == RP_PHASE_DECODE && strcmp(row, "auto") != 0)
        return strncmp(row, "qs", 2) == 0 ? "qs" : strncmp(row, "ef128", 5) == 0 ? "ef128" : row;
    for (size_t i = 0; phase == RP_PHASE_INTERSECT && i < OWN_INTERSECTS; i++)
        if (strcmp(own[i][0], row) == 0)
            return own[i][1];
    return NULL;
}

static bool reads(rp__operator_phase phase, const char *row, const char *codec)
{
    const char *own = own_codec(phase, row);
    return !own || strcmp(own, codec) == 0;
}

static void assert_launched(rp__operator_phase phase, const rp__operator *row, const char *spec)
{
    if (!is_launched[kernel_of(phase, row)])
        fail_msg("%s: the kernel of %s was not launched", spec, row->name);
}

static void forget_launches(void)
{
    memset(is_launched, 0, sizeof is_launched);
    most_buckets = 0;
}

/* Rows of hs have one kernel: each has fewer buckets than the row before. */
static void assert_buckets(const char *spec, uint32_t *before)
{
    if (most_buckets == 0 || most_buckets >= *before)
        fail_msg("%s: %u buckets", spec, most_buckets);
    *before = most_buckets;
}

/* All rows of a phase, over a codec, one query for each mode: the other order of threads has the other. Rows that do not
 * read the codec are refused. */
static void ask_rows(operators_card *d, const char *codec, rp__operator_phase phase,
                     const char *option, uint64_t seed)
{
    const rp__operator *row;
    char spec[OPERATORS_SPEC];
    uint32_t buckets[] = {UINT32_MAX, UINT32_MAX}; /* by mode */
    for (size_t i = 0; (row = rp__operator_table_at(phase, i)); i++)
        for (size_t mode = 0; mode < 2; mode++) {
            snprintf(spec, sizeof spec, "operators:%s=%s,mode=%s", option, row->name, modes[mode]);
            forget_launches();
            if (operators_can(d, spec, 10) != reads(phase, row->name, codec))
                fail_msg("%s over %s is refused, or ought to be", spec, codec);
            if (!reads(phase, row->name, codec))
                continue;
            ask_one(d, spec, RP_MODE_AND, 10, (seed + mode) % OPERATORS_QUERIES);
            assert_launched(phase, row, spec);
            if (phase == RP_PHASE_INTERSECT && strncmp(row->name, "hs", 2) == 0 && !row->codec)
                assert_buckets(spec, &buckets[mode]);
            n_pairs++;
        }
}

static void every_codec_with_every_row(void **state)
{
    (void)state;
    const char *codec;
    const shard_orders orders = shard_orders_here(2);
    n_pairs = 0;
    rp__emulated_device_watch(&watcher);
    for (uint64_t seed = orders.from; seed < orders.to; seed++)
        for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
            operators_card d;
            operators_configure(seed);
            operators_open_card(&d, codec, 0);
            ask_rows(&d, codec, RP_PHASE_DECODE, "decode", seed);
            ask_rows(&d, codec, RP_PHASE_INTERSECT, "intersect", seed);
            ask(&d, "operators", RP_MODE_OR, 10);
            operators_close_card(&d);
        }
    rp__emulated_device_watch(NULL);
    print_message("%zu answers\n", n_answers);
    const size_t an_order = CODECS * (DECODES - OWN_DECODES) + OWN_DECODES +
                            CODECS * (INTERSECTS - OWN_INTERSECTS) + OWN_INTERSECTS;
    assert_int_equal(n_pairs, 2 * an_order * (orders.to - orders.from));
}

static void every_score_and_selection(void **state)
{
    (void)state;
    static const char *const codecs[] = {"bp128", "rice", "hslrc128"};
    const shard_orders orders = shard_orders_here(2);
    n_pairs = 0;
    rp__emulated_device_watch(&watcher);
    for (uint64_t seed = orders.from; seed < orders.to; seed++)
        for (size_t i = 0; i < 3; i++) {
            operators_card d;
            operators_configure(seed);
            operators_open_card(&d, codecs[i], 0);
            ask_rows(&d, codecs[i], RP_PHASE_SCORE, "score", seed);
            ask_rows(&d, codecs[i], RP_PHASE_SELECT, "select", seed);
            operators_close_card(&d);
        }
    rp__emulated_device_watch(NULL);
    assert_int_equal(n_pairs, 2 * 3 * (SCORES + SELECTS) * (orders.to - orders.from));
}

/* Its own kernel was launched, and that of no other row; the host needs none. */
static void assert_selected(const rp__operator *row, const char *spec)
{
    const rp__operator *other;
    for (size_t i = 0; (other = rp__operator_table_at(RP_PHASE_SELECT, i)); i++)
        if (row->id != RP_OPERATOR_AUTO && other->id < RP_SELECTS &&
            is_launched[kernel_of(RP_PHASE_SELECT, other)] != (other == row))
            fail_msg("%s: the kernel of %s", spec, other->name);
}

/* One query for each mode, as above. */
static void ask_pair(operators_card *d, const rp__operator *intersect, const rp__operator *select,
                     size_t k, uint64_t seed)
{
    char spec[OPERATORS_SPEC];
    for (size_t mode = 0; mode < 2; mode++) {
        snprintf(spec, sizeof spec, "operators:intersect=%s,select=%s,mode=%s", intersect->name,
                 select->name, modes[mode]);
        forget_launches();
        ask_one(d, spec, RP_MODE_AND, k, (seed + mode) % OPERATORS_QUERIES);
        if (k > 0 || intersect->id != RP_OPERATOR_AUTO)
            assert_launched(RP_PHASE_INTERSECT, intersect, spec);
        if (k > 0)
            assert_selected(select, spec);
        n_pairs++;
    }
}

/* Intersections that read any codec have one of their own. */
static void every_intersection_with_every_selection(void **state)
{
    (void)state;
    static const size_t ks[] = {0, 1, 10, 300};
    static const char *const codecs[] = {"newpfd",   "bp128",  "lrc",     "lrcseg",
                                         "hslrc256", "seglrc", "hslrc128"};
    const rp__operator *a, *b;
    const shard_orders orders = shard_orders_here(2);
    n_pairs = 0;
    rp__emulated_device_watch(&watcher);
    for (uint64_t seed = orders.from; seed < orders.to; seed++)
        for (size_t n = 0; n < sizeof codecs / sizeof codecs[0]; n++) {
            operators_card d;
            operators_configure(seed);
            operators_open_card(&d, codecs[n], 0);
            for (size_t i = 0; (a = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++) {
                const char *own = own_codec(RP_PHASE_INTERSECT, a->name);
                if (strcmp(own ? own : codecs[0], codecs[n]) != 0)
                    continue;
                for (size_t j = 0; (b = rp__operator_table_at(RP_PHASE_SELECT, j)); j++)
                    ask_pair(&d, a, b, ks[(i + j) % 4], seed);
            }
            operators_close_card(&d);
        }
    rp__emulated_device_watch(NULL);
    assert_int_equal(n_pairs, 2 * INTERSECTS * SELECTS * (orders.to - orders.from));
}

static void every_score_with_every_selection(void **state)
{
    (void)state;
    static const size_t ks[] = {0, 1, 10, 1500};
    const rp__operator *a, *b;
    char spec[OPERATORS_SPEC];
    const shard_orders orders = shard_orders_here(2);
    for (uint64_t seed = orders.from; seed < orders.to; seed++) {
        operators_card d;
        operators_configure(seed);
        operators_open_card(&d, "vbyte", 0);
        for (size_t i = 0; (a = rp__operator_table_at(RP_PHASE_SCORE, i)); i++)
            for (size_t j = 0; (b = rp__operator_table_at(RP_PHASE_SELECT, j)); j++)
                for (size_t mode = 0; mode < 2; mode++) {
                    snprintf(spec, sizeof spec, "operators:score=%s,select=%s,mode=%s", a->name,
                             b->name, modes[mode]);
                    ask(&d, spec, RP_MODE_AND, ks[(i + j) % 4]);
                    if (a->id != RP_OPERATOR_LOOKUP)
                        ask(&d, spec, RP_MODE_OR, ks[(i + j + 1) % 4]);
                }
        operators_close_card(&d);
    }
}

/* Levels of pmf and ding; lists and auxiliary data that come and go; parts of the documents; terms of no weight. */
static void other_options(void **state)
{
    (void)state;
    static const char *const specs[] = {"operators:intersect=pmf,levels=2",
                                        "operators:intersect=pmf,levels=4",
                                        "operators:intersect=ding,levels=3",
                                        "operators:intersect=lr-local",
                                        "operators:intersect=hs32,score=accumulate",
                                        "operators:intersect=bs-ends,mode=stepped",
                                        "operators:intersect=tile-marks"};
    for (int is_small = 0; is_small < 2; is_small++) {
        operators_card d;
        operators_configure(5);
        operators_open_card(&d, "vbyte", is_small ? OPERATORS_SMALL : 0);
        assert_int_equal(d.there.residency->is_whole, !is_small);
        for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
            rp__query query;
            ask(&d, specs[i], RP_MODE_AND, 10);
            operators_bind(&d, operators_queries[0], RP_MODE_AND, 10, &query);
            query.begin = 300;
            query.end = 900;
            check(&d, specs[i], &query, operators_queries[0]);
        }
        operators_close_card(&d);
    }
}

/* The next word from *i on that has so many documents, and a list that is not tiny; false: there is none. */
static bool find_word(const operators_card *d, uint32_t least, uint32_t most, uint32_t *i,
                      char *word)
{
    while (*i < OPERATORS_WORDS) {
        rp__term term = {0};
        collection_put_word(word, (*i)++);
        if (rp__segment_find(d->searcher->index->segment, word, strlen(word), &term) == RP_OK &&
            !term.tiny && term.df >= least && term.df <= most)
            return true;
    }
    return false;
}

/* One whose list is short. */
static void find_short(const operators_card *d, uint32_t *i, char *word)
{
    assert_true(find_word(d, 9, 60, i, word));
}

/* Step by step, the second list leaves fewer candidates than the third has blocks. Then fewer blocks of that are chosen
 * than the first list would need, and scores are found by these alone. Lists are known to be sound from the query before. */
static void few_blocks_are_chosen(void **state)
{
    (void)state;
    uint32_t at = 0;
    char long_word[32];
    operators_card d;
    operators_configure(5);
    operators_open_card(&d, "pfd_rec", 0);
    assert_true(find_word(&d, 4 * RP_BLOCK, UINT32_MAX, &at, long_word));
    at = 0;
    for (size_t n = 0; n < 12; n++) {
        char a[32], b[32], text[3 * 32];
        rp__query query;
        find_short(&d, &at, a);
        find_short(&d, &at, b);
        snprintf(text, sizeof text, "%s %s %s", a, b, long_word);
        operators_bind(&d, text, RP_MODE_AND, 10, &query);
        check(&d, "operators", &query, text);
        check(&d, "operators:intersect=ding", &query, text);
        for (size_t i = 0; i < SPOILS; i++) {
            check(&d, "operators:intersect=ding,mode=stepped", &query, text);
            check(&d, "operators:decode=pfd_rec,intersect=ding", &query, text);
            check(&d, "operators:decode=pfd_rec,intersect=ding,mode=stepped", &query, text);
        }
    }
    operators_close_card(&d);
}

/* Rows of decode that are named, with those that read lists as they are stored: the shortest list alone is decoded. */
static void ask_named_decoders(operators_card *d)
{
    const rp__operator *decode, *meet;
    char spec[OPERATORS_SPEC];
    for (size_t i = 1; (decode = rp__operator_table_at(RP_PHASE_DECODE, i)); i++)
        for (size_t j = 1; (meet = rp__operator_table_at(RP_PHASE_INTERSECT, j)); j++) {
            snprintf(spec, sizeof spec, "operators:decode=%s,intersect=%s", decode->name,
                     meet->name);
            if ((meet->codec || meet->id == RP_OPERATOR_DING) && operators_can(d, spec, 10))
                ask(d, spec, RP_MODE_AND, 10);
        }
}

static void named_decoders_with_stored_lists(void **state)
{
    (void)state;
    const char *codec;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
        operators_card d;
        operators_configure(i);
        operators_open_card(&d, codec, 0);
        ask_named_decoders(&d);
        operators_close_card(&d);
    }
}

/* Lists that a query with scores has left on the device have frequencies; one that counts must not add them up. */
static void counts_after_scores(void **state)
{
    (void)state;
    operators_card d;
    operators_configure(5);
    operators_open_card(&d, "bp128", 0);
    for (uint32_t n = 0, i = 0; n < 12; n++) {
        char a[32], b[32], text[OPERATORS_TEXT + 2];
        rp__query query;
        find_short(&d, &i, a);
        find_short(&d, &i, b);
        snprintf(text, sizeof text, "%s %s", a, b);
        operators_bind(&d, text, RP_MODE_OR, 10, &query);
        check(&d, "operators", &query, text);
        operators_bind(&d, text, RP_MODE_OR, 0, &query);
        check(&d, "operators", &query, text);
    }
    operators_close_card(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_codec_with_every_row),
        cmocka_unit_test(every_score_and_selection),
        cmocka_unit_test(every_intersection_with_every_selection),
        cmocka_unit_test(every_score_with_every_selection),
        cmocka_unit_test(other_options),
        cmocka_unit_test(few_blocks_are_chosen),
        cmocka_unit_test(named_decoders_with_stored_lists),
        cmocka_unit_test(counts_after_scores),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, operators_open_collection, operators_close_collection);
}
