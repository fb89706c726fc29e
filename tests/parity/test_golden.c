/* test_golden.c: indexes that earlier programs wrote are opened, checked and answered from; the newest
 * is made again and compared byte by byte, so that a change of the format is noticed.
 *
 * RIPOSTE_GOLDEN=FOLDER writes the index and the answers of a golden folder that has none yet. */
#include "riposte/riposte.h"

#include <sys/stat.h>
#include <zstd.h>

#include "tempdir.h"
#include "unit/files.h"

/* The last one is the format that this program writes. */
static const char *const versions[] = {
    "tests/golden/v1",       "tests/golden/v1-kths",   "tests/golden/v1-auto",
    "tests/golden/v1-find",  "tests/golden/v1-costs",  "tests/golden/v1-tiny",
    "tests/golden/v1-close", "tests/golden/v1-prices", "tests/golden/v1-efsum"};
enum { VERSIONS = sizeof versions / sizeof *versions };

static const rp_build_options build_options = {.stem = "porter", .stop = "lucene"};

/* ---- Questions ------------------------------------------------------------------------------- */

static const struct question {
    const char *query;
    rp_mode mode;
    const char *variant;
} questions[] = {
    {"boundary layer", RP_MODE_OR, NULL},
    {"boundary layer", RP_MODE_AND, NULL},
    {"\"boundary layer\"", RP_MODE_OR, NULL},
    {"common", RP_MODE_OR, NULL},
    {"common -boundary speed^2.5", RP_MODE_OR, NULL},
    {"again", RP_MODE_OR, NULL},
    {"\"new york city\"~2", RP_MODE_OR, NULL},
    {"s*", RP_MODE_OR, NULL},
    {"(lift OR drag) AND force", RP_MODE_OR, NULL},
    {"cone flap slot", RP_MODE_ANDOR, NULL},
    {"running connects", RP_MODE_OR, NULL},
    {"STRASSE", RP_MODE_OR, NULL},
    {"caf\xC3\xA9", RP_MODE_OR, NULL},
    {"\xD0\xBC\xD0\xB8\xD1\x80", RP_MODE_OR, NULL},                 /* mir */
    {"\xCE\xBB\xCF\x8C\xCE\xB3\xCE\xBF\xCF\x82", RP_MODE_OR, NULL}, /* logos */
    {"b 52", RP_MODE_AND, NULL},
    {"nothing-like-this", RP_MODE_OR, NULL},
    {"speed sound flow", RP_MODE_OR, "robertson"},
    {"speed sound flow", RP_MODE_OR, "atire"},
    {"speed sound flow", RP_MODE_OR, "dirichlet"},
};

/* Of indexes that record their analysis. */
static const struct question more_questions[] = {
    {"napoleon", RP_MODE_OR, NULL},
    {"\"napoleon army\"", RP_MODE_OR, NULL},
    {"beyonce resume", RP_MODE_AND, NULL},
    {"RESUM*", RP_MODE_OR, NULL},
    {"東京", RP_MODE_OR, NULL},
    {"\"日本語テスト\"", RP_MODE_OR, NULL},
    {"한국어", RP_MODE_AND, NULL},
    {"ελλαδα елка", RP_MODE_AND, NULL},
    {"हिन्दी", RP_MODE_OR, NULL},
    {"हन्दा", RP_MODE_OR, NULL}, /* other vowels: none */
};

/* One line: the question, the total, and document and score as integers, best first. */
static void ask(const rp_index *index, const struct question *q, FILE *out)
{
    static const char *const modes[] = {"or", "and", "andor"};
    rp_searcher *searcher;
    rp_hits hits;
    rp_error err;
    rp_search_options o = {.mode = q->mode, .variant = q->variant, .k = 12};
    if (rp_searcher_new(index, &o, &searcher, &err) != RP_OK ||
        rp_searcher_search(searcher, q->query, strlen(q->query), &hits, &err) != RP_OK)
        fail_msg("%s: %s", q->query, err.text);
    fprintf(out, "%s\t%s\t%s\t%d\t", q->query, modes[q->mode], q->variant ? q->variant : "lucene",
            hits.fraction_bits);
    for (size_t i = 0; i < hits.n; i++)
        fprintf(out, "%s%u:%u", i ? " " : "", hits.at[i].docid, hits.at[i].fixed);
    fprintf(out, "\n");
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
}

/* All answers as text. Free what this returns. */
static char *ask_all(const char *ix)
{
    rp_index *index;
    rp_error err;
    rp_index_options o = {.verify = true};
    char *text = NULL;
    size_t bytes;
    if (rp_index_open(ix, &o, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        ask(index, &questions[i], out);
    rp_index_info info;
    rp_index_get_info(index, &info);
    for (size_t i = 0; info.folds_accents && i < sizeof more_questions / sizeof *more_questions;
         i++)
        ask(index, &more_questions[i], out);
    fclose(out);
    rp_index_close(index);
    return text;
}

static void build(const char *folder, const char *ix)
{
    char docs[1000];
    const char *path = docs;
    rp_error err;
    snprintf(docs, sizeof docs, "%s/docs.jsonl", folder);
    if (rp_index_build(&path, 1, ix, &build_options, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
}

/* ---- Tests ------------------------------------------------------------------------------------ */

static void on_fault(void *arg, const char *where, const char *what)
{
    (void)arg;
    print_error("%s: %s\n", where, what);
}

static void test_open_and_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++) {
        char ix[1000];
        rp_error err;
        snprintf(ix, sizeof ix, "%s/index", versions[i]);
        if (rp_index_check(ix, on_fault, NULL, &err) != RP_OK)
            fail_msg("%s: %s", ix, err.text);
    }
}

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++) {
        char ix[1000], path[1000];
        size_t n;
        snprintf(ix, sizeof ix, "%s/index", versions[i]);
        snprintf(path, sizeof path, "%s/answers.txt", versions[i]);
        char *want = (char *)files_read(path, &n), *got = ask_all(ix);
        assert_string_equal(got, want);
        free(want);
        free(got);
    }
}

/* Documents come back as they were put in: ids, and each stored text is in the source. */
static void test_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++) {
        char ix[1000], path[1000];
        rp_index *index;
        rp_index_info info;
        size_t n;
        snprintf(ix, sizeof ix, "%s/index", versions[i]);
        snprintf(path, sizeof path, "%s/docs.jsonl", versions[i]);
        char *source = (char *)files_read(path, &n), *line = source;
        assert_int_equal(rp_index_open(ix, NULL, &index, NULL), RP_OK);
        rp_index_get_info(index, &info);
        for (uint32_t d = 0; d < info.docs; d++) {
            rp_document doc;
            char want[4096];
            char *end = strchr(line, '\n');
            assert_non_null(end);
            *end = 0;
            assert_int_equal(rp_index_get_document(index, d, &doc, NULL), RP_OK);
            snprintf(want, sizeof want, "{\"id\": \"%s\", \"title\": \"%s\", \"text\": \"%s\"}",
                     doc.id, doc.title, doc.text);
            assert_string_equal(want, line);
            rp_document_free(&doc);
            line = end + 1;
        }
        assert_int_equal(*line, 0);
        rp_index_close(index);
        free(source);
    }
}

/* The version of libzstd that packed the stored text, as the manifest cannot say it. */
static bool is_same_zstd(const char *folder)
{
    char path[1000];
    size_t n;
    snprintf(path, sizeof path, "%s/zstd.txt", folder);
    char *text = (char *)files_read(path, &n);
    bool is_same = strtoul(text, NULL, 10) == ZSTD_versionNumber();
    free(text);
    return is_same;
}

static void expect_same_file(const char *a, const char *b, const char *name)
{
    char path_a[1100], path_b[1100];
    size_t n_a, n_b;
    snprintf(path_a, sizeof path_a, "%s/%s", a, name);
    snprintf(path_b, sizeof path_b, "%s/%s", b, name);
    uint8_t *at_a = files_read(path_a, &n_a), *at_b = files_read(path_b, &n_b);
    if (n_a != n_b || memcmp(at_a, at_b, n_a) != 0)
        fail_msg("%s is not what this program writes: the format changed: make a new golden "
                 "version, keep the old (tests/golden/README.md)",
                 path_a);
    free(at_a);
    free(at_b);
}

static void test_made_again(void **state)
{
    (void)state;
    static const char *const names[] = {"terms.00000001.rp",     "lists.00000001.rp",
                                        "positions.00000001.rp", "docs.00000001.rp",
                                        "text.00000001.rp",      "manifest.rp"};
    const char *folder = versions[VERSIONS - 1];
    tempdir dir;
    char ix[1000], golden[1000];
    assert_int_equal(tempdir_make(&dir), 0);
    snprintf(ix, sizeof ix, "%.200s/ix", dir.path);
    snprintf(golden, sizeof golden, "%s/index", folder);
    build(folder, ix);
    assert_int_equal(files_count(ix), files_count(golden));
    size_t n = is_same_zstd(folder) ? 6 : 4; /* another libzstd packs text otherwise */
    for (size_t i = 0; i < n; i++)
        expect_same_file(golden, ix, names[i]);
    char *want = ask_all(golden), *got = ask_all(ix);
    assert_string_equal(got, want);
    free(want);
    free(got);
    tempdir_remove(&dir);
}

/* ---- Making a new one --------------------------------------------------------------------------- */

static void write_golden(void **state)
{
    (void)state;
    const char *folder = getenv("RIPOSTE_GOLDEN");
    char ix[1000], path[1000], version[16];
    snprintf(ix, sizeof ix, "%s/index", folder);
    assert_false(files_exist(ix));
    build(folder, ix);
    char *answers = ask_all(ix);
    snprintf(path, sizeof path, "%s/answers.txt", folder);
    files_write(path, answers, strlen(answers));
    snprintf(version, sizeof version, "%u\n", ZSTD_versionNumber());
    snprintf(path, sizeof path, "%s/zstd.txt", folder);
    files_write(path, version, strlen(version));
    free(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_and_check),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_made_again),
    };
    const struct CMUnitTest make[] = {cmocka_unit_test(write_golden)};
    return getenv("RIPOSTE_GOLDEN") ? cmocka_run_group_tests(make, NULL, NULL)
                                    : cmocka_run_group_tests(tests, NULL, NULL);
}
