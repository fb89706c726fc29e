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
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/exec.h"
#include "backend/gpu/operators/intersect_table.h"
#include "backend/gpu/operators/operator_table.h"
#include "backend/gpu/operators/select_table.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/shard.h"
#include "tempdir.h"

enum {
    DOCS = 1700,
    WORDS = 60,
    QUERIES = 2,
    TEXT = 64,
    SPEC = 128,
    DEVICE_BYTES = 8 << 20,
    SMALL = 80 << 10,
    SPOILS = 4,       /* kinds of scratch memory that a query may begin with */
    ROUNDS_QUICK = 3, /* of damage, in each codec, in `make test`; and of all shards together */
    ROUNDS = 200,
};

/* How many rows there are, and how many of them read one codec alone. */
enum { CODECS = 27, DECODES = 32, OWN_DECODES = 31, INTERSECTS = 32, OWN_INTERSECTS = 8 };
enum { SCORES = 3, SELECTS = 10 };

/* A collection on a device, and on the cpu. */
typedef struct card {
    rp_index *index;
    rp_searcher *searcher;
    rp__arena arena;
    rp__device device;
    rp__gpu_index there;
    rp__exec exec;
} card;

static collection c;
static tempdir dir;
static char queries[QUERIES][TEXT];
static size_t n_answers;
static char damaged[SPEC]; /* what is, for messages */

/* ---- A card -------------------------------------------------------------------------------------- */

/* False: it does not open. */
static bool open_index(card *d, const char *codec, uint64_t memory)
{
    rp_error err = {.text = ""};
    char path[300];
    const rp_search_options plain = {.processor = "cpu"};
    memset(d, 0, sizeof *d);
    snprintf(path, sizeof path, "%s/%s", dir.path, codec);
    if (rp_index_open(path, NULL, &d->index, &err) != RP_OK)
        return false;
    assert_int_equal(rp_searcher_new(d->index, &plain, &d->searcher, &err), RP_OK);
    rp__arena_init(&d->arena, (size_t)64 << 20);
    assert_int_equal(rp__device_open(&d->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&d->there, &d->device, d->searcher->index->segment, memory),
                     RP_OK);
    rp__exec_open(&d->exec, &d->device, &d->there);
    return true;
}

static void recode(const char *codec, const char *aux)
{
    rp_error err = {.text = ""};
    char from[128], to[300];
    const rp_recode_options options = {.codec = codec, .aux = aux};
    snprintf(from, sizeof from, "%s/%s", c.folder, c.codecs[0]);
    snprintf(to, sizeof to, "%s/%s", dir.path, codec);
    assert_int_equal(rp_index_recode(from, to, &options, NULL, &err), RP_OK);
}

static void open_card(card *d, const char *codec, uint64_t memory)
{
    recode(codec, "lr,hs16,hs32,hs64,hs128,hs256");
    assert_true(open_index(d, codec, memory));
}

static void close_card(card *d)
{
    rp__exec_close(&d->exec);
    rp__gpu_index_close(&d->there);
    rp__device_close(&d->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp__arena_reset(&d->arena);
    rp_searcher_free(d->searcher);
    rp_index_close(d->index);
}

static void bind(card *d, const char *text, rp_mode mode, size_t k, rp__query *query)
{
    rp_error err = {.text = ""};
    rp__arena_clear(&d->arena);
    assert_int_equal(rp__searcher_bind(d->searcher, text, strlen(text), mode, query, &err), RP_OK);
    query->k = k;
    query->exact_total = true;
}

/* ---- A query ------------------------------------------------------------------------------------- */

/* Operators begin with scratch memory that others have left: zeros, ones and small numbers in turn. */
static void spoil(card *d)
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

static const char *codec_of(const rp__query *query)
{
    return rp__segment_get_info(query->segment)->codec;
}

/* The answer is the k best of the cpu's. */
static void compare(card *d, const char *spec, const rp__query *query, size_t k, const char *text,
                    const rp__answer *got)
{
    rp_error err = {.text = ""};
    rp__answer want = {0};
    rp_status status = rp__backend_find("cpu")->run(NULL, query, &d->arena, &want, &err);
    want.n = want.n < k ? want.n : k;
    bool is_same = status == RP_OK && got->n == want.n && got->total == want.total;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same)
        fail_msg("%s%s, %s, '%s', k %zu: %zu of %llu hits, the cpu has %zu of %llu, or others %s",
                 damaged, codec_of(query), spec, text, k, got->n, (unsigned long long)got->total,
                 want.n, (unsigned long long)want.total, err.text);
}

static void check(card *d, const char *spec, const rp__query *query, const char *text)
{
    rp_error err = {.text = ""};
    rp__answer got;
    rp__query asked = *query;
    asked.algorithm = spec;
    spoil(d);
    if (rp__exec_run(&d->exec, &asked, &d->arena, &got, &err) != RP_OK)
        fail_msg("%s, %s, '%s': %s", codec_of(query), spec, text, err.text);
    compare(d, spec, query, query->k, text, &got);
    n_answers++;
}

static void ask_one(card *d, const char *spec, rp_mode mode, size_t k, size_t q)
{
    rp__query query;
    bind(d, queries[q], mode, k, &query);
    check(d, spec, &query, queries[q]);
}

static void ask(card *d, const char *spec, rp_mode mode, size_t k)
{
    for (size_t q = 0; q < QUERIES; q++)
        ask_one(d, spec, mode, k, q);
}

/* Whether the index has what the rows need; if not, they are refused. */
static bool can(const card *d, const char *spec, size_t k)
{
    rp_error err;
    const rp__algorithm_use use = {.segment = d->searcher->index->segment, .k = k, .is_and = true};
    rp_status status = rp__operator_table_check(spec, &use, &err);
    assert_true(status == RP_OK || (status == RP_USAGE && err.text[0]));
    return status == RP_OK;
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

static void configure(uint64_t seed)
{
    rp__emulated_device_configure(
        &(rp__emulated_device_options){.seed = seed, .memory = DEVICE_BYTES});
}

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
static void ask_rows(card *d, const char *codec, rp__operator_phase phase, const char *option,
                     uint64_t seed)
{
    const rp__operator *row;
    char spec[SPEC];
    uint32_t buckets[] = {UINT32_MAX, UINT32_MAX}; /* by mode */
    for (size_t i = 0; (row = rp__operator_table_at(phase, i)); i++)
        for (size_t mode = 0; mode < 2; mode++) {
            snprintf(spec, sizeof spec, "operators:%s=%s,mode=%s", option, row->name, modes[mode]);
            forget_launches();
            if (can(d, spec, 10) != reads(phase, row->name, codec))
                fail_msg("%s over %s is refused, or ought to be", spec, codec);
            if (!reads(phase, row->name, codec))
                continue;
            ask_one(d, spec, RP_MODE_AND, 10, (seed + mode) % QUERIES);
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
            card d;
            configure(seed);
            open_card(&d, codec, 0);
            ask_rows(&d, codec, RP_PHASE_DECODE, "decode", seed);
            ask_rows(&d, codec, RP_PHASE_INTERSECT, "intersect", seed);
            ask(&d, "operators", RP_MODE_OR, 10);
            close_card(&d);
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
            card d;
            configure(seed);
            open_card(&d, codecs[i], 0);
            ask_rows(&d, codecs[i], RP_PHASE_SCORE, "score", seed);
            ask_rows(&d, codecs[i], RP_PHASE_SELECT, "select", seed);
            close_card(&d);
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
static void ask_pair(card *d, const rp__operator *intersect, const rp__operator *select, size_t k,
                     uint64_t seed)
{
    char spec[SPEC];
    for (size_t mode = 0; mode < 2; mode++) {
        snprintf(spec, sizeof spec, "operators:intersect=%s,select=%s,mode=%s", intersect->name,
                 select->name, modes[mode]);
        forget_launches();
        ask_one(d, spec, RP_MODE_AND, k, (seed + mode) % QUERIES);
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
            card d;
            configure(seed);
            open_card(&d, codecs[n], 0);
            for (size_t i = 0; (a = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++) {
                const char *own = own_codec(RP_PHASE_INTERSECT, a->name);
                if (strcmp(own ? own : codecs[0], codecs[n]) != 0)
                    continue;
                for (size_t j = 0; (b = rp__operator_table_at(RP_PHASE_SELECT, j)); j++)
                    ask_pair(&d, a, b, ks[(i + j) % 4], seed);
            }
            close_card(&d);
        }
    rp__emulated_device_watch(NULL);
    assert_int_equal(n_pairs, 2 * INTERSECTS * SELECTS * (orders.to - orders.from));
}

static void every_score_with_every_selection(void **state)
{
    (void)state;
    static const size_t ks[] = {0, 1, 10, 1500};
    const rp__operator *a, *b;
    char spec[SPEC];
    const shard_orders orders = shard_orders_here(2);
    for (uint64_t seed = orders.from; seed < orders.to; seed++) {
        card d;
        configure(seed);
        open_card(&d, "vbyte", 0);
        for (size_t i = 0; (a = rp__operator_table_at(RP_PHASE_SCORE, i)); i++)
            for (size_t j = 0; (b = rp__operator_table_at(RP_PHASE_SELECT, j)); j++)
                for (size_t mode = 0; mode < 2; mode++) {
                    snprintf(spec, sizeof spec, "operators:score=%s,select=%s,mode=%s", a->name,
                             b->name, modes[mode]);
                    ask(&d, spec, RP_MODE_AND, ks[(i + j) % 4]);
                    if (a->id != RP_OPERATOR_LOOKUP)
                        ask(&d, spec, RP_MODE_OR, ks[(i + j + 1) % 4]);
                }
        close_card(&d);
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
        card d;
        configure(5);
        open_card(&d, "vbyte", is_small ? SMALL : 0);
        assert_int_equal(d.there.residency->is_whole, !is_small);
        for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
            rp__query query;
            ask(&d, specs[i], RP_MODE_AND, 10);
            bind(&d, queries[0], RP_MODE_AND, 10, &query);
            query.begin = 300;
            query.end = 900;
            check(&d, specs[i], &query, queries[0]);
        }
        close_card(&d);
    }
}

/* The next word from *i on that has so many documents, and a list that is not tiny; false: there is none. */
static bool find_word(const card *d, uint32_t least, uint32_t most, uint32_t *i, char *word)
{
    while (*i < WORDS) {
        rp__term term = {0};
        collection_put_word(word, (*i)++);
        if (rp__segment_find(d->searcher->index->segment, word, strlen(word), &term) == RP_OK &&
            !term.tiny && term.df >= least && term.df <= most)
            return true;
    }
    return false;
}

/* One whose list is short. */
static void find_short(const card *d, uint32_t *i, char *word)
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
    card d;
    configure(5);
    open_card(&d, "pfd_rec", 0);
    assert_true(find_word(&d, 4 * RP_BLOCK, UINT32_MAX, &at, long_word));
    at = 0;
    for (size_t n = 0; n < 12; n++) {
        char a[32], b[32], text[3 * 32];
        rp__query query;
        find_short(&d, &at, a);
        find_short(&d, &at, b);
        snprintf(text, sizeof text, "%s %s %s", a, b, long_word);
        bind(&d, text, RP_MODE_AND, 10, &query);
        check(&d, "operators", &query, text);
        check(&d, "operators:intersect=ding", &query, text);
        for (size_t i = 0; i < SPOILS; i++) {
            check(&d, "operators:intersect=ding,mode=stepped", &query, text);
            check(&d, "operators:decode=pfd_rec,intersect=ding", &query, text);
            check(&d, "operators:decode=pfd_rec,intersect=ding,mode=stepped", &query, text);
        }
    }
    close_card(&d);
}

/* Rows of decode that are named, with those that read lists as they are stored: the shortest list alone is decoded. */
static void ask_named_decoders(card *d)
{
    const rp__operator *decode, *meet;
    char spec[SPEC];
    for (size_t i = 1; (decode = rp__operator_table_at(RP_PHASE_DECODE, i)); i++)
        for (size_t j = 1; (meet = rp__operator_table_at(RP_PHASE_INTERSECT, j)); j++) {
            snprintf(spec, sizeof spec, "operators:decode=%s,intersect=%s", decode->name,
                     meet->name);
            if ((meet->codec || meet->id == RP_OPERATOR_DING) && can(d, spec, 10))
                ask(d, spec, RP_MODE_AND, 10);
        }
}

static void named_decoders_with_stored_lists(void **state)
{
    (void)state;
    const char *codec;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++) {
        card d;
        configure(i);
        open_card(&d, codec, 0);
        ask_named_decoders(&d);
        close_card(&d);
    }
}

/* Lists that a query with scores has left on the device have frequencies; one that counts must not add them up. */
static void counts_after_scores(void **state)
{
    (void)state;
    card d;
    configure(5);
    open_card(&d, "bp128", 0);
    for (uint32_t n = 0, i = 0; n < 12; n++) {
        char a[32], b[32], text[TEXT + 2];
        rp__query query;
        find_short(&d, &i, a);
        find_short(&d, &i, b);
        snprintf(text, sizeof text, "%s %s", a, b);
        bind(&d, text, RP_MODE_OR, 10, &query);
        check(&d, "operators", &query, text);
        bind(&d, text, RP_MODE_OR, 0, &query);
        check(&d, "operators", &query, text);
    }
    close_card(&d);
}

/* ---- Damage -------------------------------------------------------------------------------------- */

/* Some bytes of the lists of an index are others. */
static void damage(const char *codec)
{
    char path[320];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s/lists.*.rp", dir.path, codec);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    FILE *file = fopen(found.gl_pathv[0], "r+b");
    globfree(&found);
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const uint64_t n = (uint64_t)ftell(file);
    for (uint64_t i = 1 + chance_below(6); i > 0; i--) {
        const long at = (long)chance_below(n);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        const int byte = fgetc(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        fputc(byte ^ (chance_below(3) ? 1 << chance_below(8) : 255), file);
    }
    assert_int_equal(fclose(file), 0);
}

/* An answer is the cpu's; else a list is damaged. The cpu ranks all: it would pass over documents by bounds of blocks, which
 * operators do not read and nobody but `check` finds damaged. */
static void ask_damaged(card *d, const char *spec, rp_mode mode, size_t *n_refused)
{
    rp_error err = {.text = ""};
    rp__query query;
    rp__answer got;
    for (size_t q = 0; q < QUERIES; q++) {
        rp__arena_clear(&d->arena);
        if (rp__searcher_bind(d->searcher, queries[q], strlen(queries[q]), mode, &query, &err))
            continue;
        query.exact_total = true;
        rp__query plain = query;
        plain.k = DOCS;
        query.algorithm = spec;
        rp_status status = rp__exec_run(&d->exec, &query, &d->arena, &got, &err);
        *n_refused += status != RP_OK;
        if (status == RP_OK)
            compare(d, spec, &plain, query.k, queries[q], &got);
        else if (got.fallback != RP_FALLBACK_DAMAGED)
            fail_msg("%s%s, %s, '%s': %s", damaged, codec_of(&plain), spec, queries[q],
                     rp_fallback_text(got.fallback));
    }
}

static const rp__operator *draw_row(rp__operator_phase phase)
{
    size_t n = 0;
    while (rp__operator_table_at(phase, n))
        n++;
    return rp__operator_table_at(phase, chance_below(n));
}

/* Scores and selections by chance, of which `lookup` answers no OR. */
static void ask_damaged_row(card *d, const char *option, const char *name, size_t *n_refused)
{
    char spec[SPEC];
    const rp__operator *score = draw_row(RP_PHASE_SCORE), *select = draw_row(RP_PHASE_SELECT);
    snprintf(spec, sizeof spec, "operators:%s=%s,score=%s,select=%s,mode=%s", option, name,
             score->name, select->name, chance_below(2) ? "stepped" : "chained");
    if (can(d, spec, 10))
        ask_damaged(d, spec, RP_MODE_AND, n_refused);
}

static void ask_damaged_rows(card *d, size_t *n_refused)
{
    const rp__operator *row;
    char spec[SPEC];
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++)
        ask_damaged_row(d, "intersect", row->name, n_refused);
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_DECODE, i)); i++)
        if (row->codec)
            ask_damaged_row(d, "decode", row->name, n_refused);
    ask_damaged(d, "operators", RP_MODE_OR, n_refused);
    snprintf(spec, sizeof spec, "operators:select=%s", draw_row(RP_PHASE_SELECT)->name);
    ask_damaged(d, spec, RP_MODE_OR, n_refused);
}

/* Rounds begin with numbers of their own, so that one that fails can be run alone. */
static void damage_codec(const char *codec, size_t round, size_t *n_refused)
{
    card d;
    configure(round);
    chance_seed(round);
    recode(codec, round % 2 ? "none" : "lr,hs16,hs64,hs256");
    damage(codec);
    snprintf(damaged, sizeof damaged, "round %zu: ", round);
    if (!open_index(&d, codec, 0))
        return;
    ask_damaged_rows(&d, n_refused);
    close_card(&d);
}

static void damaged_lists_are_never_wrong(void **state)
{
    (void)state;
    const shard s = shard_here();
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    const size_t from = is_thorough ? (size_t)ROUNDS * s.i / s.n : 0,
                 to = is_thorough ? (size_t)ROUNDS * (s.i + 1) / s.n : ROUNDS_QUICK;
    const char *codec;
    size_t n_refused = 0;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++)
        for (size_t round = from; round < to; round++)
            damage_codec(codec, round, &n_refused);
    damaged[0] = 0;
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 0);
}

/* ---- Damage that others find --------------------------------------------------------------------- */

static const card *searched;
static const rp__term *found_damaged;

/* Another searcher's launch has checked the list, while this one's lists are on their way. */
static void find_damaged(void)
{
    if (found_damaged)
        rp__list_checks_keep(searched->there.residency, found_damaged, RP_VERDICT_DAMAGED);
}

static const rp__emulated_device_watcher other = {.queue_copy = find_damaged};

static const rp__term *longest_of(const rp__query *query)
{
    const rp__term *longest = &query->words[0].term;
    for (size_t i = 1; i < query->n_words; i++)
        longest = query->words[i].term.df > longest->df ? &query->words[i].term : longest;
    return longest;
}

/* The launch began when nobody had checked the list, and must not read it as one that was found sound. */
static void lists_that_others_find_damaged_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        rp_mode mode;
        bool exact_total;
    } rows[] = {{NULL, RP_MODE_AND, true},
                {NULL, RP_MODE_OR, true},
                {NULL, RP_MODE_OR, false},
                {"operators:intersect=bp128", RP_MODE_AND, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        card d;
        rp_error err = {.text = ""};
        rp__query query;
        rp__answer got;
        configure(5);
        rp__emulated_device_watch(&other);
        recode("bp128", "none");
        assert_true(open_index(&d, "bp128", SMALL));
        for (size_t q = QUERIES; q-- > 0;) { /* the first one of other lists: it brings the norms */
            bind(&d, queries[q], rows[i].mode, 10, &query);
            query.algorithm = rows[i].spec;
            query.exact_total = rows[i].exact_total;
            found_damaged = q == 0 ? longest_of(&query) : NULL;
            searched = &d;
            assert_int_equal(rp__exec_run(&d.exec, &query, &d.arena, &got, &err),
                             q == 0 ? RP_UNAVAILABLE : RP_OK);
        }
        assert_int_equal(got.fallback, RP_FALLBACK_DAMAGED);
        found_damaged = NULL;
        close_card(&d);
        rp__emulated_device_watch(NULL);
    }
}

/* ---- Damaged auxiliary data ---------------------------------------------------------------------- */

/* Auxiliary data of a term of the queries in the file of lists: where, and how many bytes. */
typedef struct aux_bytes {
    long at;
    size_t n;
} aux_bytes;

static FILE *open_lists(const char *codec)
{
    char path[320];
    glob_t found;
    snprintf(path, sizeof path, "%s/%s/lists.*.rp", dir.path, codec);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    FILE *file = fopen(found.gl_pathv[0], "r+b");
    globfree(&found);
    assert_non_null(file);
    return file;
}

static aux_bytes find_bytes(FILE *file, const rp__aux *aux)
{
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t n = (size_t)ftell(file);
    uint8_t *all = malloc(n);
    size_t at = 0;
    assert_non_null(all);
    rewind(file);
    assert_int_equal(fread(all, 1, n, file), n);
    while (at + aux->bytes <= n && memcmp(all + at, aux->from, aux->bytes) != 0)
        at += 4;
    assert_true(at + aux->bytes <= n);
    free(all);
    return (aux_bytes){(long)at, aux->bytes};
}

/* Of the longest list of the first query. */
static aux_bytes find_aux(FILE *file, const char *codec, const char *kind)
{
    card d;
    rp__query query;
    rp__aux aux = {0};
    assert_true(open_index(&d, codec, 0));
    bind(&d, queries[0], RP_MODE_AND, 10, &query);
    assert_int_equal(rp__segment_aux(query.segment, rp__aux_kind_find(kind, strlen(kind)),
                                     longest_of(&query), &aux),
                     RP_OK);
    aux_bytes out = find_bytes(file, &aux);
    close_card(&d);
    return out;
}

static void flip(FILE *file, long at, int by)
{
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc(byte ^ by, file);
    assert_int_equal(fflush(file), 0);
}

/* A byte at a time: the cpu's answer, or it is refused. The same card answers again and again. */
static void damaged_auxiliary_data_are_never_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *codec, *kind, *spec;
    } rows[] = {{"vbyte", "lr", "operators:intersect=lr"},
                {"vbyte", "lr", "operators:intersect=lr-local"},
                {"vbyte", "hs16", "operators:intersect=hs16"},
                {"lrc", "lr", "operators:intersect=lrc-heads"},
                {"lrc", "lr", "operators:intersect=lrc"}};
    const size_t rounds = getenv("RIPOSTE_THOROUGH") ? 200 : 16;
    size_t n_refused = 0;
    configure(1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        recode(rows[i].codec, "lr,hs16");
        FILE *file = open_lists(rows[i].codec);
        const aux_bytes aux = find_aux(file, rows[i].codec, rows[i].kind);
        for (size_t round = 0; round < rounds; round++) {
            const long at = aux.at + (long)chance_below(round % 2 ? aux.n : 24);
            const int by = chance_below(2) ? 255 : 1 << chance_below(8);
            card d;
            flip(file, at, by);
            assert_true(open_index(&d, rows[i].codec, 0));
            ask_damaged(&d, rows[i].spec, RP_MODE_AND, &n_refused);
            ask_damaged(&d, rows[i].spec, RP_MODE_AND, &n_refused);
            close_card(&d);
            flip(file, at, by);
        }
        fclose(file);
    }
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 0);
}

/* ---- All of them --------------------------------------------------------------------------------- */

static void assert_length(const char *word)
{
    rp__term term = {0};
    assert_int_equal(rp__segment_find(c.indexes[0]->segment, word, strlen(word), &term), RP_OK);
    assert_in_range((term.df + RP_BLOCK - 1) / RP_BLOCK, 3, 9);
}

/* Two terms and four others, whose lists have 3 to 9 blocks. */
static int open_collection(void **state)
{
    (void)state;
    static const uint8_t words[QUERIES][4] = {{2, 1}, {7, 5, 3, 0}};
    collection_draw(&c, &(collection_recipe){"operators", 29, (const char *const[]){"bp128"}, 1,
                                             DOCS, WORDS, 80});
    for (size_t q = 0; q < QUERIES; q++) {
        char word[32];
        queries[q][0] = 0;
        for (size_t n = 0; n < 2 + 2 * q; n++) {
            collection_put_word(word, words[q][n]);
            assert_length(word);
            strcat(strcat(queries[q], word), " ");
        }
    }
    return tempdir_make(&dir);
}

static int close_collection(void **state)
{
    (void)state;
    collection_close(&c);
    tempdir_remove(&dir);
    return 0;
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
        cmocka_unit_test(damaged_lists_are_never_wrong),
        cmocka_unit_test(lists_that_others_find_damaged_are_refused),
        cmocka_unit_test(damaged_auxiliary_data_are_never_wrong),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
