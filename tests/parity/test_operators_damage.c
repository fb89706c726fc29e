/* test_operators_damage.c: queries by operators over damaged lists, on the emulated device: an answer is the cpu's, or
 * the list is refused. Every codec by every row that reads it; auxiliary data; lists that another searcher finds damaged.
 * With RIPOSTE_THOROUGH=1 more rounds, of which SHARD=i/n has a share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/operators/operator_table.h"
#include "oracle/chance.h"
#include "parity/operators_card.h"
#include "parity/shard.h"

enum {
    ROUNDS_QUICK = 3, /* of damage, in each codec, in `make test`; and of all shards together */
    ROUNDS = 200,
};

/* ---- Damage -------------------------------------------------------------------------------------- */

static FILE *open_lists(const char *codec)
{
    char path[320];
    glob_t found;
    operators_path(path, sizeof path - 16, codec);
    strcat(path, "/lists.*.rp");
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    FILE *file = fopen(found.gl_pathv[0], "r+b");
    globfree(&found);
    assert_non_null(file);
    return file;
}

static void flip(FILE *file, long at, int by)
{
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    fputc(byte ^ by, file);
    assert_int_equal(fflush(file), 0);
}

/* Some bytes of the lists of an index are others. */
static void damage(const char *codec)
{
    FILE *file = open_lists(codec);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const uint64_t n = (uint64_t)ftell(file);
    for (uint64_t i = 1 + chance_below(6); i > 0; i--) {
        const long at = (long)chance_below(n);
        flip(file, at, chance_below(3) ? 1 << chance_below(8) : 255);
    }
    assert_int_equal(fclose(file), 0);
}

/* An answer is the cpu's; else a list is damaged. The cpu ranks all: it would pass over documents by bounds of blocks, which
 * operators do not read and nobody but `check` finds damaged. */
static void ask_damaged(operators_card *d, const char *spec, rp_mode mode, size_t *n_refused)
{
    rp_error err = {.text = ""};
    rp__query query;
    rp__answer got;
    for (size_t q = 0; q < OPERATORS_QUERIES; q++) {
        rp__arena_clear(&d->arena);
        if (rp__searcher_bind(d->searcher, operators_queries[q], strlen(operators_queries[q]), mode,
                              &query, &err))
            continue;
        query.exact_total = true;
        rp__query plain = query;
        plain.k = OPERATORS_DOCS;
        query.algorithm = spec;
        rp_status status = rp__exec_run(&d->exec, &query, &d->arena, &got, &err);
        *n_refused += status != RP_OK;
        if (status == RP_OK)
            operators_compare(d, spec, &plain, query.k, operators_queries[q], &got);
        else if (got.fallback != RP_FALLBACK_DAMAGED)
            fail_msg("%s%s, %s, '%s': %s", operators_damaged, operators_codec_of(&plain), spec,
                     operators_queries[q], rp_fallback_text(got.fallback));
    }
}

static const rp__operator *draw_row(rp__operator_phase phase)
{
    size_t n = 0;
    while (rp__operator_table_at(phase, n))
        n++;
    return rp__operator_table_at(phase, chance_below(n));
}

/* Scores and selections by chance, of which `lookup` answers no OR. */
static void ask_damaged_row(operators_card *d, const char *option, const char *name,
                            size_t *n_refused)
{
    char spec[OPERATORS_SPEC];
    const rp__operator *score = draw_row(RP_PHASE_SCORE), *select = draw_row(RP_PHASE_SELECT);
    snprintf(spec, sizeof spec, "operators:%s=%s,score=%s,select=%s,mode=%s", option, name,
             score->name, select->name, chance_below(2) ? "stepped" : "chained");
    if (operators_can(d, spec, 10))
        ask_damaged(d, spec, RP_MODE_AND, n_refused);
}

static void ask_damaged_rows(operators_card *d, size_t *n_refused)
{
    const rp__operator *row;
    char spec[OPERATORS_SPEC];
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_INTERSECT, i)); i++)
        ask_damaged_row(d, "intersect", row->name, n_refused);
    for (size_t i = 0; (row = rp__operator_table_at(RP_PHASE_DECODE, i)); i++)
        if (row->codec)
            ask_damaged_row(d, "decode", row->name, n_refused);
    ask_damaged(d, "operators", RP_MODE_OR, n_refused);
    snprintf(spec, sizeof spec, "operators:select=%s", draw_row(RP_PHASE_SELECT)->name);
    ask_damaged(d, spec, RP_MODE_OR, n_refused);
}

/* Rounds begin with numbers of their own, so that one that fails can be run alone. */
static void damage_codec(const char *codec, size_t round, size_t *n_refused)
{
    operators_card d;
    operators_configure(round);
    chance_seed(round);
    operators_recode(codec, round % 2 ? "none" : "lr,hs16,hs64,hs256");
    damage(codec);
    snprintf(operators_damaged, sizeof operators_damaged, "round %zu: ", round);
    if (!operators_open_index(&d, codec, 0))
        return;
    ask_damaged_rows(&d, n_refused);
    operators_close_card(&d);
}

static void damaged_lists_are_never_wrong(void **state)
{
    (void)state;
    const shard s = shard_here();
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    const size_t from = is_thorough ? (size_t)ROUNDS * s.i / s.n : 0,
                 to = is_thorough ? (size_t)ROUNDS * (s.i + 1) / s.n : ROUNDS_QUICK;
    const char *codec;
    size_t n_refused = 0;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++)
        for (size_t round = from; round < to; round++)
            damage_codec(codec, round, &n_refused);
    operators_damaged[0] = 0;
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 0);
}

/* ---- Damage that others find --------------------------------------------------------------------- */

static const operators_card *searched;
static const rp__term *found_damaged;

/* Another searcher's launch has checked the list, while this one's lists are on their way. */
static void find_damaged(void)
{
    if (found_damaged)
        rp__list_checks_keep(searched->there.residency, found_damaged, RP_VERDICT_DAMAGED);
}

static const rp__emulated_device_watcher other = {.queue_copy = find_damaged};

static const rp__term *longest_of(const rp__query *query)
{
    const rp__term *longest = &query->words[0].term;
    for (size_t i = 1; i < query->n_words; i++)
        longest = query->words[i].term.df > longest->df ? &query->words[i].term : longest;
    return longest;
}

/* The launch began when nobody had checked the list, and must not read it as one that was found sound. */
static void lists_that_others_find_damaged_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        rp_mode mode;
        bool exact_total;
    } rows[] = {{NULL, RP_MODE_AND, true},
                {NULL, RP_MODE_OR, true},
                {NULL, RP_MODE_OR, false},
                {"operators:intersect=bp128", RP_MODE_AND, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        operators_card d;
        rp_error err = {.text = ""};
        rp__query query;
        rp__answer got;
        operators_configure(5);
        rp__emulated_device_watch(&other);
        operators_recode("bp128", "none");
        assert_true(operators_open_index(&d, "bp128", OPERATORS_SMALL));
        for (size_t q = OPERATORS_QUERIES;
             q-- > 0;) { /* the first one of other lists: it brings the norms */
            operators_bind(&d, operators_queries[q], rows[i].mode, 10, &query);
            query.algorithm = rows[i].spec;
            query.exact_total = rows[i].exact_total;
            found_damaged = q == 0 ? longest_of(&query) : NULL;
            searched = &d;
            assert_int_equal(rp__exec_run(&d.exec, &query, &d.arena, &got, &err),
                             q == 0 ? RP_UNAVAILABLE : RP_OK);
        }
        assert_int_equal(got.fallback, RP_FALLBACK_DAMAGED);
        found_damaged = NULL;
        operators_close_card(&d);
        rp__emulated_device_watch(NULL);
    }
}

/* ---- Damaged auxiliary data ---------------------------------------------------------------------- */

/* Auxiliary data of a term of the queries in the file of lists: where, and how many bytes. */
typedef struct aux_bytes {
    long at;
    size_t n;
} aux_bytes;

static aux_bytes find_bytes(FILE *file, const rp__aux *aux)
{
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t n = (size_t)ftell(file);
    uint8_t *all = malloc(n);
    size_t at = 0;
    assert_non_null(all);
    rewind(file);
    assert_int_equal(fread(all, 1, n, file), n);
    while (at + aux->bytes <= n && memcmp(all + at, aux->from, aux->bytes) != 0)
        at += 4;
    assert_true(at + aux->bytes <= n);
    free(all);
    return (aux_bytes){(long)at, aux->bytes};
}

/* Of the longest list of the first query. */
static aux_bytes find_aux(FILE *file, const char *codec, const char *kind)
{
    operators_card d;
    rp__query query;
    rp__aux aux = {0};
    assert_true(operators_open_index(&d, codec, 0));
    operators_bind(&d, operators_queries[0], RP_MODE_AND, 10, &query);
    assert_int_equal(rp__segment_aux(query.segment, rp__aux_kind_find(kind, strlen(kind)),
                                     longest_of(&query), &aux),
                     RP_OK);
    aux_bytes out = find_bytes(file, &aux);
    operators_close_card(&d);
    return out;
}

/* A byte at a time: the cpu's answer, or it is refused. The same card answers again and again. */
static void damaged_auxiliary_data_are_never_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *codec, *kind, *spec;
    } rows[] = {{"vbyte", "lr", "operators:intersect=lr"},
                {"vbyte", "lr", "operators:intersect=lr-local"},
                {"vbyte", "hs16", "operators:intersect=hs16"},
                {"lrc", "lr", "operators:intersect=lrc-heads"},
                {"lrc", "lr", "operators:intersect=lrc"}};
    const size_t rounds = getenv("RIPOSTE_THOROUGH") ? 200 : 16;
    size_t n_refused = 0;
    operators_configure(1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        operators_recode(rows[i].codec, "lr,hs16");
        FILE *file = open_lists(rows[i].codec);
        const aux_bytes aux = find_aux(file, rows[i].codec, rows[i].kind);
        for (size_t round = 0; round < rounds; round++) {
            const long at = aux.at + (long)chance_below(round % 2 ? aux.n : 24);
            const int by = chance_below(2) ? 255 : 1 << chance_below(8);
            operators_card d;
            flip(file, at, by);
            assert_true(operators_open_index(&d, rows[i].codec, 0));
            ask_damaged(&d, rows[i].spec, RP_MODE_AND, &n_refused);
            ask_damaged(&d, rows[i].spec, RP_MODE_AND, &n_refused);
            operators_close_card(&d);
            flip(file, at, by);
        }
        fclose(file);
    }
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_lists_are_never_wrong),
        cmocka_unit_test(lists_that_others_find_damaged_are_refused),
        cmocka_unit_test(damaged_auxiliary_data_are_never_wrong),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, operators_open_collection, operators_close_collection);
}
