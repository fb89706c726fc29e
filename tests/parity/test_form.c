/* test_form.c: what a processor says that it would do for a query, beside what it then does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "engine/searcher.h"
#include "index/segment.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum {
    QUERIES = 24,
    K = 10,
    SMALL =
        144
        << 10, /* bytes of device memory, beside a half of the lists, in which lists come and go */
    STAGED = 1024, /* bytes that a query may upload beside lists, a list */
};

static const char *const codecs[] = {"auto", "bp128", "lrc", "rice", "bitmap", "iiu"};
static const char *const texts[] = {"a",    "a b", "a b c", "\"a b\"",
                                    "a -b", "zzz", "c zzz", "f g h b"};

static collection c;

typedef struct asker {
    const rp__backend *on;
    void *state;
    rp_searcher *searcher;
    rp__arena arena;
} asker;

static void open_asker(asker *a, const char *name, const rp_index *index, bool is_small)
{
    rp_error err = {.text = ""};
    rp__place place = {.gpu = "emulated"};
    *a = (asker){.on = rp__backend_find(name)};
    rp__arena_init(&a->arena, (size_t)64 << 20);
    assert_int_equal(
        rp_searcher_new(index, &(rp_search_options){.processor = "cpu"}, &a->searcher, &err),
        RP_OK);
    const rp__segment *segment = a->searcher->index->segment;
    place.gpu_memory = is_small ? SMALL + segment->lists_bytes / 2 : 0;
    if (a->on->attach)
        assert_int_equal(a->on->attach(segment, &place, &a->state, &err), RP_OK);
}

static void close_asker(asker *a)
{
    if (a->on->detach)
        a->on->detach(a->state);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    rp_searcher_free(a->searcher);
    rp__arena_reset(&a->arena);
}

static void find_form(asker *a, const rp__query *query, rp_form *form)
{
    rp_error err = {.text = ""};
    uint64_t calls = rp__emulated_device_calls();
    assert_int_equal(a->on->form(a->state, query, &a->arena, form, &err), RP_OK);
    assert_int_equal(rp__emulated_device_calls(), calls); /* nothing was asked of the device */
    assert_string_equal(form->processor, a->on->name);
}

/* Steps are taken where the form says so. */
static void check_steps(asker *a, const rp__query *query, const rp_form *form)
{
    rp_error err = {.text = ""};
    void *run;
    rp_status status = a->on->steps->open(a->state, query, &a->arena, &run, &err);
    assert_int_equal(status, form->can_step ? RP_OK : RP_UNAVAILABLE);
    if (status == RP_OK)
        a->on->steps->close(run);
}

static void check_query(asker *a, const char *text, rp_mode mode, bool is_small)
{
    rp_error err = {.text = ""};
    rp__query query;
    rp__answer answer;
    rp_form before, after;
    assert_int_equal(rp__searcher_bind(a->searcher, text, strlen(text), mode, &query, &err), RP_OK);
    if (query.n_ops == 0)
        return;
    query.k = K;
    query.exact_total = chance_below(2);
    find_form(a, &query, &before);
    check_steps(a, &query, &before);
    rp_status status = a->on->run(a->state, &query, &a->arena, &answer, &err);
    assert_true((status == RP_OK) == (before.row != NULL) || answer.fallback == RP_FALLBACK_MEMORY);
    if (status != RP_OK) {
        assert_true(answer.fallback == before.fallback || is_small);
        return;
    }
    find_form(a, &query, &after);
    assert_true(before.lists <= query.n_words && before.shortest <= before.postings);
    assert_true(answer.gpu.uploaded_bytes <= before.upload_bytes + STAGED * (before.lists + 1));
    if (is_small)
        return;
    assert_int_equal(answer.gpu.transcoded_postings, before.transcode_postings);
    assert_int_equal(after.upload_bytes + after.transcode_postings, 0);
    assert_true(after.resident_bytes >= before.resident_bytes);
}

static void ask_all(const char *name, const rp_index *index, bool is_small)
{
    asker a;
    open_asker(&a, name, index, is_small);
    for (size_t i = 0; i < QUERIES; i++) {
        rp__arena_clear(&a.arena);
        check_query(&a, texts[i % (sizeof texts / sizeof texts[0])],
                    i % 3 ? RP_MODE_AND : RP_MODE_OR, is_small);
    }
    close_asker(&a);
}

static void forms_foretell(void **state)
{
    (void)state;
    for (size_t i = 0; i < c.n_codecs; i++) {
        ask_all("cpu", c.indexes[i], false);
        ask_all("gpu", c.indexes[i], false);
        ask_all("gpu", c.indexes[i], true);
    }
}

static void rows_have_names(void **state)
{
    (void)state;
    static const struct {
        const char *processor, *text;
        rp_mode mode;
        bool exact_total;
        const char *row;
    } cases[] = {
        {"cpu", "a b", RP_MODE_AND, true, "and"},
        {"cpu", "a b", RP_MODE_OR, true, "passes"},
        {"gpu", "a b", RP_MODE_AND, true, "and-persistent"},
        {"gpu", "a b", RP_MODE_OR, true, "or-maxscore"},
        {"gpu", "a b", RP_MODE_OR, false, "or-maxscore"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        asker a;
        rp_error err;
        rp__query query;
        rp_form form;
        open_asker(&a, cases[i].processor, c.indexes[0], false);
        assert_int_equal(rp__searcher_bind(a.searcher, cases[i].text, strlen(cases[i].text),
                                           cases[i].mode, &query, &err),
                         RP_OK);
        query.exact_total = cases[i].exact_total;
        find_form(&a, &query, &form);
        assert_string_equal(form.row, cases[i].row);
        close_asker(&a);
    }
}

static int open_collection(void **state)
{
    (void)state;
    collection_draw(&c, &(collection_recipe){"forms", 29, codecs, sizeof codecs / sizeof codecs[0],
                                             4000, 60, 40});
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
        cmocka_unit_test(forms_foretell),
        cmocka_unit_test(rows_have_names),
    };
    return cmocka_run_group_tests(tests, open_collection, close_collection);
}
