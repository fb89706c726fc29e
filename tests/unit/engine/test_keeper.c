/* test_keeper.c: a worker that ends is followed by another, at once where it lived for long, later where not. */
#include "engine/keeper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define SECOND UINT64_C(1000000000)

/* ---- A processor that does what it is told --------------------------------------------------------- */

static rp_status attach_and_die(const rp__segment *segment, const rp__place *place, void **state,
                                rp_error *err)
{
    (void)segment, (void)place, (void)state, (void)err;
    raise(SIGKILL);
    return RP_OK;
}

static rp_status attach_badly(const rp__segment *segment, const rp__place *place, void **state,
                              rp_error *err)
{
    (void)segment, (void)place, (void)state;
    return rp__error_set(err, RP_UNAVAILABLE, "no such card");
}

static rp_status attach_well(const rp__segment *segment, const rp__place *place, void **state,
                             rp_error *err)
{
    (void)segment, (void)place, (void)state, (void)err;
    return RP_OK;
}

static rp_status health(void *state, rp_error *err)
{
    (void)state, (void)err;
    return RP_OK;
}

/* ---- Help ------------------------------------------------------------------------------------------ */

static rp__mailbox *box;

static void start(rp__keeper *keeper, rp__backend *backend, uint64_t steady)
{
    rp_error err = {.text = ""};
    box = rp__mailbox_new();
    static rp__gpu_work work;
    work = (rp__gpu_work){.backend = backend, .box = box};
    backend->health = health;
    if (rp__keeper_start(keeper, &work, steady, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static void stop(rp__keeper *keeper)
{
    rp__keeper_stop(keeper);
    rp__mailbox_free(box);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static bool becomes(uint32_t number, rp__phase phase)
{
    for (uint64_t begin = rp__clock_now(); box->phase != (number << 2 | (uint32_t)phase);) {
        if (rp__clock_now() - begin > 60 * SECOND)
            return false;
        rp__clock_sleep(SECOND / 1000);
    }
    return true;
}

/* ---- Tests ----------------------------------------------------------------------------------------- */

static void who_ends_soon_is_followed_later(void **state)
{
    (void)state;
    rp__keeper keeper;
    rp__backend backend = {.attach = attach_and_die};
    uint64_t begin = rp__clock_now();
    start(&keeper, &backend, 60 * SECOND);
    assert_true(becomes(2, RP_PHASE_DOWN));
    assert_true(becomes(3, RP_PHASE_DOWN));
    assert_true(rp__clock_now() - begin >=
                SECOND); /* the delay, which a slow machine only prolongs */
    assert_true(rp__keeper_is_there(&keeper));
    stop(&keeper); /* does not wait until it is time for the next */
}

static void who_lived_long_is_followed_at_once(void **state)
{
    (void)state;
    rp__keeper keeper;
    rp__backend backend = {.attach = attach_and_die};
    start(&keeper, &backend, 1);
    for (uint64_t begin = rp__clock_now(); rp__mailbox_number(box->phase) < 10;)
        assert_true(rp__clock_now() - begin < 60 * SECOND);
    stop(&keeper);
}

static void why_it_cannot_is_told(void **state)
{
    (void)state;
    rp__keeper keeper;
    rp__backend backend = {.attach = attach_badly};
    start(&keeper, &backend, 60 * SECOND);
    assert_true(becomes(2, RP_PHASE_DOWN));
    assert_string_equal(box->fault.text, "no such card");
    assert_int_equal(box->faults, 0);
    stop(&keeper);
}

/* A call ends a worker that is known to be lost, and no other. */
static void a_call_ends_who_is_lost(void **state)
{
    (void)state;
    rp__keeper keeper;
    rp__backend backend = {.attach = attach_well};
    start(&keeper, &backend, 60 * SECOND);
    assert_true(becomes(1, RP_PHASE_READY));
    rp__keeper_call(&keeper);
    rp__clock_sleep(SECOND / 10);
    assert_true(becomes(1, RP_PHASE_READY));
    assert_true(rp__mailbox_lose(box, 1, RP_UNAVAILABLE, "hangs"));
    rp__keeper_call(&keeper);
    assert_true(becomes(2, RP_PHASE_READY));
    assert_int_equal(box->returns, 1);
    stop(&keeper);
    rp__keeper_stop(&(rp__keeper){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_ends_soon_is_followed_later),
        cmocka_unit_test(who_lived_long_is_followed_at_once),
        cmocka_unit_test(why_it_cannot_is_told),
        cmocka_unit_test(a_call_ends_who_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
