/* test_corpus_jsonl.c: fields by their names, what a field may hold, and where faults are. */
#include "collect.h"

static void test_fields(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.jsonl",
                "{\"id\":\"a\",\"title\":\"T\",\"text\":\"x\"}\n"
                "{\"_id\":\"b\",\"contents\":\"y\"}\n"
                "{\"docno\":\"c\",\"content\":\"z\"}\n"
                "{\"docid\":\"d\",\"body\":\"w\"}\n",
                NULL, "a|T|x\nb||y\nc||z\nd||w\n");
}

static void test_first_name_counts_last_key_counts(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.jsonl",
                "{\"docid\":\"4\",\"_id\":\"2\",\"id\":\"1\",\"docno\":\"3\",\"body\":\"B\","
                "\"text\":\"T\"}\n"
                "{\"text\":\"T\",\"contents\":[1],\"id\":\"1\",\"_id\":{}}\n"
                "{\"id\":\"old\",\"text\":\"o\",\"id\":\"new\",\"text\":\"n\"}\n"
                "{\"i\\u0064\":\"esc\",\"te\\u0078t\":\"aped\"}\n",
                NULL, "1||T\n1||T\nnew||n\nesc||aped\n");
}

static void test_given_names(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.id_field = "key", .title_field = "name", .text_field = "abstract"};
    expect_docs(t, "a.jsonl",
                "{\"key\":\"k\",\"id\":\"no\",\"name\":\"n\",\"title\":\"no\",\"abstract\":\"a\","
                "\"text\":\"no\"}\n"
                "{\"id\":\"x\",\"abstract\":\"a\"}\n{\"key\":\"x\",\"text\":\"a\"}\n",
                &o,
                "k|n|a\n"
                "*||a\n"
                "!a.jsonl:3:1: no text; looked for abstract; name the field with --text-field\n");
}

static void test_values(void **state)
{
    tempdir *t = *state;
    expect_docs(
        t, "a.jsonl",
        "{\"id\":12,\"text\":\"x\"}\n"
        "{\"id\":-0,\"text\":null}\n"
        "{\"id\":\"t\",\"title\":\"only\"}\n"
        "{\"id\":\"n\",\"title\":null}\n"
        "{\"id\":\"e\",\"title\":\"\",\"text\":\"\"}\n"
        "{\"id\":\"s\",\"text\":\"a\",\"more\":{\"id\":\"no\",\"x\":[1,{\"text\":2}]},\"z\":[]}\n"
        "{\"id\":\"m\",\"title\":\"a\\tb\",\"text\":\"c\\u00e9\"}\n",
        NULL, "12||x\n-0||\nt|only|\nn||\ne||\ns||a\nm|a\tb|c\xC3\xA9\n");
}

static void test_bad_values(void **state)
{
    tempdir *t = *state;
    expect_docs(
        t, "a.jsonl",
        "{\"id\": 1.5,\"text\":\"x\"}\n"
        "{\"id\":1e3,\"text\":\"x\"}\n"
        "{\"id\":null,\"text\":\"x\"}\n"
        "{\"_id\":[],\"text\":\"x\"}\n"
        "{\"id\":\"a\",\"text\":  5}\n"
        "{\"id\":\"a\",\"contents\":[\"x\",5]}\n"
        "{\"id\":\"a\",\"text\":\"\",\"title\":true}\n"
        "{\"text\":\"x\"}\n"
        "{\"id\":\"a\"}\n"
        "{}\n",
        NULL,
        "!a.jsonl:1:8: field \"id\" must be a string or an integer\n"
        "!a.jsonl:2:7: field \"id\" must be a string or an integer\n"
        "!a.jsonl:3:7: field \"id\" must be a string or an integer\n"
        "!a.jsonl:4:8: field \"_id\" must be a string or an integer\n"
        "!a.jsonl:5:20: field \"text\" must be a string or an array of strings\n"
        "!a.jsonl:6:26: field \"contents\" must be a string or an array of strings\n"
        "!a.jsonl:7:29: field \"title\" must be a string or an array of strings\n"
        "*||x\n"
        "!a.jsonl:9:1: no text; looked for text contents content body; name the field with "
        "--text-field\n"
        "!a.jsonl:10:1: no text; looked for text contents content body; name the field with "
        "--text-field\n");
    rp_build_options o = {.ids = "field"};
    expect_docs(t, "a.jsonl", "{\"text\":\"x\"}\n", &o,
                "!a.jsonl:1:1: no id; looked for id _id docno docid; name the field with "
                "--id-field\n");
}

static void test_arrays_of_strings(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.jsonl",
                "{\"id\":1,\"title\":[\"a\",\"b\\n\"],\"text\":[ \"one\" , \"two\"]}\n"
                "{\"id\":2,\"text\":[]}\n"
                "{\"id\":[\"x\"],\"text\":\"y\"}\n"
                "{\"id\":3,\"text\":[[\"x\"]]}\n"
                "{\"id\":3,\"text\":[\"x\"\n",
                NULL,
                "1|a\nb\n|one\ntwo\n2||\n"
                "!a.jsonl:3:7: field \"id\" must be a string or an integer\n"
                "!a.jsonl:4:17: field \"text\" must be a string or an array of strings\n"
                "!a.jsonl:5:20: the text ends too soon\n");
}

static void test_vectors_are_refused(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.jsonl",
                "{\"id\":1,\"text\":\"x\",\"vector\": {\"x\":1.5}}\n"
                "{\"id\":2,\"text\":\"x\",\"vector\":[1.5,2]}\n",
                NULL,
                "!a.jsonl:1:30: field \"vector\" has weights of terms; impacts are not supported "
                "yet\n2||x\n");
}

static void test_bad_lines(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.jsonl",
                "{\"id\":\"a\",\"text\":\"x\"\n"
                "\n"
                "{\"id\":\"a\",\"text\":\"caf\xC3\"}\n"
                "[1]\n"
                "\"s\"\n"
                "{\"id\":\"a\",\"text\":\"x\"} {}\n"
                "{\"id\":\"a\",\"text\":\"x\ty\"}\n"
                "  {\"id\":\"ok\",\"text\":\"x\"}  \r\n"
                "{\"id\" \"a\"}\n"
                "nonsense\n"
                "{\"id\":\"a\",\"text\":\"\\q\"}",
                NULL,
                "!a.jsonl:1:21: the text ends too soon\n"
                "a||caf\xC3\x83\n"
                "!a.jsonl:4:1: expected a JSON object, one a line, in braces\n"
                "!a.jsonl:5:1: expected a JSON object, one a line, in braces\n"
                "!a.jsonl:6:23: more text follows the value\n"
                "!a.jsonl:7:20: a control character in a string must be escaped (byte 0x09)\n"
                "ok||x\n"
                "!a.jsonl:9:7: expected ':' after a key\n"
                "!a.jsonl:10:1: expected a JSON object, one a line, in braces\n"
                "!a.jsonl:11:19: a backslash must be followed by one of \"\\/bfnrtu\n"
                "%1 not UTF-8, read as Windows-1252\n");
}

static void test_depth(void **state)
{
    tempdir *t = *state;
    rp_build_options o = {.max_json_depth = 3};
    expect_docs(
        t, "a.jsonl",
        "{\"x\":[[]],\"id\":\"a\",\"text\":\"t\"}\n{\"x\":[[[]]],\"id\":\"a\",\"text\":\"t\"}\n",
        &o, "a||t\n!a.jsonl:2:8: arrays and objects are nested too deep; raise --max-json-depth\n");
    size_t n = 1000000;
    char *text = malloc(n + 6), want[128];
    memcpy(text, "{\"x\":", 5);
    memset(text + 5, '[', n);
    snprintf(want, sizeof want,
             "!a.jsonl:1:69: arrays and objects are nested too deep; raise --max-json-depth\n");
    expect_docs_of(t, "a.jsonl", text, n + 5, NULL, want);
    free(text);
}

/* All three fields decoded, and other escaped strings between them: none overwrites another. */
static void test_decoded_fields_live_together(void **state)
{
    tempdir *t = *state;
    expect_docs(t, "a.jsonl",
                "{\"x\\n\":\"\\t\",\"id\":\"\\u0031\",\"y\":\"\\t\\t\\t\",\"title\":"
                "\"\\u0032\\u0032\",\"z\":\"\\n\","
                "\"text\":\"\\u0033\\u0033\\u0033\",\"w\":[\"\\n\\n\\n\\n\"]}\n"
                "{\"text\":\"\\u0034\",\"text\":\"\\u0035\",\"id\":\"\\u0036\",\"id\":\"p\","
                "\"title\":\"\\u0037\"}\n",
                NULL, "1|22|333\np|7|5\n");
}

static void test_long_path_leaves_room_for_the_reason(void **state)
{
    tempdir *t = *state;
    char name[256];
    memset(name, 'n', sizeof name);
    strcpy(name + 200, ".jsonl");
    const char *path = tempdir_write(t, name, "{\"id\":1}", 8);
    rp__buf out;
    rp_error err;
    rp__buf_init(&out);
    assert_int_equal(collect(&path, 1, NULL, &out, &err), RP_OK);
    rp__buf_put_byte(&out, 0);
    assert_non_null(strstr((char *)out.at, "!...nnn"));
    assert_non_null(strstr((char *)out.at,
                           "n.jsonl:1:1: no text; looked for text contents content body; "
                           "name the field with --text-field"));
    rp__buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fields, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_first_name_counts_last_key_counts, collect_make,
                                        collect_clean),
        cmocka_unit_test_setup_teardown(test_given_names, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_values, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_bad_values, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_arrays_of_strings, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_vectors_are_refused, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_bad_lines, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_depth, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_decoded_fields_live_together, collect_make,
                                        collect_clean),
        cmocka_unit_test_setup_teardown(test_long_path_leaves_room_for_the_reason, collect_make,
                                        collect_clean),
    };
    return cmocka_run_group_tests_name("corpus_jsonl", tests, NULL, NULL);
}
