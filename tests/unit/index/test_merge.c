/* test_merge.c: runs of several workers, in files and in memory, become the segment that the documents
 * alone make. */
#include "index/merge.h"

#include "index/inverter.h"
#include "unit/index/segment_case.h"
#include "unit/index/streams.h"

enum { WORKERS = 4, MOST_RUNS = 512, WINDOW = 266 };

/* Workers with their inverters and files, as the builder has them. */
typedef struct crew {
    rp__inverter *inv[WORKERS];
    rp__out *out[WORKERS];
    plain_index *plain;
    rp__run runs[MOST_RUNS];
    size_t n_runs;
    uint32_t worker;               /* who has the document */
    uint32_t spill_inside, tokens; /* 0, or the worker spills after so many tokens */
    const rp__folder *folder;
} crew;

static void plain_token(void *arg, uint32_t docid, const char *term, uint32_t bytes,
                        uint32_t position)
{
    plain_add(arg, docid, term, bytes, position);
}

static void spill(crew *c, uint32_t worker)
{
    char name[32];
    snprintf(name, sizeof name, "run.%u.tmp", worker);
    if (!c->out[worker])
        assert_int_equal(rp__out_create(c->folder, name, 4096, &c->out[worker], NULL), RP_OK);
    assert_true(c->n_runs < MOST_RUNS);
    assert_int_equal(sort_all(c->inv[worker]), RP_OK);
    assert_int_equal(rp__run_write(c->inv[worker], c->out[worker], name, &c->runs[c->n_runs]),
                     RP_OK);
    c->runs[c->n_runs++].worker = worker;
    rp__inverter_clear(c->inv[worker]);
}

static void crew_token(void *arg, uint32_t docid, const char *term, uint32_t bytes,
                       uint32_t position)
{
    crew *c = arg;
    assert_int_equal(add_token(c->inv[c->worker], docid, term, bytes, position), RP_OK);
    if (c->spill_inside && ++c->tokens % c->spill_inside == 0)
        spill(c, c->worker);
}

/* What is left in memory stays there for odd workers, and the files are closed. */
static void settle(crew *c, bool in_memory)
{
    for (uint32_t w = 0; w < WORKERS; w++) {
        if (in_memory || w % 2) {
            assert_int_equal(sort_all(c->inv[w]), RP_OK);
            c->runs[c->n_runs++] = (rp__run){
                .inverter = c->inv[w], .worker = w, .terms = rp__inverter_terms(c->inv[w])};
        } else {
            spill(c, w);
        }
        if (c->out[w])
            assert_int_equal(rp__out_finish(c->out[w], false, NULL), RP_OK);
        c->out[w] = NULL;
    }
}

static bool count_report(void *arg, uint64_t done, uint64_t of)
{
    assert_true(done <= of);
    ++*(int *)arg;
    return true;
}

typedef struct shape {
    bool has_positions, in_memory;
    uint32_t docs, tokens, vocabulary, spill_every, spill_inside;
} shape;

static void fill_plain(plain_index *plain, const shape *s)
{
    uint64_t seed = s->docs;
    for (uint32_t d = 0; d < s->docs; d++)
        plain_document(&seed, d, chance_below(&seed, s->tokens + 1), s->vocabulary, plain_token,
                       plain);
}

/* The same documents, dealt out to workers at random. */
static void fill_crew(crew *c, const shape *s)
{
    uint64_t seed = s->docs, deal = 99;
    c->spill_inside = s->spill_inside;
    for (uint32_t d = 0; d < s->docs; d++) {
        c->worker = chance_below(&deal, WORKERS);
        plain_document(&seed, d, chance_below(&seed, s->tokens + 1), s->vocabulary, crew_token, c);
        if (s->spill_every && d % s->spill_every == s->spill_every - 1)
            spill(c, chance_below(&deal, WORKERS));
    }
    settle(c, s->in_memory);
}

static void check_shape(const shape *s)
{
    segment_case sc;
    crew *c = calloc(1, sizeof *c);
    int reports = 0;
    c->plain = plain_new();
    fill_plain(c->plain, s);
    segment_case_begin(&sc, "bp128", s->has_positions, c->plain, s->docs);
    c->folder = &sc.folder;
    for (size_t w = 0; w < WORKERS; w++)
        assert_int_equal(rp__inverter_new(s->has_positions, &c->inv[w]), RP_OK);
    fill_crew(c, s);
    rp_error err = {0};
    rp__merge merge = {.runs = c->runs,
                       .n_runs = c->n_runs,
                       .folder = &sc.folder,
                       .buffer = WINDOW,
                       .has_positions = s->has_positions,
                       .on_progress = count_report,
                       .progress_arg = &reports};
    if (rp__merge_run(&merge, sc.w, &err) != RP_OK)
        fail_msg("%s", err.text);
    segment_case_end(&sc);
    expect_segment(sc.segment, c->plain, s->has_positions);
    assert_true(reports > 0 || c->plain->n == 0);
    segment_case_close(&sc);
    for (size_t w = 0; w < WORKERS; w++)
        rp__inverter_free(c->inv[w]);
    plain_free(c->plain);
    free(c);
}

static void test_random(void **state)
{
    (void)state;
    static const shape shapes[] = {
        {.docs = 0, .vocabulary = 1},
        {.docs = 1, .tokens = 3, .vocabulary = 5, .has_positions = true},
        {.docs = 400, .tokens = 40, .vocabulary = 900, .has_positions = true, .in_memory = true},
        {.docs = 400, .tokens = 40, .vocabulary = 900, .in_memory = true},
        {.docs = 700, .tokens = 60, .vocabulary = 2000, .spill_every = 40, .has_positions = true},
        {.docs = 700, .tokens = 60, .vocabulary = 2000, .spill_every = 13},
        {.docs = 3000, .tokens = 6, .vocabulary = 3, .spill_every = 60, .has_positions = true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(&shapes[i]);
}

/* Documents that are spilled before they end, some of them many times: the parts of a posting are joined,
 * frequencies and positions alike. Some workers have their last run in memory. */
static void test_parts_of_documents(void **state)
{
    (void)state;
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        const shape shapes[] = {
            {.docs = 1, .tokens = 3000, .vocabulary = 1, .spill_inside = 100},
            {.docs = 1, .tokens = 3000, .vocabulary = 40, .spill_inside = 7},
            {.docs = 300, .tokens = 50, .vocabulary = 60, .spill_inside = 23},
            {.docs = 60, .tokens = 900, .vocabulary = 300, .spill_inside = 150, .spill_every = 9},
        };
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            shape s = shapes[i];
            s.has_positions = has_positions;
            check_shape(&s);
        }
    }
}

/* ---- What must not be ------------------------------------------------------------------------- */

typedef struct bad_merge {
    segment_case sc;
    rp__inverter *inv[2];
    plain_index *plain;
} bad_merge;

static void begin_bad(bad_merge *m, bool has_positions, uint32_t n_docs)
{
    m->plain = plain_new();
    segment_case_begin(&m->sc, "bp128", has_positions, m->plain, n_docs);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(rp__inverter_new(has_positions, &m->inv[i]), RP_OK);
}

static rp_status run_bad(bad_merge *m, bool has_positions,
                         bool (*on_progress)(void *, uint64_t, uint64_t), rp_error *err)
{
    rp__run runs[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sort_all(m->inv[i]), RP_OK);
        runs[i] = (rp__run){
            .inverter = m->inv[i], .worker = (uint32_t)i, .terms = rp__inverter_terms(m->inv[i])};
    }
    rp__merge merge = {.runs = runs,
                       .n_runs = 2,
                       .folder = &m->sc.folder,
                       .buffer = WINDOW,
                       .has_positions = has_positions,
                       .on_progress = on_progress};
    return rp__merge_run(&merge, m->sc.w, err);
}

static void end_bad(bad_merge *m)
{
    rp__segment_writer_free(m->sc.w);
    rp__doctable_writer_free(m->sc.docs);
    free(m->sc.norms);
    assert_int_equal(files_count(m->sc.dir.path), 0); /* nothing stays of what was begun */
    rp__folder_close(&m->sc.folder);
    tempdir_remove(&m->sc.dir);
    for (size_t i = 0; i < 2; i++)
        rp__inverter_free(m->inv[i]);
    plain_free(m->plain);
}

/* Two runs that both have a document: not from any build, so it must be the disk. */
static void test_overlap(void **state)
{
    (void)state;
    for (int has_positions = 0; has_positions < 2; has_positions++) {
        bad_merge m;
        rp_error err;
        begin_bad(&m, has_positions, 10);
        for (uint32_t d = 0; d < 4; d++) {
            assert_int_equal(rp__inverter_add(m.inv[0], d, "t", 1, 1), RP_OK);
            assert_int_equal(rp__inverter_add(m.inv[1], d + 3, "t", 1, 1), RP_OK);
        }
        assert_int_equal(run_bad(&m, has_positions, NULL, &err), RP_IO);
        assert_non_null(strstr(err.text, "check the disk"));
        end_bad(&m);
    }
}

/* Docids past the last document: the norms of a block would be looked up out of bounds. */
static void test_docids_out_of_range(void **state)
{
    (void)state;
    static const uint32_t beyond[] = {10, 11, 100000, 0x7FFFFFFF, 0xFFFFFFF0};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        bad_merge m;
        rp_error err;
        begin_bad(&m, false, 10);
        for (uint32_t d = 0; d < 9; d++)
            assert_int_equal(rp__inverter_add(m.inv[0], d, "t", 1, 1), RP_OK);
        assert_int_equal(rp__inverter_add(m.inv[0], beyond[i], "t", 1, 1), RP_OK);
        assert_int_equal(run_bad(&m, false, NULL, &err), RP_IO);
        assert_non_null(strstr(err.text, "check the disk"));
        end_bad(&m);
    }
}

static bool stop_at_once(void *arg, uint64_t done, uint64_t of)
{
    (void)arg, (void)done, (void)of;
    return false;
}

static void test_interrupted(void **state)
{
    (void)state;
    bad_merge m;
    rp_error err;
    begin_bad(&m, true, 10);
    assert_int_equal(rp__inverter_add(m.inv[1], 3, "t", 1, 1), RP_OK);
    assert_int_equal(run_bad(&m, true, stop_at_once, &err), RP_INTERRUPTED);
    end_bad(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),      cmocka_unit_test(test_parts_of_documents),
        cmocka_unit_test(test_overlap),     cmocka_unit_test(test_docids_out_of_range),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
