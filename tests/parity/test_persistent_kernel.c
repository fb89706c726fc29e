/* test_persistent_kernel.c: the persistent kernel, on an emulated device: every AND of a burst has the cpu's answer, whether it
 * came with a launch or by the door; the kernel leaves when it is told to, when nothing comes, and before launches; and
 * what fails while it is there costs no query.
 * RIPOSTE_GPU_ORDERS: seeds of the order of commands, blocks and threads (2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/exec.h"
#include "base/clock.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { QUERIES = 60, TEXT = 400 };

static const char *const codecs[] = {"auto", "bp128", "bitmap"};
static const size_t ks[] = {1, 10, 1000, 2000, 0};
static collection documents;

static uint64_t orders(void)
{
    const char *text = getenv("RIPOSTE_GPU_ORDERS");
    return text && *text ? strtoul(text, NULL, 10) : 2;
}

static int open_documents(void **state)
{
    (void)state;
    collection_draw(&documents,
                    &(collection_recipe){"a burst", 11, codecs, sizeof codecs / sizeof codecs[0],
                                         5000, 400, 60});
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    return 0;
}

/* ---- A card, and queries ------------------------------------------------------------------------- */

typedef struct card {
    rp_searcher *searcher; /* on the cpu, to bind and to compare with */
    rp__arena arena;
    rp__device device;
    rp__gpu_index index;
    rp__exec query;
    rp__persistent_kernel *resident;
} card;

static void open_card(card *c, size_t codec)
{
    rp_error err = {.text = ""};
    const rp_search_options options = {.processor = "cpu"};
    memset(c, 0, sizeof *c);
    rp__arena_init(&c->arena, (size_t)64 << 20);
    assert_int_equal(rp_searcher_new(documents.indexes[codec], &options, &c->searcher, &err),
                     RP_OK);
    assert_int_equal(rp__device_open(&c->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&c->index, &c->device, c->searcher->index->segment, 0),
                     RP_OK);
    rp__exec_open(&c->query, &c->device, &c->index);
    c->resident = &c->query.single.stage.kernel;
}

static void close_card(card *c)
{
    (void)rp__device_enter(&c->device);
    rp__exec_close(&c->query);
    rp__gpu_index_close(&c->index);
    rp__device_close(&c->device);
    rp_searcher_free(c->searcher);
    rp__arena_reset(&c->arena);
}

static void bind(card *c, rp_mode mode, const char *text, size_t k, rp__query *query)
{
    rp_error err = {.text = ""};
    assert_int_equal(rp__searcher_bind(c->searcher, text, strlen(text), mode, query, &err), RP_OK);
    query->k = k;
    query->exact_total = true;
    rp__arena_clear(&c->arena);
}

static void assert_as_cpu(card *c, const char *text, const rp__query *query, const rp__answer *got)
{
    rp_error err = {.text = ""};
    rp__answer want;
    assert_int_equal(rp__backend_find("cpu")->run(NULL, query, &c->arena, &want, &err), RP_OK);
    bool is_same = got->n == want.n && got->total == want.total;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same)
        fail_msg("k %zu, '%s': %zu hits of %llu, cpu %zu of %llu", query->k, text, got->n,
                 (unsigned long long)got->total, want.n, (unsigned long long)want.total);
}

static void ask(card *c, rp_mode mode, const char *text, size_t k)
{
    rp_error err = {.text = ""};
    rp__query query;
    rp__answer got;
    bind(c, mode, text, k, &query);
    if (query.n_ops == 0)
        return;
    rp_status status = rp__exec_run(&c->query, &query, &c->arena, &got, &err);
    if (status != RP_OK)
        fail_msg("'%s': %s", text, err.text);
    assert_as_cpu(c, text, &query, &got);
}

/* One to eight words, common ones mostly. */
static const char *draw(void)
{
    static char text[TEXT];
    char word[32];
    text[0] = 0;
    for (uint64_t n = 1 + chance_below(8); n > 0; n--) {
        collection_put_word(word, chance_below(3) ? chance_zipf(12) : chance_zipf(400));
        strcat(strcat(text, word), " ");
    }
    return text;
}

static void ask_and(card *c)
{
    ask(c, RP_MODE_AND, draw(), ks[chance_below(3)]);
}

/* ---- Tests --------------------------------------------------------------------------------------- */

/* The first is launched alone, the second brings the kernel, the others ring. */
static void bursts_are_answered(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < orders(); seed++)
        for (size_t i = 0; i < documents.n_codecs; i++) {
            card c;
            rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
            open_card(&c, i);
            ask_and(&c);
            assert_int_equal(c.resident->launch, 0);
            for (size_t n = 0; n < QUERIES; n++)
                ask(&c, RP_MODE_AND, draw(), ks[chance_below(5)]);
            assert_true(c.resident->launch > 0 && c.resident->number > QUERIES / 4);
            close_card(&c);
            assert_int_equal(rp__emulated_device_in_use(), 0);
        }
}

/* Its time is over when some blocks have done their part of a query, and others have not seen it: these come first. */
static void lives_end(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10 * orders(); seed++) {
        card c;
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        open_card(&c, 0);
        for (size_t n = 0; n < 4 * QUERIES; n++)
            ask(&c, RP_MODE_AND, "a b", n % 2 ? 10 : 0);
        assert_true(c.resident->number > QUERIES);
        close_card(&c);
    }
}

/* It leaves by itself, and comes again. */
static void idle_kernels_leave(void **state)
{
    (void)state;
    card c;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 3});
    open_card(&c, 0);
    for (size_t n = 0; n < QUERIES / 2; n++) {
        ask_and(&c);
        ask_and(&c);
        ask_and(&c);
        assert_true(c.resident->is_there);
        assert_int_equal(rp__device_wait_stream(&c.device, c.resident->stream), RP_OK);
        assert_int_equal(c.resident->mailbox->left, c.resident->launch);
    }
    assert_true(c.resident->launch >= QUERIES / 2);
    close_card(&c);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* A query that is rung just as the kernel leaves goes with the next launch. */
static void a_ring_may_come_too_late(void **state)
{
    (void)state;
    card c;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 4});
    open_card(&c, 0);
    for (size_t n = 0; n < QUERIES / 2; n++) {
        rp_error err;
        rp__query query;
        rp__answer got;
        const char *text;
        ask_and(&c);
        ask_and(&c);
        uint32_t launches = c.resident->launch;
        karg_mailbox before = *c.resident->mailbox;
        bind(&c, RP_MODE_AND, text = draw(), 10, &query);
        if (query.n_ops == 0)
            continue;
        assert_int_equal(rp__exec_start(&c.query, &query, &c.arena, &err), RP_OK);
        uint32_t number = c.resident->number;
        if (c.resident->launch == launches &&
            number > 0) { /* nobody has looked yet: it was not rung */
            karg_mailbox rung = *c.resident->mailbox;
            memcpy(c.resident->mailbox->chunks, before.chunks, sizeof before.chunks);
            assert_int_equal(rp__device_wait_stream(&c.device, c.resident->stream), RP_OK);
            memcpy(c.resident->mailbox->chunks, rung.chunks, sizeof rung.chunks);
        }
        assert_int_equal(rp__exec_finish(&c.query, &got, &err), RP_OK);
        assert_as_cpu(&c, text, &query, &got);
    }
    close_card(&c);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Rings have numbers, which begin again before they could be taken for earlier ones. */
static void numbers_begin_again(void **state)
{
    (void)state;
    card c;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 9});
    open_card(&c, 0);
    for (size_t n = 0; n < 4; n++)
        ask_and(&c);
    rp__persistent_kernel_dismiss(c.resident);
    c.resident->number = (1U << 30) - 3;
    for (size_t n = 0; n < QUERIES / 4; n++)
        ask_and(&c);
    assert_true(c.resident->number < QUERIES);
    close_card(&c);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* ORs, and ANDs that do not go by the door, are launched; then it comes back. */
static void launches_go_first(void **state)
{
    (void)state;
    card c;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 5});
    open_card(&c, 0);
    for (size_t n = 0; n < QUERIES; n++) {
        if (chance_below(3)) {
            ask_and(&c);
            continue;
        }
        char text[TEXT], *end = text;
        for (uint64_t word = 0; word < 3; word++, *end++ = ' ') { /* one word alone is an AND */
            collection_put_word(end, word);
            end += strlen(end);
        }
        *end = 0;
        ask(&c, RP_MODE_OR, text, 10);
        assert_false(c.resident->is_there);
    }
    close_card(&c);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* Whoever evicts its scratch waits until it has left: what it stores there is not waited for
 * with an answer. */
static void scratch_is_evicted_behind_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < orders(); seed++) {
        card a, b;
        rp__piece *piece;
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        open_card(&a, 1);
        open_card(&b, 1);
        while (!a.resident->is_there)
            ask_and(&a);
        assert_ptr_equal(a.query.lanes[RP_LANE_SINGLE].lease.kernel_stream, a.resident->stream);
        rp__lease *lease = &b.query.lanes[RP_LANE_SINGLE].lease;
        uint64_t bytes = a.index.residency->heap.bytes;
        rp__lease_acquire(lease);
        for (; a.query.single.stage.scratch.piece && bytes > 0; bytes /= 2)
            while (a.query.single.stage.scratch.piece &&
                   rp__lease_take(lease, bytes, RP_NEED_ALL, 1, 1, &piece) == RP_OK)
                continue;
        assert_null(a.query.single.stage.scratch.piece);
        assert_int_equal(a.resident->mailbox->left, a.resident->launch);
        rp__lease_end(lease);
        for (size_t n = 0; n < QUERIES; n++)
            ask_and(&a);
        close_card(&b);
        close_card(&a);
        assert_int_equal(rp__emulated_device_in_use(), 0);
    }
}

/* Queries that nobody finishes leave nothing behind that counts. */
static void queries_may_be_left(void **state)
{
    (void)state;
    card c;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 6});
    open_card(&c, 1);
    for (size_t n = 0; n < QUERIES; n++) {
        rp_error err;
        rp__query query;
        bind(&c, RP_MODE_AND, draw(), 10, &query);
        assert_int_equal(rp__exec_start(&c.query, &query, &c.arena, &err), RP_OK);
        if (chance_below(2) && c.resident->stream)
            (void)c.device.driver->stream_query(c.resident->stream);
        ask_and(&c);
        ask_and(&c);
    }
    close_card(&c);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* It is there only while one searcher alone uses the card; answers are the same. */
static void searchers_take_turns(void **state)
{
    (void)state;
    card a, b;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = 7});
    open_card(&a, 0);
    open_card(&b, 0);
    const uint64_t now = rp__clock_now() + 1000000000;
    assert_true(rp__device_is_alone(&a.device, now, 100));
    assert_false(rp__device_is_alone(&b.device, now + 50, 100));
    assert_false(rp__device_is_alone(&b.device, now + 150, 100));
    assert_true(rp__device_is_alone(&b.device, now + 151, 100));
    assert_false(rp__device_is_alone(&a.device, now + 152, 100));
    for (size_t n = 0; n < QUERIES; n++)
        ask_and(chance_below(4) ? &a : &b);
    close_card(&a);
    close_card(&b);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* It hangs, or fails, with a query inside: that is found out, no query gets a wrong answer, and the device is lost. */
static void meet(int code)
{
    card c;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    open_card(&c, 1);
    c.device.patience = 20000000;
    for (size_t n = 0; n < 3; n++)
        ask_and(&c);
    assert_true(c.resident->is_there);
    rp__emulated_device_stop(code);
    for (size_t n = 0; n < 3; n++) {
        rp_error err = {.text = ""};
        rp__query query;
        rp__answer got;
        char text[TEXT];
        collection_put_word(text, n);
        bind(&c, RP_MODE_AND, text, 10, &query);
        assert_int_equal(rp__exec_run(&c.query, &query, &c.arena, &got, &err), RP_UNAVAILABLE);
        assert_true(rp__device_is_lost(&c.device));
        assert_true(err.text[0] != 0);
    }
    close_card(&c);
}

static void faults_are_found(void **state)
{
    (void)state;
    meet(0);
    meet(RP_CU_ILLEGAL_ADDRESS);
    meet(RP_CU_LAUNCH_FAILED);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
}

/* The kernel is there, and then some more queries come: how many of them are answered. *calls: before these. */
static size_t ask_some(const rp__emulated_device_options *how, uint64_t *calls)
{
    card c;
    size_t n_answered = 0;
    chance_seed(how->seed);
    rp__emulated_device_configure(how);
    open_card(&c, 0);
    for (size_t n = 0; n < 3; n++)
        ask_and(&c);
    *calls = rp__emulated_device_calls();
    for (size_t n = 0; n < 6; n++) {
        rp_error err;
        rp__query query;
        rp__answer got;
        const char *text = draw();
        bind(&c, n == 3 ? RP_MODE_OR : RP_MODE_AND, text, 10, &query);
        rp_status status = rp__exec_run(&c.query, &query, &c.arena, &got, &err);
        assert_true(status == RP_OK || status == RP_UNAVAILABLE || status == RP_NO_MEMORY);
        if (status == RP_OK)
            assert_as_cpu(&c, text, &query, &got);
        n_answered += status == RP_OK;
    }
    close_card(&c);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return n_answered;
}

/* From the first call on with the kernel there: an answer is the cpu's, or there is none. */
static void every_call_may_fail(void **state)
{
    (void)state;
    size_t n_least = SIZE_MAX, n_most = 0;
    for (uint64_t at = 1; at <= 60; at++) {
        rp__emulated_device_options how = {
            .seed = at % 3, .fail_code = at % 4 ? RP_CU_LAUNCH_FAILED : RP_CU_NO_MEMORY};
        uint64_t calls;
        (void)ask_some(&how, &calls);
        how.fail_at = calls + 1 + at / 3;
        size_t n = ask_some(&how, &calls);
        n_least = n < n_least ? n : n_least;
        n_most = n > n_most ? n : n_most;
    }
    assert_true(n_least < n_most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_are_answered),          cmocka_unit_test(idle_kernels_leave),
        cmocka_unit_test(a_ring_may_come_too_late),     cmocka_unit_test(launches_go_first),
        cmocka_unit_test(queries_may_be_left),          cmocka_unit_test(searchers_take_turns),
        cmocka_unit_test(numbers_begin_again),          cmocka_unit_test(faults_are_found),
        cmocka_unit_test(every_call_may_fail),          cmocka_unit_test(lives_end),
        cmocka_unit_test(scratch_is_evicted_behind_it),
    };
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
