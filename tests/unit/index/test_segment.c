/* test_segment.c: opening what a manifest names: what it tells, and what it refuses and why. */
#include "unit/index/patch.h"
#include "unit/index/segment_case.h"

static plain_index *make_plain(void)
{
    plain_index *p = plain_new();
    uint64_t seed = 11;
    for (uint32_t d = 0; d < 300; d++) {
        plain_add(p, d, "common", 6, 0);
        char term[256];
        size_t bytes = plain_make_term(chance_below(&seed, 200), term);
        plain_add(p, d, term, bytes, 1);
    }
    return p;
}

static rp_status reopen(const segment_case *c, bool verify, rp_error *err)
{
    rp__segment *s = NULL;
    rp_status status = rp__segment_open(c->dir.path, verify, &s, err);
    rp__segment_close(s);
    return status;
}

static void test_info(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = make_plain();
    segment_case_open(&c, "vbyte", true, p, 301);
    const rp__segment_info *info = rp__segment_get_info(c.segment);
    assert_int_equal(info->stats.docs, 301);
    assert_int_equal(info->stats.tokens, 600);
    assert_int_equal(info->stats.max_length, 2);
    assert_int_equal(info->terms, p->n);
    assert_int_equal(info->generation, 1);
    assert_string_equal(info->codec, "vbyte");
    assert_string_equal(info->stem, "none");
    assert_string_equal(info->stop, "none");
    assert_string_equal(info->stop_words, "");
    assert_true(info->has_positions);
    assert_false(info->has_text);
    assert_int_equal(info->bytes_text, 0);
    assert_int_equal(info->bytes_lists, c.meta.files[RP_FILE_LISTS].bytes);
    assert_true(info->bytes_positions > 0);
    rp__lengths lengths;
    rp__segment_get_lengths(c.segment, &lengths);
    assert_int_equal(lengths.n_docs, 301);
    assert_int_equal(lengths.table[rp__lengths_code(&lengths, 300)], 0);
    assert_int_equal(lengths.table[rp__lengths_code(&lengths, 299)], 2);
    segment_case_close(&c);
    plain_free(p);
    rp__segment_close(NULL);
}

/* Bounds hold for every ranking by the same tf/(tf+K), and for no other. */
static void test_bounds_hold(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = make_plain();
    segment_case_open(&c, "bp128", true, p, 300);
    const rp__ranking *first = rp__ranking_at(0), *row;
    rp__rank rank = {.k1 = first->k1, .b = first->b, .mu = first->mu};
    rank.stats = rp__segment_get_info(c.segment)->stats;
    for (size_t i = 0; (row = rp__ranking_at(i)); i++) {
        rank.ranking = row;
        assert_int_equal(rp__segment_bounds_hold(c.segment, &rank),
                         row->kind == RP_RANK_BM25 || row->kind == RP_RANK_IIU);
    }
    rp__rank others[] = {rank, rank, rank, rank, rank};
    others[1].k1 += 1e-9;
    others[2].b -= 1e-9;
    others[3].stats.docs++;
    others[4].stats.tokens--;
    for (size_t i = 0; i < 5; i++) {
        others[i].ranking = first;
        assert_int_equal(rp__segment_bounds_hold(c.segment, &others[i]), i == 0);
    }
    segment_case_close(&c);
    plain_free(p);
}

static void test_no_index(void **state)
{
    (void)state;
    tempdir dir;
    rp__segment *s;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__segment_open(dir.path, false, &s, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "no index here"));
    /* What a killed build left is no file of the user's. */
    tempdir_write(&dir, "run.1.tmp", "", 0);
    assert_int_equal(rp__segment_open(dir.path, false, &s, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "no index here"));
    tempdir_write(&dir, "letter.txt", "", 0);
    assert_int_equal(rp__segment_open(dir.path, false, &s, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "this folder is no index"));
    assert_non_null(strstr(err.text, "riposte index"));
    assert_int_equal(rp__segment_open(tempdir_path(&dir, "none"), false, &s, &err), RP_IO);
    tempdir_remove(&dir);
}

static void test_missing_files(void **state)
{
    (void)state;
    segment_case c;
    plain_index *p = make_plain();
    patch pt;
    rp_error err;
    segment_case_open(&c, "bp128", true, p, 300);
    patch_open(&pt, c.dir.path, 1);
    for (int kind = RP_FILE_TERMS; kind <= RP_FILE_DOCS; kind++) {
        char path[400];
        patch_path(&pt, kind, path);
        assert_int_equal(remove(path), 0);
        assert_int_equal(reopen(&c, false, &err), RP_DAMAGED);
        assert_non_null(strstr(err.text, "missing"));
        patch_write(&pt);
        assert_int_equal(reopen(&c, true, &err), RP_OK);
    }
    patch_close(&pt);
    segment_case_close(&c);
    plain_free(p);
}

/* Files of another index, of another kind or from another build are not taken for this one's. */
static void test_exchanged_files(void **state)
{
    (void)state;
    segment_case c, other;
    plain_index *p = make_plain(), *q = make_plain();
    patch a, b;
    rp_error err;
    plain_add(q, 299, "common", 6, 9); /* changes every file */
    segment_case_open(&c, "bp128", true, p, 300);
    segment_case_open(&other, "bp128", true, q, 300);
    patch_open(&a, c.dir.path, 1);
    patch_open(&b, other.dir.path, 1);
    for (int kind = RP_FILE_TERMS; kind <= RP_FILE_DOCS; kind++) {
        char path[400];
        patch_path(&a, kind, path);
        files_write(path, b.sound.at[kind], b.sound.bytes[kind]);
        assert_int_equal(reopen(&c, false, &err), RP_DAMAGED);
        int wrong = kind == RP_FILE_DOCS ? RP_FILE_TERMS : kind + 1;
        files_write(path, a.sound.at[wrong], a.sound.bytes[wrong]);
        assert_int_equal(reopen(&c, false, &err), RP_DAMAGED);
        patch_write(&a);
    }
    patch_close(&a);
    patch_close(&b);
    segment_case_close(&c);
    segment_case_close(&other);
    plain_free(p);
    plain_free(q);
}

/* One field of one file's header changed, everything sealed again. */
static rp_status open_header(const segment_case *c, patch *p, int kind, size_t offset,
                             uint64_t value, size_t width, rp_error *err)
{
    patch_undo(p);
    memcpy(p->f.at[kind] + offset, &value, width);
    patch_apply(p);
    return reopen(c, true, err);
}

static void test_versions_and_features(void **state)
{
    (void)state;
    segment_case c;
    plain_index *plain = make_plain();
    patch p;
    rp_error err;
    segment_case_open(&c, "bp128", true, plain, 300);
    patch_open(&p, c.dir.path, 1);
    for (int kind = 0; kind <= RP_FILE_DOCS; kind++) {
        assert_int_equal(open_header(&c, &p, kind, 8, 77, 4, &err), RP_DAMAGED);
        assert_int_equal(open_header(&c, &p, kind, 12, 2, 4, &err), RP_INCOMPATIBLE);
        assert_non_null(strstr(err.text, "version 2"));
        assert_int_equal(open_header(&c, &p, kind, 16, 0x100, 8, &err), RP_INCOMPATIBLE);
        assert_non_null(strstr(err.text, "features 0x100"));
        assert_non_null(strstr(err.text, "newer Riposte"));
        assert_int_equal(open_header(&c, &p, kind, 24, 0xFFFF, 8, &err), RP_OK);
    }
    patch_close(&p);
    segment_case_close(&c);
    plain_free(plain);
}

static rp_status open_meta(const segment_case *c, patch *p, size_t offset, const void *value,
                           size_t bytes, rp_error *err)
{
    patch_undo(p);
    memcpy(patch_section(p, RP_FILE_MANIFEST, RP_SECTION_META, NULL) + offset, value, bytes);
    patch_apply(p);
    return reopen(c, false, err);
}

static void test_manifests_that_lie(void **state)
{
    (void)state;
    segment_case c;
    plain_index *plain = make_plain();
    patch p;
    rp_error err;
    segment_case_open(&c, "bp128", true, plain, 300);
    patch_open(&p, c.dir.path, 1);
    assert_int_equal(open_meta(&c, &p, offsetof(rp__meta, codec), "future\0", 7, &err),
                     RP_INCOMPATIBLE);
    assert_non_null(strstr(err.text, "codec \"future\""));
    uint64_t docs[] = {0, 299, 301, 0x7FFFFFFF, 0x80000000};
    for (size_t i = 0; i < sizeof docs / sizeof *docs; i++)
        assert_int_equal(open_meta(&c, &p, offsetof(rp__meta, docs), &docs[i], 8, &err),
                         RP_DAMAGED);
    uint64_t terms = plain->n + 16;
    assert_int_equal(open_meta(&c, &p, offsetof(rp__meta, terms), &terms, 8, &err), RP_DAMAGED);
    uint32_t flags = RP_META_POSITIONS | RP_META_TEXT; /* a text that is not there */
    assert_int_equal(open_meta(&c, &p, offsetof(rp__meta, flags), &flags, 4, &err), RP_DAMAGED);
    uint64_t generation = 2;
    assert_int_equal(open_meta(&c, &p, 0, &generation, 8, &err), RP_DAMAGED);
    patch_close(&p);
    segment_case_close(&c);
    plain_free(plain);
}

/* Without verify, contents are not read; with it every section is. */
static void test_verify(void **state)
{
    (void)state;
    static const struct {
        int kind;
        uint32_t id;
    } sections[] = {
        {RP_FILE_TERMS, RP_SECTION_TERM_BLOCKS},     {RP_FILE_TERMS, RP_SECTION_TERM_OFFSETS},
        {RP_FILE_TERMS, RP_SECTION_TERM_PREFIXES},   {RP_FILE_LISTS, RP_SECTION_LISTS},
        {RP_FILE_POSITIONS, RP_SECTION_POSITIONS},   {RP_FILE_DOCS, RP_SECTION_DOC_IDS},
        {RP_FILE_DOCS, RP_SECTION_DOC_ID_BASES},     {RP_FILE_DOCS, RP_SECTION_DOC_ID_OFFSETS},
        {RP_FILE_DOCS, RP_SECTION_DOC_LENGTH_CODES}, {RP_FILE_DOCS, RP_SECTION_DOC_LENGTHS},
    };
    segment_case c;
    plain_index *plain = make_plain();
    patch p;
    rp_error err;
    segment_case_open(&c, "bp128", true, plain, 300);
    patch_open(&p, c.dir.path, 1);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        size_t n = 0;
        char want[40];
        patch_undo(&p);
        uint8_t *at = patch_section(&p, sections[i].kind, sections[i].id, &n);
        at[n - 1] ^= 0x10;
        patch_write(&p);
        assert_int_equal(reopen(&c, false, &err), RP_OK);
        assert_int_equal(reopen(&c, true, &err), RP_DAMAGED);
        snprintf(want, sizeof want, "section %u: checksum differs", sections[i].id);
        assert_non_null(strstr(err.text, want));
    }
    patch_close(&p);
    segment_case_close(&c);
    plain_free(plain);
}

/* Entries that point outside of their sections, and a tiny list that does. */
static void test_lists_outside(void **state)
{
    (void)state;
    segment_case c;
    plain_index *plain = make_plain();
    rp__term t, bad;
    rp__arena arena;
    rp__list list;
    rp__arena_init(&arena, 1 << 20);
    segment_case_open(&c, "bp128", true, plain, 300);
    assert_int_equal(rp__segment_find(c.segment, "common", 6, &t), RP_OK);
    bad = t;
    bad.list_offset = c.segment->lists_bytes + 16;
    assert_int_equal(rp__segment_list(c.segment, &bad, &arena, &list), RP_DAMAGED);
    bad = t;
    bad.list_bytes = UINT64_MAX - 15;
    assert_int_equal(rp__segment_list(c.segment, &bad, &arena, &list), RP_DAMAGED);
    bad = t;
    bad.df = 301;
    assert_int_equal(rp__segment_list(c.segment, &bad, &arena, &list), RP_DAMAGED);
    static const uint8_t tiny[2 + RP_PAD] = {0xFF, 0xFF}; /* past the last document */
    bad = (rp__term){.df = 1, .cf = 1, .tiny = tiny, .tiny_bytes = 2};
    assert_int_equal(rp__segment_list(c.segment, &bad, &arena, &list), RP_DAMAGED);
    rp__arena_reset(&arena);
    segment_case_close(&c);
    plain_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_bounds_hold),
        cmocka_unit_test(test_no_index),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_exchanged_files),
        cmocka_unit_test(test_versions_and_features),
        cmocka_unit_test(test_manifests_that_lie),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_lists_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
