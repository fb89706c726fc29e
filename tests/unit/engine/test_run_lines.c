/* test_run_lines.c: lines of a run are those that printf makes. */
#include "engine/run_lines.h"

#include "base/random.h"
#include "engine/docnos.h"
#include "unit/files.h"

enum { MAX_NAME = 40, MAX_HITS = 12, LINE_BYTES = 1024 };

static bool plain_name(char *to, const char *name)
{
    bool is_altered = false;
    for (; *name; name++, to++) {
        *to = rp__docnos_byte(*name);
        is_altered = is_altered || *to != *name;
    }
    *to = 0;
    return is_altered;
}

/* The plain way to the same lines. */
static bool plain_lines(char *to, const rp__run_lines_form *form, const rp_run_answer *a)
{
    char qid[MAX_NAME + 1], docno[MAX_NAME + 1];
    bool is_altered = false;
    *to = 0;
    plain_name(qid, a->qid);
    for (size_t i = 0; i < a->hits->n; i++) {
        const rp_hit *hit = &a->hits->at[i];
        is_altered = plain_name(docno, hit->name) || is_altered;
        to += form->format == RP_RUN_TREC
                  ? sprintf(to, "%s Q0 %s %zu %.7f %s\n", qid, docno, i + 1, hit->score, form->tag)
                  : sprintf(to, "%s\t%s\t%zu\n", qid, docno, i + 1);
    }
    return is_altered;
}

static void expect_same(const rp_run_answer *a, const char *tag)
{
    static char want[MAX_HITS * LINE_BYTES];
    for (int format = RP_RUN_TREC; format <= RP_RUN_MSMARCO; format++) {
        const rp__run_lines_form form = {(rp_run_format)format, tag, strlen(tag)};
        const bool want_altered = plain_lines(want, &form, a);
        bool is_altered = false;
        rp__buf lines;
        rp__buf_init(&lines);
        rp__buf_put_string(&lines, "before\n");
        rp__run_lines_put(&lines, &form, a, &is_altered);
        rp__buf_put_byte(&lines, 0);
        assert_false(lines.failed);
        assert_memory_equal(lines.at, "before\n", 7);
        assert_string_equal((const char *)lines.at + 7, want);
        assert_int_equal(is_altered, want_altered);
        rp__buf_free(&lines);
    }
}

static rp_hit hit_of(uint32_t fixed, int32_t bits, const char *name)
{
    return (rp_hit){
        .fixed = fixed, .score = (double)fixed / (double)(UINT64_C(1) << bits), .name = name};
}

/* Every byte in every place of an id and of a qid of any length. */
static void test_names(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 19; n++)
        for (size_t at = 0; at < (n > 0 ? n : 1); at++)
            for (int byte = 1; byte < 256; byte++) {
                char name[MAX_NAME + 1] = {0};
                memset(name, 'a', n);
                name[at] = n > 0 ? (char)byte : 0;
                rp_hit hit = hit_of(1, 24, name);
                const rp_hits hits = {.n = 1, .at = &hit, .fraction_bits = 24};
                expect_same(&(rp_run_answer){n > 0 ? name : "1", &hits}, "tag");
            }
}

static void test_scores(void **state)
{
    (void)state;
    static const uint32_t often[] = {0,         1,          2,          3,          (1u << 24) - 1,
                                     1u << 24,  0x80000001, 0x0FFFFFFF, 0x7FFFFFFF, 0xFFFFFFFF,
                                     167772160, 1677721600};
    rp__random random;
    rp__random_init(&random, 20261120);
    for (int32_t bits = 0; bits <= 33; bits++)
        for (size_t round = 0; round < 4000; round++) {
            const uint32_t drawn = (uint32_t)rp__random_next(&random) >> round % 32;
            const bool is_drawn = round >= sizeof often / sizeof *often;
            rp_hit hit = hit_of(is_drawn ? drawn : often[round], bits, "doc-1");
            const rp_hits hits = {.n = 1, .at = &hit, .fraction_bits = bits};
            expect_same(&(rp_run_answer){"q", &hits}, "riposte");
        }
}

/* Lines of any length behind each other, shorter and longer than the words that they are made of. */
static void test_many(void **state)
{
    (void)state;
    rp__random random;
    rp__random_init(&random, 7);
    for (size_t round = 0; round < 5000; round++) {
        char names[MAX_HITS][MAX_NAME + 1], qid[MAX_NAME + 1] = {0};
        rp_hit hits[MAX_HITS];
        const size_t n = rp__random_next(&random) % (MAX_HITS + 1);
        memset(qid, 'q', rp__random_next(&random) % MAX_NAME);
        for (size_t i = 0; i < n; i++) {
            const size_t bytes = rp__random_next(&random) % MAX_NAME;
            for (size_t j = 0; j < bytes; j++)
                names[i][j] = (char)('!' + rp__random_next(&random) % 93);
            names[i][bytes] = 0;
            hits[i] = hit_of((uint32_t)rp__random_next(&random), 24, names[i]);
        }
        const rp_hits all = {.n = n, .at = hits, .fraction_bits = 24};
        expect_same(&(rp_run_answer){qid, &all}, round % 2 ? "t" : "a-tag-of-some-length");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
