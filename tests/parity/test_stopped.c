/* test_stopped.c: queries that are stopped on their way through a device, alone and in batches; and whether a batch has
 * ended.
 *
 * An observer of the emulated device stops a query when so many launches, copies and fills have been queued. Wherever that
 * is, the query ends as interrupted, the others are answered as by the cpu, and the lease is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/residency/lease.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { TEXT = 64, K = 10, GROUP = 24, POLLS_MAX = 1 << 20 };

static const char *const codecs[] = {"bp128", "lrc"};

static collection c;

/* ---- When ---------------------------------------------------------------------------------------- */

static _Atomic uint32_t stop;
static uint64_t stop_at, n_queued;

static void count_one(void)
{
    if (++n_queued == stop_at)
        atomic_store(&stop, 1);
}

static void queue_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)kernel, (void)launch;
    count_one();
}

static const rp__emulated_device_watcher watcher = {.queue_launch = queue_launch,
                                                    .queue_copy = count_one};

/* ---- A device ------------------------------------------------------------------------------------ */

typedef struct card {
    const rp__backend *cpu, *gpu;
    void *state;
    rp_searcher *searcher;
    rp__arena arena;
    rp__device device;
    rp__residency *residency;
} card;

static void open_card(card *d, const rp_index *index)
{
    rp_error err = {.text = ""};
    *d = (card){.cpu = rp__backend_find("cpu"), .gpu = rp__backend_find("gpu")};
    rp__emulated_device_watch(&watcher);
    rp__arena_init(&d->arena, (size_t)64 << 20);
    assert_int_equal(
        rp_searcher_new(index, &(rp_search_options){.processor = "cpu"}, &d->searcher, &err),
        RP_OK);
    const rp__segment *segment = d->searcher->index->segment;
    assert_int_equal(d->gpu->attach(segment, &(rp__place){.gpu = "emulated"}, &d->state, &err),
                     RP_OK);
    assert_int_equal(rp__device_open(&d->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__residency_get(&d->device, segment, 0, &d->residency), RP_OK);
}

static void close_card(card *d)
{
    rp__residency_drop(d->residency, &d->device);
    rp__device_close(&d->device);
    d->gpu->detach(d->state);
    rp_searcher_free(d->searcher);
    rp__arena_reset(&d->arena);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp__emulated_device_watch(NULL);
}

static void check_leases(const card *d)
{
    for (const rp__lease *l = d->residency->leases; l; l = l->next)
        assert_true(atomic_load(&l->epoch) == 0 && l->n == 0 && !l->scratch && !l->is_acquiring);
}

/* Until the arena is cleared: the searcher's memory is that of one query. */
static const void *keep(card *d, const void *from, size_t bytes)
{
    void *to = rp__arena_array(&d->arena, bytes, 1);
    assert_non_null(to);
    return memcpy(to, from, bytes);
}

static void bind(card *d, rp_mode mode, uint64_t first, rp__query *query)
{
    rp_error err = {.text = ""};
    char text[TEXT] = "", word[32];
    for (uint64_t i = first; i < first + 3; i++) {
        collection_put_word(word, i);
        strcat(strcat(text, word), " ");
    }
    assert_int_equal(rp__searcher_bind(d->searcher, text, strlen(text), mode, query, &err), RP_OK);
    query->ops = keep(d, query->ops, query->n_ops * sizeof *query->ops);
    query->leaves = keep(d, query->leaves, query->n_leaves * sizeof *query->leaves);
    query->words = keep(d, query->words, query->n_words * sizeof *query->words);
    query->k = K;
    query->exact_total = false;
    query->stop = &stop;
}

static void check_same(card *d, const rp__query *query, const rp__answer *got)
{
    rp_error err;
    rp__answer want;
    rp__query again = *query;
    again.stop = NULL;
    again.exact_total = false;
    assert_int_equal(d->cpu->run(NULL, &again, &d->arena, &want, &err), RP_OK);
    assert_int_equal(got->n, want.n);
    assert_memory_equal(got->at, want.at, want.n * sizeof *want.at);
}

/* ---- Tests --------------------------------------------------------------------------------------- */

static rp_status run_until(card *d, const rp__query *query, uint64_t at, rp__answer *answer)
{
    rp_error err = {.text = ""};
    rp__trace trace = {.n = 0};
    rp__query traced = *query;
    traced.trace = &trace;
    atomic_store(&stop, at == 0);
    stop_at = at;
    n_queued = 0;
    rp_status status = d->gpu->run(d->state, &traced, &d->arena, answer, &err);
    check_leases(d);
    assert_int_equal(trace.n, 1);
    assert_int_equal(trace.elements, status == RP_OK ? answer->postings : 0);
    assert_int_equal(trace.bytes, answer->gpu.uploaded_bytes);
    if (status != RP_OK)
        assert_string_equal(err.text, "the query was stopped");
    return status;
}

/* Stopped at each call, until it ends before that. */
static void single_queries_stop(void **state)
{
    (void)state;
    static const rp_mode modes[] = {RP_MODE_AND, RP_MODE_OR};
    for (size_t i = 0; i < c.n_codecs * 2; i++) {
        card d;
        rp__query query;
        rp__answer answer;
        uint64_t at = 0, n = 0;
        open_card(&d, c.indexes[i / 2]);
        bind(&d, modes[i % 2], 0, &query);
        for (; at <= n; at++) {
            if (run_until(&d, &query, at, &answer) == RP_OK)
                break;
            assert_int_equal(answer.fallback, RP_FALLBACK_NONE);
            n = n_queued > n ? n_queued : n;
        }
        assert_int_equal(run_until(&d, &query, UINT64_MAX, &answer), RP_OK);
        check_same(&d, &query, &answer);
        close_card(&d);
    }
}

static void start_batch(card *d, rp_mode mode, rp__batch_item *asked, void *batch, uint64_t at)
{
    static const _Atomic uint32_t always = 1;
    for (size_t i = 0; i < GROUP; i++) {
        asked[i] = (rp__batch_item){.status = RP_OK};
        bind(d, mode, i % 6, &asked[i].query);
        asked[i].query.stop = i % 3 == 0 ? NULL : i % 3 == 1 ? &always : &stop;
    }
    atomic_store(&stop, at == 0);
    stop_at = at;
    n_queued = 0;
    d->gpu->batch_start(batch, asked, GROUP, &d->arena);
}

/* Each query is asked for by a group of three kinds: never stopped, always, and on the way. */
static void batches_stop(void **state)
{
    (void)state;
    static const rp_mode modes[] = {RP_MODE_AND, RP_MODE_OR};
    for (size_t i = 0; i < c.n_codecs * 2; i++) {
        card d;
        rp_error err = {.text = ""};
        rp__batch_item asked[GROUP];
        void *batch;
        open_card(&d, c.indexes[i / 2]);
        assert_int_equal(d.gpu->batch_new(d.state, &batch, &err), RP_OK);
        for (uint64_t at = 0; at < 8; at++) {
            rp__arena_clear(&d.arena);
            start_batch(&d, modes[i % 2], asked, batch, at);
            for (int polls = 0; modes[i % 2] == RP_MODE_AND && !d.gpu->poll(batch); polls++)
                assert_true(polls < POLLS_MAX);
            d.gpu->batch_finish(batch, asked, GROUP, &d.arena);
            assert_true(d.gpu->poll(batch));
            check_leases(&d);
            for (size_t q = 0; q < GROUP; q++) {
                bool is_stopped = asked[q].status == RP_INTERRUPTED;
                assert_true(is_stopped || asked[q].status == RP_OK);
                assert_true(q % 3 == 2 ? is_stopped || at > 0 : is_stopped == (q % 3 == 1));
                if (!is_stopped)
                    check_same(&d, &asked[q].query, &asked[q].answer);
            }
        }
        d.gpu->batch_free(batch);
        close_card(&d);
    }
}

static int open_collection(void **state)
{
    (void)state;
    collection_draw(&c, &(collection_recipe){"stops", 23, codecs, sizeof codecs / sizeof codecs[0],
                                             2000, 60, 30});
    return 0;
}

static int close_collection(void **state)
{
    (void)state;
    collection_close(&c);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_queries_stop),
        cmocka_unit_test(batches_stop),
    };
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
