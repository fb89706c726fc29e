/* test_split.c: a query on several threads has the answer that it has on one, ties and totals included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riposte/index.h"
#include "riposte/search.h"

enum { DOCS = 250000 }; /* lists long enough to be worth splitting */

static char dir[] = "/tmp/riposte-split-XXXXXX";
static rp_index *built;

/* Few words and lengths, so that thousands of documents tie. */
static int build(void **state)
{
    (void)state;
    rp_error err;
    rp_builder *builder;
    char text[64], id[16];
    if (!mkdtemp(dir) || rp_builder_new(dir, NULL, &builder, &err) != RP_OK)
        return -1;
    for (uint32_t d = 0; d < DOCS; d++) {
        uint32_t h = d * 2654435761U >> 8;
        snprintf(id, sizeof id, "d%u", d);
        snprintf(text, sizeof text, "all %s%s%s%s", h % 2 ? "half half " : "rest ",
                 h % 3 ? "most " : "", h % 50 ? "" : "few ", d > DOCS - 9 ? "end" : "");
        if (rp_builder_add(builder, id, strlen(id), "", 0, text, strlen(text), &err) != RP_OK)
            return -1;
    }
    if (rp_builder_finish(builder, NULL, &err) != RP_OK)
        return -1;
    rp_builder_free(builder);
    return rp_index_open(dir, NULL, &built, &err) == RP_OK ? 0 : -1;
}

static int remove_index(void **state)
{
    (void)state;
    char command[80];
    rp_index_close(built);
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

static void ask(const char *query, rp_search_options options, size_t threads, rp_hits *hits)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    options.threads = threads;
    assert_int_equal(rp_searcher_new(built, &options, &searcher, &err), RP_OK);
    for (int again = 0; again < 2; again++) {
        if (again)
            rp_hits_free(hits);
        if (rp_searcher_search(searcher, query, strlen(query), hits, &err) != RP_OK)
            fail_msg("%s on %zu threads: %s", query, threads, err.text);
    }
    rp_searcher_free(searcher);
}

static void threads_change_no_answer(void **state)
{
    (void)state;
    static const char *const queries[] = {"all half most",         "all all all few",
                                          "half most few end all", "all all all -half",
                                          "+all +all +most few",   "\"all half\" most all",
                                          "h* most all",           "all all rest"};
    for (size_t q = 0; q < sizeof queries / sizeof queries[0]; q++)
        for (int mode = RP_MODE_OR; mode <= RP_MODE_ANDOR; mode++)
            for (size_t k = 1; k <= 1000; k *= 10) {
                rp_search_options o = {.k = k, .mode = (rp_mode)mode, .total = RP_TOTAL_EXACT};
                rp_hits want, got;
                ask(queries[q], o, 1, &want);
                for (size_t threads = 2; threads <= 5; threads += 3) {
                    ask(queries[q], o, threads, &got);
                    assert_int_equal(got.n, want.n);
                    assert_int_equal(got.total, want.total);
                    assert_true(got.total_is_exact);
                    for (size_t i = 0; i < got.n; i++) {
                        assert_int_equal(got.at[i].docid, want.at[i].docid);
                        assert_int_equal(got.at[i].fixed, want.at[i].fixed);
                    }
                    rp_hits_free(&got);
                }
                rp_hits_free(&want);
            }
}

static void limits_hold_over_all_threads(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    rp_hits hits;
    rp_search_options o = {.threads = 3, .max_work = 1000};
    assert_int_equal(rp_searcher_new(built, &o, &searcher, &err), RP_OK);
    assert_int_equal(rp_searcher_search(searcher, "all half most", 13, &hits, &err), RP_LIMIT);
    assert_non_null(strstr(err.text, "1000"));
    rp_searcher_free(searcher);
    o = (rp_search_options){.threads = 100000};
    assert_int_equal(rp_searcher_new(built, &o, &searcher, &err), RP_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_answer),
        cmocka_unit_test(limits_hold_over_all_threads),
    };
    return cmocka_run_group_tests(tests, build, remove_index);
}
