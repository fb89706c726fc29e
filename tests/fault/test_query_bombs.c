/* test_query_bombs.c: queries made to hurt: deep, long, wide, sloppy, huge numbers.
 *
 * Each runs in a thread with a small stack and must end with a message that names the limit or the
 * column, or with an answer, within 8 MiB and a tenth of the work that a query may cost. Queries at the
 * limits, which have real work to do, are answered or refused by the work that they would be. Planted
 * faults: the same harness must notice a query that is not refused, one that takes memory, one that is
 * too much work and one that reads more than its work says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "riposte/riposte.h"
#include "tempdir.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(RP_COVERAGE)
/* A sanitizer's frames are many times larger. */
enum { STACK = 1 << 20 };
#else
enum { STACK = 64 << 10 };
#endif

enum {
    DOCS = 5000,
    THE_IN_LONG_DOC = 100000,
    MEMORY = 8 << 20,
    WORK_MAX = 40000000, /* by default */
    POSTINGS_A_UNIT = 4, /* decoded, at most */
};

typedef struct fixture {
    tempdir dir;
    rp_index *index;
} fixture;

/* ---- The collection: one word everywhere, one document full of it, and many words with 'a' ------ */

static void add_document(rp_builder *b, size_t i, rp__buf *text)
{
    char id[32];
    int n = snprintf(id, sizeof id, "d%zu", i);
    rp_error err = {0};
    if (rp_builder_add(b, id, (size_t)n, "", 0, (const char *)text->at, text->n, &err) != RP_OK)
        fail_msg("%s", err.text);
    text->n = 0;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    rp_builder *b = NULL;
    rp__buf text;
    rp__buf_init(&text);
    assert_int_equal(tempdir_make(&f->dir), 0);
    assert_int_equal(rp_builder_new(tempdir_path(&f->dir, "ix"), NULL, &b, NULL), RP_OK);
    for (size_t i = 0; i < DOCS; i++) {
        for (int j = 0; j < 8; j++)
            rp__buf_put_string(&text, "the ");
        rp__buf_printf(&text, "a%zu ab%zu b%zu", i, i % 1000, i % 7);
        add_document(b, i, &text);
    }
    for (size_t j = 0; j < THE_IN_LONG_DOC; j++)
        rp__buf_put_string(&text, "the b1 b2 b3 b4 ");
    add_document(b, DOCS, &text);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    rp__buf_free(&text);
    assert_int_equal(rp_index_open(tempdir_path(&f->dir, "ix"), NULL, &f->index, NULL), RP_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rp_index_close(f->index);
    tempdir_remove(&f->dir);
    free(f);
    return 0;
}

/* ---- One bomb in one small thread -------------------------------------------------------------- */

typedef struct shot {
    const rp_index *index;
    const char *query;
    size_t bytes;
    rp_search_options options;
    rp_status status;
    rp_error err;
    uint64_t memory, work, postings;
} shot;

static void *fire(void *arg)
{
    shot *s = arg;
    rp_searcher *searcher = NULL;
    rp_hits hits = {0};
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    s->err = (rp_error){0};
    s->status = rp_searcher_new(s->index, &s->options, &searcher, &s->err);
    if (s->status == RP_OK)
        s->status = rp_searcher_search(searcher, s->query, s->bytes, &hits, &s->err);
    s->work = hits.work;
    s->postings = hits.postings;
    rp_hits_free(&hits);
    rp_searcher_free(searcher);
    s->memory = rp__alloc_peak() - before;
    return NULL;
}

static void run_in_small_thread(void *(*fn)(void *), void *arg)
{
    pthread_attr_t attr;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, fn, arg), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
}

/* ---- Bombs ------------------------------------------------------------------------------------- */

/* A query by repeating: head, n times the middle, tail. */
typedef struct bomb {
    const char *name, *head, *middle, *tail;
    size_t n;
    rp_search_options options;
    rp_status status;
    const char *says; /* part of the message */
} bomb;

static char *make_query(const bomb *b, size_t *bytes)
{
    size_t head = strlen(b->head), middle = strlen(b->middle), tail = strlen(b->tail);
    *bytes = head + b->n * middle + tail;
    char *query = malloc(*bytes + 1), *p = query;
    assert_non_null(query);
    p = (char *)memcpy(p, b->head, head) + head;
    for (size_t i = 0; i < b->n; i++)
        p = (char *)memcpy(p, b->middle, middle) + middle;
    memcpy(p, b->tail, tail);
    query[*bytes] = 0;
    return query;
}

#define LONG                                                                                       \
    {                                                                                              \
        .max_query = (size_t)1 << 30                                                               \
    }

static const bomb bombs[] = {
    {"a million parentheses", "", "(", "", 1000000, {0}, RP_LIMIT, "--max-query"},
    {"a million parentheses, any length", "", "(", "", 1000000, LONG, RP_LIMIT, "--max-depth"},
    {"a million pairs", "", "()", "", 500000, LONG, RP_USAGE, "column"},
    {"closing parentheses", "the ", ")", "", 60000, {0}, RP_USAGE, "column 5"},
    {"100,000 terms", "", "the ", "", 100000, {0}, RP_LIMIT, "--max-query"},
    {"100,000 terms, any length", "", "the ", "", 100000, LONG, RP_LIMIT, "--max-terms"},
    {"100,000 terms in AND", "the", " AND the", "", 100000, LONG, RP_LIMIT, "--max-terms"},
    {"every term that begins with a", "a", "", "*", 0, {0}, RP_LIMIT, "--max-expansions"},
    {"many wide prefixes", "", "ab* ", "", 500, {0}, RP_LIMIT, "--max-terms"},
    {"wide prefixes in a tree", "(", "(ab* OR ", "", 31, {0}, RP_USAGE, "column"},
    {"a phrase of 1,000 words", "\"", "the ", "\"", 1000, {0}, RP_LIMIT, "--max-phrase"},
    {"a sloppy phrase of 1,000 words",
     "\"",
     "the ",
     "\"~9999",
     1000,
     {0},
     RP_LIMIT,
     "--max-phrase"},
    {"a phrase of a million words", "\"", "the ", "\"", 1000000, LONG, RP_LIMIT, "--max-phrase"},
    {"a phrase without an end", "\"", "the ", "", 10000, {0}, RP_USAGE, "column 1"},
    {"slop of 1e9", "\"the the\"~1000000000", "", "", 0, {0}, RP_LIMIT, "--max-slop"},
    {"slop of many digits", "\"the the\"~", "9", "", 60000, {0}, RP_LIMIT, "--max-slop"},
    {"k of 2^63", "the", "", "", 0, {.k = (size_t)1 << 63}, RP_LIMIT, "--max-k"},
    {"k of 2^64 - 1", "the", "", "", 0, {.k = SIZE_MAX}, RP_LIMIT, "--max-k"},
    {"k of 2^64 - 1, allowed", "the", "", "", 0, {.k = SIZE_MAX, .max_k = SIZE_MAX}, RP_OK, ""},
    {"boost NaN", "the^NaN", "", "", 0, {0}, RP_USAGE, "column 5"},
    {"boost inf", "the^inf", "", "", 0, {0}, RP_USAGE, "column 5"},
    {"boost 1e308", "the^1e308", "", "", 0, {0}, RP_USAGE, "column 5"},
    {"boost 1e999999999", "the^1e999999999", "", "", 0, {0}, RP_USAGE, "column 5"},
    {"boost of many digits", "the^1", "0", "", 60000, {0}, RP_USAGE, "column 5"},
    {"boost of many decimals", "the^0.", "1", "", 60000, {0}, RP_OK, ""},
    {"boost -1", "the^-1", "", "", 0, {0}, RP_USAGE, "column 5"},
    {"boosts that multiply", "((the^1000000)^1000000)^1000000", "", "", 0, {0}, RP_USAGE, "column"},
    {"largest boost, 100 times", "", "the^1000000 ", "", 100, {0}, RP_OK, ""},
    {"NOT without end", "the ", "NOT ", "the", 15000, {0}, RP_USAGE, "column"},
    {"signs without end", "", "+-", "the", 30000, {0}, RP_USAGE, "column"},
    {"operators alone", "", "AND OR ", "", 9000, {0}, RP_USAGE, "column 1"},
    {"stars", "", "*", "", 60000, {0}, RP_USAGE, "column"},
    {"quotes", "", "\"", "", 60000, {0}, RP_LIMIT, "--max-terms"},
    {"one word of 60,000 letters", "", "x", "", 60000, {0}, RP_OK, ""},
    {"a prefix of 60,000 letters", "", "x", "*", 60000, {0}, RP_OK, ""},
    {"backslashes", "", "\\", "", 60001, {0}, RP_USAGE, "column"},
    {"bytes that are no text", "", "\xFF\xC0", "", 30000, {0}, RP_USAGE, "column 1"},
    {"carets", "the", "^", "", 60000, {0}, RP_USAGE, "column"},
    {"everything at once",
     "((\"",
     "the ",
     "\"~1000000000 OR a*)^1e308 AND \"x\"^NaN",
     900,
     {0},
     RP_LIMIT,
     "--max-slop"},
    {"everything at once, long and deep", "", "(\"the the\"~1000000000 a* ", "", 40000, LONG,
     RP_LIMIT, "--max-slop"},
};

static void judge(const bomb *b, const shot *s, size_t *faults)
{
    bool is_right = s->status == b->status && (s->status == RP_OK || strstr(s->err.text, b->says));
    bool is_cheap = s->memory <= MEMORY && s->work <= WORK_MAX / 10;
    bool is_honest = s->postings <= POSTINGS_A_UNIT * s->work;
    if (is_right && is_cheap && is_honest)
        return;
    ++*faults;
    print_message("%s: %s, work %llu, %llu postings, %llu KiB: %s\n", b->name,
                  rp_status_name(s->status), (unsigned long long)s->work,
                  (unsigned long long)s->postings, (unsigned long long)s->memory >> 10,
                  s->err.text);
}

static void fire_bomb(const fixture *f, const bomb *b, rp_mode mode, shot *s)
{
    *s = (shot){.index = f->index, .options = b->options};
    s->options.mode = mode;
    char *query = make_query(b, &s->bytes);
    s->query = query;
    run_in_small_thread(fire, s);
    free(query);
}

static void test_bombs(void **state)
{
    size_t faults = 0;
    uint64_t worst_work = 0, worst_memory = 0;
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++)
        for (rp_mode mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++) {
            shot s;
            fire_bomb(*state, &bombs[i], mode, &s);
            judge(&bombs[i], &s, &faults);
            worst_work = s.work > worst_work ? s.work : worst_work;
            worst_memory = s.memory > worst_memory ? s.memory : worst_memory;
        }
    print_message("%zu bombs in 3 modes with a stack of %d KiB: work %llu at most, %llu KiB\n",
                  sizeof bombs / sizeof *bombs, STACK >> 10, (unsigned long long)worst_work,
                  (unsigned long long)worst_memory >> 10);
    assert_int_equal(faults, 0);
}

/* ---- At the limits: real work -------------------------------------------------------------------- */

static const bomb heavy[] = {
    {"1,024 times a word in every document", "", "the ", "", 1024, {0}, RP_OK, ""},
    {"all of it in AND", "the", " AND the", "", 1023, {0}, RP_OK, ""},
    {"a prefix of 1,000 terms", "ab*", "", "", 0, {0}, RP_OK, ""},
    {"a phrase of 64", "\"", "the ", "\"", 64, {0}, RP_OK, ""},
    {"a phrase of 64, slop 10,000", "\"", "the ", "\"~10000", 64, {0}, RP_LIMIT, "--max-work"},
    {"80 phrases of 12, slop 10,000",
     "",
     "\"the the the the the the the the the the the the\"~10000 ",
     "",
     80,
     {0},
     RP_LIMIT,
     "--max-work"},
    {"32 deep",
     "((((((((((((((((((((((((((((((((the",
     "",
     "))))))))))))))))))))))))))))))))",
     0,
     {0},
     RP_OK,
     ""},
};

static void test_heavy(void **state)
{
    for (size_t i = 0; i < sizeof heavy / sizeof *heavy; i++) {
        shot s;
        fire_bomb(*state, &heavy[i], RP_MODE_OR, &s);
        print_message("%s: %s, work %llu, %llu postings, %llu KiB\n", heavy[i].name,
                      rp_status_name(s.status), (unsigned long long)s.work,
                      (unsigned long long)s.postings, (unsigned long long)s.memory >> 10);
        if (s.status != heavy[i].status || !strstr(s.err.text, heavy[i].says))
            fail_msg("%s: %s", heavy[i].name, s.err.text);
        assert_true(s.work <= WORK_MAX && s.postings <= POSTINGS_A_UNIT * s.work);
        assert_true(s.memory <= (s.status == RP_OK ? (64 << 20) + MEMORY : MEMORY));
    }
}

/* ---- Other doors: explain and snippet take queries too ------------------------------------------ */

static void *fire_others(void *arg)
{
    shot *s = arg;
    rp_searcher *searcher = NULL;
    rp_explanation e = {0};
    rp_snippet snippet = {0};
    rp_document document = {.id = "x", .title = "", .text = "the text", .text_bytes = 8};
    rp_error err = {0};
    s->status = rp_searcher_new(s->index, &s->options, &searcher, &s->err);
    if (s->status == RP_OK) {
        s->status = rp_searcher_explain(searcher, s->query, s->bytes, 3, &e, &s->err);
        rp_status other =
            rp_searcher_snippet(searcher, s->query, s->bytes, &document, 0, &snippet, &err);
        if (other != s->status)
            s->status = RP_NEGATIVE;
    }
    rp_explanation_free(&e);
    rp_snippet_free(&snippet);
    rp_searcher_free(searcher);
    return NULL;
}

static void test_other_doors(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        shot s = {.index = f->index, .options = bombs[i].options};
        char *query = make_query(&bombs[i], &s.bytes);
        s.query = query;
        run_in_small_thread(fire_others, &s);
        if (s.status != bombs[i].status)
            fail_msg("%s: %s: %s", bombs[i].name, rp_status_name(s.status), s.err.text);
        free(query);
    }
}

/* Explain and snippet refuse what a search refuses: one document can cost as much as a collection. */
static void test_same_work(void **state)
{
    fixture *f = *state;
    rp_searcher *s = NULL;
    rp_explanation e;
    rp_snippet snippet;
    rp_document none = {0};
    rp_error err = {0};
    size_t bytes;
    char *query =
        make_query(&(bomb){.head = "\"", .middle = "the ", .tail = "\"~9999", .n = 64}, &bytes);
    assert_int_equal(rp_searcher_new(f->index, NULL, &s, &err), RP_OK);
    assert_int_equal(rp_searcher_explain(s, query, bytes, DOCS, &e, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "--max-work"));
    assert_int_equal(rp_searcher_snippet(s, query, bytes, &none, 0, &snippet, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "--max-work"));
    rp_searcher_free(s);
    rp_search_options any = {.max_work = UINT64_MAX};
    assert_int_equal(rp_searcher_new(f->index, &any, &s, &err), RP_OK);
    assert_int_equal(rp_searcher_explain(s, query, bytes, 0, &e, &err), RP_OK);
    rp_explanation_free(&e);
    rp_searcher_free(s);
    free(query);
}

/* ---- Planted ------------------------------------------------------------------------------------ */

static void test_planted(void **state)
{
    static const bomb plants[] = {
        {"not refused", "the", "", "", 0, {0}, RP_LIMIT, "--max-terms"},
        {"takes memory",
         "",
         "the ",
         "",
         20000,
         {.max_query = 1 << 20,
          .max_terms = 1 << 20,
          .max_memory = (size_t)1 << 30,
          .max_work = UINT64_MAX},
         RP_OK,
         ""},
    };
    size_t faults = 0;
    for (size_t i = 0; i < 2; i++) {
        shot s;
        fire_bomb(*state, &plants[i], RP_MODE_OR, &s);
        judge(&plants[i], &s, &faults);
    }
    const bomb fine = {.name = "planted", .status = RP_OK, .says = ""};
    judge(&fine, &(shot){.work = 100, .postings = 100 * POSTINGS_A_UNIT}, &faults);
    assert_int_equal(faults, 2);
    judge(&fine, &(shot){.work = 100, .postings = 100 * POSTINGS_A_UNIT + 1}, &faults);
    judge(&fine, &(shot){.work = WORK_MAX / 10 + 1}, &faults);
    assert_int_equal(faults, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bombs),       cmocka_unit_test(test_heavy),
        cmocka_unit_test(test_other_doors), cmocka_unit_test(test_same_work),
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests_name("query bombs", tests, set_up, tear_down);
}
