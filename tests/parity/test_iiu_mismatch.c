/* test_iiu_mismatch.c: where the simulated machine and the CPU do not find the same documents, the
 * query fails and says so, alone and in a batch. Nobody answers in its place.
 *
 * The fault is planted into what the machine hands over: the program is linked so that the library
 * calls __wrap_rp__machine_results (see the Makefile). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "oracle/chance.h"
#include "oracle/collection.h"
#include "riposte/riposte.h"
#include "sim/sim.h"

static enum { NOTHING, LOST, INVENTED, OUTSIDE, REFUSED } plant;

rp_status __real_rp__machine_results(const rp__machine *machine, const rp__descriptor *descriptor,
                                     const rp__completion *completion, rp__result_slot *dst);
rp_status __wrap_rp__machine_results(const rp__machine *machine, const rp__descriptor *descriptor,
                                     const rp__completion *completion, rp__result_slot *dst);

rp_status __wrap_rp__machine_results(const rp__machine *machine, const rp__descriptor *descriptor,
                                     const rp__completion *completion, rp__result_slot *dst)
{
    rp_status status = __real_rp__machine_results(machine, descriptor, completion, dst);
    const uint64_t n = completion->n_results;
    assert_true(n > 1);
    if (plant == LOST)
        dst[n - 1] = dst[n - 2]; /* a document twice, another one not at all */
    else if (plant == INVENTED)
        for (uint64_t i = 0; i < n; i++)
            dst[i].doc = (uint32_t)i; /* as many, but others */
    else if (plant == OUTSIDE)
        dst[n - 1].doc = UINT32_MAX - 1;
    return plant == REFUSED ? RP_DAMAGED : status;
}

/* ---- Questions ------------------------------------------------------------------------------- */

enum { IN_BATCH = 3 };

static collection c;
static char query[64];

static int open_index(void **state)
{
    static const char *const codecs[] = {"iiu"};
    const collection_recipe recipe = {"synthetic", 5, codecs, 1, 3000, 400, 20};
    char words[2][24];
    (void)state;
    collection_draw(&c, &recipe);
    collection_put_word(words[0], 0);
    collection_put_word(words[1], 1);
    snprintf(query, sizeof query, "%s %s", words[0], words[1]);
    return 0;
}

static int close_index(void **state)
{
    (void)state;
    plant = NOTHING;
    collection_close(&c);
    return 0;
}

static rp_searcher *open_searcher(const char *variant, rp_mode mode)
{
    const rp_search_options options = {
        .processor = "iiu", .variant = variant, .mode = mode, .k = 10};
    rp_searcher *searcher;
    rp_error err;
    assert_int_equal(rp_searcher_new(c.indexes[0], &options, &searcher, &err), RP_OK);
    return searcher;
}

/* Both ways to ask; `want` is in the message, NULL: there is an answer. */
static void ask(const char *variant, rp_mode mode, const char *want)
{
    rp_searcher *searcher = open_searcher(variant, mode);
    rp_batch_query queries[IN_BATCH];
    rp_batch_report report;
    rp_hits hits;
    rp_error err = {.text = ""};
    rp_status status = rp_searcher_search(searcher, query, strlen(query), &hits, &err);
    assert_int_equal(status, want ? RP_DAMAGED : RP_OK);
    assert_true(!want || strstr(err.text, want));
    rp_hits_free(&hits);
    for (size_t i = 0; i < IN_BATCH; i++)
        queries[i] = (rp_batch_query){.query = query, .query_bytes = strlen(query)};
    status = rp_searcher_batch(searcher, queries, IN_BATCH, NULL, &report, &err);
    assert_int_equal(status, RP_OK);
    for (size_t i = 0; i < IN_BATCH; i++) {
        assert_int_equal(queries[i].status, want ? RP_DAMAGED : RP_OK);
        assert_true(!want || strstr(queries[i].err.text, want));
        assert_true(!want || queries[i].hits.n == 0);
        rp_hits_free(&queries[i].hits);
    }
    rp_searcher_free(searcher);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void sound_machines_answer(void **state)
{
    (void)state;
    plant = NOTHING;
    ask("lucene", RP_MODE_OR, NULL);
    ask("lucene", RP_MODE_AND, NULL);
    ask("iiu", RP_MODE_OR, NULL);
}

static void a_lost_document_fails(void **state)
{
    (void)state;
    plant = LOST;
    ask("lucene", RP_MODE_OR, "the iiu found");
    ask("lucene", RP_MODE_AND, "the iiu found");
    ask("lucene", RP_MODE_ANDOR, "the iiu found");
}

static void other_documents_fail(void **state)
{
    (void)state;
    plant = INVENTED;
    ask("lucene", RP_MODE_OR, "of them are the same");
    ask("lucene", RP_MODE_AND, "of them are the same");
}

/* Under its own ranking nobody compares, but the docids are checked. */
static void documents_that_are_none_fail(void **state)
{
    (void)state;
    plant = OUTSIDE;
    ask("lucene", RP_MODE_OR, "documents that the index does not have");
    ask("iiu", RP_MODE_OR, "documents that the index does not have");
}

static void operations_that_fail_name_the_reason(void **state)
{
    (void)state;
    plant = REFUSED;
    ask("lucene", RP_MODE_OR, "the iiu did not answer");
    ask("iiu", RP_MODE_AND, "the iiu did not answer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_machines_answer),
        cmocka_unit_test(a_lost_document_fails),
        cmocka_unit_test(other_documents_fail),
        cmocka_unit_test(documents_that_are_none_fail),
        cmocka_unit_test(operations_that_fail_name_the_reason),
    };
    return cmocka_run_group_tests(tests, open_index, close_index);
}
