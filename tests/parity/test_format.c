/* test_format.c: docs/format.md says enough: a reader written from it alone finds in an index what the
 * library finds. Over the golden indexes, and over new ones in each codec that the reader knows. */
#include "parity/format_reader.h"

#include "index/index.h"
#include "riposte/riposte.h"
#include "tempdir.h"
#include "unit/files.h"

static tempdir dir;

typedef struct seen {
    uint64_t terms, tiny, short_lists, long_lists, postings, positions;
} seen;

static void expect_positions(const rp__segment *s, const rp__term *entry, const rp__list *list,
                             const format_term *t, rp__arena *arena)
{
    rp__positions p;
    assert_int_equal(rp__positions_open(&p, s, entry, list, arena), RP_OK);
    for (uint32_t i = 0; i < t->df; i++) {
        const uint32_t *at;
        uint32_t n;
        assert_int_equal(rp__positions_get(&p, i, &at, &n), RP_OK);
        assert_int_equal(n, t->tfs[i]);
        assert_memory_equal(at, t->positions + t->starts[i], n * sizeof *at);
    }
}

static void expect_term(const rp__segment *s, const rp__term_iter *iter, const format_term *t,
                        bool has_positions, rp__arena *arena)
{
    rp__list list;
    rp__cursor c;
    assert_int_equal(iter->term_bytes, t->bytes);
    assert_memory_equal(iter->term, t->term, t->bytes);
    assert_int_equal(iter->entry.df, t->df);
    assert_int_equal(iter->entry.cf, t->cf);
    assert_int_equal(iter->entry.tiny != NULL, t->is_tiny);
    assert_int_equal(rp__segment_list(s, &iter->entry, arena, &list), RP_OK);
    rp__cursor_open(&c, &list);
    for (uint32_t i = 0; i < t->df; i++) {
        assert_int_equal(c.docid, t->docids[i]);
        assert_int_equal(rp__cursor_tf(&c), t->tfs[i]);
        rp__cursor_next(&c);
    }
    assert_int_equal(c.docid, RP_NO_DOC);
    if (has_positions)
        expect_positions(s, &iter->entry, &list, t, arena);
}

static void expect_terms(const rp__segment *s, format_index *ix, seen *all)
{
    uint32_t most = 0;
    rp__term_iter iter;
    rp__arena arena;
    format_term t = {0};
    rp__arena_init(&arena, 1 << 28);
    assert_int_equal(rp__term_iter_start(&iter, s, "", 0), RP_OK);
    while (format_next(ix, &t)) {
        assert_int_equal(rp__term_iter_next(&iter), RP_OK);
        expect_term(s, &iter, &t, ix->has_positions, &arena);
        rp__arena_clear(&arena);
        most = all->terms % 16 == 0 || t.df > most ? t.df : most;
        if (all->terms % 16 == 15 && format_most(ix, 0))
            assert_int_equal(format_most(ix, all->terms), most);
        all->terms++;
        all->tiny += t.is_tiny;
        all->short_lists += !t.is_tiny && t.df <= 128;
        all->long_lists += !t.is_tiny && t.df > 128;
        all->postings += t.df;
        all->positions += t.cf;
    }
    if (ix->why[0])
        fail_msg("the second reader: %s", ix->why);
    assert_int_equal(rp__term_iter_next(&iter), RP_NOT_FOUND);
    assert_int_equal(all->terms, ix->terms);
    assert_int_equal(all->postings, ix->postings);
    if (!ix->is_told)
        assert_int_equal(all->positions, ix->tokens);
    rp__arena_reset(&arena);
    format_term_free(&t);
}

static void expect_documents(const rp_index *index, format_index *ix)
{
    for (uint32_t d = 0; d < ix->docs; d++) {
        rp_document doc;
        size_t n = 0, title = 0, text = 0;
        assert_int_equal(rp_index_get_document(index, d, &doc, NULL), RP_OK);
        const uint8_t *id = format_id(ix, d, &n);
        if (format_most(ix, 0))
            assert_int_equal(format_find(ix, id, n), d);
        assert_int_equal(n, strlen(doc.id));
        assert_memory_equal(id, doc.id, n);
        assert_int_equal(format_length(ix, d), doc.length);
        if (ix->has_text) {
            char *both = format_text(ix, d, &title, &text);
            if (!both)
                fail_msg("the second reader: %s", ix->why);
            assert_int_equal(title, doc.title_bytes);
            assert_int_equal(text, doc.text_bytes);
            assert_memory_equal(both, doc.title, title);
            assert_memory_equal(both + title, doc.text, text);
            free(both);
        }
        rp_document_free(&doc);
    }
}

static void expect_manifest(const rp__segment *s, const format_index *ix)
{
    const rp__segment_info *info = rp__segment_get_info(s);
    size_t n;
    assert_int_equal(ix->docs, info->docs);
    assert_int_equal(ix->tokens, info->tokens);
    assert_int_equal(ix->total_docs, info->stats.docs);
    assert_int_equal(ix->total_tokens, info->stats.tokens);
    assert_int_equal(ix->total_longest, info->stats.max_length);
    assert_int_equal(ix->generation, info->generation);
    assert_int_equal(ix->has_positions, info->has_positions);
    assert_int_equal(ix->has_text, info->has_text);
    assert_string_equal(ix->codec, info->codec);
    assert_string_equal(ix->stem, info->stem);
    assert_string_equal(ix->stop, info->stop);
    assert_string_equal(ix->token_rule, info->token_rule);
    assert_int_equal(ix->drops_possessive, info->drops_possessive);
    assert_int_equal(ix->folds_accents, info->folds_accents);
    assert_string_equal(ix->variant, rp_variant_name(0));
    assert_true(ix->k1 > 1.19 && ix->k1 < 1.21 && ix->b > 0.74 && ix->b < 0.76);
    const uint8_t *words = format_stop_words(ix, &n);
    assert_int_equal(n, info->stop_bytes);
    assert_memory_equal(words, info->stop_words, n);
}

static seen compare(const char *path)
{
    format_index ix;
    rp__segment *s;
    rp_index *index;
    seen all = {0};
    if (!format_open(&ix, path))
        fail_msg("the second reader: %s", ix.why);
    assert_int_equal(rp__segment_open(path, true, &s, NULL), RP_OK);
    assert_int_equal(rp_index_open(path, NULL, &index, NULL), RP_OK);
    expect_manifest(s, &ix);
    expect_terms(s, &ix, &all);
    expect_documents(index, &ix);
    rp_index_close(index);
    rp__segment_close(s);
    format_close(&ix);
    return all;
}

static void test_golden(void **state)
{
    (void)state;
    static const char *const golden[] = {"tests/golden/v1/index", "tests/golden/v1-kths/index",
                                         "tests/golden/v1-auto/index"};
    for (size_t i = 0; i < 3; i++) {
        seen all = compare(golden[i]);
        assert_true(all.tiny > 50 && all.short_lists > 5 && all.long_lists > 1);
    }
}

/* Documents by chance: lists of every form, several blocks and frames, large frequencies. */
static void build(const char *path, const rp_build_options *o, unsigned docs)
{
    rp_builder *b;
    rp_error err;
    if (rp_builder_new(path, o, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (unsigned d = 0; d < docs; d++) {
        char id[16], text[4000];
        int id_bytes = snprintf(id, sizeof id, "%u", d);
        size_t n = 0, words = d % 300 == 7 ? 600 : d % 23;
        for (size_t i = 0; i < words; i++) {
            unsigned w = d * 31 + (unsigned)i * 17;
            n += (size_t)snprintf(text + n, sizeof text - n, "w%u ",
                                  words == 600 ? w % 3 : w % (1 + w % 700));
        }
        if (rp_builder_add(b, id, (size_t)id_bytes, "all", 3, text, n, &err) != RP_OK)
            fail_msg("%s", err.text);
    }
    if (rp_builder_finish(b, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
}

static void test_codecs(void **state)
{
    (void)state;
    static const char *const codecs[] = {"bp128", "vbyte",  "raw",   "auto",
                                         "rice",  "optpfd", "ef128", "bitmap"};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        for (int parts = 0; parts < 4; parts++) {
            rp_build_options o = {
                .codec = codecs[i], .no_positions = parts & 1, .no_store = parts & 2};
            char path[2100];
            snprintf(path, sizeof path, "%s/%s-%d", dir.path, codecs[i], parts);
            build(path, &o, i + (size_t)parts == 0 ? 8300 : 1500); /* 8,300: more than 64 blocks */
            seen all = compare(path);
            assert_true(all.tiny > 20 && all.short_lists > 20 && all.long_lists > 5);
        }
}

/* Made of lists: with lengths as they are told, and figures for ranking that are not its own. */
static void test_lists(void **state)
{
    (void)state;
    rp__segment_options o = {.coding.codec = rp__codec_find("bp128", 0),
                             .stem = "none",
                             .stop = "none",
                             .has_lists = true,
                             .memory = 64 << 20};
    char path[2100];
    for (int has_totals = 0; has_totals < 2; has_totals++) {
        rp__segment_builder *b;
        snprintf(path, sizeof path, "%s/lists-%d", dir.path, has_totals);
        assert_int_equal(rp__segment_builder_new(path, &o, &b, NULL), RP_OK);
        for (uint32_t i = 0; i < 60; i++) {
            char term[8];
            int bytes = snprintf(term, sizeof term, "t%u", i);
            assert_int_equal(rp__segment_builder_term(b, term, (uint32_t)bytes, NULL), RP_OK);
            for (uint32_t d = 0; d < 600; d += 1 + i * i / 9) {
                uint32_t tf = 1 + d % 3;
                assert_int_equal(rp__segment_builder_postings(b, &d, &tf, 1, NULL), RP_OK);
            }
        }
        assert_int_equal(rp__segment_builder_end_lists(b, NULL), RP_OK);
        for (uint32_t d = 0; d < 600; d++) {
            char id[8];
            uint32_t docid;
            int bytes = snprintf(id, sizeof id, "%u", d);
            assert_int_equal(rp__segment_builder_doc(b, id, (size_t)bytes, &docid, NULL), RP_OK);
            assert_int_equal(rp__segment_builder_doc_end(b, docid, d % 50, NULL), RP_OK);
        }
        if (has_totals)
            rp__segment_builder_totals(b, 9000, 123456);
        assert_int_equal(rp__segment_builder_finish(b, NULL, NULL), RP_OK);
        rp__segment_builder_free(b);
        seen all = compare(path);
        assert_true(all.tiny > 5 && all.short_lists > 5 && all.long_lists > 2);
    }
}

/* The reader checks what it finds beside each list. */
static void test_aux(void **state)
{
    (void)state;
    static const char *const aux[] = {"lr", "hs8,hs1024",
                                      "lr,hs8,hs16,hs32,hs64,hs128,hs256,hs512,hs1024"};
    static const uint32_t kinds[] = {1, 2, 9};
    for (size_t i = 0; i < 3; i++) {
        rp_build_options o = {.aux = aux[i], .no_store = true};
        char path[2100];
        format_index ix;
        snprintf(path, sizeof path, "%s/aux-%zu", dir.path, i);
        build(path, &o, 8300);
        seen all = compare(path);
        assert_true(all.long_lists > 5);
        assert_true(format_open(&ix, path));
        assert_int_equal(format_aux_kinds(&ix), kinds[i]);
        format_close(&ix);
    }
}

static void test_frequencies_in_another_code(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"bp128", "vbyte"}, {"raw", "vbyte"}, {"vbyte", "bp128"}};
    for (size_t i = 0; i < 3; i++) {
        rp_build_options o = {.codec = pairs[i][0], .freqs = pairs[i][1]};
        char path[2100];
        snprintf(path, sizeof path, "%s/freqs-%zu", dir.path, i);
        build(path, &o, 1500);
        seen all = compare(path);
        assert_true(all.short_lists > 20 && all.long_lists > 5);
    }
}

static void test_few_documents(void **state)
{
    (void)state;
    for (unsigned docs = 0; docs < 3; docs++) {
        char path[2100];
        snprintf(path, sizeof path, "%s/few-%u", dir.path, docs);
        build(path, NULL, docs);
        compare(path);
    }
}

/* The page has a row for each codec that the program knows, and what a block code or codec needs said. */
static void test_every_codec_is_described(void **state)
{
    (void)state;
    size_t n;
    char *page = (char *)files_read("docs/format.md", &n);
    for (size_t i = 0; rp_codec_name(i); i++) {
        char row[64], words[64];
        snprintf(row, sizeof row, " | `%s`", rp_codec_name(i));
        snprintf(words, sizeof words, "\n**%s.** ", rp_codec_name(i));
        if (!strstr(page, row))
            fail_msg("docs/format.md has no row for the codec %s", rp_codec_name(i));
        bool is_whole_in_its_row =
            strcmp(rp_codec_name(i), "raw") == 0 || strcmp(rp_codec_name(i), "bp256") == 0;
        if (!is_whole_in_its_row && !strstr(page, words))
            fail_msg("docs/format.md does not describe %s", rp_codec_name(i));
    }
    free(page);
}

static int make(void **state)
{
    (void)state;
    return tempdir_make(&dir);
}

static int clean(void **state)
{
    (void)state;
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_codecs),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_aux),
        cmocka_unit_test(test_frequencies_in_another_code),
        cmocka_unit_test(test_few_documents),
        cmocka_unit_test(test_every_codec_is_described),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
