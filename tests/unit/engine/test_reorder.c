/* test_reorder.c: the same index with other docids: the bytes of a build in that order, answers that differ
 * in nothing but docids, orders that are what they promise, and what is left where it fails. */
#include "riposte/riposte.h"

#include "base/alloc.h"
#include "fault/sample.h"
#include "unit/engine/ciff_file.h"
#include "unit/index/patch.h"

enum { DOCS = 900 };

static tempdir dir;
static char plain[240], one[240], two[240], file[240];
static rp_document documents[DOCS]; /* of plain */

static void forget(const char *path)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", path);
    tempdir_remove(&t);
}

static void must_check(const char *path)
{
    rp_error err = {0};
    if (rp_index_check(path, NULL, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void reorder(const char *from, const char *to, const rp_reorder_options *o)
{
    rp_error err = {0};
    rp_build_stats stats;
    if (rp_index_reorder(from, to, o, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_true(stats.docs == DOCS && stats.postings > stats.terms && stats.bytes_in > 0);
}

/* The documents one by one, in an order; NULL: as they are. */
static void build(const char *to, const rp_build_options *o, const uint32_t *order)
{
    rp_builder *b;
    forget(to);
    assert_int_equal(rp_builder_new(to, o, &b, NULL), RP_OK);
    for (uint32_t i = 0; i < DOCS; i++) {
        const rp_document *d = &documents[order ? order[i] : i];
        assert_int_equal(rp_builder_add(b, d->id, strlen(d->id), d->title, d->title_bytes, d->text,
                                        d->text_bytes, NULL),
                         RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
}

/* The order that the documents of an index have, told by their ids: "doc-11-<number>". */
static void read_order(const char *path, uint32_t *order)
{
    rp_index *index;
    assert_int_equal(rp_index_open(path, NULL, &index, NULL), RP_OK);
    for (uint32_t i = 0; i < DOCS; i++) {
        rp_document d;
        assert_int_equal(rp_index_get_document(index, i, &d, NULL), RP_OK);
        order[i] = (uint32_t)atoi(strrchr(d.id, '-') + 1);
        rp_document_free(&d);
    }
    rp_index_close(index);
}

static void write_map(const uint32_t *order, uint32_t n)
{
    FILE *f = fopen(file, "wb");
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "%s\n", documents[order[i]].id);
    fclose(f);
}

/* Whatever the order, codec, parts, threads and memory: what a build in that order makes. */
static void test_bytes_of_a_build(void **state)
{
    (void)state;
    static const char *const codecs[] = {"bp128", "optpfd", "iiu", "interpolative", "mixed"};
    uint32_t order[DOCS];
    int n = 0;
    for (size_t by = 0; rp_order_name(by); by++) {
        if (strcmp(rp_order_name(by), "map") == 0 || strcmp(rp_order_name(by), "rank") == 0)
            continue;
        for (int parts = 0; parts < 4; parts++, n++) {
            rp_build_options o = {.codec = codecs[n % 5],
                                  .stem = parts & 1 ? "porter" : NULL,
                                  .aux = parts == 3 ? "lr,hs16" : NULL,
                                  .no_positions = parts & 1,
                                  .no_store = parts & 2};
            build(one, &o, NULL);
            forget(two);
            reorder(one, two,
                    &(rp_reorder_options){.by = rp_order_name(by),
                                          .seed = 7,
                                          .threads = 1 + (uint32_t)parts,
                                          .memory = (uint64_t)(1 + parts) << 24});
            must_check(two);
            read_order(two, order);
            build(one, &o, order);
            files_expect_equal_folders(one, two);
        }
    }
}

static void test_codec_may_change(void **state)
{
    (void)state;
    uint32_t order[DOCS];
    forget(two);
    reorder(plain, two,
            &(rp_reorder_options){.by = "random", .codec = "rice", .freqs = "vbyte", .seed = 3});
    read_order(two, order);
    build(one, &(rp_build_options){.codec = "rice", .freqs = "vbyte"}, order);
    files_expect_equal_folders(one, two);
}

static void test_same_for_any_threads_and_memory(void **state)
{
    (void)state;
    for (size_t by = 0; by < 4; by++) {
        rp_reorder_options o = {.by = rp_order_name(by), .seed = 5};
        forget(one);
        reorder(plain, one, &o);
        for (o.threads = 2; o.threads <= 8; o.threads *= 2) {
            o.memory = (uint64_t)o.threads << 24;
            forget(two);
            reorder(plain, two, &o);
            files_expect_equal_folders(one, two);
        }
    }
}

/* There and back again by a map of the ids. */
static void test_map_and_back(void **state)
{
    (void)state;
    uint32_t order[DOCS];
    forget(two);
    reorder(plain, two, &(rp_reorder_options){.by = "bp"});
    for (uint32_t i = 0; i < DOCS; i++)
        order[i] = i;
    write_map(order, DOCS);
    forget(one);
    reorder(two, one, &(rp_reorder_options){.by = "map", .map = file});
    files_expect_equal_folders(plain, one);
    reorder(one, one, &(rp_reorder_options){.by = "random"}); /* in place */
    must_check(one);
}

static void test_orders_are_what_they_say(void **state)
{
    (void)state;
    uint32_t order[DOCS], other[DOCS];
    bool seen[DOCS] = {false};
    forget(two);
    reorder(plain, two, &(rp_reorder_options){.by = "length"});
    read_order(two, order);
    for (uint32_t i = 1; i < DOCS; i++) {
        uint32_t a = documents[order[i - 1]].length, b = documents[order[i]].length;
        assert_true(a > b || (a == b && order[i - 1] < order[i]));
    }
    reorder(plain, two, &(rp_reorder_options){.by = "url"});
    read_order(two, order);
    for (uint32_t i = 1; i < DOCS; i++)
        assert_true(strcmp(documents[order[i - 1]].id, documents[order[i]].id) < 0);
    reorder(plain, two, &(rp_reorder_options){.by = "random", .seed = 1});
    read_order(two, order);
    reorder(plain, two, &(rp_reorder_options){.by = "random", .seed = 2});
    read_order(two, other);
    assert_memory_not_equal(order, other, sizeof order);
    for (uint32_t i = 0; i < DOCS; i++)
        seen[order[i]] = true;
    for (uint32_t i = 0; i < DOCS; i++)
        assert_true(seen[i]);
    static const uint32_t first[] = {76, 629, 475, 318}; /* on every machine */
    assert_memory_equal(order, first, sizeof first);
}

static void test_rank(void **state)
{
    (void)state;
    uint32_t order[DOCS];
    for (int by_id = 0; by_id < 2; by_id++) {
        FILE *f = fopen(file, "wb");
        for (uint32_t i = 0; i < DOCS; i++)
            if (by_id)
                fprintf(f, "%s\t%d\n", documents[DOCS - 1 - i].id, -(int)((DOCS - 1 - i) % 10));
            else
                fprintf(f, "%.1f\r\n", i % 10 * -0.5);
        fclose(f);
        forget(two);
        reorder(plain, two, &(rp_reorder_options){.by = "rank", .scores = file});
        read_order(two, order);
        for (uint32_t i = 0; i < DOCS; i++)
            assert_int_equal(order[i], i / 90 + i % 90 * 10);
    }
}

/* ---- Answers ----------------------------------------------------------------------------------- */

static int by_score_then_name(const void *a, const void *b)
{
    const rp_hit *x = a, *y = b;
    return x->fixed != y->fixed ? (x->fixed > y->fixed ? -1 : 1) : strcmp(x->name, y->name);
}

/* Scores are the same; so are the documents above the last score. */
static void expect_same_hits(rp_hits *a, rp_hits *b)
{
    assert_int_equal(a->n, b->n);
    if (a->total_is_exact && b->total_is_exact)
        assert_int_equal(a->total, b->total);
    assert_int_equal(a->is_or_fallback, b->is_or_fallback);
    if (a->n == 0)
        return;
    qsort(a->at, a->n, sizeof *a->at, by_score_then_name);
    qsort(b->at, b->n, sizeof *b->at, by_score_then_name);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->at[i].fixed, b->at[i].fixed);
        if (a->at[i].fixed > a->at[a->n - 1].fixed)
            assert_string_equal(a->at[i].name, b->at[i].name);
    }
}

static void ask(const rp_index *index, const sample_query *q, rp_hits *hits)
{
    rp_searcher *searcher;
    rp_search_options o = {.mode = q->mode, .variant = q->variant, .k = q->k};
    assert_int_equal(rp_searcher_new(index, &o, &searcher, NULL), RP_OK);
    assert_int_equal(rp_searcher_search(searcher, q->text, strlen(q->text), hits, NULL), RP_OK);
    rp_searcher_free(searcher);
}

static void test_answers(void **state)
{
    (void)state;
    for (size_t by = 0; by < 4; by++) {
        rp_index *before, *after;
        forget(two);
        reorder(plain, two, &(rp_reorder_options){.by = rp_order_name(by)});
        assert_int_equal(rp_index_open(plain, NULL, &before, NULL), RP_OK);
        assert_int_equal(rp_index_open(two, NULL, &after, NULL), RP_OK);
        for (size_t i = 0; i < sample_query_count(); i++) {
            rp_hits a = {0}, b = {0};
            ask(before, &sample_queries[i], &a);
            ask(after, &sample_queries[i], &b);
            expect_same_hits(&a, &b);
            rp_hits_free(&a);
            rp_hits_free(&b);
        }
        rp_index_close(before);
        rp_index_close(after);
    }
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

static void expect_refused(const char *from, const rp_reorder_options *o, rp_status want,
                           const char *why)
{
    rp_error err = {0};
    forget(two);
    assert_int_equal(rp_index_reorder(from, two, o, NULL, &err), want);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" is not in \"%s\"", why, err.text);
    assert_false(files_exist(two));
    build(two, NULL, NULL);
    uint64_t sum = sample_folder_checksum(two);
    assert_int_equal(rp_index_reorder(from, two, o, NULL, &err), want);
    assert_true(sample_folder_checksum(two) == sum);
}

static void write_file(const char *text)
{
    files_write(file, text, strlen(text));
}

static bool stop_at_once(void *arg, const rp_progress *progress)
{
    int *calls = arg;
    assert_true(strcmp(progress->phase, "bisecting") == 0 ||
                strcmp(progress->phase, "reordering") == 0);
    assert_true(progress->bytes <= progress->bytes_total);
    return --*calls > 0;
}

static void test_refusals(void **state)
{
    (void)state;
    uint32_t order[DOCS];
    rp_reorder_options map = {.by = "map", .map = file}, rank = {.by = "rank", .scores = file};
    expect_refused(dir.path, NULL, RP_DAMAGED, "this folder is no index");
    expect_refused(plain, &(rp_reorder_options){.by = "zip"}, RP_USAGE, "\"zip\" is not known");
    expect_refused(plain, &(rp_reorder_options){.codec = "zip"}, RP_USAGE, "\"zip\"");
    expect_refused(plain, &(rp_reorder_options){.by = "map"}, RP_USAGE, "--map FILE");
    expect_refused(plain, &(rp_reorder_options){.by = "rank"}, RP_USAGE, "--scores FILE");
    expect_refused(plain, &(rp_reorder_options){.memory = 1 << 20}, RP_NO_MEMORY, "--memory");
    write_file("doc-11-5\nnobody\n");
    expect_refused(plain, &map, RP_INPUT, ":2: no document has the id \"nobody\"");
    write_file("doc-11-5\ndoc-11-6\n\n");
    expect_refused(plain, &map, RP_INPUT, ":3: no document has the id \"\"");
    write_file("doc-11-5\ndoc-11-6\ndoc-11-5\n");
    expect_refused(plain, &map, RP_INPUT, ":3: id \"doc-11-5\" comes twice");
    for (uint32_t i = 0; i < DOCS; i++)
        order[i] = i;
    write_map(order, DOCS - 2);
    expect_refused(plain, &map, RP_INPUT,
                   "2 of 900 documents are missing, the first is \"doc-11-898\"");
    write_file("");
    expect_refused(plain, &map, RP_INPUT, "900 of 900");
    write_file("doc-11-5\t1\nnobody\t2\n");
    expect_refused(plain, &rank, RP_INPUT, ":2: no document");
    write_file("doc-11-5\tone\n");
    expect_refused(plain, &rank, RP_INPUT, ":1: the score is not a number");
    write_file("doc-11-5\tnan\n");
    expect_refused(plain, &rank, RP_INPUT, ":1: the score is not a number");
    write_file("doc-11-5\t1\ndoc-11-5\t2\n");
    expect_refused(plain, &rank, RP_INPUT, ":2: the document has a score already");
    write_file("3\n2\n1");
    expect_refused(plain, &rank, RP_INPUT, "897 of 900");
    for (int calls = 1; calls < 5; calls++) {
        int left = calls;
        rp_reorder_options o = {.on_progress = stop_at_once, .progress_arg = &left};
        rp_error err = {0};
        forget(one);
        assert_int_equal(rp_index_reorder(plain, one, &o, NULL, &err), RP_INTERRUPTED);
        assert_false(files_exist(one));
    }
}

/* What bisection needs is told, and is enough. */
static void test_memory_is_told(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    rp_builder *b;
    rp_error err = {0};
    rp_build_stats stats;
    char path[300];
    snprintf(path, sizeof path, "%.200s/many", dir.path);
    rp_build_options o = {.no_store = true, .no_positions = true};
    assert_int_equal(rp_builder_new(path, &o, &b, NULL), RP_OK);
    for (unsigned d = 0; d < MANY; d++) {
        char id[16], text[40];
        int n = snprintf(id, sizeof id, "%u", d);
        int m = snprintf(text, sizeof text, "w%u x%u y%u", d % 7, d % 101, d % 1009);
        assert_int_equal(rp_builder_add(b, id, (size_t)n, "", 0, text, (size_t)m, NULL), RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    rp_reorder_options told = {.memory = 24 << 20};
    expect_refused(path, &told, RP_NO_MEMORY, "order \"bp\" needs ");
    assert_int_equal(rp_index_reorder(path, two, &told, NULL, &err), RP_NO_MEMORY);
    told.memory = (uint64_t)atoi(strstr(err.text, "--memory ") + 9) << 20;
    if (rp_index_reorder(path, two, &told, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_true(stats.memory_peak < told.memory);
    must_check(two);
    forget(path);
}

/* A byte changed anywhere is found, not sealed anew. */
static void test_damage_is_not_moved(void **state)
{
    (void)state;
    patch p;
    build(one, NULL, NULL);
    patch_open(&p, one, 1);
    for (int kind = 0; kind < RP_FILE_KINDS; kind++)
        for (size_t part = 1; part < 4; part++) {
            size_t n;
            patch_undo(&p);
            uint8_t *table = reseal_table(p.f.at[kind], p.f.bytes[kind], &n);
            rp__section_entry e = reseal_entry(table, part % n);
            if (e.bytes == 0)
                continue;
            p.f.at[kind][e.offset + e.bytes / 2] ^= 0x10;
            patch_write(&p);
            forget(two);
            rp_status status =
                rp_index_reorder(one, two, &(rp_reorder_options){.by = "random"}, NULL, NULL);
            if (status != RP_DAMAGED && status != RP_INCOMPATIBLE)
                fail_msg("kind %d, part %zu: %s", kind, part, rp_status_name(status));
            assert_false(files_exist(two));
        }
    patch_close(&p);
}

static void test_empty_index(void **state)
{
    (void)state;
    rp_builder *b;
    forget(one);
    assert_int_equal(rp_builder_new(one, NULL, &b, NULL), RP_OK);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    for (size_t by = 0; by < 4; by++) {
        forget(two);
        rp_reorder_options o = {.by = rp_order_name(by)};
        assert_int_equal(rp_index_reorder(one, two, &o, NULL, NULL), RP_OK);
        files_expect_equal_folders(one, two);
    }
}

/* The index of some documents of a larger collection: only they are moved. */
static void test_part_of_a_collection(void **state)
{
    (void)state;
    rp__buf ciff = {0};
    ciff_header(&ciff, 1, 3, 1, 1000000, 5000000, 5);
    ciff_list(&ciff, "ant", "0:2 1:1 1:1");
    ciff_doc(&ciff, 0, "x", 2);
    ciff_doc(&ciff, 1, "y", 1);
    ciff_doc(&ciff, 2, "z", 1);
    forget(one);
    files_write(file, ciff.at, ciff.n);
    rp__buf_free(&ciff);
    assert_int_equal(rp_index_import("ciff", file, one, NULL, NULL, NULL), RP_OK);
    for (size_t by = 0; by < 4; by++) {
        forget(two);
        rp_reorder_options o = {.by = rp_order_name(by)};
        assert_int_equal(rp_index_reorder(one, two, &o, NULL, NULL), RP_OK);
        must_check(two);
    }
}

static int make(void **state)
{
    (void)state;
    rp_index *index;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(plain, sizeof plain, "%.200s/plain", dir.path);
    snprintf(one, sizeof one, "%.200s/one", dir.path);
    snprintf(two, sizeof two, "%.200s/two", dir.path);
    snprintf(file, sizeof file, "%.200s/file", dir.path);
    sample_write(file, DOCS, 11);
    const char *paths[] = {file};
    if (rp_index_build(paths, 1, one, NULL, NULL, NULL) != RP_OK ||
        rp_index_open(one, NULL, &index, NULL) != RP_OK)
        return -1;
    for (uint32_t i = 0; i < DOCS; i++)
        if (rp_index_get_document(index, i, &documents[i], NULL) != RP_OK)
            return -1;
    rp_index_close(index);
    build(plain, NULL, NULL);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < DOCS; i++)
        rp_document_free(&documents[i]);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_a_build),
        cmocka_unit_test(test_codec_may_change),
        cmocka_unit_test(test_same_for_any_threads_and_memory),
        cmocka_unit_test(test_map_and_back),
        cmocka_unit_test(test_orders_are_what_they_say),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_is_told),
        cmocka_unit_test(test_damage_is_not_moved),
        cmocka_unit_test(test_empty_index),
        cmocka_unit_test(test_part_of_a_collection),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
