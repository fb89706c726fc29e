/* test_gpu_memory.c: queries on emulated devices that do not hold the whole index, and on several of them at once: the
 * answer is the cpu's, or there is none; searchers give the cpu's always, whatever fails.
 * RIPOSTE_GPU_QUERIES sets how many queries each collection is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/gpu/device/emulated_device.h"
#include "backend/gpu/exec/exec.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"

enum { QUERIES = 60, WORDS = 4, TEXT = 256 };

static const char *const codecs[] = {"auto", "raw", "bp128", "bitmap", "rice"};
static const size_t ks[] = {1, 10, 1000, 0};

static size_t queries(void)
{
    const char *text = getenv("RIPOSTE_GPU_QUERIES");
    return text && *text ? strtoul(text, NULL, 10) : QUERIES;
}

/* ---- Queries ----------------------------------------------------------------------------------- */

/* Common words; half of the time after a rare one. */
static void put_text(char *text, uint64_t n_words)
{
    char word[32];
    text[0] = 0;
    bool is_rare = chance_below(2);
    for (uint64_t n = 1 + chance_below(WORDS); n > 0; n--, is_rare = false) {
        collection_put_word(word, is_rare ? chance_below(n_words) : chance_zipf(n_words / 10));
        strcat(strcat(text, word), " ");
    }
}

typedef struct asker {
    rp_searcher *searcher; /* on the cpu, to bind and to compare with */
    rp__arena arena;
    const char *what;
    uint64_t n_words;
} asker;

static void open_asker(asker *a, const collection *c, size_t codec)
{
    rp_error err = {.text = ""};
    const rp_search_options options = {.processor = "cpu"};
    rp__arena_init(&a->arena, (size_t)64 << 20);
    a->what = c->codecs[codec];
    assert_int_equal(rp_searcher_new(c->indexes[codec], &options, &a->searcher, &err), RP_OK);
}

static void close_asker(asker *a)
{
    rp_searcher_free(a->searcher);
    rp__arena_reset(&a->arena);
}

/* A query by chance, of all documents or some. False: none of its words is known. */
static bool draw(asker *a, rp__query *query, char *text)
{
    rp_error err = {.text = ""};
    rp_mode mode = chance_below(2) ? RP_MODE_AND : RP_MODE_OR;
    put_text(text, a->n_words);
    assert_int_equal(rp__searcher_bind(a->searcher, text, strlen(text), mode, query, &err), RP_OK);
    uint32_t n_docs = query->lengths.n_docs;
    if (chance_below(4) == 0) {
        query->begin = (uint32_t)chance_below(n_docs);
        query->end = query->begin + (uint32_t)chance_below(n_docs - query->begin);
    }
    query->k = ks[chance_below(sizeof ks / sizeof ks[0])];
    query->exact_total = true;
    rp__arena_clear(&a->arena);
    return query->n_ops > 0;
}

static void assert_as_cpu(asker *a, const char *text, const rp__query *query, const rp__answer *got)
{
    rp_error err = {.text = ""};
    rp__answer want;
    if (rp__backend_find("cpu")->run(NULL, query, &a->arena, &want, &err) != RP_OK)
        fail_msg("%s, cpu: %s", a->what, err.text);
    bool is_same = got->n == want.n && got->total_is_exact && got->total == want.total;
    for (size_t i = 0; is_same && i < want.n; i++)
        is_same = got->at[i].docid == want.at[i].docid && got->at[i].fixed == want.at[i].fixed;
    if (!is_same)
        fail_msg("%s, k %zu, documents %u to %u, '%s': %zu hits of %llu, cpu %zu of %llu", a->what,
                 query->k, query->begin, query->end, text, got->n, (unsigned long long)got->total,
                 want.n, (unsigned long long)want.total);
}

/* ---- Little memory ----------------------------------------------------------------------------- */

static uint64_t bytes_of(const rp__segment *segment)
{
    const uint8_t *at;
    size_t bytes;
    uint64_t sum = 0;
    for (size_t i = 0; rp__segment_section(segment, i, &at, &bytes); i++)
        sum += bytes;
    return sum;
}

/* The limit of which so much is left for the index, beside what is kept for queries. */
static uint64_t limit_of(uint64_t bytes, uint64_t n_docs)
{
    uint64_t queries = 13 * n_docs < bytes ? 13 * n_docs : bytes;
    return bytes + (queries > bytes / 7 ? queries : bytes / 7);
}

/* Queries have what they need. */
typedef struct card {
    rp__device device;
    rp__gpu_index index;
    rp__exec query;
} card;

static void open_card(card *c, const rp__segment *segment, uint64_t most)
{
    rp_error err = {.text = ""};
    assert_int_equal(rp__device_open(&c->device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(rp__gpu_index_open(&c->index, &c->device, segment, most), RP_OK);
    assert_false(c->index.residency->is_whole);
    rp__exec_open(&c->query, &c->device, &c->index);
}

static void close_card(card *c)
{
    (void)rp__device_enter(&c->device);
    rp__exec_close(&c->query);
    rp__gpu_index_close(&c->index);
    rp__device_close(&c->device);
}

/* Two searchers in turn, which share the lists. */
/* What was counted, of all. */
typedef struct counted {
    uint64_t uploaded, partial, evicted, answered, asked;
} counted;

static void check_little(asker *a, uint64_t most, counted *sum)
{
    const rp__segment *segment = a->searcher->index->segment;
    card cards[2];
    for (size_t i = 0; i < 2; i++)
        open_card(&cards[i], segment, most);
    for (size_t n = queries(); n > 0; n--) {
        rp__query query;
        rp__answer got;
        rp_error err = {.text = ""};
        char text[TEXT];
        if (!draw(a, &query, text))
            continue;
        rp_status status = rp__exec_run(&cards[n % 2].query, &query, &a->arena, &got, &err);
        if (status == RP_OK)
            assert_as_cpu(a, text, &query, &got);
        else if (status != RP_NO_MEMORY)
            fail_msg("%s, '%s': %s", a->what, text, err.text);
        sum->answered += status == RP_OK;
        sum->asked++;
    }
    const rp__residency *residency = cards[0].index.residency;
    sum->uploaded += residency->stats.uploaded;
    sum->partial += residency->stats.partial;
    sum->evicted += residency->heap.stats.evicted;
    assert_true(residency->heap.stats.peak <= residency->bytes && residency->bytes <= most);
    close_card(&cards[0]);
    close_card(&cards[1]);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

/* partial: at least so many lists of which some blocks came. */
static void check_collection(collection *c, uint64_t n_words, uint64_t partial)
{
    counted sum = {0};
    collection_end(c);
    for (size_t i = 0; i < c->n_codecs; i++)
        for (uint64_t part = 2; part <= 8; part += 3) {
            asker a = {.n_words = n_words};
            open_asker(&a, c, i);
            rp__emulated_device_configure(&(rp__emulated_device_options){.seed = i});
            rp__lengths lengths;
            rp__segment_get_lengths(a.searcher->index->segment, &lengths);
            uint64_t least = (uint64_t)lengths.n_docs * lengths.code_bytes + RP_PAD;
            uint64_t all = bytes_of(a.searcher->index->segment);
            check_little(&a, limit_of(least + (all - least) / part, lengths.n_docs), &sum);
            close_asker(&a);
        }
    print_message("%s: %llu of %llu answered, %llu evicted, %llu partial, %llu bytes\n", c->name,
                  (unsigned long long)sum.answered, (unsigned long long)sum.asked,
                  (unsigned long long)sum.evicted, (unsigned long long)sum.partial,
                  (unsigned long long)sum.uploaded);
    assert_true(sum.answered * 2 > sum.asked);
    assert_true(sum.evicted > 0 && sum.partial >= partial);
    collection_close(c);
}

static void begin(collection *c, uint64_t seed)
{
    chance_seed(seed);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        collection_add_codec(c, codecs[i]);
}

static void lists_that_do_not_fit(void **state)
{
    (void)state;
    collection c = {.name = "long lists", .stem = "none", .stop = "none"};
    begin(&c, 1);
    collection_fill(&c, 9000, 3000, 20);
    check_collection(&c, 3000, 1);
}

static void words_that_do_not_fit(void **state)
{
    (void)state;
    collection c = {.name = "many words", .stem = "none", .stop = "none"};
    begin(&c, 2);
    collection_fill(&c, 4000, 2000, 90);
    check_collection(&c, 2000, 1);
}

static void rare_words_and_long_lists(void **state)
{
    (void)state;
    collection c = {.name = "rare words", .stem = "none", .stop = "none"};
    chance_seed(3);
    collection_add_codec(&c, "bp128");
    collection_add_codec(&c, "rice"); /* whose frequencies kernels do not read; docids they do */
    collection_add_codec(&c, "pfd");  /* neither */
    collection_fill(&c, 40000, 8000, 8);
    check_collection(&c, 8000, 10);
}

/* ---- Several devices --------------------------------------------------------------------------- */

static collection small; /* for what follows */

static int open_small(void **state)
{
    (void)state;
    collection_draw(&small, &(collection_recipe){"small", 4, (const char *const[]){"bp128"}, 1,
                                                 1500, 800, 300});
    return 0;
}

static int close_small(void **state)
{
    (void)state;
    collection_close(&small);
    return 0;
}

/* Bytes in which the index does not fit, but lists and queries do. */
static uint64_t too_little(void)
{
    asker a;
    open_asker(&a, &small, 0);
    uint64_t bytes = bytes_of(a.searcher->index->segment) / 5 * 4;
    close_asker(&a);
    return bytes;
}

static void check_devices(const char *names, uint64_t memory)
{
    const rp_search_options options = {.processor = "gpu", .gpu = names, .gpu_memory = memory};
    rp_error err = {.text = ""};
    rp_searcher *searcher;
    asker a = {.n_words = 800};
    uint64_t n_answered = 0;
    open_asker(&a, &small, 0);
    assert_int_equal(rp_searcher_new(small.indexes[0], &options, &searcher, &err), RP_OK);
    for (size_t n = queries(); n > 0; n--) {
        rp__query query;
        rp__answer got;
        char text[TEXT];
        if (!draw(&a, &query, text))
            continue;
        rp_status status =
            rp__backend_find("gpu")->run(searcher->state, &query, &a.arena, &got, &err);
        if (status == RP_OK)
            assert_as_cpu(&a, text, &query, &got);
        else if (status != RP_NO_MEMORY || !memory)
            fail_msg("%s, '%s': %s", names, text, err.text);
        n_answered += status == RP_OK;
    }
    print_message("%s: %llu answered\n", names, (unsigned long long)n_answered);
    assert_true(n_answered * 4 > queries());
    rp_searcher_free(searcher);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    close_asker(&a);
}

static void devices_answer_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2; seed++) {
        rp__emulated_device_configure(&(rp__emulated_device_options){.seed = seed});
        check_devices("emulated,emulated", 0);
        check_devices("emulated,emulated,emulated", 0);
        check_devices("emulated,emulated,emulated", too_little());
    }
}

/* Bytes in use on the card, as one that is opened for the question sees it. */
static uint64_t bytes_on_card(void)
{
    rp__device device;
    rp_error err = {.text = ""};
    size_t unused, total;
    assert_int_equal(rp__device_open(&device, rp__emulated_device_driver(), 0, &err), RP_OK);
    assert_int_equal(device.driver->memory_info(&unused, &total), RP_CU_OK);
    rp__device_close(&device);
    return total - unused;
}

/* Single queries and a batch, as the cpu answers them. How many of them the gpu answered. */
static size_t ask_all(rp_searcher *searcher, rp_searcher *cpu)
{
    enum { N = 6 };
    char texts[N][TEXT];
    rp_batch_query queries[N];
    rp_batch_report report;
    rp_error err = {.text = ""};
    size_t n_on_gpu = 0;
    for (size_t i = 0; i < N; i++) {
        put_text(texts[i], 300);
        queries[i] = (rp_batch_query){.query = texts[i], .query_bytes = strlen(texts[i])};
    }
    assert_int_equal(rp_searcher_batch(searcher, queries, N, NULL, &report, &err), RP_OK);
    for (size_t i = 0; i < N; i++) {
        rp_hits one, want;
        assert_int_equal(rp_searcher_search(searcher, texts[i], strlen(texts[i]), &one, &err),
                         RP_OK);
        assert_int_equal(rp_searcher_search(cpu, texts[i], strlen(texts[i]), &want, &err), RP_OK);
        n_on_gpu += !strcmp(one.processor, "gpu");
        assert_int_equal(one.n, want.n);
        assert_int_equal(queries[i].hits.n, want.n);
        for (size_t h = 0; h < want.n; h++) {
            assert_int_equal(one.at[h].docid, want.at[h].docid);
            assert_int_equal(queries[i].hits.at[h].docid, want.at[h].docid);
        }
        rp_hits_free(&one);
        rp_hits_free(&queries[i].hits);
        rp_hits_free(&want);
    }
    return n_on_gpu;
}

/* The limit is that of all searchers together, with the index that they share. */
static void check_limit(uint64_t limit, rp_mode mode)
{
    enum { N = 6 };
    const rp_search_options options = {
        .processor = "gpu", .gpu = "emulated", .gpu_memory = limit, .mode = mode};
    const rp_search_options plain = {.processor = "cpu", .mode = mode};
    rp_error err = {.text = ""};
    rp_searcher *searchers[N], *cpu;
    size_t n_on_gpu = 0;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(rp_searcher_new(small.indexes[0], &plain, &cpu, &err), RP_OK);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(rp_searcher_new(small.indexes[0], &options, &searchers[i], &err), RP_OK);
    for (size_t i = 0; i < 2 * N; i++) {
        n_on_gpu += ask_all(searchers[i % N], cpu);
        assert_true(bytes_on_card() <= limit);
    }
    assert_true(n_on_gpu > 0);
    for (size_t i = 0; i < N; i++)
        rp_searcher_free(searchers[i]);
    rp_searcher_free(cpu);
    assert_int_equal(rp__emulated_device_in_use(), 0);
}

static void searchers_share_a_limit(void **state)
{
    (void)state;
    for (uint64_t times = 1; times <= 64; times *= 4) {
        check_limit(times * too_little(), RP_MODE_AND);
        check_limit(times * too_little(), RP_MODE_OR);
    }
}

static void names_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",          "emulated,", ",emulated", "emulated,x",
                                        "emulated2", "-1",        "0x1",       " 0"};
    rp_error err;
    rp_searcher *searcher;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const rp_search_options options = {.processor = "gpu", .gpu = wrong[i]};
        assert_int_equal(rp_searcher_new(small.indexes[0], &options, &searcher, &err), RP_USAGE);
        assert_non_null(strstr(err.text, "no GPU is called"));
    }
    const rp_search_options many = {
        .processor = "gpu",
        .gpu = "emulated,emulated,emulated,emulated,emulated,emulated,emulated,emulated,emulated"};
    assert_int_equal(rp_searcher_new(small.indexes[0], &many, &searcher, &err), RP_USAGE);
}

/* ---- Failures ---------------------------------------------------------------------------------- */

static rp_status search(const rp_search_options *options, int times, rp_hits *hits,
                        rp_searcher **out)
{
    rp_error err = {.text = ""};
    rp_status status = rp_searcher_new(small.indexes[0], options, out, &err);
    for (int i = 0; status == RP_OK && i < times; i++) {
        char text[TEXT], word[32];
        text[0] = 0;
        for (uint64_t w = 0; w < 3; w++) {
            collection_put_word(word, 30 + w + (uint64_t)i % 2); /* not the longest lists */
            strcat(strcat(text, word), " ");
        }
        status = rp_searcher_search(*out, text, strlen(text), &hits[i], &err);
    }
    return status;
}

enum { TIMES = 4 };

/* How many of the searches the gpu answered. */
static int search_as_cpu(const rp_search_options *options)
{
    const rp_search_options cpu = {
        .processor = "cpu", .mode = options->mode, .total = RP_TOTAL_EXACT};
    rp_hits want[TIMES], got[TIMES];
    rp_searcher *searcher, *on_cpu;
    int n_on_gpu = 0;
    rp_status status = search(options, TIMES, got, &searcher);
    if (!searcher) {
        assert_true(status == RP_UNAVAILABLE || status == RP_NO_MEMORY);
        assert_int_equal(rp__emulated_device_in_use(), 0);
        return 0;
    }
    assert_int_equal(status, RP_OK);
    assert_int_equal(search(&cpu, TIMES, want, &on_cpu), RP_OK);
    for (int i = 0; i < TIMES; i++) {
        n_on_gpu += !strcmp(got[i].processor, "gpu");
        assert_int_equal(got[i].total, want[i].total);
        assert_int_equal(got[i].n, want[i].n);
        for (size_t h = 0; h < want[i].n; h++) {
            assert_int_equal(got[i].at[h].docid, want[i].at[h].docid);
            assert_int_equal(got[i].at[h].fixed, want[i].at[h].fixed);
        }
        rp_hits_free(&got[i]);
        rp_hits_free(&want[i]);
    }
    rp_searcher_free(searcher);
    rp_searcher_free(on_cpu);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    return n_on_gpu;
}

static void check_failures(rp_search_options options)
{
    static const int codes[] = {RP_CU_NO_MEMORY, RP_CU_ILLEGAL_ADDRESS, RP_CU_INVALID};
    int least = TIMES, most = 0;
    options.processor = "gpu";
    options.total = RP_TOTAL_EXACT;
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    int sound = search_as_cpu(&options);
    uint64_t calls = rp__emulated_device_calls();
    assert_true(sound > 0);
    for (uint64_t at = 1; at <= calls; at++) {
        rp__emulated_device_configure(
            &(rp__emulated_device_options){.fail_at = at, .fail_code = codes[at % 3]});
        int n = search_as_cpu(&options);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    assert_true(least < sound && most == sound);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    check_failures((rp_search_options){.gpu = "emulated,emulated", .mode = RP_MODE_AND});
    check_failures((rp_search_options){.gpu = "emulated,emulated,emulated", .mode = RP_MODE_OR});
    check_failures(
        (rp_search_options){.gpu = "emulated", .gpu_memory = too_little(), .mode = RP_MODE_AND});
    check_failures((rp_search_options){
        .gpu = "emulated,emulated", .gpu_memory = too_little(), .mode = RP_MODE_OR});
}

/* One device is lost: the others answer what comes after. */
static void others_go_on(void **state)
{
    (void)state;
    const rp_search_options options = {
        .processor = "gpu", .gpu = "emulated,emulated", .mode = RP_MODE_AND};
    rp_searcher *searcher;
    rp_hits hits[TIMES];
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    assert_int_equal(search(&options, 1, hits, &searcher), RP_OK);
    const uint64_t calls = rp__emulated_device_calls();
    rp_hits_free(&hits[0]);
    rp_searcher_free(searcher);
    bool has_survived = false;
    for (uint64_t back = 1; back < 40 && back < calls; back++) {
        rp__emulated_device_configure(&(rp__emulated_device_options){
            .fail_at = calls - back, .fail_code = RP_CU_ILLEGAL_ADDRESS});
        rp_status status = search(&options, TIMES, hits, &searcher);
        if (!searcher)
            continue;
        assert_int_equal(status, RP_OK);
        has_survived = has_survived || (!strcmp(hits[0].processor, "cpu") &&
                                        !strcmp(hits[TIMES - 1].processor, "gpu"));
        for (int i = 0; i < TIMES; i++)
            rp_hits_free(&hits[i]);
        rp_searcher_free(searcher);
    }
    assert_true(has_survived);
}

/* The guard leaves whoever reads the file; what was on the device goes nevertheless, and another searcher of the same
 * index is not held up. Runs first, and makes its index itself: cmocka takes the guard's signals away between
 * functions. */
static void files_may_be_cut(void **state)
{
    char path[200], text[32];
    rp_error err;
    rp_searcher *searchers[2];
    rp_hits hits;
    open_small(state);
    const rp_search_options options = {
        .processor = "gpu", .gpu = "emulated", .gpu_memory = too_little(), .mode = RP_MODE_AND};
    snprintf(path, sizeof path, "%s/bp128/lists.00000001.rp", small.folder);
    rp__emulated_device_configure(&(rp__emulated_device_options){0});
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(rp_searcher_new(small.indexes[0], &options, &searchers[i], &err), RP_OK);
    assert_int_equal(truncate(path, 0), 0);
    for (size_t i = 0; i < 6; i++) {
        collection_put_word(text, i);
        assert_int_equal(rp_searcher_search(searchers[i % 2], text, strlen(text), &hits, &err),
                         RP_DAMAGED);
    }
    rp_searcher_free(searchers[0]);
    rp_searcher_free(searchers[1]);
    assert_int_equal(rp__emulated_device_in_use(), 0);
    close_small(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_may_be_cut),
        cmocka_unit_test(lists_that_do_not_fit),
        cmocka_unit_test(words_that_do_not_fit),
        cmocka_unit_test(rare_words_and_long_lists),
        cmocka_unit_test_setup_teardown(devices_answer_together, open_small, close_small),
        cmocka_unit_test_setup_teardown(searchers_share_a_limit, open_small, close_small),
        cmocka_unit_test_setup_teardown(names_are_checked, open_small, close_small),
        cmocka_unit_test_setup_teardown(every_call_may_fail, open_small, close_small),
        cmocka_unit_test_setup_teardown(others_go_on, open_small, close_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
