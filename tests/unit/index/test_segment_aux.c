/* test_segment_aux.c: auxiliary data of the lists of a segment, in every codec: there for long lists and
 * no others, safe for every docid, and no part of what the index answers. */
#include "index/segment.h"

#include "riposte/search.h"
#include "unit/index/patch.h"
#include "unit/index/plain_index.h"

enum { DOCS = 2000 };

static tempdir dir;

/* "all" is in every document, "odd" in most, "block" in 128, "more" in 129, "last" in the last 300, "first"
 * in the first 300 and the last, "some" by chance, "few" in seven. */
static size_t write_text(uint32_t d, char *text, size_t cap)
{
    uint64_t seed = d;
    bool is_some = chance_below(&seed, 7) == 0;
    return (size_t)snprintf(text, cap, "all %s %s %s %s %s %s %s", d % 16 ? "odd" : "even",
                            d % 15 == 3 && d / 15 < 128 ? "block" : "",
                            d % 15 == 4 && d / 15 < 129 ? "more" : "",
                            d >= DOCS - 300 ? "last" : "", d < 300 || d == DOCS - 1 ? "first" : "",
                            is_some ? "some" : "", d < 7 ? "few" : "");
}

static void build(const char *name, const char *codec, const char *aux)
{
    rp_builder *b;
    rp_error err;
    rp_build_options o = {.codec = codec, .aux = aux};
    if (rp_builder_new(tempdir_path(&dir, name), &o, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (uint32_t d = 0; d < DOCS; d++) {
        char id[16], text[200];
        int id_bytes = snprintf(id, sizeof id, "%u", d);
        size_t n = write_text(d, text, sizeof text);
        if (rp_builder_add(b, id, (size_t)id_bytes, "", 0, text, n, &err) != RP_OK)
            fail_msg("%s", err.text);
    }
    if (rp_builder_finish(b, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
}

static rp__segment *open_segment(const char *name)
{
    rp__segment *s;
    rp_error err;
    if (rp__segment_open(tempdir_path(&dir, name), true, &s, &err) != RP_OK)
        fail_msg("%s", err.text);
    return s;
}

static rp__term find(const rp__segment *s, const char *term)
{
    rp__term t;
    assert_int_equal(rp__segment_find(s, term, strlen(term), &t), RP_OK);
    return t;
}

static void expect_range(uint32_t r, bool is_there, uint32_t lo, uint32_t hi, uint32_t n)
{
    assert_true(lo <= r && r <= hi && hi <= n);
    assert_true(!is_there || r < hi);
}

/* Every x there is, and some above. */
static void expect_ranges(const rp__aux *aux, const uint32_t *docids, uint32_t n)
{
    for (uint32_t x = 0, r = 0, lo, hi; x < DOCS + 100; x++) {
        while (r < n && docids[r] < x)
            r++;
        bool is_there = r < n && docids[r] == x;
        aux->kind->range(aux, x, &lo, &hi);
        expect_range(r, is_there, lo, hi, n);
        if (aux->t)
            rp__lr_narrow(aux, x, &lo, &hi);
        expect_range(r, is_there, lo, hi, n);
    }
}

static void expect_list(const rp__segment *s, const char *term, const rp__aux_kind *kind)
{
    static uint32_t docids[DOCS + RP_BLOCK_CAPACITY];
    rp__term t = find(s, term);
    rp__arena arena;
    rp__list list;
    rp__aux aux;
    rp__arena_init(&arena, 1 << 24);
    assert_int_equal(rp__segment_list(s, &t, &arena, &list), RP_OK);
    assert_int_equal(rp__list_decode(&list, docids, NULL), RP_OK);
    assert_int_equal(rp__segment_aux(s, kind, &t, &aux), RP_OK);
    assert_ptr_equal(aux.kind, kind);
    assert_int_equal(aux.n, t.df);
    assert_int_equal((uintptr_t)aux.t % 8 + (uintptr_t)aux.heads % 4 + (uintptr_t)aux.starts % 4,
                     0);
    expect_ranges(&aux, docids, t.df);
    rp__arena_reset(&arena);
}

static void test_every_codec(void **state)
{
    (void)state;
    static const char *const lists[] = {"all", "odd", "more", "last", "first", "some"};
    static const char *const others[] = {"block", "few"};
    static const char *const names[] = {"lr", "hs8", "hs128", "hs1024"};
    for (size_t c = 0; rp_codec_name(c); c++) {
        build(rp_codec_name(c), rp_codec_name(c), "hs128,lr,hs8,hs1024");
        rp__segment *s = open_segment(rp_codec_name(c));
        assert_int_equal(rp__segment_get_info(s)->n_aux, 4);
        for (size_t k = 0; k < 4; k++) {
            const rp__aux_kind *kind = rp__aux_kind_find(names[k], strlen(names[k]));
            assert_ptr_equal(rp__segment_get_info(s)->aux[k], kind);
            for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
                expect_list(s, lists[i], kind);
            for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
                rp__term t = find(s, others[i]);
                rp__aux aux;
                assert_int_equal(rp__segment_aux(s, kind, &t, &aux), RP_NOT_FOUND);
            }
        }
        rp__term t = find(s, "all");
        rp__aux aux;
        assert_int_equal(rp__segment_aux(s, rp__aux_kind_find("hs16", 4), &t, &aux), RP_NOT_FOUND);
        assert_int_equal(rp__segment_check(s, NULL, NULL, NULL), RP_OK);
        rp__segment_close(s);
    }
}

/* Whether a file of two indexes has the same bytes. */
static bool is_same_file(const char *a, const char *b, int kind)
{
    char name[RP_FILE_NAME_MAX], path[2][600];
    size_t n[2];
    rp__manifest_file_name((rp__file_kind)kind, 1, name);
    snprintf(path[0], sizeof path[0], "%s/%s/%s", dir.path, a, name);
    snprintf(path[1], sizeof path[1], "%s/%s/%s", dir.path, b, name);
    uint8_t *x = files_read(path[0], &n[0]), *y = files_read(path[1], &n[1]);
    bool is_same = n[0] == n[1] && memcmp(x, y, n[0]) == 0;
    free(x);
    free(y);
    return is_same;
}

static void expect_same_answers(const char *a, const char *b)
{
    static const char *const queries[] = {"all some", "+some +last", "first -odd", "\"all odd\""};
    rp_index *index[2];
    assert_int_equal(rp_index_open(tempdir_path(&dir, a), NULL, &index[0], NULL), RP_OK);
    assert_int_equal(rp_index_open(tempdir_path(&dir, b), NULL, &index[1], NULL), RP_OK);
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
        rp_hits hits[2];
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(rp_search(index[i], queries[q], 100, &hits[i], NULL), RP_OK);
        assert_int_equal(hits[0].total, hits[1].total);
        assert_int_equal(hits[0].n, hits[1].n);
        assert_true(hits[0].n > 0);
        for (size_t i = 0; i < hits[0].n; i++) {
            assert_int_equal(hits[0].at[i].docid, hits[1].at[i].docid);
            assert_true(hits[0].at[i].fixed == hits[1].at[i].fixed);
        }
        rp_hits_free(&hits[0]);
        rp_hits_free(&hits[1]);
    }
    rp_index_close(index[0]);
    rp_index_close(index[1]);
}

/* All other bytes are as they are without. */
static void test_nothing_else_changes(void **state)
{
    (void)state;
    build("with", NULL, "lr,hs16");
    build("without", NULL, NULL);
    for (int kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++)
        assert_int_equal(is_same_file("with", "without", kind), kind != RP_FILE_LISTS);
    rp__segment *with = open_segment("with"), *without = open_segment("without");
    assert_int_equal(with->lists_bytes, without->lists_bytes);
    assert_memory_equal(with->lists, without->lists, with->lists_bytes);
    assert_int_equal(rp__segment_get_info(without)->n_aux, 0);
    assert_int_equal(rp__segment_get_info(without)->bytes_aux, 0);
    assert_int_equal(with->n_aux_lists, 6);
    const rp__segment_info *info = rp__segment_get_info(with);
    assert_int_equal(info->bytes_aux, 6 * 8 + info->aux_bytes[0] + info->aux_bytes[1]);
    rp__segment_close(with);
    rp__segment_close(without);
    expect_same_answers("with", "without");
}

/* No document, or no long list: the sections are there and empty. */
static void test_no_long_list(void **state)
{
    (void)state;
    rp_builder *b;
    rp_index *index;
    rp_aux_info aux;
    const char *path = tempdir_path(&dir, "empty");
    assert_int_equal(rp_builder_new(path, &(rp_build_options){.aux = "lr"}, &b, NULL), RP_OK);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    path = tempdir_path(&dir, "empty");
    assert_int_equal(rp_index_check(path, NULL, NULL, NULL), RP_OK);
    assert_int_equal(rp_index_open(path, NULL, &index, NULL), RP_OK);
    assert_true(rp_index_get_aux(index, 0, &aux));
    assert_string_equal(aux.name, "lr");
    assert_int_equal(aux.bytes, 16);
    assert_false(rp_index_get_aux(index, 1, &aux));
    rp_index_close(index);
}

static void open_patch(patch *p, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%.200s/%s", dir.path, name);
    patch_open(p, path, 1);
}

/* The size or id of a section in the table of the lists file. */
static uint32_t *table_at(patch *p, uint32_t id)
{
    size_t n, at = RP_FILE_LISTS;
    uint8_t *table = (uint8_t *)(uintptr_t)reseal_table(p->f.at[at], p->f.bytes[at], &n);
    for (size_t i = 0; i < n; i++)
        if (reseal_entry(table, i).id == id)
            return (uint32_t *)(void *)(table + i * sizeof(rp__section_entry));
    fail_msg("no section %u", id);
    return NULL;
}

static rp_status open_patched(patch *p)
{
    rp__segment *s = NULL;
    patch_apply(p);
    rp_status status = rp__segment_open(p->dir, true, &s, NULL);
    rp__segment_close(s);
    patch_undo(p);
    return status;
}

/* Shapes that cannot be are refused at open; a section that is not known is passed over. */
static void test_shapes(void **state)
{
    (void)state;
    patch p;
    build("shapes", NULL, "lr,hs16");
    open_patch(&p, "shapes");
    *table_at(&p, RP_SECTION_AUX_LISTS) = 47; /* kinds, but no lists */
    assert_int_equal(open_patched(&p), RP_DAMAGED);
    *table_at(&p, RP_SECTION_AUX) = 47; /* no lr: then there is hs16 alone */
    assert_int_equal(open_patched(&p), RP_OK);
    uint32_t *bytes = table_at(&p, RP_SECTION_AUX_LISTS) + 4; /* a padded section may be shorter */
    *bytes -= 4;
    assert_int_equal(open_patched(&p), RP_DAMAGED);
    assert_int_equal(open_patched(&p), RP_OK);
    patch_close(&p);
}

/* Any byte of the sections: an answer or RP_DAMAGED, and ranges inside the list. */
static void test_damage(void **state)
{
    (void)state;
    static const char *const lists[] = {"all", "odd", "more", "last", "first", "some"};
    uint64_t seed = 1;
    patch p;
    build("damage", NULL, "lr,hs16");
    open_patch(&p, "damage");
    for (uint32_t round = 0; round < 300; round++) {
        static const uint32_t ids[] = {33, 34, 36};
        size_t n = 0;
        uint8_t *at = patch_section(&p, RP_FILE_LISTS, ids[round % 3], &n);
        n = round % 2 && n > 64 ? 64 : n; /* often the offsets, which come first */
        at[chance_below(&seed, (uint32_t)n)] ^= (uint8_t)(1 + chance_below(&seed, 255));
        patch_apply(&p);
        rp__segment *s = open_segment("damage");
        for (size_t i = 0; i < 6; i++)
            for (size_t k = 0; k < 2; k++) {
                rp__aux aux;
                rp__term t = find(s, lists[i]);
                rp_status status = rp__segment_aux(s, rp__segment_get_info(s)->aux[k], &t, &aux);
                assert_true(status == RP_OK || status == RP_DAMAGED);
                for (uint32_t x = 0, lo, hi; status == RP_OK && x < DOCS; x += 7) {
                    aux.kind->range(&aux, x, &lo, &hi);
                    assert_true(lo <= hi && hi <= t.df);
                    if (aux.t)
                        rp__lr_narrow(&aux, x, &lo, &hi);
                    assert_true(lo <= hi && hi <= t.df);
                }
            }
        rp__segment_close(s);
        patch_undo(&p);
    }
    patch_close(&p);
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
        cmocka_unit_test(test_every_codec),  cmocka_unit_test(test_nothing_else_changes),
        cmocka_unit_test(test_no_long_list), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
