/* test_topics.c: topics in all forms, told apart by themselves; bad ones are named and passed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "riposte/topics.h"

static char path[] = "/tmp/riposte-topics-XXXXXX";

static rp_topics *open_bytes(const char *text, size_t n, const char *format)
{
    rp_error err = {0};
    rp_topics *topics = NULL;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    assert_int_equal(rp_topics_open(path, format, &topics, &err), RP_OK);
    return topics;
}

static rp_topics *open_text(const char *text)
{
    return open_bytes(text, strlen(text), NULL);
}

static void expect(rp_topics *topics, const char *qid, const char *query, uint64_t line)
{
    rp_topic topic;
    rp_error err = {0};
    bool has = false;
    assert_int_equal(rp_topics_next(topics, &topic, &has, &err), RP_OK);
    assert_true(has);
    assert_string_equal(topic.qid, qid);
    assert_string_equal(topic.query, query);
    assert_int_equal(topic.query_bytes, strlen(query));
    assert_int_equal(topic.line, line);
}

static void expect_fault(rp_topics *topics, const char *says)
{
    rp_topic topic;
    rp_error err = {0};
    bool has;
    assert_int_equal(rp_topics_next(topics, &topic, &has, &err), RP_INPUT);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void expect_end(rp_topics *topics)
{
    rp_topic topic;
    bool has = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rp_topics_next(topics, &topic, &has, NULL), RP_OK);
        assert_false(has);
    }
    rp_topics_close(topics);
}

static void test_tsv(void **state)
{
    (void)state;
    rp_topics *t = open_text("\n7\tjet\tlift\r\n  \nno tab\n\tempty\na b\tx\n8\t");
    expect(t, "7", "jet\tlift", 2);
    expect_fault(t, ":4: no tab");
    expect_fault(t, ":5: the qid is empty");
    expect_fault(t, ":6: the qid is empty or has a blank");
    expect(t, "8", "", 7);
    expect_end(t);
}

static void test_pisa(void **state)
{
    (void)state;
    rp_topics *t = open_text("1:jet engine\n2:a:b\nnone\n:x\n");
    expect(t, "1", "jet engine", 1);
    expect(t, "2", "a:b", 2);
    expect_fault(t, ":3: no colon");
    expect_fault(t, ":4: the qid");
    expect_end(t);
}

static void test_jsonl(void **state)
{
    (void)state;
    rp_topics *t = open_text("{\"qid\": 12, \"query\": \"a \\u00e9 b\", \"x\": [1, {}]}\n"
                             "{\"text\":\"low\",\"query\":\"high\",\"_id\":\"q1\",\"id\":\"q2\"}\n"
                             "{\"query\":\"\"}\n"
                             "{\"text\":\"q\"}\n"
                             "{\"query\": 1}\n"
                             "[]\n"
                             "{\"id\":\"1\"}\n"
                             "{\"id\":\"1\" \"query\":\"x\"}\n"
                             "{\"id\":\"a b\",\"query\":\"x\"}\n"
                             "{\"id\":null,\"query\":\"x\"}\n");
    expect(t, "12", "a \xC3\xA9 b", 1);
    expect(t, "q2", "high", 2);
    expect(t, "3", "", 3);
    expect(t, "4", "q", 4);
    expect_fault(t, ":5: the query is no text");
    expect_fault(t, ":6: no object");
    expect_fault(t, ":7: no query");
    expect_fault(t, ":8: ");
    expect_fault(t, ":9: the qid");
    expect_fault(t, ":10: the id is no text");
    expect_end(t);
}

static void test_trec_open_tags(void **state)
{
    (void)state;
    rp_topics *t =
        open_text("<top>\n\n<num> Number: 301 \n<title> International Organized Crime \n\n"
                  "<desc> Description: \nIdentify.\n\n</top>\n\n"
                  "<top>\n<head> Tipster\n<num> Number:  051\n<dom> Domain: x\n"
                  "<title> Topic:  Airbus\n  Subsidies\n\n<desc>...</top>\n"
                  "<top><num>3<title>a < b &amp; c<top><title>x<num>4\n"
                  "<top><num>5</num><desc>y</top>\n"
                  "<top><title>z</title></top>");
    expect(t, "301", "International Organized Crime", 1);
    expect(t, "051", "Airbus Subsidies", 11);
    expect(t, "3", "a < b & c", 19);
    expect(t, "4", "x", 19);
    expect_fault(t, ":20: a topic without <title>");
    expect_fault(t, ":21: a topic without a number");
    expect_end(t);
}

/* A topic is looked for where it is, and not to the end of the file: that would take minutes here. */
static void test_trec_many(void **state)
{
    (void)state;
    enum { MANY = 200000, TOPIC_BYTES = 64 };
    char *text = malloc(MANY * TOPIC_BYTES), *to = text;
    assert_non_null(text);
    for (int i = 0; i < MANY; i++)
        to += sprintf(to, "<top>\n<num> Number: %d\n<title> wing %d\n</top>\n", i, i);
    rp_topics *t = open_bytes(text, (size_t)(to - text), NULL);
    for (int i = 0; i < MANY; i++) {
        char qid[12], query[24];
        snprintf(qid, sizeof qid, "%d", i);
        snprintf(query, sizeof query, "wing %d", i);
        expect(t, qid, query, (uint64_t)i * 4 + 1);
    }
    expect_end(t);
    free(text);
}

/* A tag that does not end takes nothing from the next topic, however many there are. */
static void test_trec_unended(void **state)
{
    (void)state;
    enum { MANY = 50000, TOPIC_BYTES = 64 };
    char *text = malloc(MANY * TOPIC_BYTES + 64), *to = text;
    assert_non_null(text);
    for (int i = 0; i < MANY; i++)
        to += sprintf(to, "<topic number=\"%d\" <query\n", i);
    to += sprintf(to, "<topic number=\"a\"><query>wing</query></topic>\n");
    rp_topics *t = open_bytes(text, (size_t)(to - text), NULL);
    for (int i = 0; i < MANY; i++)
        expect_fault(t, ": a topic whose <title> or <query> does not end");
    expect(t, "a", "wing", MANY + 1);
    expect_end(t);
    free(text);
    t = open_text(
        "<topic number='1'<query>b</query></topic>\n<topic number='2'><query>c</query></topic>\n"
        "<topic><query>d</query></topic><topic number='4'><query\n");
    expect(t, "1", "b", 1);
    expect(t, "2", "c", 2);
    expect_fault(t, ":3: a topic without a number");
    expect_fault(t, ":3: a topic whose");
    expect_end(t);
}

static void test_trec_xml(void **state)
{
    (void)state;
    rp_topics *t = open_text("<?xml version=\"1.0\"?>\n<topics>\n"
                             "<topic number=\"1\" type=\"faceted\">\n <query>obama family</query>\n"
                             " <description>Find</description>\n</topic>\n"
                             "<topic type='x' number='2'><title>a&quot;b</title></topic>\n"
                             "<topic id=\"3\"><query>c</query></topic>\n"
                             "<topic><query>d</query></topic>\n</topics>\n");
    expect(t, "1", "obama family", 3);
    expect(t, "2", "a\"b", 7);
    expect(t, "3", "c", 8);
    expect_fault(t, ":9: a topic without a number");
    expect_end(t);
}

static void test_open(void **state)
{
    (void)state;
    rp_error err = {0};
    rp_topics *t = NULL;
    expect_end(open_text(""));
    expect_end(open_text(" \n\n"));
    expect_end(open_text("<topless>"));
    rp_topics_close(open_text("1\tx\n"));
    assert_int_equal(rp_topics_open(path, "xml", &t, &err), RP_USAGE);
    assert_int_equal(rp_topics_open("/nowhere/topics", NULL, &t, &err), RP_IO);
    t = open_bytes("1:a\tb\n", 6, "pisa");
    expect(t, "1", "a\tb", 1);
    expect_end(t);
    FILE *f = fopen(path, "w");
    fputs("\n\nwords alone\n", f);
    fclose(f);
    assert_int_equal(rp_topics_open(path, NULL, &t, &err), RP_INPUT);
    assert_non_null(strstr(err.text, ":3: no topic"));
    f = fopen(path, "w");
    fwrite("1\ta\n2\tb\0c\n", 1, 10, f);
    fclose(f);
    assert_int_equal(rp_topics_open(path, NULL, &t, &err), RP_INPUT);
    assert_non_null(strstr(err.text, ":2: a NUL"));
}

/* Whatever the bytes, every topic ends, and all lie inside. */
static void test_any_bytes(void **state)
{
    (void)state;
    static const char *const bits[] = {
        "<top>", "<topic number=", "<num>", "<title>",  "<query>", "\"", ">", "<", "1", " a",
        "\n",    "&amp;",          "&",     "{\"id\":", "</top>"};
    uint64_t x = 12345;
    for (int round = 0; round < 20000; round++) {
        char text[256];
        size_t n = 0;
        for (int i = 0; i < 24; i++) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            const char *bit = bits[(x >> 33) % (sizeof bits / sizeof bits[0])];
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", bit);
        }
        rp_topics *t = open_bytes(text, n, round % 2 ? "trec" : "jsonl");
        rp_topic topic;
        bool has = true;
        for (size_t k = 0; has && k <= n; k++)
            if (rp_topics_next(t, &topic, &has, NULL) == RP_OK && has)
                assert_true(strlen(topic.query) == topic.query_bytes && *topic.qid);
        assert_false(has);
        rp_topics_close(t);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    rp_topics_close(open_text("{\"query\":\"\\u0061\"}\n"));
    rp_status s = RP_NO_MEMORY;
    for (uint64_t n = 1; s != RP_OK; n++) {
        rp_topics *t = NULL;
        rp_topic topic;
        bool has;
        uint64_t before = rp__alloc_in_use();
        rp__alloc_fail_at(n, true);
        s = rp_topics_open(path, NULL, &t, NULL);
        if (s == RP_OK)
            s = rp_topics_next(t, &topic, &has, NULL);
        rp__alloc_fail_at(0, false);
        assert_true(s == RP_OK || s == RP_NO_MEMORY);
        rp_topics_close(t);
        assert_int_equal(rp__alloc_in_use(), before);
    }
}

static int make_file(void **state)
{
    (void)state;
    return mkstemp(path) >= 0 ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Both lines are named, and reading goes on behind the second. */
static void test_same_qid(void **state)
{
    (void)state;
    rp_topics *t = open_text("1\tone\n2\ttwo\n1\tagain\n3\tthree\n");
    expect(t, "1", "one", 1);
    expect(t, "2", "two", 2);
    expect_fault(t, ":3: topic \"1\" again, which line 1 has");
    expect(t, "3", "three", 4);
    expect_end(t);
    enum { MANY = 5000 }; /* the table of qids grows */
    char *text = malloc(MANY * 16), *to = text;
    for (unsigned i = 0; i < MANY; i++)
        to += sprintf(to, "%u\tx\n", i);
    sprintf(to, "77\tx\n");
    t = open_text(text);
    for (unsigned i = 0; i < MANY; i++) {
        char qid[16];
        snprintf(qid, sizeof qid, "%u", i);
        expect(t, qid, "x", i + 1);
    }
    expect_fault(t, ":5001: topic \"77\" again, which line 78 has");
    rp_topics_close(t);
    free(text);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    rp_topics *t = open_text("\xEF\xBB\xBF"
                             "1\tone\n2\ttwo\n");
    expect(t, "1", "one", 1);
    expect(t, "2", "two", 2);
    expect_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tsv),          cmocka_unit_test(test_pisa),
        cmocka_unit_test(test_jsonl),        cmocka_unit_test(test_trec_open_tags),
        cmocka_unit_test(test_trec_xml),     cmocka_unit_test(test_trec_many),
        cmocka_unit_test(test_trec_unended), cmocka_unit_test(test_open),
        cmocka_unit_test(test_any_bytes),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_same_qid),     cmocka_unit_test(test_byte_order_mark),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
