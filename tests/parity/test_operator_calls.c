/* test_operator_calls.c: what a chained query by operators asks of the device: launches, copies, fills, waits, and
 * postings that are decoded.
 *
 * A driver of its own counts the calls of the emulated device. Queries are asked twice: of the second pass all lists are
 * on the card. RIPOSTE_COUNTS=DIR prints a table for queries of three terms out of DIR/queries.tsv, over the indexes
 * DIR/CODEC: bench/results/operators-counts.md is made so. */
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
#include "backend/gpu/operators/operator_table.h"
#include "engine/searcher.h"
#include "oracle/collection.h"
#include "tempdir.h"

enum { DOCS = 3000, QUERIES = 12, TEXT = 256, SPEC = 128, PASSES = 2, DEVICE_BYTES = 64 << 20 };

/* ---- A driver that counts ------------------------------------------------------------------------ */

typedef struct counts {
    uint64_t launches, copies_in, copies_out, fills, waits, decoded;
} counts;

static rp__driver driver;
static counts so_far;

static rp__cu_result count_in(rp__cu_ptr to, const void *from, size_t bytes, rp__cu_stream stream)
{
    so_far.copies_in++;
    return rp__emulated_device_driver()->copy_in(to, from, bytes, stream);
}

static rp__cu_result count_out(void *to, rp__cu_ptr from, size_t bytes, rp__cu_stream stream)
{
    so_far.copies_out++;
    return rp__emulated_device_driver()->copy_out(to, from, bytes, stream);
}

static rp__cu_result count_fill(rp__cu_ptr to, unsigned value, size_t n, rp__cu_stream stream)
{
    so_far.fills++;
    return rp__emulated_device_driver()->fill32(to, value, n, stream);
}

/* A wait ends when the device is seen to be done. */
static rp__cu_result count_wait(rp__cu_stream stream)
{
    rp__cu_result result = rp__emulated_device_driver()->stream_query(stream);
    so_far.waits += result == RP_CU_OK;
    return result;
}

static rp__cu_result count_launch(rp__cu_function function, unsigned grid_x, unsigned grid_y,
                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                  unsigned block_z, unsigned shared_bytes, rp__cu_stream stream,
                                  void **args, void **extra)
{
    so_far.launches++;
    return rp__emulated_device_driver()->launch(function, grid_x, grid_y, grid_z, block_x, block_y,
                                                block_z, shared_bytes, stream, args, extra);
}

static const rp__driver *counting_driver(void)
{
    driver = *rp__emulated_device_driver();
    driver.copy_in = count_in;
    driver.copy_out = count_out;
    driver.fill32 = count_fill;
    driver.stream_query = count_wait;
    driver.launch = count_launch;
    return &driver;
}

/* ---- A card -------------------------------------------------------------------------------------- */

typedef struct card {
    rp_index *index;
    rp_searcher *searcher;
    rp__arena arena;
    rp__device device;
    rp__gpu_index there;
    rp__exec exec;
} card;

static void open_card(card *d, const char *path)
{
    rp_error err = {.text = ""};
    const rp_search_options plain = {.processor = "cpu"};
    memset(d, 0, sizeof *d);
    if (rp_index_open(path, NULL, &d->index, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rp_searcher_new(d->index, &plain, &d->searcher, &err), RP_OK);
    rp__arena_init(&d->arena, (size_t)256 << 20);
    assert_int_equal(rp__device_open(&d->device, counting_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&d->there, &d->device, d->searcher->index->segment, 0),
                     RP_OK);
    rp__exec_open(&d->exec, &d->device, &d->there);
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

/* ---- Queries ------------------------------------------------------------------------------------- */

static char queries[QUERIES][TEXT];
static size_t n_queries;

/* Answers are the cpu's. What it took. */
static counts ask(card *d, const char *spec, const char *text)
{
    rp_error err = {.text = ""};
    rp__query query;
    rp__answer got, want;
    rp__arena_clear(&d->arena);
    assert_int_equal(rp__searcher_bind(d->searcher, text, strlen(text), RP_MODE_AND, &query, &err),
                     RP_OK);
    query.k = 10;
    query.exact_total = true;
    assert_int_equal(rp__backend_find("cpu")->run(NULL, &query, &d->arena, &want, &err), RP_OK);
    query.algorithm = spec;
    so_far = (counts){0};
    if (rp__exec_run(&d->exec, &query, &d->arena, &got, &err) != RP_OK)
        fail_msg("%s, '%s': %s", spec, text, err.text);
    assert_int_equal(got.total, want.total);
    assert_int_equal(got.n, want.n);
    if (want.n > 0)
        assert_memory_equal(got.at, want.at, want.n * sizeof *want.at);
    so_far.decoded = got.gpu.transcoded_postings;
    return so_far;
}

static void add(counts *sum, counts one)
{
    sum->launches += one.launches;
    sum->copies_in += one.copies_in;
    sum->copies_out += one.copies_out;
    sum->fills += one.fills;
    sum->waits += one.waits;
    sum->decoded += one.decoded;
}

/* The i-th pass over all queries. */
static counts pass(card *d, const char *spec)
{
    counts sum = {0};
    for (size_t q = 0; q < n_queries; q++)
        add(&sum, ask(d, spec, queries[q]));
    return sum;
}

/* ---- A table ------------------------------------------------------------------------------------- */

static void read_queries(const char *folder)
{
    char path[300], line[TEXT];
    snprintf(path, sizeof path, "%s/queries.tsv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (n_queries = 0; n_queries < QUERIES && fgets(line, sizeof line, file);) {
        char *text = strchr(line, '\t'), *end = strchr(line, '\n');
        size_t spaces = 0;
        if (!text || !end)
            continue;
        *end = 0;
        for (const char *at = ++text; *at; at++)
            spaces += *at == ' ';
        if (spaces == 2)
            snprintf(queries[n_queries++], TEXT, "%s", text);
    }
    fclose(file);
}

static void print_row(const char *name, const counts *passes)
{
    const double n = (double)n_queries;
    printf("| `%s` ", name);
    for (size_t i = 0; i < PASSES; i++) {
        const counts *c = &passes[i];
        printf("| %.1f | %.1f | %.1f | %.1f | %.1f | %.0f ", (double)c->launches / n,
               (double)c->copies_in / n, (double)c->copies_out / n, (double)c->fills / n,
               (double)c->waits / n, (double)c->decoded / n);
    }
    printf("|\n");
    fflush(stdout);
}

/* Each row over an index in its codec, on a card of its own. */
static void print_table(const char *folder)
{
    const rp__operator *row;
    read_queries(folder);
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++) {
        char path[300], spec[SPEC];
        card d;
        counts passes[PASSES];
        snprintf(path, sizeof path, "%s/%s", folder, row->codec ? row->codec : "bp128");
        snprintf(spec, sizeof spec, "operators:intersect=%s", row->name);
        open_card(&d, path);
        for (size_t p = 0; p < PASSES; p++)
            passes[p] = pass(&d, spec);
        print_row(row->name, passes);
        close_card(&d);
    }
}

/* ---- Tests --------------------------------------------------------------------------------------- */

static collection c;
static tempdir dir;

static void open_codec(card *d, const char *codec)
{
    rp_error err = {.text = ""};
    char from[128], to[300];
    const rp_recode_options options = {.codec = codec, .aux = "lr,hs16,hs32,hs64,hs128,hs256"};
    snprintf(from, sizeof from, "%s/%s", c.folder, c.codecs[0]);
    snprintf(to, sizeof to, "%s/%s", dir.path, codec);
    assert_int_equal(rp_index_recode(from, to, &options, NULL, &err), RP_OK);
    open_card(d, to);
}

static bool is_of_bits(const rp__operator *row)
{
    return strncmp(row->name, "bits", 4) == 0;
}

/* All lists are on the card: nothing is decoded or copied in but what ding writes of lists, and all comes back at once. */
static void a_chain_is_one_copy_and_one_wait(void **state)
{
    (void)state;
    const rp__operator *row;
    char spec[SPEC];
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++) {
        card d;
        if (is_of_bits(row))
            continue;
        snprintf(spec, sizeof spec, "operators:intersect=%s", row->name);
        open_codec(&d, row->codec ? row->codec : i % 2 ? "bp128" : "vbyte");
        (void)pass(&d, spec);
        for (size_t q = 0; q < n_queries; q++) {
            const counts took = ask(&d, spec, queries[q]);
            const bool is_ding = row->id == RP_OPERATOR_DING;
            assert_int_equal(took.waits, 1);
            assert_int_equal(took.copies_out, 1);
            assert_in_range(took.copies_in, 0, is_ding);
            assert_in_range(took.fills, 2, 2 + is_ding);
            assert_int_equal(took.decoded, 0);
        }
        close_card(&d);
    }
}

/* Of lists that kernels check as they are stored, only the shortest is decoded, even the first time. */
static void stored_lists_are_not_decoded(void **state)
{
    (void)state;
    static const char *const specs[] = {"operators:intersect=bp128", "operators:intersect=ding"};
    for (size_t i = 0; i < 2; i++) {
        card d;
        open_codec(&d, "bp128");
        for (size_t q = 0; q < n_queries; q++) {
            const counts first = ask(&d, specs[i], queries[q]);
            const counts plain = ask(&d, "operators:decode=bp128", queries[q]);
            assert_true(first.decoded < plain.decoded / 2);
        }
        close_card(&d);
    }
}

/* A row of decode that is named decodes for every query. */
static void a_named_decoder_decodes_every_time(void **state)
{
    (void)state;
    card d;
    open_codec(&d, "vbyte");
    const counts first = ask(&d, "operators:decode=vbyte", queries[0]);
    const counts again = ask(&d, "operators:decode=vbyte", queries[0]);
    assert_true(first.decoded > 0);
    assert_int_equal(again.decoded, first.decoded);
    close_card(&d);
}

/* Postings of the shortest list of a query. */
static uint64_t shortest(const card *d, const char *text)
{
    char words[TEXT], *rest = NULL;
    uint64_t n = UINT64_MAX;
    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        rp__term term = {0};
        assert_int_equal(rp__segment_find(d->searcher->index->segment, word, strlen(word), &term),
                         RP_OK);
        n = term.df < n ? term.df : n;
    }
    return n;
}

/* But rows that read lists as they are stored, or choose their blocks, need only the shortest one, unless scores need
 * all: accumulators do, and frequencies in efsum. Lists are known to be sound from the pass before. */
static void a_named_decoder_decodes_what_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *codec, *spec;
        bool needs_all;
    } rows[] = {
        {"pfd_rec", "operators:decode=pfd_rec,intersect=ding", false},
        {"pfd_rec", "operators:decode=pfd_rec,intersect=ding,mode=stepped", false},
        {"ef128", "operators:decode=ef128-literal,intersect=ding", true},
        {"qs", "operators:decode=qs-li,intersect=ding", true},
        {"bp128", "operators:decode=bp128,intersect=bp128", false},
        {"lrc", "operators:decode=lrc,intersect=lrc-heads", false},
        {"hslrc128", "operators:decode=hslrc128,intersect=hslrc128", false},
        {"pfd_rec", "operators:decode=pfd_rec,intersect=ding,score=accumulate", true},
        {"pfd_rec", "operators:decode=pfd_rec,intersect=pmf", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        card d;
        open_codec(&d, rows[i].codec);
        (void)pass(&d, rows[i].spec);
        for (size_t q = 0; q < n_queries; q++) {
            const counts took = ask(&d, rows[i].spec, queries[q]);
            const uint64_t n = shortest(&d, queries[q]);
            if (rows[i].needs_all ? took.decoded <= 2 * n : took.decoded != n)
                fail_msg("%s, %s, '%s': %llu postings decoded, the shortest list has %llu",
                         rows[i].codec, rows[i].spec, queries[q], (unsigned long long)took.decoded,
                         (unsigned long long)n);
        }
        close_card(&d);
    }
}

static int open_collection(void **state)
{
    (void)state;
    collection_draw(
        &c, &(collection_recipe){"calls", 7, (const char *const[]){"bp128"}, 1, DOCS, 200, 14});
    for (n_queries = 0; n_queries < 3; n_queries++) {
        char word[32];
        queries[n_queries][0] = 0;
        for (uint64_t n = 0; n < 2 + n_queries; n++) {
            collection_put_word(word, n == 0 ? 60 + 20 * n_queries : n);
            strcat(strcat(queries[n_queries], word), " ");
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
    const char *folder = getenv("RIPOSTE_COUNTS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_one_copy_and_one_wait),
        cmocka_unit_test(stored_lists_are_not_decoded),
        cmocka_unit_test(a_named_decoder_decodes_every_time),
        cmocka_unit_test(a_named_decoder_decodes_what_is_needed),
    };
    rp__emulated_device_configure(&(rp__emulated_device_options){.memory = DEVICE_BYTES});
    if (folder) {
        print_table(folder);
        return 0;
    }
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
