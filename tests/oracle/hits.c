/* hits.c: what the cpu finds. */
#include "oracle/hits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

rp_hits hits_of_cpu(const rp_index *index, const char *text, rp_mode mode, size_t k)
{
    rp_error err = {.text = ""};
    rp_searcher *cpu;
    rp_hits hits;
    const rp_search_options options = {
        .mode = mode, .k = k, .total = RP_TOTAL_EXACT, .processor = "cpu"};
    assert_int_equal(rp_searcher_new(index, &options, &cpu, &err), RP_OK);
    if (rp_searcher_search(cpu, text, strlen(text), &hits, &err) != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    rp_searcher_free(cpu);
    return hits;
}

bool hits_are_same(const rp_hits *a, const rp_hits *b)
{
    bool is_same = a->n == b->n;
    for (size_t i = 0; is_same && i < b->n; i++)
        is_same = a->at[i].docid == b->at[i].docid && a->at[i].fixed == b->at[i].fixed &&
                  strcmp(a->at[i].name, b->at[i].name) == 0;
    return is_same;
}
