/* test_corpus_json.c: arrays, objects over several lines and one after the other, and what is damaged. */
#include "collect.h"

static void test_shapes(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.json", "[{\"id\":1,\"text\":\"x\"},{\"id\":2,\"text\":\"y\"}]", NULL,
                "1||x\n2||y\n");
    expect_docs(t, "a.json",
                " [\n {\n\"id\": 1,\n\"text\": \"x]}\\\"\"\n }\n,\n{\"text\":[\"y\",\"z\"]}\n]\n",
                NULL, "1||x]}\"\n*||y\nz\n");
    expect_docs(t, "a.json",
                "{\n\"id\":1,\"text\":\"x\"\n}{\"id\":2,\n\"text\":\"y\"}\n\n{\n\"title\":\"z\"}",
                NULL, "1||x\n2||y\n*|z|\n");
    expect_docs(t, "a.json", "[\"one\", \"two \\u0021\",\n\"\"]", NULL, "*||one\n*||two !\n*||\n");
    expect_docs(t, "a.json", "[]", NULL, "");
    expect_docs(t, "a.json", "", NULL, "~1 an empty file\n");
    expect_docs(t, "a.json", "{\"id\":1,\"text\":\"x\"}\n{\"id\":2,\"text\":\"y\"}\n", NULL,
                "1||x\n2||y\n"); /* a value a line */
    expect_docs(t, "a.json", "[{\"id\":1,\"text\":\"x\"}] [{\"id\":2,\"text\":\"y\"}]", NULL,
                "1||x\n2||y\n");
}

static void test_faults(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.json", "{\n\"id\":1,\n\"text\":\"x\n\"}", NULL,
                "!a.json:3:10: the text ends too soon\n"
                "!a.json:4:3: the text ends too soon\n");
    expect_docs(t, "a.json", "[1, null]", NULL,
                "!a.json:1:2: expected a JSON object or a string\n"
                "!a.json:1:5: expected a JSON object or a string\n");
    expect_docs(t, "a.json", "[[\"x\"]]", NULL,
                "!a.json:1:2: expected a JSON object or a string\n");
    expect_docs(t, "a.json", "{\"x\":1}\n}", NULL,
                "!a.json:1:1: no text; looked for text contents content body; name the field with "
                "--text-field\n"
                "!a.json:2:1: expected a value\n");
    expect_docs(t, "a.json", "{\"id\":1,\n\"text\":", NULL,
                "!a.json:2:8: the text ends too soon\n");
}

/* The file stops inside of its array: its documents are there, and so is the fault. */
static void test_open_array(void **state)
{
    tempdir *t = *state;
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    static const char text[] = "[{\"id\":1,\"text\":\"x\"},\n{\"id\":2,\"text\":\"y\"}";
    const char *path = tempdir_write(t, "a.json", text, sizeof text - 1);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_INPUT);
    assert_non_null(strstr(err.text, "a.json:2: the file ends before the ']' of its array"));
    rp__buf_free(&out);
}

/* A million brackets deep: no stack, and an error that says where. */
static void test_deep(void **state)
{
    tempdir *t = *state;
    size_t n = 1000000;
    char *text = malloc(n + 64);
    size_t front = (size_t)sprintf(text, "[{\"id\":1,\"text\":\"x\"},\n{\"x\":");
    memset(text + front, '[', n);
    expect_docs_of(t, "a.json", text, front + n, &(rp_build_options){.on_error = RP_ON_ERROR_SKIP},
                   "1||x\n!a.json:2:69: arrays and objects are nested too deep; raise "
                   "--max-json-depth\n");
    free(text);
}

/* Values of every length across the ends of reads; long ones are passed over. */
static void test_across_reads(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.max_line = 200000, .on_error = RP_ON_ERROR_SKIP};
    size_t n = 300000;
    char *text = malloc(2 * n);
    for (size_t gap = 131060; gap < 131080; gap++) {
        memset(text, ' ', gap);
        text[0] = '[';
        size_t end = gap + (size_t)sprintf(text + gap, "{\"id\":1,\n\"text\":\"x\\\"{\"},[{}],");
        end += (size_t)sprintf(text + end, "{\"id\":2,\"text\":\"");
        memset(text + end, '{', 210000);
        end += 210000;
        end += (size_t)sprintf(text + end, "\"}, {\"id\":3,\"text\":\"z\"}]");
        char want[128];
        snprintf(want, sizeof want,
                 "1||x\"{\n!a.json:2:16: expected a JSON object or a string\n3||z\n");
        expect_docs_of(t, "a.json", text, end, &o, want);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shapes, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_faults, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_open_array, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_deep, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_across_reads, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_json", tests, NULL, NULL);
}
