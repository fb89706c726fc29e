/* test_para.c: PARA on an emulated device gives the cpu's answers, by every method, on an index in every codec whose lists
 * have 3 to 9 blocks, and by its own kernel.
 *
 * Two orders of threads; twenty with RIPOSTE_THOROUGH=1. Also: an index that does not fit, parts of the documents, damaged
 * lists, and what a method's index must have. */
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
#include "backend/gpu/exec/exec.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "parity/shard.h"
#include "tempdir.h"

enum { GROUP = 5, TEXT = 200, SMALL = 104 << 10, WORDS = 30 };

static const char *const raw[] = {"raw"};
static const char aux[] = "lr,hs16,hs32,hs64,hs128,hs256";
static const size_t ks[] = {0, 1, 10, 33, 1000};
static collection documents;
static tempdir dir;
static uint64_t launched[RP_KERNELS_MAX];
static uint64_t n_lists[16]; /* that were asked for, by their blocks */
static char damaged[64];     /* what is, for messages */

static int open_documents(void **state)
{
    (void)state;
    assert_int_equal(tempdir_make(&dir), 0);
    collection_draw(&documents, &(collection_recipe){"para", 15, raw, 1, 2000, WORDS, 60});
    return 0;
}

static int close_documents(void **state)
{
    (void)state;
    collection_close(&documents);
    tempdir_remove(&dir);
    return 0;
}

/* ---- A card, and queries ------------------------------------------------------------------------- */

typedef struct card {
    rp_index *coded;
    rp_searcher *searcher; /* on the cpu, to bind and to compare with */
    rp__arena arena;
    rp__device device;
    rp__gpu_index index;
    rp__exec exec;
} card;

static rp_index *code(const char *codec, const char *kinds)
{
    rp_error err = {.text = ""};
    rp_index *index;
    char from[128], to[512];
    const rp_recode_options options = {.codec = codec, .aux = kinds};
    snprintf(from, sizeof from, "%s/raw", documents.folder);
    snprintf(to, sizeof to, "%s/%s-%s", dir.path, codec, kinds);
    if (rp_index_open(to, NULL, &index, &err) == RP_OK)
        return index;
    if (rp_index_recode(from, to, &options, NULL, &err) != RP_OK)
        fail_msg("%s: %s", codec, err.text);
    assert_int_equal(rp_index_open(to, NULL, &index, &err), RP_OK);
    return index;
}

static void open_index(card *c, rp_index *index, uint64_t seed, uint64_t limit)
{
    rp_error err = {.text = ""};
    const rp_search_options options = {.processor = "cpu"};
    memset(c, 0, sizeof *c);
    c->coded = index;
    rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
    rp__arena_init(&c->arena, (size_t)64 << 20);
    assert_int_equal(rp_searcher_new(c->coded, &options, &c->searcher, &err), RP_OK);
    assert_int_equal(rp__device_open(&c->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&c->index, &c->device, c->searcher->index->segment, limit),
                     RP_OK);
    rp__exec_open(&c->exec, &c->device, &c->index);
}

static void open_card(card *c, const char *codec, uint64_t seed, uint64_t limit)
{
    open_index(c, code(codec, aux), seed, limit);
}

static void close_card(card *c)
{
    (void)rp__device_enter(&c->device);
    rp__exec_close(&c->exec);
    rp__gpu_index_close(&c->index);
    rp__device_close(&c->device);
    rp_searcher_free(c->searcher);
    rp_index_close(c->coded);
    rp__arena_reset(&c->arena);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

static const char *draw(size_t n)
{
    static char text[TEXT];
    uint64_t word = chance_below(4);
    text[0] = 0;
    for (; n > 0; n--, word += 1 + chance_below(4)) {
        char one[32];
        collection_put_word(one, word);
        strcat(strcat(text, one), " ");
    }
    return text;
}

static void *copy(card *c, const void *from, size_t bytes)
{
    void *to = rp__arena_array(&c->arena, bytes + 1, 1);
    assert_non_null(to);
    memcpy(to, from, bytes);
    return to;
}

/* Its arrays are the card's: the searcher's are good until the next one. */
static rp__query bind(card *c, const char *algorithm, const char *text, size_t k)
{
    rp_error err = {.text = ""};
    rp__query query;
    assert_int_equal(rp__searcher_bind(c->searcher, text, strlen(text), RP_MODE_AND, &query, &err),
                     RP_OK);
    for (size_t i = 0; i < query.n_words; i++)
        n_lists[(query.words[i].term.df + RP_BLOCK - 1) / RP_BLOCK]++;
    query.k = k;
    query.exact_total = true;
    query.algorithm = algorithm;
    query.ops = copy(c, query.ops, query.n_ops * sizeof *query.ops);
    query.leaves = copy(c, query.leaves, query.n_leaves * sizeof *query.leaves);
    query.words = copy(c, query.words, query.n_words * sizeof *query.words);
    return query;
}

static void assert_as_cpu(card *c, const rp__query *query, const rp__answer *got)
{
    rp_error err = {.text = ""};
    rp__answer want;
    rp__query plain = *query;
    plain.algorithm = NULL;
    assert_int_equal(rp__backend_find("cpu")->run(NULL, &plain, &c->arena, &want, &err), RP_OK);
    if (got->n != want.n || got->total != want.total)
        fail_msg("%s%s: %zu of %llu, the cpu has %zu of %llu", damaged, query->algorithm, got->n,
                 (unsigned long long)got->total, want.n, (unsigned long long)want.total);
    for (size_t i = 0; i < want.n; i++) {
        assert_int_equal(got->at[i].docid, want.at[i].docid);
        assert_int_equal(got->at[i].fixed, want.at[i].fixed);
    }
}

static void run_group(card *c, rp__batch_item *items, size_t n)
{
    rp__exec_begin(&c->exec, n, true, &c->arena);
    for (size_t i = 0; i < n; i++)
        rp__exec_add(&c->exec, &items[i]);
    rp__exec_launch(&c->exec);
    rp__exec_collect(&c->exec);
    assert_true(rp__exec_is_done(&c->exec));
}

static void ask_group(card *c, const char *algorithm, size_t k)
{
    rp__batch_item items[GROUP] = {{.status = RP_OK}};
    rp__arena_clear(&c->arena);
    for (size_t q = 0; q < GROUP; q++)
        items[q].query = bind(c, algorithm, draw(1 + q), k);
    run_group(c, items, GROUP);
    for (size_t q = 0; q < GROUP; q++) {
        if (items[q].status != RP_OK)
            fail_msg("%s: %s", algorithm, rp_fallback_text(items[q].answer.fallback));
        assert_as_cpu(c, &items[q].query, &items[q].answer);
    }
}

static void ask_one(card *c, const char *algorithm, size_t n, size_t k)
{
    rp_error err = {.text = ""};
    rp__answer got;
    rp__arena_clear(&c->arena);
    rp__query query = bind(c, algorithm, draw(n), k);
    if (rp__exec_run(&c->exec, &query, &c->arena, &got, &err) != RP_OK)
        fail_msg("%s, %zu terms, k %zu: %s", algorithm, n, k, err.text);
    assert_as_cpu(c, &query, &got);
}

static bool can(const char *codec, const rp__para_method *m)
{
    return !m->codec || strcmp(codec, m->codec) == 0;
}

/* The method's name as an algorithm. */
static const char *spec_of(const rp__para_method *m)
{
    static char text[64];
    snprintf(text, sizeof text, "para:method=%s", m->name);
    return text;
}

/* ---- Methods and codecs -------------------------------------------------------------------------- */

/* How many there are, and how many methods read one codec alone. */
enum { CODECS = 27, METHODS = 16, OWN_METHODS = 6 };

static void count_launch(size_t kernel, const rp__fiber_launch *launch)
{
    (void)launch;
    launched[kernel]++;
}

static uint32_t most_buckets; /* of a list that hs searched */
static size_t n_taken;        /* methods, by codec */

/* Of a launch that searches by buckets, which the memory of its queries is there for now. */
static void see_buckets(size_t kernel, rp__fiber_launch *launch)
{
    if (kernel != RP_KERNEL_para_hs_kernel)
        return;
    const karg_para *args = launch->args;
    const karg_para_query *queries = (const karg_para_query *)(uintptr_t)args->queries;
    const karg_para_list *lists = (const karg_para_list *)(uintptr_t)args->lists;
    const karg_para_query *last = &queries[args->n_queries - 1];
    for (size_t i = 0; i < last->list + last->n_lists; i++)
        most_buckets = lists[i].n_buckets > most_buckets ? lists[i].n_buckets : most_buckets;
}

static const rp__emulated_device_watcher watcher = {.queue_launch = count_launch,
                                                    .launch = see_buckets};

/* By its own kernel, and by no kernel that answers ANDs otherwise. */
static void assert_launched(const rp__para_method *m)
{
    assert_true(launched[m->kernel] > 0);
    assert_true(launched[RP_KERNEL_para_compact_kernel] > 0);
    assert_int_equal(launched[RP_KERNEL_and_single_kernel], 0);
    assert_int_equal(launched[RP_KERNEL_and_batch_topk_kernel], 0);
}

/* Methods of hs have one kernel: by the same queries, each has fewer buckets than the one before. */
static void ask_buckets(card *c, const rp__para_method *m, uint64_t seed, uint32_t *before)
{
    chance_seed(seed + 1);
    most_buckets = 0;
    ask_group(c, spec_of(m), 10);
    if (most_buckets == 0 || most_buckets >= *before)
        fail_msg("%s: %u buckets", m->name, most_buckets);
    *before = most_buckets;
}

static void ask_codec(const char *codec, uint64_t seed)
{
    const rp__para_method *m;
    card c;
    uint32_t buckets = UINT32_MAX;
    open_card(&c, codec, seed, 0);
    chance_seed(seed + 1);
    for (size_t i = 0; (m = rp__para_method_at(i)); i++) {
        if (!can(codec, m))
            continue;
        memset(launched, 0, sizeof launched);
        ask_group(&c, spec_of(m), ks[(i + seed) % 5]);
        ask_one(&c, spec_of(m), 2 + i % 3, ks[(i + 2) % 5]);
        assert_launched(m);
        if (m->kernel == RP_KERNEL_para_hs_kernel)
            ask_buckets(&c, m, seed, &buckets);
        n_taken++;
    }
    close_card(&c);
}

static void every_method_answers_in_every_codec(void **state)
{
    (void)state;
    const char *codec;
    const shard_orders orders = shard_orders_here(2);
    rp__emulated_device_watch(&watcher);
    for (size_t i = 0; (codec = rp_codec_name(i)); i++)
        for (uint64_t seed = orders.from; seed < orders.to; seed++)
            ask_codec(codec, seed);
    rp__emulated_device_watch(NULL);
    assert_int_equal(n_taken,
                     (CODECS * (METHODS - OWN_METHODS) + OWN_METHODS) * (orders.to - orders.from));
    for (size_t i = 3; i <= 9; i++)
        n_lists[0] += n_lists[i];
    assert_true(n_lists[0] > n_lists[1] + n_lists[2] + n_lists[10]);
}

/* Lists come and go, and auxiliary data travel along. */
/* Pairs of words that follow each other, one by one; how often the method's kernel was launched. */
static uint64_t ask_pairs(card *c, const rp__para_method *m)
{
    const uint64_t before = launched[m->kernel];
    for (uint64_t word = 0; word + 1 < WORDS; word++) {
        rp_error err = {.text = ""};
        rp__answer got;
        char text[TEXT], other[TEXT / 2];
        collection_put_word(text, word);
        collection_put_word(other, word + 1);
        strcat(strcat(text, " "), other);
        rp__arena_clear(&c->arena);
        rp__query query = bind(c, spec_of(m), text, 10);
        if (rp__exec_run(&c->exec, &query, &c->arena, &got, &err) != RP_OK)
            fail_msg("%s, '%s': %s", m->name, text, err.text);
        assert_as_cpu(c, &query, &got);
    }
    return launched[m->kernel] - before;
}

/* The kernel looks through a list's data before the first answer that depends on them, and then no more, however many
 * lists and methods there are. */
static void auxiliary_data_are_checked_once(void **state)
{
    (void)state;
    const rp__para_method *m;
    uint64_t first[METHODS] = {0};
    card c;
    open_card(&c, "bp128", 3, 0);
    rp__emulated_device_watch(&watcher);
    for (size_t k = 0; (m = rp__para_method_at(k)); k++)
        if (m->needs_aux)
            first[k] = ask_pairs(&c, m);
    for (size_t k = 0; (m = rp__para_method_at(k)); k++)
        if (m->needs_aux) {
            assert_true(first[k] > WORDS - 1);
            assert_int_equal(ask_pairs(&c, m), WORDS - 1);
        }
    rp__emulated_device_watch(NULL);
    assert_true(c.exec.para.sound_slots > RP_PARA_SOUND);
    close_card(&c);
}

static void an_index_that_does_not_fit_is_searched(void **state)
{
    (void)state;
    const rp__para_method *m;
    for (size_t i = 0; (m = rp__para_method_at(i)); i++) {
        card c;
        open_card(&c, m->codec ? m->codec : "vbyte", i, SMALL);
        assert_false(c.index.residency->is_whole);
        for (size_t q = 0; q < 3; q++)
            ask_one(&c, spec_of(m), 2 + q, 10);
        ask_group(&c, spec_of(m), 10);
        close_card(&c);
    }
}

static void parts_of_the_documents_are_searched(void **state)
{
    (void)state;
    card c;
    rp_error err = {.text = ""};
    rp__answer got;
    open_card(&c, "bp128", 5, 0);
    for (uint32_t begin = 0; begin < 1200; begin += 400) {
        rp__arena_clear(&c.arena);
        rp__query query = bind(&c, "para:method=bs", draw(2), 10);
        query.begin = begin;
        query.end = begin + 300;
        assert_int_equal(rp__exec_run(&c.exec, &query, &c.arena, &got, &err), RP_OK);
        assert_as_cpu(&c, &query, &got);
    }
    close_card(&c);
}

/* ---- What is refused ----------------------------------------------------------------------------- */

static void spoil(card *c, const rp__term *term)
{
    static uint8_t bytes[64];
    rp__list list;
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(rp__segment_list(c->searcher->index->segment, term, &c->arena, &list), RP_OK);
    size_t n = list.docs_bytes < sizeof bytes ? list.docs_bytes : sizeof bytes;
    assert_int_equal(
        rp__device_copy_in(&c->device, rp__gpu_index_at(&c->index, list.docs), bytes, n), RP_OK);
    assert_int_equal(rp__device_wait(&c->device), RP_OK);
}

/* One query of a group has a damaged list: it is refused, alone, time and again. */
static void damage_refuses_one_query(void **state)
{
    (void)state;
    static const struct {
        const char *codec, *algorithm;
    } rows[] = {{"bp128", "para:method=hs64"}, {"parapfor", "para:method=parapfor"},
                {"lrc", "para:method=lrc"},    {"hslrc128", "para:method=hslrc128"},
                {"raw", "para:method=is"},     {"vbyte", "para:method=is"},
                {"raw", "para:method=is-8"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        card c;
        open_card(&c, rows[i].codec, 7, 0);
        for (size_t round = 0; round < 3; round++) {
            rp__batch_item items[GROUP] = {{.status = RP_OK}};
            rp__arena_clear(&c.arena);
            for (size_t q = 0; q < GROUP; q++) {
                char text[TEXT];
                collection_put_word(text, 2 * q);
                strcat(text, " ");
                collection_put_word(text + strlen(text), 2 * q + 1);
                items[q].query = bind(&c, rows[i].algorithm, text, 10);
            }
            if (round == 0)
                spoil(&c, &items[2].query.words[0].term);
            run_group(&c, items, GROUP);
            for (size_t q = 0; q < GROUP; q++) {
                assert_int_equal(items[q].status, q == 2 ? RP_UNAVAILABLE : RP_OK);
                if (q != 2)
                    assert_as_cpu(&c, &items[q].query, &items[q].answer);
            }
        }
        close_card(&c);
    }
}

/* Some bytes of the lists of an index are others. */
static void damage(const char *folder)
{
    char path[600];
    glob_t found;
    snprintf(path, sizeof path, "%s/lists.*.rp", folder);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    FILE *file = fopen(found.gl_pathv[0], "r+b");
    globfree(&found);
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const uint64_t n = (uint64_t)ftell(file);
    for (uint64_t i = 1 + chance_below(6); i > 0; i--) {
        const long at = (long)chance_below(n);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        const int byte = fgetc(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        fputc(byte ^ (chance_below(3) ? 1 << chance_below(8) : 255), file);
    }
    assert_int_equal(fclose(file), 0);
}

/* An answer is the cpu's; else a list is damaged. */
static void ask_damaged(card *c, const char *algorithm, size_t *n_refused)
{
    rp_error err = {.text = ""};
    rp__answer got;
    rp__query query;
    const char *text = draw(2 + chance_below(2));
    rp__arena_clear(&c->arena);
    if (rp__searcher_bind(c->searcher, text, strlen(text), RP_MODE_AND, &query, &err) != RP_OK)
        return;
    query.algorithm = algorithm;
    query.exact_total = true;
    if (rp__exec_run(&c->exec, &query, &c->arena, &got, &err) == RP_OK) {
        assert_as_cpu(c, &query, &got);
        return;
    }
    assert_int_equal(got.fallback, RP_FALLBACK_DAMAGED);
    ++*n_refused;
}

static void damaged_lists_are_never_wrong(void **state)
{
    (void)state;
    static const char *const codecs[] = {"parapfor", "lrc", "lrcseg", "seglrc", "hslrc128", "rice"};
    const bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    const size_t from = is_thorough ? 0 : 306,
                 to = is_thorough ? 600 : 324; /* 316: a table of hslrc128 */
    size_t n_refused = 0;
    for (size_t i = from; i < to; i++) {
        const char *codec = codecs[i % 6];
        char folder[512];
        card c;
        rp_error err;
        rp_index *index;
        const rp__para_method *m;
        snprintf(damaged, sizeof damaged, "round %zu: ", i);
        chance_seed(i); /* a round that fails can be run alone */
        rp_index_close(code(codec, "none"));
        snprintf(folder, sizeof folder, "%s/%s-none", dir.path, codec);
        damage(folder);
        if (rp_index_open(folder, NULL, &index, &err) == RP_OK) {
            open_index(&c, index, i, 0);
            for (size_t k = 0; (m = rp__para_method_at(k)); k++)
                if (can(codec, m) && !m->needs_aux)
                    ask_damaged(&c, spec_of(m), &n_refused);
            close_card(&c);
        }
        nftw(folder, tempdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 0);
    damaged[0] = 0;
}

/* The two longest lists; the longer one is looked into. */
static rp__query bind_longest(card *c, const char *algorithm, const rp__term **longest)
{
    char text[TEXT];
    collection_put_word(text, 0);
    strcat(text, " ");
    collection_put_word(text + strlen(text), 1);
    const rp__query query = bind(c, algorithm, text, 10);
    const rp__term *a = &query.words[0].term, *b = &query.words[1].term;
    *longest = a->df > b->df ? a : b;
    return query;
}

/* A byte of the index is another, on the device alone. */
static void ask_with_byte(card *c, const rp__query *query, const uint8_t *at, size_t *n_refused)
{
    rp_error err = {.text = ""};
    rp__answer got;
    const uint8_t byte = (uint8_t)(*at ^ (chance_below(2) ? 255 : 1U << chance_below(8)));
    const rp__cu_ptr there = rp__gpu_index_at(&c->index, at);
    assert_int_equal(rp__device_copy_in(&c->device, there, &byte, 1), RP_OK);
    assert_int_equal(rp__device_wait(&c->device), RP_OK);
    for (size_t i = 0; i < 2; i++) {
        if (rp__exec_run(&c->exec, query, &c->arena, &got, &err) == RP_OK)
            assert_as_cpu(c, query, &got);
        else
            assert_int_equal(got.fallback, RP_FALLBACK_DAMAGED);
        *n_refused += got.fallback == RP_FALLBACK_DAMAGED;
    }
}

/* Decoders do not read where buckets begin, which the payload ends with, but searches do. */
static void damaged_buckets_are_never_wrong(void **state)
{
    (void)state;
    static const char *const codecs[] = {"hslrc256", "hslrc128"};
    size_t n_refused = 0;
    chance_seed(1);
    for (size_t i = 0; i < 2 * 24; i++) {
        char algorithm[64];
        card c;
        const rp__term *longest;
        rp__list list;
        const size_t back = 1 + i / 2;
        open_card(&c, codecs[i % 2], i, 0);
        snprintf(algorithm, sizeof algorithm, "para:method=%s", codecs[i % 2]);
        snprintf(damaged, sizeof damaged, "byte %zu from the end: ", back);
        const rp__query query = bind_longest(&c, algorithm, &longest);
        assert_int_equal(rp__segment_list(c.searcher->index->segment, longest, &c.arena, &list),
                         RP_OK);
        ask_with_byte(&c, &query, list.docs + list.docs_bytes - back, &n_refused);
        close_card(&c);
    }
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 48);
    damaged[0] = 0;
}

/* Wrong ranges would lose documents. */
static void damaged_auxiliary_data_are_never_wrong(void **state)
{
    (void)state;
    const rp__para_method *m;
    const size_t rounds = getenv("RIPOSTE_THOROUGH") ? 200 : 12;
    size_t n_refused = 0;
    chance_seed(1);
    for (size_t i = 0; (m = rp__para_method_at(i)); i++)
        for (size_t round = 0; m->aux && round < rounds; round++) {
            card c;
            const rp__term *longest;
            rp__aux found = {0};
            open_card(&c, m->codec ? m->codec : "vbyte", round, 0);
            const rp__query query = bind_longest(&c, spec_of(m), &longest);
            assert_int_equal(rp__segment_aux(query.segment,
                                             rp__aux_kind_find(m->aux, strlen(m->aux)), longest,
                                             &found),
                             RP_OK);
            const size_t at = chance_below(round % 2 ? found.bytes : 24);
            snprintf(damaged, sizeof damaged, "byte %zu of %s, ", at, m->aux);
            ask_with_byte(&c, &query, found.from + at, &n_refused);
            close_card(&c);
        }
    print_message("%zu refused\n", n_refused);
    assert_true(n_refused > 0);
    damaged[0] = 0;
}

static void other_forms_are_refused(void **state)
{
    (void)state;
    card c;
    rp_error err = {.text = ""};
    rp__answer got;
    const char text[] = "a b";
    rp__query query;
    open_card(&c, "bp128", 3, 0);
    assert_int_equal(rp__searcher_bind(c.searcher, text, strlen(text), RP_MODE_OR, &query, &err),
                     RP_OK);
    query.algorithm = "para:method=bs";
    assert_int_equal(rp__exec_run(&c.exec, &query, &c.arena, &got, &err), RP_UNAVAILABLE);
    assert_int_equal(got.fallback, RP_FALLBACK_ALGORITHM);
    query = bind(&c, "para:method=bs", text, RP_PARA_K + 1);
    assert_int_equal(rp__exec_run(&c.exec, &query, &c.arena, &got, &err), RP_UNAVAILABLE);
    assert_int_equal(got.fallback, RP_FALLBACK_K);
    close_card(&c);
}

static rp_status check_method(const char *algorithm, const rp__segment *segment, size_t k,
                              rp_error *err)
{
    const rp__algorithm_use use = {.segment = segment, .k = k, .is_and = true};
    return rp__para_method_check(algorithm, &use, err);
}

static void assert_usage(const char *algorithm, const rp__segment *segment, const char *part)
{
    rp_error err = {.text = ""};
    assert_int_equal(check_method(algorithm, segment, 10, &err), RP_USAGE);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", algorithm, err.text);
}

static void an_index_must_have_what_a_method_reads(void **state)
{
    (void)state;
    rp_error err = {.text = ""};
    rp_index *index = code("bp128", "hs64");
    const rp__segment *segment = index->segment;
    assert_int_equal(check_method("para", segment, 10, &err), RP_OK);
    assert_int_equal(check_method("para:method=hs64", segment, 10, &err), RP_OK);
    assert_usage("para:method=lr", segment, "--aux lr");
    assert_usage("para:method=hs16", segment, "--aux hs16");
    assert_usage("para:method=hslrc128", segment, "--codec hslrc128");
    assert_usage("para:method=none", segment, "lr-local");
    assert_usage("para:method=bs,method=is", segment, "twice");
    assert_usage("para:how=bs", segment, "method");
    assert_int_equal(check_method("para", segment, RP_PARA_K + 1, &err), RP_USAGE);
    rp_index_close(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_answers_in_every_codec),
        cmocka_unit_test(auxiliary_data_are_checked_once),
        cmocka_unit_test(an_index_that_does_not_fit_is_searched),
        cmocka_unit_test(parts_of_the_documents_are_searched),
        cmocka_unit_test(damage_refuses_one_query),
        cmocka_unit_test(damaged_lists_are_never_wrong),
        cmocka_unit_test(damaged_buckets_are_never_wrong),
        cmocka_unit_test(damaged_auxiliary_data_are_never_wrong),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(an_index_must_have_what_a_method_reads),
    };
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, open_documents, close_documents);
}
