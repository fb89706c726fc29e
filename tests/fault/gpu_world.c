/* gpu_world.c: see gpu_world.h. */
#include "fault/gpu_world.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fault/planted_gpu.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

static collection small;
static char text[256]; /* a query whose words many documents have */
static rp_hits want;   /* its answer, by the cpu */

const rp_index *gpu_world_index(void)
{
    return small.indexes[0];
}

bool gpu_world_is_small(void)
{
    return small.o != NULL;
}

const char *gpu_world_query(void)
{
    return text;
}

double gpu_world_seconds(uint64_t since)
{
    return (double)(rp__clock_now() - since) / 1e9;
}

size_t gpu_world_descriptors(void)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* ---- Searchers ----------------------------------------------------------------------------------- */

rp_status gpu_world_try(rp_search_options options, rp_searcher **out, rp_error *err)
{
    options.mode = options.mode ? options.mode : RP_MODE_AND;
    options.total = RP_TOTAL_EXACT;
    options.gpu = options.gpu ? options.gpu : planted_gpu_name();
    return rp_searcher_new(small.indexes[0], &options, out, err);
}

rp_searcher *gpu_world_searcher(rp_search_options options)
{
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    if (gpu_world_try(options, &searcher, &err) != RP_OK)
        fail_msg("%s", err.text);
    return searcher;
}

/* Frees them. Whose they are. */
static const char *check_hits(const rp_searcher *searcher, rp_status status, rp_hits *hits,
                              const rp_error *err)
{
    if (status != RP_OK)
        fail_msg("%s", err->text);
    const char *processor = hits->processor;
    bool is_asked = gpu_world_state(searcher).is_asked;
    assert_int_equal(hits->fallback != RP_FALLBACK_NONE, is_asked && !strcmp(processor, "cpu"));
    assert_int_equal(hits->total, want.total);
    assert_int_equal(hits->n, want.n);
    for (size_t i = 0; i < want.n; i++) {
        assert_int_equal(hits->at[i].docid, want.at[i].docid);
        assert_int_equal(hits->at[i].fixed, want.at[i].fixed);
    }
    rp_hits_free(hits);
    return processor;
}

const char *gpu_world_search(rp_searcher *searcher)
{
    rp_hits hits;
    rp_error err = {.text = ""};
    rp_status status = rp_searcher_search(searcher, text, strlen(text), &hits, &err);
    return check_hits(searcher, status, &hits, &err);
}

size_t gpu_world_batch(rp_searcher *searcher, size_t n, size_t threads)
{
    rp_batch_query *queries = calloc(n, sizeof *queries);
    rp_batch_options options = {.threads = threads, .elements = 1000};
    rp_error err = {.text = ""};
    size_t by_gpu = 0;
    for (size_t i = 0; i < n; i++)
        queries[i] = (rp_batch_query){.query = text, .query_bytes = strlen(text)};
    if (rp_searcher_batch(searcher, queries, n, &options, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++)
        by_gpu += !strcmp(
            check_hits(searcher, queries[i].status, &queries[i].hits, &queries[i].err), "gpu");
    free(queries);
    return by_gpu;
}

rp_gpu_state gpu_world_state(const rp_searcher *searcher)
{
    rp_gpu_state out;
    rp_searcher_get_gpu_state(searcher, &out);
    return out;
}

/* ---- The index ----------------------------------------------------------------------------------- */

static void make_small(void)
{
    char word[32];
    chance_seed(4);
    collection_add_codec(&small, "bp128");
    collection_fill(&small, 700, 40, 12);
    collection_end(&small);
    text[0] = 0;
    for (uint64_t i = 0; i < 3; i++) {
        collection_put_word(word, i);
        strcat(strcat(text, word), " ");
    }
}

int gpu_world_open(void **state)
{
    (void)state;
    const char *folder = getenv("RIPOSTE_GPU_INDEX"), *query = getenv("RIPOSTE_GPU_QUERY");
    rp_error err = {.text = ""};
    small = (collection){.name = "small", .stem = "none", .stop = "none"};
    snprintf(text, sizeof text, "%s", query ? query : "");
    if (!folder)
        make_small();
    else if (rp_index_open(folder, NULL, &small.indexes[0], &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_searcher *searcher = gpu_world_searcher((rp_search_options){.processor = "cpu"});
    if (rp_searcher_search(searcher, text, strlen(text), &want, &err) != RP_OK || want.n == 0)
        fail_msg("'%s' has no answer: %s", text, err.text);
    rp_searcher_free(searcher);
    return 0;
}

int gpu_world_close(void **state)
{
    (void)state;
    rp_hits_free(&want);
    if (small.o)
        collection_close(&small);
    else
        rp_index_close(small.indexes[0]);
    return 0;
}
