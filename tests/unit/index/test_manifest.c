/* test_manifest.c: the names of an index's files, and the manifest written, published and read. */
#include "index/manifest.h"

#include "base/alloc.h"
#include "unit/index/patch.h"

/* Features that every manifest requires. */
static const uint64_t always = RP_FEATURE_KTHS | RP_FEATURE_TINY_BITS | RP_FEATURE_CLOSE;

static void test_names(void **state)
{
    (void)state;
    char name[RP_FILE_NAME_MAX];
    rp__manifest_file_name(RP_FILE_TERMS, 1, name);
    assert_string_equal(name, "terms.00000001.rp");
    rp__manifest_file_name(RP_FILE_LISTS, 0x2A, name);
    assert_string_equal(name, "lists.0000002a.rp");
    rp__manifest_file_name(RP_FILE_POSITIONS, 0xFFFFFFFF, name);
    assert_string_equal(name, "positions.ffffffff.rp");
    rp__manifest_file_name(RP_FILE_DOCS, 0x100000000, name);
    assert_string_equal(name, "docs.100000000.rp");
    rp__manifest_file_name(RP_FILE_TEXT, UINT64_MAX, name);
    assert_string_equal(name, "text.ffffffffffffffff.rp");
}

static void test_own_names(void **state)
{
    (void)state;
    uint64_t generation;
    for (int kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++)
        for (uint64_t g = 1; g < UINT64_MAX / 3; g = g * 3 + 1) {
            char name[RP_FILE_NAME_MAX];
            rp__manifest_file_name((rp__file_kind)kind, g, name);
            assert_true(rp__manifest_owns_name(name, &generation));
            assert_int_equal(generation, g);
        }
    static const char *const temporary[] = {"manifest.tmp", "run.0.tmp", "run.255.tmp",
                                            "aux.8.tmp"};
    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++) {
        generation = 5;
        assert_true(rp__manifest_owns_name(temporary[i], &generation));
        assert_int_equal(generation, 0);
    }
}

/* What a build may not remove. */
static void test_names_of_others(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "manifest.rp", /* never swept */
        "manifest.tmp2",
        "terms.rp",
        "terms.1.rp",
        "terms.0000001.rp",
        "terms.0000000g.rp",
        "terms.0000000A.rp",
        "terms.00000001.rpx",
        "terms.00000001.rp~",
        "terms.00000001",
        "terms.00000000000000001.rp",
        "xterms.00000001.rp",
        "Terms.00000001.rp",
        "manifest.00000001.rp",
        "run.tmp",
        "run..tmp",
        "run.1.tmpx",
        "run.1",
        "run.a.tmp",
        "run.-1.tmp",
        "run.+1.tmp",
        "run. 1.tmp",
        "run.1 .tmp",
        "aux.tmp",
        "aux.1",
        "auxx.1.tmp",
        "notes.txt",
    };
    uint64_t generation;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (rp__manifest_owns_name(others[i], &generation))
            fail_msg("\"%s\" is taken for a file of a build", others[i]);
}

static rp__manifest make_manifest(void)
{
    rp__meta meta = {.generation = 7, .docs = 3, .tokens = 10, .terms = 4, .postings = 5};
    meta.bound_k1 = 1.2;
    strcpy(meta.codec, "bp128");
    strcpy(meta.stem, "none");
    strcpy(meta.stop, "mine");
    for (int i = 1; i < RP_FILE_KINDS; i++)
        meta.files[i] = (rp__meta_file){100U + (uint64_t)i, 200U + (uint64_t)i};
    return (rp__manifest){.meta = meta};
}

static void test_round_trip(void **state)
{
    (void)state;
    tempdir dir;
    rp__folder folder;
    rp__manifest made = make_manifest(), got;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_NOT_FOUND);
    made.stop_words = (char[]){"the\nof"};
    made.stop_bytes = 6;
    assert_int_equal(rp__manifest_publish(&folder, &made, &err), RP_OK);
    assert_int_equal(files_count(dir.path), 1);
    assert_true(files_exist(tempdir_path(&dir, RP_MANIFEST_NAME)));
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_OK);
    assert_memory_equal(&got.meta, &made.meta, sizeof made.meta);
    assert_int_equal(got.stop_bytes, 6);
    assert_string_equal(got.stop_words, "the\nof");
    assert_string_equal(got.freqs, "");
    rp__manifest_reset(&got);
    made.meta.generation = 8; /* a second one replaces the first */
    made.stop_bytes = 0;
    assert_int_equal(rp__manifest_publish(&folder, &made, &err), RP_OK);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_OK);
    assert_int_equal(got.meta.generation, 8);
    assert_int_equal(got.stop_bytes, 0);
    assert_string_equal(got.stop_words, "");
    rp__manifest_reset(&got);
    assert_int_equal(files_count(dir.path), 1);
    rp__folder_close(&folder);
    tempdir_remove(&dir);
}

/* Publishing fails where its temporary file is in the way; what was published stays. */
static void test_cannot_publish(void **state)
{
    (void)state;
    tempdir dir;
    rp__folder folder;
    rp__manifest made = make_manifest(), got;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
    assert_int_equal(rp__manifest_publish(&folder, &made, NULL), RP_OK);
    files_write(tempdir_path(&dir, RP_MANIFEST_NEW), "", 0);
    made.meta.generation = 8;
    assert_int_equal(rp__manifest_publish(&folder, &made, &err), RP_IO);
    assert_int_equal(rp__manifest_read(&folder, &got, NULL), RP_OK);
    assert_int_equal(got.meta.generation, 7);
    rp__manifest_reset(&got);
    rp__folder_close(&folder);
    tempdir_remove(&dir);
}

/* So are the figures that ranking counts with, where they are not the index's own. */
static void test_stats(void **state)
{
    (void)state;
    static const struct {
        rp__rank_stats stats;
        rp_status status;
    } cases[] = {
        {{3, 11, 4}, RP_OK},
        {{RP_MAX_DOCS, UINT64_MAX, UINT32_MAX}, RP_OK},
        {{2, 11, 4}, RP_DAMAGED},                 /* fewer documents than here */
        {{UINT64_C(1) << 31, 11, 4}, RP_DAMAGED}, /* more than there can be */
        {{3, 11, 3}, RP_DAMAGED},                 /* shorter than the longest */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tempdir dir;
        rp__folder folder;
        rp__manifest made = make_manifest(), got;
        patch p;
        rp_error err = {0};
        made.meta.max_length = 4;
        made.has_stats = true;
        made.stats = cases[i].stats;
        assert_int_equal(tempdir_make(&dir), 0);
        assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
        assert_int_equal(rp__manifest_publish(&folder, &made, &err), RP_OK);
        assert_int_equal(rp__manifest_read(&folder, &got, &err), cases[i].status);
        if (cases[i].status == RP_OK) {
            rp__rank_stats stats = rp__manifest_stats(&got);
            assert_memory_equal(&stats, &made.stats, sizeof stats);
            rp__manifest_reset(&got);
            patch_open(&p, dir.path, 7);
            uint8_t *required = p.f.at[RP_FILE_MANIFEST] + offsetof(rp__section_header, required);
            assert_int_equal(rp__load64(required), RP_FEATURE_STATS | always);
            *required = 0;
            patch_apply(&p);
            assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
            patch_close(&p);
        }
        rp__manifest_reset(&got);
        rp__folder_close(&folder);
        tempdir_remove(&dir);
    }
}

/* So is the analysis of text. */
static void test_analysis(void **state)
{
    (void)state;
    static const struct {
        rp__meta_analysis analysis;
        rp_status status;
    } cases[] = {
        {{"uax29", 3, 0}, RP_OK},
        {{"a later rule", 0, 0}, RP_OK}, /* which the analyzer refuses, by its name */
        {{"uax29", 4, 0}, RP_DAMAGED},
        {{"uax29", 3, 1}, RP_DAMAGED},
        {{{'s', 'i', 'x', 't', 'e', 'e', 'n', ' ', 'l', 'e', 't', 't', 'e', 'r', 's', '!'}, 0, 0},
         RP_DAMAGED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tempdir dir;
        rp__folder folder;
        rp__manifest made = make_manifest(), got;
        patch p;
        rp_error err = {0};
        made.analysis = cases[i].analysis;
        assert_int_equal(tempdir_make(&dir), 0);
        assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
        assert_int_equal(rp__manifest_publish(&folder, &made, &err), RP_OK);
        assert_int_equal(rp__manifest_read(&folder, &got, &err), cases[i].status);
        if (cases[i].status == RP_OK) {
            assert_memory_equal(&got.analysis, &made.analysis, sizeof got.analysis);
            rp__manifest_reset(&got);
            patch_open(&p, dir.path, 7);
            uint8_t *required = p.f.at[RP_FILE_MANIFEST] + offsetof(rp__section_header, required);
            assert_int_equal(rp__load64(required), RP_FEATURE_ANALYSIS | always);
            *required = (uint8_t)always; /* a section that nobody asks for */
            patch_apply(&p);
            assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
            patch_close(&p);
        }
        rp__manifest_reset(&got);
        rp__folder_close(&folder);
        tempdir_remove(&dir);
    }
}

/* The code of frequencies is a section of its own, which an older reader refuses by a feature bit. */
static void test_freqs(void **state)
{
    (void)state;
    tempdir dir;
    rp__folder folder;
    rp__manifest made = make_manifest(), got;
    patch p;
    rp_error err;
    size_t n;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
    strcpy(made.freqs, "interpolative");
    assert_int_equal(rp__manifest_publish(&folder, &made, &err), RP_OK);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_OK);
    assert_string_equal(got.freqs, "interpolative");
    assert_memory_equal(&got.meta, &made.meta, sizeof made.meta);
    rp__manifest_reset(&got);
    patch_open(&p, dir.path, 7);
    uint8_t *header = p.f.at[RP_FILE_MANIFEST];
    assert_int_equal(rp__load64(header + offsetof(rp__section_header, required)),
                     RP_FEATURE_FREQS | always);
    header[offsetof(rp__section_header, required)] = 0; /* a section that nobody asks for */
    patch_apply(&p);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "makes no sense"));
    patch_undo(&p); /* asked for, but not there */
    uint8_t *table = reseal_table(p.f.at[RP_FILE_MANIFEST], p.f.bytes[RP_FILE_MANIFEST], &n);
    assert_int_equal(n, 3);
    table[2 * sizeof(rp__section_entry)] = 99;
    patch_apply(&p);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "missing"));
    patch_close(&p);
    for (size_t bytes = 0; bytes <= 16; bytes += 16) { /* no name, and one that has no end */
        rp__section_writer *w;
        uint8_t section[sizeof made.meta] = {0};
        assert_int_equal(
            rp__section_writer_new(&folder, RP_MANIFEST_NEW, RP_FILE_MANIFEST, &w, &err), RP_OK);
        rp__section_writer_require(w, RP_FEATURE_FREQS);
        const size_t sizes[] = {sizeof made.meta, 0, bytes};
        for (uint32_t id = RP_SECTION_META; id <= RP_SECTION_FREQS; id++) {
            rp__section_writer_begin(w, id);
            rp__section_writer_put(w, section, sizes[id - 1]);
            rp__section_writer_end(w);
        }
        assert_int_equal(rp__section_writer_finish(w, NULL, NULL, &err), RP_OK);
        assert_int_equal(rp__folder_publish(&folder, RP_MANIFEST_NEW, RP_MANIFEST_NAME, &err),
                         RP_OK);
        assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
        assert_non_null(strstr(err.text, "size"));
    }
    rp__folder_close(&folder);
    tempdir_remove(&dir);
}

static void test_nonsense(void **state)
{
    (void)state;
    tempdir dir;
    rp__folder folder;
    rp__manifest made = make_manifest(), got;
    patch p;
    rp_error err;
    assert_int_equal(tempdir_make(&dir), 0);
    assert_int_equal(rp__folder_create(&folder, dir.path, NULL), RP_OK);
    assert_int_equal(rp__manifest_publish(&folder, &made, NULL), RP_OK);
    patch_open(&p, dir.path, 7);
    static const struct {
        size_t offset, n;
        int fill;
    } changes[] = {
        {offsetof(rp__meta, docs), 8, 0xFF},  /* more documents than there can be */
        {offsetof(rp__meta, codec), 16, 'x'}, /* names without an end */
        {offsetof(rp__meta, stem), 16, 'x'},          {offsetof(rp__meta, stop), 64, 'x'},
        {offsetof(rp__meta, bound_variant), 16, 'x'},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        patch_undo(&p);
        memset(patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, NULL) + changes[i].offset,
               changes[i].fill, changes[i].n);
        patch_apply(&p);
        assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
        assert_non_null(strstr(err.text, "makes no sense"));
    }
    patch_undo(&p); /* a section of another size, told apart by its id alone */
    size_t entries;
    uint8_t *table = reseal_table(p.f.at[RP_FILE_MANIFEST], p.f.bytes[RP_FILE_MANIFEST], &entries);
    table[offsetof(rp__section_entry, bytes)]--;
    patch_apply(&p);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "size"));
    patch_undo(&p); /* checksums are looked at before anything is believed */
    patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, NULL)[0] ^= 1;
    patch_write(&p);
    assert_int_equal(rp__manifest_read(&folder, &got, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "checksum"));
    patch_close(&p);
    rp__folder_close(&folder);
    tempdir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),           cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_names_of_others), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cannot_publish),  cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_freqs),           cmocka_unit_test(test_stats),
        cmocka_unit_test(test_analysis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
