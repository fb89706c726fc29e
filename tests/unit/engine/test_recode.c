/* test_recode.c: the same index in another codec: the bytes of a build in that codec, whatever it comes
 * from, whoever works on it; and what is left where it fails. */
#include "riposte/riposte.h"

#include "fault/sample.h"
#include "unit/index/patch.h"

enum { DOCS = 900 };

static tempdir dir;
static char input[240], plain[240], one[240], two[240], back[240];

static void forget(const char *path)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", path);
    tempdir_remove(&t);
}

static void build(const char *to, const rp_build_options *o)
{
    const char *paths[] = {input};
    rp_error err = {0};
    forget(to);
    if (rp_index_build(paths, 1, to, o, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void recode(const char *from, const char *to, const rp_recode_options *o)
{
    rp_error err = {0};
    rp_build_stats stats;
    if (rp_index_recode(from, to, o, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_true(stats.docs == DOCS && stats.postings > stats.terms && stats.bytes_in > 0);
}

static void must_check(const char *path)
{
    rp_error err = {0};
    if (rp_index_check(path, NULL, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void ask(const char *path, sample_answer out[SAMPLE_ANSWERS])
{
    rp_index *index = NULL;
    rp_error err = {0};
    if (rp_index_open(path, NULL, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    sample_ask(index, DOCS, out);
    rp_index_close(index);
}

/* There is what a build makes of it, and back again what it was. */
static void test_every_codec_there_and_back(void **state)
{
    (void)state;
    static sample_answer sound[SAMPLE_ANSWERS], now[SAMPLE_ANSWERS];
    ask(plain, sound);
    for (size_t i = 0; rp_codec_name(i); i++) {
        const char *codec = rp_codec_name(i);
        build(one, &(rp_build_options){.codec = codec});
        forget(two);
        recode(plain, two, &(rp_recode_options){.codec = codec});
        files_expect_equal_folders(one, two);
        must_check(two);
        ask(two, now);
        assert_int_equal(sample_compare(sound, now).right, SAMPLE_ANSWERS);
        forget(back);
        recode(two, back, &(rp_recode_options){.codec = rp_codec_name(0), .threads = 3});
        files_expect_equal_folders(plain, back);
    }
}

static void test_every_code_of_frequencies(void **state)
{
    (void)state;
    static sample_answer sound[SAMPLE_ANSWERS], now[SAMPLE_ANSWERS];
    static const char *const codecs[] = {"bp128", "raw", "qs", "bitmap", "bp256", "pfd_rec"};
    rp_index *index;
    rp_index_info info;
    ask(plain, sound);
    for (size_t i = 0; rp_freqs_name(i); i++) {
        const char *codec = codecs[i % 6], *freqs = rp_freqs_name(i);
        build(one, &(rp_build_options){.codec = codec, .freqs = freqs});
        forget(two);
        recode(plain, two, &(rp_recode_options){.codec = codec, .freqs = freqs});
        files_expect_equal_folders(one, two);
        must_check(two);
        ask(two, now);
        assert_int_equal(sample_compare(sound, now).right, SAMPLE_ANSWERS);
        assert_int_equal(rp_index_open(two, NULL, &index, NULL), RP_OK);
        rp_index_get_info(index, &info);
        assert_string_equal(info.codec, codec);
        assert_string_equal(info.freqs, freqs);
        rp_index_close(index);
        forget(back); /* the codec stays, and the frequencies with it */
        recode(two, back, NULL);
        files_expect_equal_folders(two, back);
        forget(back);
        recode(two, back, &(rp_recode_options){.codec = rp_codec_name(0)});
        files_expect_equal_folders(plain, back);
    }
}

/* A code that is the codec's own is not worth a word in the manifest. */
static void test_own_frequencies(void **state)
{
    (void)state;
    build(one, &(rp_build_options){.codec = "bp128"});
    build(two, &(rp_build_options){.codec = "bp128", .freqs = "bp128"});
    files_expect_equal_folders(one, two);
    forget(two);
    recode(one, two, &(rp_recode_options){.freqs = "bp128"});
    files_expect_equal_folders(two, one);
}

/* What the default codec chose is chosen again. */
static void test_as_it_is(void **state)
{
    (void)state;
    forget(two);
    recode(plain, two, NULL);
    files_expect_equal_folders(plain, two);
}

static void test_options_are_heeded(void **state)
{
    (void)state;
    static const char *const specs[][2] = {{"pfd", "pfd:exceptions=0.5"},
                                           {"pfd_rec", "pfd_rec:level=3,exceptions=0.3"},
                                           {"qs", "qs:c=8"}};
    for (size_t i = 0; i < 3; i++) {
        size_t n[2];
        uint8_t *lists[2];
        for (size_t j = 0; j < 2; j++) {
            build(one, &(rp_build_options){.codec = specs[i][j]});
            forget(two);
            recode(plain, two, &(rp_recode_options){.codec = specs[i][j]});
            files_expect_equal_folders(one, two);
            must_check(two);
            char path[400];
            snprintf(path, sizeof path, "%s/lists.00000001.rp", two);
            lists[j] = files_read(path, &n[j]);
        }
        assert_true(n[0] != n[1] || memcmp(lists[0], lists[1], n[0]) != 0);
        free(lists[0]);
        free(lists[1]);
    }
}

/* Parts that are left out stay out; threads and memory change nothing. */
static void test_parts_threads_and_memory(void **state)
{
    (void)state;
    for (int parts = 0; parts < 4; parts++) {
        rp_build_options o = {.codec = "optpfd",
                              .stem = "porter",
                              .stop = "lucene",
                              .no_positions = parts & 1,
                              .no_store = parts & 2};
        build(one, &o);
        o.codec = "vbyte";
        build(two, &o);
        for (uint32_t threads = 1; threads <= 8; threads *= 2) {
            forget(back);
            recode(two, back,
                   &(rp_recode_options){
                       .codec = "optpfd", .threads = threads, .memory = (uint64_t)threads << 24});
            files_expect_equal_folders(one, back);
        }
    }
}

/* What lies beside long lists stays, comes or goes as it is asked for. */
static void test_aux(void **state)
{
    (void)state;
    static const char *const codecs[] = {"vbyte", "iiu", "qs", "bp256"};
    for (size_t i = 0; i < 4; i++) {
        build(one, &(rp_build_options){.codec = codecs[i], .aux = "lr,hs16"});
        forget(two);
        recode(plain, two,
               &(rp_recode_options){.codec = codecs[i], .aux = "lr,hs16", .threads = 3});
        files_expect_equal_folders(one, two);
        must_check(two);
        build(one, &(rp_build_options){.aux = "lr,hs16"});
        forget(back);
        recode(two, back, &(rp_recode_options){.codec = rp_codec_name(0)});
        files_expect_equal_folders(one, back);
        forget(back);
        recode(two, back, &(rp_recode_options){.codec = rp_codec_name(0), .aux = "none"});
        files_expect_equal_folders(plain, back);
    }
}

/* Into its own folder: the next generation, and nothing of the one before. */
static void test_in_place(void **state)
{
    (void)state;
    rp_index *index;
    rp_index_info info;
    build(one, NULL);
    int files = files_count(one);
    recode(one, one, &(rp_recode_options){.codec = "rice"});
    assert_int_equal(files_count(one), files);
    must_check(one);
    assert_int_equal(rp_index_open(one, NULL, &index, NULL), RP_OK);
    rp_index_get_info(index, &info);
    assert_string_equal(info.codec, "rice");
    assert_int_equal(info.generation, 2);
    recode(one, one, &(rp_recode_options){.codec = "bp128"}); /* under a reader's feet */
    sample_answer sound[SAMPLE_ANSWERS], now[SAMPLE_ANSWERS];
    sample_ask(index, DOCS, now);
    rp_index_close(index);
    ask(plain, sound);
    assert_int_equal(sample_compare(sound, now).right, SAMPLE_ANSWERS);
}

static void test_empty_index(void **state)
{
    (void)state;
    rp_builder *b;
    forget(one);
    forget(two);
    assert_int_equal(rp_builder_new(one, NULL, &b, NULL), RP_OK);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    assert_int_equal(rp_index_recode(one, two, &(rp_recode_options){.codec = "iiu"}, NULL, NULL),
                     RP_OK);
    must_check(two);
}

/* ---- Refusals ---------------------------------------------------------------------------------- */

/* Into a new folder, which is not there afterwards, and over an index, which stays. */
static void expect_refused(const char *from, const rp_recode_options *o, rp_status want,
                           const char *why)
{
    rp_error err = {0};
    forget(two);
    assert_int_equal(rp_index_recode(from, two, o, NULL, &err), want);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" is not in \"%s\"", why, err.text);
    assert_false(files_exist(two));
    build(two, &(rp_build_options){.codec = "raw"});
    uint64_t sum = sample_folder_checksum(two);
    assert_int_equal(rp_index_recode(from, two, o, NULL, &err), want);
    assert_true(sample_folder_checksum(two) == sum);
}

static bool stop_at_once(void *arg, const rp_progress *progress)
{
    uint64_t *calls = arg;
    assert_string_equal(progress->phase, "recoding");
    assert_true(progress->bytes <= progress->bytes_total && progress->docs == 0);
    return --*calls > 0;
}

static void test_refusals(void **state)
{
    (void)state;
    forget(one);
    expect_refused(one, NULL, RP_IO, "cannot open the index folder");
    expect_refused(dir.path, NULL, RP_DAMAGED, "this folder is no index");
    expect_refused(plain, &(rp_recode_options){.codec = "zip"}, RP_USAGE, "\"zip\" is not known");
    expect_refused(plain, &(rp_recode_options){.codec = "pfd:exceptions=2"}, RP_USAGE, "0 to 0.6");
    expect_refused(plain, &(rp_recode_options){.freqs = "zip"}, RP_USAGE, "\"zip\"");
    expect_refused(plain, &(rp_recode_options){.aux = "hs7"}, RP_USAGE, "aux \"hs7\"");
    expect_refused(plain, &(rp_recode_options){.memory = 1 << 20}, RP_NO_MEMORY, "--memory");
    expect_refused(plain, &(rp_recode_options){.threads = 257}, RP_USAGE, "--threads");
    for (uint64_t calls = 1; calls < 8; calls += 2) {
        uint64_t left = calls;
        rp_recode_options o = {.on_progress = stop_at_once, .progress_arg = &left};
        rp_error err = {0};
        forget(one);
        assert_int_equal(rp_index_recode(plain, one, &o, NULL, &err), RP_INTERRUPTED);
        assert_false(files_exist(one));
    }
    recode(plain, one, &(rp_recode_options){.codec = "iiu"});
    expect_refused(one, &(rp_recode_options){.freqs = "rice"}, RP_USAGE, "with the docids");
}

/* A longer list than there is memory for: one million documents that hold one word. */
static void test_longest_list_must_fit(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    rp_builder *b;
    rp_error err = {0};
    char path[300];
    snprintf(path, sizeof path, "%.200s/many", dir.path);
    rp_build_options o = {.no_store = true, .no_positions = true};
    assert_int_equal(rp_builder_new(path, &o, &b, NULL), RP_OK);
    for (unsigned d = 0; d < MANY; d++) {
        char id[16];
        int n = snprintf(id, sizeof id, "%u", d);
        assert_int_equal(rp_builder_add(b, id, (size_t)n, "", 0, "word", 4, NULL), RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    rp_recode_options told = {.codec = "vbyte", .memory = 16 << 20};
    expect_refused(path, &told, RP_NO_MEMORY,
                   "a list of 1000000 postings does not fit in memory; give --memory ");
    assert_int_equal(rp_index_recode(path, two, &told, NULL, &err), RP_NO_MEMORY);
    unsigned enough = (unsigned)atoi(strstr(err.text, "--memory ") + 9);
    rp_build_stats stats;
    told.memory = (uint64_t)(enough - 1) << 20;
    assert_int_equal(rp_index_recode(path, two, &told, NULL, &err), RP_NO_MEMORY);
    told.memory = (uint64_t)enough << 20;
    assert_int_equal(rp_index_recode(path, two, &told, &stats, &err), RP_OK);
    assert_true(stats.memory_peak < told.memory);
    must_check(two);
    forget(path);
}

/* A byte changed anywhere is found, not sealed anew. */
static void test_damage_is_not_copied(void **state)
{
    (void)state;
    patch p;
    build(one, NULL);
    patch_open(&p, one, 1);
    for (int kind = 0; kind < RP_FILE_KINDS; kind++)
        for (size_t part = 1; part < 8; part++) {
            rp_error err = {0};
            patch_undo(&p);
            size_t n, at = 64 + (p.f.bytes[kind] - 64) * part / 8;
            uint8_t *table = reseal_table(p.f.at[kind], p.f.bytes[kind], &n);
            bool is_padding = true;
            for (size_t i = 0; i < n; i++) {
                rp__section_entry e = reseal_entry(table, i);
                is_padding = is_padding && !(at >= e.offset && at < e.offset + e.bytes);
            }
            if (is_padding && at < (size_t)(table - p.f.at[kind]))
                continue;
            p.f.at[kind][at] ^= 0x10;
            patch_write(&p);
            forget(two);
            rp_status status = rp_index_recode(one, two, NULL, NULL, &err);
            if (status != RP_DAMAGED && status != RP_INCOMPATIBLE)
                fail_msg("kind %d, byte %zu: %s", kind, at, rp_status_name(status));
            assert_false(files_exist(two));
        }
    patch_close(&p);
}

/* Lists that are no lists, behind checksums that are right. */
static void test_lists_that_make_no_sense(void **state)
{
    (void)state;
    patch p;
    size_t n = 0;
    build(one, NULL);
    patch_open(&p, one, 1);
    uint8_t *lists = patch_section(&p, RP_FILE_LISTS, RP_SECTION_LISTS, &n);
    memset(lists, 0xFF, n);
    patch_apply(&p);
    expect_refused(one, NULL, RP_DAMAGED, "riposte check");
    patch_undo(&p);
    uint8_t *meta = patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, NULL);
    meta[offsetof(rp__meta, postings)]++; /* what the lists hold is not what it says */
    patch_apply(&p);
    expect_refused(one, NULL, RP_DAMAGED, "riposte check");
    patch_undo(&p);
    meta = patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, NULL);
    strcpy((char *)meta + offsetof(rp__meta, bound_variant), "later");
    patch_apply(&p);
    expect_refused(one, NULL, RP_INCOMPATIBLE, "ranking \"later\"");
    patch_close(&p);
}

static int make(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    snprintf(input, sizeof input, "%.200s/docs.jsonl", dir.path);
    snprintf(plain, sizeof plain, "%.200s/plain", dir.path);
    snprintf(one, sizeof one, "%.200s/one", dir.path);
    snprintf(two, sizeof two, "%.200s/two", dir.path);
    snprintf(back, sizeof back, "%.200s/back", dir.path);
    sample_write(input, DOCS, 11);
    build(plain, NULL);
    return 0;
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
        cmocka_unit_test(test_every_codec_there_and_back),
        cmocka_unit_test(test_every_code_of_frequencies),
        cmocka_unit_test(test_own_frequencies),
        cmocka_unit_test(test_as_it_is),
        cmocka_unit_test(test_options_are_heeded),
        cmocka_unit_test(test_parts_threads_and_memory),
        cmocka_unit_test(test_aux),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_empty_index),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_longest_list_must_fit),
        cmocka_unit_test(test_damage_is_not_copied),
        cmocka_unit_test(test_lists_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
