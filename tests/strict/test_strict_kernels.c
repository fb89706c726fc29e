/* test_strict_kernels.c: every kernel on the strict emulated device (strict.h): no rule fires, and answers are the CPU's.
 *
 * All rows of gpu_case.h, then queries and steps of queries for kernels that no row launches. Every kernel of the table
 * must have been launched at the end. RIPOSTE_THOROUGH=1: 20 seeds in place of one; RIPOSTE_GPU_CASES: only rows whose
 * "area name" begins with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/exec.h"
#include "backend/gpu/gpu_list.h"
#include "backend/gpu/gpu_steps.h"
#include "backend/gpu/residency/transcode_term.h"
#include "base/cpu.h"
#include "engine/searcher.h"
#include "lab/gpu/gpu_case_lists.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "strict/strict.h"
#include "strict/strict_case.h"
#include "strict/strict_kernels.h"
#include "unit/backend/encoded_list.h"

enum { QUERIES = 12, TEXT = 1200, VOCABULARY = 60 };
enum { SCARCE = 192 << 10 }; /* bytes, in which some of the lists fit */

enum { LARGE = 50000 }; /* where selections and flat queries have several blocks */
static const uint64_t sizes[] = {0, 1, 33, 127, 128, 257, 1000, 4097, LARGE};
static const char *const codecs[] = {"auto", "bp128", "lrcseg"};
static const char *const variants[] = {"lucene",
                                       "iiu"}; /* whose scores have kernels of their own */
static collection documents;

/* Other rows have several blocks at any size, or take long. */
static bool is_large(const rp__gpu_case *row)
{
    return !strcmp(row->area, "flat") ||
           (!strcmp(row->area, "select") &&
            (!strncmp(row->name, "sample", 6) || !strncmp(row->name, "heap512", 7)));
}

static void cases_break_no_rule(void **state)
{
    (void)state;
    const rp__gpu_case *row;
    const char *only = getenv("RIPOSTE_GPU_CASES");
    for (size_t i = 0; (row = rp__gpu_case_at(i)); i++) {
        char name[80];
        snprintf(name, sizeof name, "%s %s", row->area, row->name);
        if (only && strncmp(name, only, strlen(only)) != 0)
            continue;
        for (uint64_t seed = 0; seed < strict_case_seeds(); seed++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                if (sizes[s] == LARGE && !is_large(row))
                    continue;
                rp_error err = {.text = ""};
                rp_status status = strict_case_run(row, sizes[s], seed, &err);
                if (status != RP_OK)
                    fail_msg("%s of %d, seed %d: %s: %s%s", name, (int)sizes[s], (int)seed,
                             rp_status_text(status), strict_fault(), err.text);
            }
    }
}

/* ---- Lists --------------------------------------------------------------------------------------- */

enum { POSTINGS = 700, UNIVERSE = 4 * POSTINGS };

/* A list in a codec and a frequency code becomes bits and frequencies. */
static void transcode(rp__device *device, const rp__codec *codec)
{
    uint32_t docids[POSTINGS], tfs[POSTINGS], got[POSTINGS];
    rp__list list;
    karg_list stored;
    karg_term word;
    size_t used;
    rp__cu_ptr at, buffer;
    for (uint32_t i = 0; i < POSTINGS; i++) {
        docids[i] = (i ? docids[i - 1] : 0) + 1 + (uint32_t)chance_below(3);
        tfs[i] = 1 + (uint32_t)chance_below(i % 9 ? 2 : 60);
    }
    uint8_t *bytes = encoded_list(codec, docids, tfs, POSTINGS, &used);
    assert_int_equal(rp__list_open(codec, bytes, used, POSTINGS, UNIVERSE, false, &list), RP_OK);
    assert_int_equal(rp__device_alloc(device, used + RP_PAD, &at), RP_OK);
    assert_int_equal(rp__device_copy_in(device, at, bytes, used + RP_PAD), RP_OK);
    rp__residency residency = {.n = 1, .is_whole = true};
    rp__gpu_index index = {.device = device, .residency = &residency};
    residency.sections[0] = (rp__gpu_section){.host = bytes, .bytes = used, .at = at};
    assert_true(rp__gpu_index_list(&index, &list, &stored));
    stored.freq_code = rp__transcode_freq_code(&list);
    size_t bits = rp__transcode_term_bits_bytes(&stored);
    assert_int_equal(rp__device_alloc(device, bits + sizeof tfs, &buffer), RP_OK);
    if (rp__gpu_case_lists_bits(device, &(karg_term){.list = stored}, buffer, buffer + bits,
                                &word) != RP_OK)
        fail_msg("%s: %s", codec->name, strict_fault());
    assert_int_equal(rp__device_copy_out(device, got, word.list.freqs, sizeof tfs), RP_OK);
    assert_int_equal(rp__device_wait(device), RP_OK);
    assert_memory_equal(got, tfs, sizeof tfs);
    rp__device_free(device, at);
    rp__device_free(device, buffer);
    free(bytes);
}

/* Every codec, and every frequency code with some of them. */
static void transcoding_breaks_no_rule(void **state)
{
    (void)state;
    uint32_t features = rp__cpu_features();
    for (uint64_t seed = 0; seed < strict_case_seeds(); seed++) {
        rp__device device;
        rp_error err = {.text = ""};
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
        for (size_t i = 0, n_codes = 0; rp__codec_at(i); i++) {
            if (!rp__block_code_at(++n_codes))
                n_codes = 0;
            const char *code = rp__block_code_at(n_codes)->name;
            rp__codec codec = rp__codec_with_freqs(rp__codec_find(rp__codec_at(i)->name, features),
                                                   rp__block_code_find(code, features));
            transcode(&device, &codec);
        }
        rp__device_close(&device);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

/* ---- Queries ------------------------------------------------------------------------------------- */

typedef struct card {
    rp_searcher *searcher; /* on the CPU, to bind and to compare with */
    rp__arena arena;
    rp__device device;
    rp__gpu_index index;
    rp__exec query;
    rp__gpu_steps steps;
} card;

/* memory: of lists; 0: for all. */
static void open_card(card *c, const rp_index *index, const char *variant, size_t memory,
                      uint64_t seed)
{
    rp_error err = {.text = ""};
    const rp_search_options options = {.processor = "cpu", .variant = variant};
    memset(c, 0, sizeof *c);
    rp__arena_init(&c->arena, (size_t)64 << 20);
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    assert_int_equal(rp_searcher_new(index, &options, &c->searcher, &err), RP_OK);
    assert_int_equal(rp__device_open(&c->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&c->index, &c->device, c->searcher->index->segment, memory),
                     RP_OK);
    rp__exec_open(&c->query, &c->device, &c->index);
    rp__gpu_steps_open(&c->steps, &c->device, &c->index, &c->query.single.stage.kernel);
}

static void close_card(card *c)
{
    rp__gpu_steps_close(&c->steps);
    rp__exec_close(&c->query);
    rp__gpu_index_close(&c->index);
    rp__device_close(&c->device);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp_searcher_free(c->searcher);
    rp__arena_reset(&c->arena);
}

/* n words, the most frequent first. */
static void bind(card *c, rp_mode mode, uint64_t n, size_t k, rp__query *query)
{
    rp_error err = {.text = ""};
    char text[TEXT] = "", word[32];
    for (uint64_t i = 0; i < n; i++) {
        collection_put_word(word, i);
        strcat(strcat(text, word), " ");
    }
    rp__arena_clear(&c->arena);
    assert_int_equal(rp__searcher_bind(c->searcher, text, strlen(text), mode, query, &err), RP_OK);
    query->k = k;
    query->exact_total = true;
}

/* The cpu answers `plain`. */
static void answer_like(card *c, const rp__query *query, const rp__query *plain)
{
    rp_error err = {.text = ""};
    rp__answer got, want;
    rp_status status = rp__exec_run(&c->query, query, &c->arena, &got, &err);
    if (status != RP_OK)
        fail_msg("%s: %s", err.text, strict_fault());
    assert_int_equal(rp__backend_find("cpu")->run(NULL, plain, &c->arena, &want, &err), RP_OK);
    assert_int_equal(got.n, want.n);
    assert_int_equal(got.total, want.total);
    for (size_t i = 0; i < want.n; i++)
        assert_true(got.at[i].docid == want.at[i].docid && got.at[i].fixed == want.at[i].fixed);
}

static void answer(card *c, const rp__query *query)
{
    answer_like(c, query, query);
}

static rp_status narrow(void *run, uint32_t n, bool is_together)
{
    rp_status status = rp__step_run_start(run, 0);
    for (uint32_t i = 1; i < n && status == RP_OK && !is_together; i++)
        status = rp__step_run_meet(run, i);
    for (uint32_t i = 0; i < (is_together ? 1 : n) && status == RP_OK; i++)
        status = rp__step_run_score(run, i);
    return status == RP_OK && is_together ? rp__step_run_narrow(run, 1, n - 1) : status;
}

/* An AND list by list; then all lists at once. */
static void take_steps(card *c)
{
    rp_error err = {.text = ""};
    rp__query query;
    bind(c, RP_MODE_AND, 3, 10, &query);
    for (int is_together = 0; is_together < 2; is_together++) {
        rp__answer got, want;
        void *run;
        rp_status status = rp__gpu_steps_begin(&c->steps, &query, &c->arena, &run, &err);
        if (status == RP_OK)
            status = narrow(run, (uint32_t)query.n_leaves, is_together);
        if (status == RP_OK)
            status = rp__step_run_select(run, &got);
        if (status != RP_OK)
            fail_msg("%s: %s", err.text, strict_fault());
        rp__step_run_close(run);
        assert_int_equal(rp__backend_find("cpu")->run(NULL, &query, &c->arena, &want, &err), RP_OK);
        assert_int_equal(got.total, want.total);
        assert_memory_equal(got.at, want.at, want.n * sizeof *want.at);
    }
}

static void run_operator(card *c, rp_mode mode, const char *spec)
{
    rp__query query, plain;
    bind(c, mode, 3, 10, &query);
    plain = query;
    query.algorithm = spec;
    answer_like(c, &query, &plain);
}

/* Operators whose kernels no other query launches. An OR intersects nothing. */
static void run_operators(card *c)
{
    static const char *const ands[] = {"operators:intersect=skip,select=sort",
                                       "operators:intersect=ding,score=accumulate,select=heap",
                                       "operators:intersect=pmf,levels=2,mode=stepped"};
    static const char *const ors[] = {"operators:select=sort",
                                      "operators:score=accumulate,select=heap",
                                      "operators:mode=stepped"};
    for (size_t i = 0; i < sizeof ands / sizeof ands[0]; i++) {
        run_operator(c, RP_MODE_AND, ands[i]);
        run_operator(c, RP_MODE_OR, ors[i]);
    }
}

/* Lists that are read as they are stored, and scored by probes: the first query checks them. */
static void run_compressed_operator(card *c)
{
    for (int i = 0; i < 3; i++)
        run_operator(c, RP_MODE_AND, "operators:intersect=lrcseg");
}

/* A query several times at once. */
static void answer_batch(card *c, rp_mode mode, uint64_t n_words, size_t k, bool exact_total)
{
    rp_error err = {.text = ""};
    rp__query query;
    rp__batch_item items[QUERIES];
    bind(c, mode, n_words, k, &query);
    query.exact_total = exact_total;
    for (size_t i = 0; i < QUERIES; i++)
        items[i] = (rp__batch_item){.query = query};
    rp__exec_begin(&c->query, QUERIES, true, &c->arena);
    for (size_t i = 0; i < QUERIES; i++)
        rp__exec_add(&c->query, &items[i]);
    rp__exec_launch(&c->query);
    rp__exec_collect(&c->query);
    for (size_t i = 0; i < QUERIES; i++) {
        rp__answer want;
        if (items[i].status != RP_OK)
            fail_msg("query %zu of a batch: %s", i, strict_fault());
        assert_int_equal(
            rp__backend_find("cpu")->run(NULL, &items[i].query, &c->arena, &want, &err), RP_OK);
        assert_int_equal(items[i].answer.n, want.n);
        assert_memory_equal(items[i].answer.at, want.at, want.n * sizeof *want.at);
        assert_true(!exact_total || items[i].answer.total == want.total);
    }
}

static void answer_batches(card *c)
{
    static const size_t ks[] = {10, 300};
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        answer_batch(c, RP_MODE_AND, 3, ks[i], false);
        answer_batch(c, RP_MODE_OR, 3, ks[i], false);
        answer_batch(c, RP_MODE_OR, 3, ks[i], true);
        answer_batch(c, RP_MODE_OR, 40, ks[i], false);
    }
}

static void run_queries(const rp_index *index, const char *variant, bool is_compressed,
                        uint64_t seed)
{
    static const size_t ks[] = {10, 0, 1000, 1};
    card c;
    rp__query query;
    open_card(&c, index, variant, 0, seed);
    for (uint64_t n = 0; n < QUERIES && !is_compressed; n++) {
        rp__launch_policy_tuning.or_counts = n % 8 < 4;
        bind(&c, RP_MODE_AND, 1 + n % 3, ks[n % 4], &query);
        answer(&c, &query);
        bind(&c, RP_MODE_AND, 2, 10, &query);
        answer(&c, &query);
        bind(&c, RP_MODE_OR, 1 + n % 4, ks[n % 4], &query);
        answer(&c, &query);
        bind(&c, RP_MODE_AND, n % 2 ? 12 : 50, ks[n % 4], &query);
        answer(&c, &query);
        bind(&c, RP_MODE_OR, n % 2 ? 50 : 40, ks[n % 4], &query);
        answer(&c, &query);
    }
    rp__launch_policy_tuning.or_counts = true;
    if (is_compressed) {
        run_compressed_operator(&c);
    } else {
        answer_batches(&c);
        take_steps(&c);
        run_operators(&c);
    }
    close_card(&c);
}

/* ANDs in bursts, which a persistent kernel answers, and launches in between. */
static void queries_break_no_rule(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < strict_case_seeds(); seed++)
        for (size_t i = 0; i < documents.n_codecs; i++)
            for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++)
                run_queries(documents.indexes[i], variants[v], strcmp(codecs[i], "lrcseg") == 0,
                            seed);
}

/* ---- A large k ----------------------------------------------------------------------------------- */

enum { FOUND = 20000, PAIRS = 300 }; /* documents: several blocks rank them */

typedef struct list_bytes { /* as they are copied to the device */
    uint32_t docids[FOUND], tfs[FOUND];
    float norms[4];
    uint8_t codes[FOUND];
} list_bytes;

/* Of a list of all documents, of which each of three scores alike: pairs fall by score, then rise by docid. */
static rp_status rank_many(uint64_t seed)
{
    rp__device device;
    rp__fused_and b;
    rp__cu_ptr at;
    rp_error err = {.text = ""};
    uint64_t address;
    list_bytes *bytes = calloc(1, sizeof *bytes);
    const rp__fused_and_limits limits = {.queries = 2, .k = PAIRS, .bytes = 4096};
    for (uint32_t i = 0; i < FOUND; i++) {
        bytes->docids[i] = i;
        bytes->tfs[i] = 1 + i / 3 * 7919 % 1000;
        bytes->norms[i % 4] = 1;
    }
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__device_alloc(&device, sizeof *bytes + RP_PAD, &at), RP_OK);
    assert_int_equal(rp__device_copy_in(&device, at, bytes, sizeof *bytes), RP_OK);
    assert_int_equal(rp__device_wait(&device), RP_OK);
    assert_int_equal(rp__fused_and_open(&b, &device, &limits), RP_OK);
    const karg_norms norms = {at + offsetof(list_bytes, codes), at + offsetof(list_bytes, norms), 1,
                              4};
    rp__fused_and_begin(&b, &norms, PAIRS, 0, FOUND);
    karg_term *term = rp__fused_and_put(&b, sizeof *term, &address);
    *term = rp__gpu_list_copied(at, at + offsetof(list_bytes, tfs), FOUND);
    for (uint32_t i = 0; i < limits.queries; i++)
        assert_true(rp__fused_and_add(&b, &(karg_and_term){address, 1 << 20, FOUND}, 1));
    rp_status status = rp__fused_and_start(&b);
    if (status == RP_OK)
        status = rp__fused_and_finish(&b);
    for (uint32_t i = 0; i < limits.queries && status == RP_OK; i++) {
        const karg_pair *pairs = rp__fused_and_pairs_of(&b, i);
        assert_int_equal(rp__fused_and_count_of(&b, i)->n, FOUND);
        assert_int_equal(rp__fused_and_count_of(&b, i)->n_pairs, PAIRS);
        for (uint32_t p = 1; p < PAIRS; p++)
            assert_true(
                pairs[p].score < pairs[p - 1].score ||
                (pairs[p].score == pairs[p - 1].score && pairs[p].docid > pairs[p - 1].docid));
        assert_int_equal(bytes->tfs[pairs[0].docid], 1000);
    }
    rp__fused_and_close(&b);
    rp__device_free(&device, at);
    rp__device_close(&device);
    free(bytes);
    return status;
}

static void ranking_many_breaks_no_rule(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < strict_case_seeds() + 2; seed++)
        if (rank_many(seed) != RP_OK)
            fail_msg("%s", strict_fault());
}

/* The fence before the last block is known, and the one after it. */
static void planted_faults_of_ranking_are_found(void **state)
{
    (void)state;
    for (int number = 1; number <= 2; number++) {
        const char *found = "";
        for (uint64_t seed = 0; seed < 20 && !found[0]; seed++) {
            strict_plant_fault((strict_plant){STRICT_NO_FENCE, "and_rank_is_last", number});
            (void)rank_many(seed);
            found = strict_fault();
        }
        if (!strstr(found, "and_batch_topk_rank_kernel") ||
            !strstr(found, "it reads what another warp wrote"))
            fail_msg("fence %d: '%s'", number, found);
    }
    strict_plant_fault((strict_plant){0});
}

/* ORs where memory is scarce read dense lists as they are stored, by cells made of directories. */
static void stored_ors_break_no_rule(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < strict_case_seeds(); seed++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            card c;
            open_card(&c, documents.indexes[1], variants[v], SCARCE, seed);
            answer_batch(&c, RP_MODE_OR, 3, 10, false);
            answer_batch(&c, RP_MODE_OR, 3, 300, false);
            close_card(&c);
        }
    assert_true(strict_launched(RP_KERNEL_build_cells_kernel));
    assert_true(strict_launched(RP_KERNEL_stored_or_maxscore_kernel));
}

/* PARA by every method, on an index that has what it reads. */
static void para_breaks_no_rule(void **state)
{
    (void)state;
    const rp__para_method *m;
    for (size_t i = 0; (m = rp__para_method_at(i)); i++) {
        char from[128], to[160], algorithm[64];
        rp_error err = {.text = ""};
        rp_index *index;
        card c;
        rp__query query;
        const rp_recode_options options = {.codec = m->codec ? m->codec : "vbyte", .aux = m->aux};
        snprintf(from, sizeof from, "%s/bp128", documents.folder);
        snprintf(to, sizeof to, "%s/para-%s", documents.folder, m->name);
        snprintf(algorithm, sizeof algorithm, "para:method=%s", m->name);
        assert_int_equal(rp_index_recode(from, to, &options, NULL, &err), RP_OK);
        assert_int_equal(rp_index_open(to, NULL, &index, &err), RP_OK);
        for (uint64_t seed = 0; seed < strict_case_seeds(); seed++) {
            open_card(&c, index, variants[i % 2], 0, seed);
            for (uint64_t n = 1; n < 4; n++) {
                bind(&c, RP_MODE_AND, n, 10, &query);
                const rp__query plain = query;
                query.algorithm = algorithm;
                answer_like(&c, &query, &plain);
            }
            close_card(&c);
        }
        rp_index_close(index);
    }
}

/* Writes the bytes of the query's lists again, which is as wrong as writing others. */
static void copy_lists(card *c, const rp__query *query)
{
    for (size_t i = 0; i < query->n_leaves; i++) {
        rp__list list;
        const rp__term *term = &query->words[query->leaves[i].word].term;
        assert_int_equal(rp__segment_list(query->segment, term, &c->arena, &list), RP_OK);
        assert_int_equal(rp__device_copy_in(&c->device, rp__gpu_index_at(&c->index, list.docs),
                                            list.docs, list.docs_bytes),
                         RP_OK);
    }
}

/* A persistent kernel may have in its cache what a copy has changed. It may also leave before the copy: then there is no fault. */
static void planted_copies_under_a_persistent_kernel_are_found(void **state)
{
    (void)state;
    const char *found = "";
    for (uint64_t seed = 0; seed < 40 && !found[0]; seed++) {
        card c;
        rp__query query;
        rp__answer got;
        rp_error err = {.text = ""};
        open_card(&c, documents.indexes[0], variants[0], 0, seed);
        for (int n = 0; n < 3; n++) {
            bind(&c, RP_MODE_AND, 2, 10, &query);
            answer(&c, &query);
        }
        copy_lists(&c, &query);
        bool has_failed = rp__exec_run(&c.query, &query, &c.arena, &got, &err) != RP_OK;
        found = strict_fault();
        assert_int_equal(has_failed, found[0] != 0);
        close_card(&c);
    }
    if (!strstr(found, "and_single_persistent_kernel") ||
        !strstr(found, "prim_load reads what was written since the launch began"))
        fail_msg("'%s'", found);
    strict_plant_fault((strict_plant){0});
}

static void every_kernel_was_launched(void **state)
{
    (void)state;
    size_t missing = 0;
    if (getenv("RIPOSTE_GPU_CASES"))
        skip();
    for (uint32_t i = 0; rp__kernel_table_at(i); i++)
        if (!strict_launched(i)) {
            print_error("%s was not launched: a row of gpu_case.h has to, or a query here\n",
                        rp__kernel_table_at(i)->name);
            missing++;
        }
    assert_int_equal(missing, 0);
}

static int begin(void **state)
{
    (void)state;
    collection_draw(&documents,
                    &(collection_recipe){"strict", 11, codecs, sizeof codecs / sizeof codecs[0],
                                         3000, VOCABULARY, 12});
    strict_begin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_break_no_rule),
        cmocka_unit_test(transcoding_breaks_no_rule),
        cmocka_unit_test(queries_break_no_rule),
        cmocka_unit_test(stored_ors_break_no_rule),
        cmocka_unit_test(para_breaks_no_rule),
        cmocka_unit_test(ranking_many_breaks_no_rule),
        cmocka_unit_test(planted_faults_of_ranking_are_found),
        cmocka_unit_test(planted_copies_under_a_persistent_kernel_are_found),
        cmocka_unit_test(every_kernel_was_launched)};
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, begin, end);
}
