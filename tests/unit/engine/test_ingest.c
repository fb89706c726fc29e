/* test_ingest.c: a document to tokens with their positions, and to blocks of stored text. */
#include "engine/ingest.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "tempdir.h"
#include "unit/files.h"

typedef struct work {
    tempdir dir;
    rp__segment_builder *builder;
    rp__analyzer *analyzer;
    rp__ingest ingest;
    rp__segment *segment;
    rp__arena arena;
} work;

static void begin(work *w, const char *stop, bool has_text)
{
    rp__text_options text = {.stem = "none", .stop_words = stop, .stop_bytes = strlen(stop)};
    rp__segment_options o = {.coding.codec = rp__codec_find("bp128", rp__cpu_features()),
                             .stem = "none",
                             .stop = "mine",
                             .stop_words = stop,
                             .stop_bytes = strlen(stop),
                             .has_positions = true,
                             .has_text = has_text,
                             .memory = 64 << 20,
                             .workers = 1};
    memset(w, 0, sizeof *w);
    assert_int_equal(tempdir_make(&w->dir), 0);
    assert_int_equal(rp__analyzer_open(&text, &w->analyzer, NULL), RP_OK);
    assert_int_equal(rp__segment_builder_new(w->dir.path, &o, &w->builder, NULL), RP_OK);
    assert_int_equal(rp__ingest_init(&w->ingest, w->builder, 0, has_text, w->analyzer), RP_OK);
    rp__arena_init(&w->arena, 1 << 24);
}

static void add(work *w, uint32_t want, const char *title, const char *text)
{
    char id[16];
    uint32_t docid;
    rp_error err;
    int bytes = snprintf(id, sizeof id, "d%u", want);
    rp__doc doc = {.id = id, .id_bytes = (size_t)bytes, .title = title, .text = text};
    doc.title_bytes = strlen(title);
    doc.text_bytes = strlen(text);
    assert_int_equal(rp__segment_builder_doc(w->builder, id, (size_t)bytes, &docid, NULL), RP_OK);
    assert_int_equal(docid, want);
    if (rp__ingest_add(&w->ingest, docid, &doc, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void finish(work *w)
{
    rp_error err;
    assert_int_equal(rp__ingest_end_block(&w->ingest, NULL), RP_OK);
    assert_int_equal(rp__ingest_end_block(&w->ingest, NULL), RP_OK); /* none is open: nothing */
    assert_int_equal(rp__ingest_write_blocks(&w->ingest, NULL), RP_OK);
    assert_int_equal(w->ingest.n_blocks, 0);
    if (rp__segment_builder_finish(w->builder, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp__segment_builder_free(w->builder);
    assert_int_equal(rp__segment_open(w->dir.path, true, &w->segment, NULL), RP_OK);
    assert_int_equal(rp__segment_check(w->segment, NULL, NULL, NULL), RP_OK);
}

static void end(work *w)
{
    rp__segment_close(w->segment);
    rp__ingest_reset(&w->ingest);
    rp__analyzer_close(w->analyzer);
    rp__arena_reset(&w->arena);
    tempdir_remove(&w->dir);
}

/* Positions of a term in its first document. */
static void expect_positions(work *w, const char *word, const uint32_t *want, uint32_t n)
{
    rp__term t;
    rp__list list;
    rp__positions p;
    const uint32_t *at;
    uint32_t got;
    assert_int_equal(rp__segment_find(w->segment, word, strlen(word), &t), RP_OK);
    assert_int_equal(rp__segment_list(w->segment, &t, &w->arena, &list), RP_OK);
    assert_int_equal(rp__positions_open(&p, w->segment, &t, &list, &w->arena), RP_OK);
    assert_int_equal(rp__positions_get(&p, 0, &at, &got), RP_OK);
    assert_int_equal(got, n);
    assert_memory_equal(at, want, n * sizeof *at);
}

#define POSITIONS(w, word, ...)                                                                    \
    expect_positions((w), (word), (const uint32_t[]){__VA_ARGS__},                                 \
                     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static uint32_t length_of(const work *w, uint32_t docid)
{
    rp__lengths l;
    rp__segment_get_lengths(w->segment, &l);
    return l.table[rp__lengths_code(&l, docid)];
}

static void test_positions(void **state)
{
    (void)state;
    work w;
    begin(&w, "", false);
    add(&w, 0, "Alpha beta", "gamma alpha");
    add(&w, 1, "", "delta epsilon"); /* no title, no hole */
    add(&w, 2, "zeta", "");
    add(&w, 3, "", "");
    add(&w, 4, "...", "eta"); /* a title without words is as none */
    assert_int_equal(w.ingest.tokens, 8);
    finish(&w);
    POSITIONS(&w, "alpha", 0, 4); /* 2 lies between title and text */
    POSITIONS(&w, "beta", 1);
    POSITIONS(&w, "gamma", 3);
    POSITIONS(&w, "delta", 0);
    POSITIONS(&w, "epsilon", 1);
    POSITIONS(&w, "zeta", 0);
    POSITIONS(&w, "eta", 0);
    assert_int_equal(length_of(&w, 0), 4);
    assert_int_equal(length_of(&w, 3), 0);
    end(&w);
}

/* Stop words take their place, but are not counted. */
static void test_stop_words(void **state)
{
    (void)state;
    work w;
    rp__term t;
    begin(&w, "the\nof", false);
    add(&w, 0, "the cat", "of the mat of");
    add(&w, 1, "of", "dog");
    finish(&w);
    POSITIONS(&w, "cat", 1);
    POSITIONS(&w, "mat", 5); /* the cat _ of the mat */
    POSITIONS(&w, "dog", 2);
    assert_int_equal(length_of(&w, 0), 2);
    assert_int_equal(length_of(&w, 1), 1);
    assert_int_equal(rp__segment_find(w.segment, "the", 3, &t), RP_NOT_FOUND);
    end(&w);
}

/* A block is closed once it has 16 KiB of text; a document is never cut. */
static void test_blocks(void **state)
{
    (void)state;
    enum { SMALL = 5000, LARGE = 100000 };
    work w;
    char *small = calloc(SMALL + 1, 1), *large = calloc(LARGE + 1, 1);
    memset(small, 's', SMALL);
    memset(large, 'l', LARGE);
    begin(&w, "", true);
    for (uint32_t d = 0; d < 4; d++) {
        assert_int_equal(w.ingest.n_blocks, 0);
        add(&w, d, "", small);
    }
    assert_int_equal(w.ingest.n_blocks, 1); /* 20,000 bytes */
    add(&w, 4, "title", "");
    assert_int_equal(w.ingest.n_blocks, 1);
    add(&w, 5, "", large);
    assert_int_equal(w.ingest.n_blocks, 2);
    assert_int_equal(w.ingest.blocks[1].first_docid, 4);
    assert_int_equal(w.ingest.blocks[1].raw_bytes, 2 + 4 + 5 + LARGE); /* sizes, title, text */
    add(&w, 6, "last", "one");
    finish(&w);
    rp__zblock *z;
    assert_int_equal(rp__zblock_new(&z), RP_OK);
    for (uint32_t d = 0; d < 7; d++) {
        rp__doc_text got;
        assert_int_equal(rp__segment_doc_text(w.segment, d, z, UINT64_MAX, &got), RP_OK);
        assert_string_equal(got.title, d == 4 ? "title" : d == 6 ? "last" : "");
        assert_string_equal(got.text, d < 4 ? small : d == 4 ? "" : d == 5 ? large : "one");
        rp__free(got.title);
        rp__free(got.text);
    }
    rp__zblock_free(z);
    end(&w);
    free(small);
    free(large);
}

static void test_reset(void **state)
{
    (void)state;
    uint64_t before = rp__alloc_in_use();
    rp__ingest none = {0};
    rp__ingest_reset(&none);
    work w;
    begin(&w, "", true);
    add(&w, 0, "t", "some text");
    rp__segment_builder_free(w.builder); /* in the middle of it */
    end(&w);
    assert_int_equal(rp__alloc_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_stop_words),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
