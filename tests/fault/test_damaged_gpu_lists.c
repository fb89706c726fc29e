/* test_damaged_gpu_lists.c: lists that kernels read as they are stored, with one byte changed, on the emulated device:
 * whatever the byte, the GPU has the CPU's status and message, or its hits; and what it found out it does not find out
 * again.
 *
 * Bytes of frequencies, docids and directories, in each codec and code that is read so; ANDs, ORs and both; alone, by
 * the persistent kernel and in batches; with memory for the whole index, for some lists, and for blocks of lists.
 * Hits are compared where all that match are asked for: of the best few, bounds of scores decide, which a damaged
 * frequency may pass. RIPOSTE_ORACLE_SEED sets where chance starts; RIPOSTE_THOROUGH asks about every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/gpu/device/emulated_device.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/hits.h"
#include "parity/launch_log.h"

enum {
    DOCS = 1000,
    WORDS = 40,
    MAX_LENGTH = 12,
    SOME = 40000,     /* bytes of device memory in which some lists fit, */
    MANY_DOCS = 6000, /* and of such an index, of */
    MANY = 100000,
    APART = 1 << 19, /* and for many dense lists at once */
    APART_WORDS = 60,
    APART_LENGTH = 40,
    HEAD = 8, /* bytes of docids that begin a list */
    HOLE_DOCS = 1 << 17,
    HOLE_MEMORY = 1 << 21,
    HOLE_TURNS =
        3000000, /* of a block of threads: enough, if none reads past the end of its blocks */
    LONG_DOCS = 20000,
    RAREST = 2000, /* words, of so many documents */
    RARE = 400,    /* words that are in a few documents each */
    ALL = 1024,    /* hits: all that match, and more than lists know of their best */
    TEXT = 80,
    QUERIES = 3,
    TURNS = 3,
};

static collection c;
static rp__arena arena;
static size_t n_asked, n_met, n_wrong;
static size_t n_stored_ors; /* launches that read dense lists as they are stored */

/* ---- Bytes of a list ------------------------------------------------------------------------------- */

/* The file of lists of an index, and where its section of lists begins. */
typedef struct file {
    int fd;
    const uint8_t *section;
    size_t at;
} file;

static void open_file(file *f, size_t index, const rp__segment *segment)
{
    char path[160];
    size_t bytes, n;
    assert_true(rp__segment_section(segment, 0, &f->section, &bytes));
    snprintf(path, sizeof path, "%s/%s/lists.00000001.rp", c.folder, c.codecs[index]);
    f->fd = open(path, O_RDWR);
    assert_true(f->fd >= 0);
    n = (size_t)lseek(f->fd, 0, SEEK_END);
    uint8_t *all = malloc(n);
    assert_int_equal(pread(f->fd, all, n, 0), n);
    for (f->at = 0; f->at + bytes <= n && memcmp(all + f->at, f->section, bytes) != 0; f->at += 16)
        continue;
    assert_true(f->at + bytes <= n);
    free(all);
}

static void change(const file *f, const uint8_t *at, uint8_t by)
{
    uint8_t byte;
    off_t where = (off_t)(f->at + (size_t)(at - f->section));
    assert_int_equal(pread(f->fd, &byte, 1, where), 1);
    byte ^= by;
    assert_int_equal(pwrite(f->fd, &byte, 1, where), 1);
}

/* ---- Queries --------------------------------------------------------------------------------------- */

typedef struct question {
    char texts[QUERIES][TEXT];
    rp_search_options options;
    bool in_batch, has_all_hits;
    bool is_checked_once; /* no query uploads some blocks of a list */
} question;

/* Totals that are `at least` so many may differ where more match than are asked for. */
static bool same_hits(const question *q, const rp_hits *a, const rp_hits *b)
{
    const bool has_total = q->options.total != RP_TOTAL_AT_LEAST || a->n < q->options.k;
    return hits_are_same(a, b) && (!has_total || a->total == b->total);
}

static void compare(const question *q, const char *what, const rp_batch_query *got,
                    rp_searcher *cpu)
{
    rp_error err = {.text = ""};
    rp_hits want;
    rp_status status = rp_searcher_search(cpu, got->query, got->query_bytes, &want, &err);
    bool is_same = got->status == status && (status == RP_OK || !strcmp(got->err.text, err.text));
    if (is_same && status == RP_OK && q->has_all_hits)
        is_same = same_hits(q, &got->hits, &want);
    n_asked++;
    n_met += status != RP_OK;
    n_wrong += !is_same;
    if (!is_same)
        print_message("%s: '%s', mode %d, k %zu, memory %d%s: status %d (%s), the cpu's %d (%s)\n",
                      what, got->query, (int)q->options.mode, q->options.k,
                      (int)q->options.gpu_memory, q->in_batch ? ", batch" : "", (int)got->status,
                      got->err.text, (int)status, err.text);
    rp_hits_free(&want);
}

static void ask_all(const question *q, rp_searcher *gpu, rp_batch_query *queries)
{
    rp_batch_options how = {.threads = 1, .elements = 1 << 20};
    rp_batch_report report;
    rp_error err = {.text = ""};
    for (size_t i = 0; i < QUERIES; i++) {
        rp_batch_query *to = &queries[i];
        *to = (rp_batch_query){.query = q->texts[i], .query_bytes = strlen(q->texts[i])};
        if (!q->in_batch)
            to->status = rp_searcher_search(gpu, to->query, to->query_bytes, &to->hits, &to->err);
    }
    if (q->in_batch)
        assert_int_equal(rp_searcher_batch(gpu, queries, QUERIES, &how, &report, &err), RP_OK);
}

/* Launches that check lists, and, where all memory was there, such as make something of them. */
static void count_again(const question *q, const char *what, FILE *launches)
{
    char line[256];
    rewind(launches);
    while (fgets(line, sizeof line, launches)) {
        bool is_check = strstr(line, " check_stored_kernel ") && q->is_checked_once;
        bool is_made = !q->options.gpu_memory &&
                       (strstr(line, " make_tiles_") || strstr(line, " build_tiled_"));
        n_wrong += is_check || is_made;
        if (is_check || is_made)
            print_message("%s: '%s', mode %d%s: again %s", what, q->texts[0], (int)q->options.mode,
                          q->in_batch ? ", batch" : "", line);
    }
}

static void count_stored_ors(FILE *launches)
{
    char line[256];
    rewind(launches);
    while (fgets(line, sizeof line, launches))
        n_stored_ors += strstr(line, " stored_or_maxscore_kernel ") != NULL;
}

/* All queries, again and again: where a list ends a query, others of it are met in the next turn. */
static void ask(const question *q, const char *dir, const char *what)
{
    rp_search_options options = q->options;
    rp_index *index;
    rp_searcher *gpu, *cpu;
    rp_error err = {.text = ""};
    FILE *launches = tmpfile(), *first = tmpfile();
    assert_true(launches && first);
    options.processor = "cpu";
    options.algorithm = NULL;
    assert_int_equal(rp_index_open(dir, NULL, &index, &err), RP_OK);
    assert_int_equal(rp_searcher_new(index, &options, &cpu, &err), RP_OK);
    options.processor = "gpu";
    options.algorithm = q->options.algorithm;
    options.gpu = "emulated";
    launch_log_begin(2);
    assert_int_equal(rp_searcher_new(index, &options, &gpu, &err), RP_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        rp_batch_query queries[QUERIES];
        launch_log_write(turn == 0 ? first : turn + 1 == TURNS ? launches : NULL, NULL, "");
        ask_all(q, gpu, queries);
        for (size_t i = 0; i < QUERIES; i++) {
            compare(q, what, &queries[i], cpu);
            rp_hits_free(&queries[i].hits);
        }
    }
    launch_log_write(NULL, NULL, "");
    count_again(q, what, launches);
    count_stored_ors(first);
    fclose(launches);
    fclose(first);
    rp_searcher_free(gpu);
    rp_searcher_free(cpu);
    launch_log_end();
    rp_index_close(index);
}

static void draw_options(question *q)
{
    static const size_t ks[] = {ALL, ALL, 10, 0};
    size_t k = ks[chance_below(4)];
    *q = (question){.in_batch = chance_below(2)};
    q->options.mode = (rp_mode)chance_below(3);
    q->options.k = k ? k : 1;
    q->options.total = k == 0                                ? RP_TOTAL_ONLY
                       : q->in_batch || chance_below(2) == 0 ? RP_TOTAL_AT_LEAST
                                                             : RP_TOTAL_EXACT;
    q->has_all_hits = k == ALL;
}

/* The word alone and with others. */
static void draw(question *q, uint64_t word)
{
    static const uint64_t memory[] = {0, SOME, 2 * SOME};
    char a[TEXT / 2], b[TEXT / 2];
    draw_options(q);
    q->options.gpu_memory = memory[chance_below(3)];
    q->is_checked_once = true;
    collection_put_word(a, word);
    collection_put_word(b, chance_below(8));
    snprintf(q->texts[0], TEXT, "%s %s", a, b);
    snprintf(q->texts[1], TEXT, "%s", a);
    collection_put_word(b, WORDS / 2 + chance_below(WORDS / 2));
    snprintf(q->texts[2], TEXT, "%s %s", b, a);
}

/* Some of them by operators. */
static void draw_transcoded(question *q, uint64_t word)
{
    draw(q, word);
    if (chance_below(2))
        return;
    q->options.algorithm = "operators";
    q->in_batch = false;
}

/* With words that are in fewer documents than the word's list has blocks. */
static void draw_rare(question *q, uint64_t word)
{
    char a[TEXT / 4], rare[TEXT / 4];
    draw_options(q);
    q->options.gpu_memory = MANY;
    q->options.mode = chance_below(4) ? RP_MODE_AND : RP_MODE_ANDOR;
    q->in_batch = chance_below(4) == 0;
    q->has_all_hits = q->has_all_hits && q->options.mode == RP_MODE_AND;
    collection_put_word(a, word);
    for (size_t i = 0; i < QUERIES; i++) {
        collection_put_word(rare, 2 + chance_below(RARE));
        snprintf(q->texts[i], TEXT, "%s %s", rare, a);
    }
}

/* ORs of dense lists, which a kernel reads as they are stored, where some of them fit. */
static void draw_dense(question *q, uint64_t word)
{
    char a[TEXT / 4], b[TEXT / 4];
    draw_options(q);
    q->options.gpu_memory = chance_below(2) ? SOME : 2 * SOME;
    q->options.mode = RP_MODE_OR;
    q->options.total = RP_TOTAL_AT_LEAST;
    q->is_checked_once = true;
    collection_put_word(a, word);
    for (size_t i = 0; i < QUERIES; i++) {
        collection_put_word(b, i == 0 ? 1 - word : 2 + chance_below(RARE));
        snprintf(q->texts[i], TEXT, "%s %s", a, i == 1 ? "" : b);
    }
}

/* ORs of dense lists in one launch, of which one query alone has the word. */
static void draw_apart(question *q, uint64_t word)
{
    char a[TEXT / 4], b[TEXT / 4];
    *q = (question){.in_batch = true, .has_all_hits = true};
    q->options = (rp_search_options){.mode = RP_MODE_OR,
                                     .k = chance_below(2) ? 10 : ALL,
                                     .gpu_memory = APART,
                                     .total = RP_TOTAL_AT_LEAST};
    for (size_t i = 0; i < QUERIES; i++) {
        collection_put_word(a, word + i);
        collection_put_word(b, word + i + QUERIES);
        snprintf(q->texts[i], TEXT, "%s %s", a, b);
    }
}

static char far_spec[TEXT]; /* operators that read lists in the codec as they are stored */

/* With words that are in so few documents that the second level of a directory is looked at. */
static void draw_far(question *q, uint64_t word)
{
    char a[TEXT / 4], rare[TEXT / 4];
    *q = (question){.in_batch = chance_below(2), .has_all_hits = true, .is_checked_once = true};
    q->options = (rp_search_options){
        .mode = RP_MODE_AND, .k = ALL, .algorithm = chance_below(3) ? far_spec : NULL};
    q->in_batch = q->in_batch && !q->options.algorithm;
    collection_put_word(a, word);
    for (size_t i = 0; i < QUERIES; i++) {
        collection_put_word(rare, 2 + chance_below(RAREST));
        snprintf(q->texts[i], TEXT, "%s %s", rare, a);
    }
}

/* ---- Lists ----------------------------------------------------------------------------------------- */

/* How its lists are damaged, and asked about. */
typedef struct world {
    void (*draw)(question *, uint64_t word);
    const uint64_t *words; /* n_words */
    size_t n_words;
    size_t each[2];   /* one byte of so many of payloads, of directories */
    const char *only; /* (optional) the part that is damaged */
} world;

/* A part of a list's bytes. */
typedef struct part {
    const char *name;
    const void *from;
    size_t bytes, each;
} part;

static void damage_part(const file *f, size_t index, const world *w, uint64_t word, const part *p)
{
    char what[TEXT + 32], dir[128];
    question q;
    size_t each = getenv("RIPOSTE_THOROUGH") ? 1 : p->each;
    snprintf(dir, sizeof dir, "%s/%s", c.folder, c.codecs[index]);
    for (size_t i = chance_below(each); p->from && i < p->bytes;
         i += 1 + chance_below(2 * each - 1)) {
        const uint8_t *at = (const uint8_t *)p->from + i;
        uint8_t by = (uint8_t)(chance_below(2) ? 255 : 1U << chance_below(8));
        w->draw(&q, word);
        snprintf(what, sizeof what, "%s, %s byte %zu ^ %d", c.codecs[index], p->name, i, by);
        change(f, at, by);
        ask(&q, dir, what);
        change(f, at, by);
    }
}

static void damage_list(file *f, size_t index, const world *w, rp_searcher *searcher, uint64_t word)
{
    char text[TEXT];
    rp__query query;
    rp__list list;
    collection_put_word(text, word);
    assert_int_equal(rp__searcher_bind(searcher, text, strlen(text), RP_MODE_OR, &query, NULL),
                     RP_OK);
    assert_int_equal(rp__segment_list(query.segment, &query.words[0].term, &arena, &list), RP_OK);
    if (f->fd < 0)
        open_file(f, index, query.segment);
    const size_t by_block = list.n_blocks * sizeof(uint32_t), freqs = list.n > 300 ? 4 : 1;
    const part parts[] = {
        {"freqs", list.freqs, list.freqs_bytes, freqs * w->each[0]},
        {"freq_offsets", list.freq_offsets, by_block, w->each[1]},
        {"offsets", list.offsets, by_block, w->each[1]},
        {"last", list.last, by_block, w->each[1]},
        {"last_far", list.last_far, (list.n_blocks + 63) / 64 * 4, w->each[1]},
        {"docs", list.docs, list.docs_bytes, 12 * w->each[0]},
        {"heads", w->only ? list.docs : NULL, HEAD, w->each[0]},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!w->only || strcmp(w->only, parts[i].name) == 0)
            damage_part(f, index, w, word, &parts[i]);
}

static void damage_codecs(const world *w)
{
    n_asked = n_met = n_wrong = n_stored_ors = 0;
    rp__arena_init(&arena, (size_t)64 << 20);
    for (size_t i = 0; i < c.n_codecs; i++) {
        file f = {.fd = -1};
        rp_searcher *searcher;
        assert_int_equal(rp_searcher_new(c.indexes[i], NULL, &searcher, NULL), RP_OK);
        for (size_t k = 0; k < w->n_words; k++)
            damage_list(&f, i, w, searcher, w->words[k]);
        close(f.fd);
        rp_searcher_free(searcher);
    }
    rp__arena_reset(&arena);
    print_message("%zu queries, %zu met damage, %zu wrong; %zu launches of stored ORs\n", n_asked,
                  n_met, n_wrong, n_stored_ors);
    assert_true(w->only || n_met > 100); /* what the cpu does not look at, it does not meet */
    assert_int_equal(n_wrong, 0);
}

static void begin(const char *freqs, const char *const *codecs)
{
    const char *seed = getenv("RIPOSTE_ORACLE_SEED");
    c = (collection){.name = "damaged lists", .stem = "none", .stop = "none", .freqs = freqs};
    chance_seed(seed ? strtoull(seed, NULL, 10) : 14);
    for (size_t i = 0; codecs[i]; i++)
        collection_add_codec(&c, codecs[i]);
}

static const char *const read_as_stored[] = {"bp128", "optpfd", "raw", "rice",
                                             "ef128", "bitmap", NULL};

/* Lists of up to 8 blocks. */
static void damage_short_lists(const char *freqs)
{
    static const uint64_t words[] = {0, 3, 9, 16};
    static const world w = {draw, words, 4, {5, 5}, NULL};
    begin(freqs, read_as_stored);
    collection_fill(&c, DOCS, WORDS, MAX_LENGTH);
    collection_end(&c);
    damage_codecs(&w);
    collection_close(&c);
}

static void damaged_lists_with_bp128_frequencies(void **state)
{
    (void)state;
    damage_short_lists("bp128");
}

static void damaged_lists_with_optpfd_frequencies(void **state)
{
    (void)state;
    damage_short_lists("optpfd");
}

static void damaged_lists_with_efsum_frequencies(void **state)
{
    (void)state;
    damage_short_lists("efsum");
}

/* Lists that kernels read only after they were transcoded, of one block and of several: all of their directories are
 * checked then. Bitmaps are transcoded in batches. */
static void damaged_transcoded_lists(void **state)
{
    (void)state;
    static const char *const codecs[] = {"vbyte",    "newpfd", "iiu", "lrc",
                                         "hslrc128", "bitmap", NULL};
    static const uint64_t words[] = {0, 9, 30};
    static const world w = {draw_transcoded, words, 3, {3, 8}, NULL};
    begin(NULL, codecs);
    collection_fill(&c, DOCS, WORDS, MAX_LENGTH);
    collection_end(&c);
    damage_codecs(&w);
    collection_close(&c);
}

/* All documents have the first word, one of two has the second. */
static void fill_dense(size_t n_docs, uint64_t rare)
{
    char text[TEXT];
    for (size_t i = 0; i < n_docs; i++) {
        collection_put_word(text, 0);
        for (uint64_t n = chance_below(4); n > 0; n--) {
            strcat(text, " ");
            collection_put_word(text + strlen(text), chance_below(2) ? 1 : 2 + chance_below(rare));
        }
        collection_add(&c, text, 0, text, strlen(text));
    }
    collection_end(&c);
}

static void damaged_blocks_of_lists(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, 1};
    static const world w = {draw_rare, words, 2, {24, 20}, NULL};
    begin("optpfd", read_as_stored);
    fill_dense(MANY_DOCS, RARE);
    damage_codecs(&w);
    collection_close(&c);
}

static void damage_dense_lists(const char *freqs)
{
    static const char *const codecs[] = {"bp128", "optpfd", "raw", "bitmap", NULL};
    static const uint64_t words[] = {0, 1};
    static const world w = {draw_dense, words, 2, {6, 3}, NULL};
    begin(freqs, codecs);
    fill_dense(DOCS, RARE);
    damage_codecs(&w);
    assert_true(n_stored_ors > 100);
    collection_close(&c);
}

static void damaged_dense_lists_of_ors(void **state)
{
    (void)state;
    damage_dense_lists("optpfd");
}

static void damaged_dense_lists_with_efsum_frequencies(void **state)
{
    (void)state;
    damage_dense_lists("efsum");
}

/* Lists that cannot be read at all, beside sound ones. */
static void damaged_heads_of_bitmaps(void **state)
{
    (void)state;
    static const char *const codecs[] = {"bitmap", NULL};
    static const uint64_t words[] = {0};
    static const world w = {draw_apart, words, 1, {1, 1}, "heads"};
    begin(NULL, codecs);
    collection_fill(&c, MANY_DOCS, APART_WORDS, APART_LENGTH);
    collection_end(&c);
    damage_codecs(&w);
    assert_true(n_met > 0 && n_stored_ors > 0);
    collection_close(&c);
}

static void close_queries(rp_batch_query *query, rp_searcher *gpu, rp_searcher *cpu)
{
    rp_hits_free(&query->hits);
    rp_searcher_free(gpu);
    rp_searcher_free(cpu);
}

/* The list of a word of the collection's first index. */
static void find_list(const rp_index *index, uint64_t word, rp__list *list, file *f)
{
    char text[TEXT];
    rp__query query;
    rp_searcher *searcher;
    rp_error err = {.text = ""};
    collection_put_word(text, word);
    assert_int_equal(rp_searcher_new(index, NULL, &searcher, &err), RP_OK);
    assert_int_equal(rp__searcher_bind(searcher, text, strlen(text), RP_MODE_OR, &query, NULL),
                     RP_OK);
    assert_int_equal(rp__segment_list(query.segment, &query.words[0].term, &arena, list), RP_OK);
    open_file(f, 0, query.segment);
    rp_searcher_free(searcher);
}

/* The file has a hole where the bits of a dense list were; its head and directory are whole. No block is looked for
 * further than up to its last docid, so kernels end: a block of threads that takes too many turns counts as endless
 * here, and the device as lost. */
static void bitmaps_without_bits_end_soon(void **state)
{
    (void)state;
    static const char *const codecs[] = {"bitmap", NULL};
    const rp_search_options options = {.processor = "gpu",
                                       .gpu = "emulated",
                                       .mode = RP_MODE_OR,
                                       .k = 10,
                                       .total = RP_TOTAL_AT_LEAST,
                                       .gpu_memory = HOLE_MEMORY},
                            plain = {.processor = "cpu", .mode = RP_MODE_OR, .k = 10};
    const question q = {.options = options};
    rp_batch_query query = {0};
    rp_searcher *gpu, *cpu;
    rp_error err = {.text = ""};
    rp_gpu_state device;
    char word[TEXT];
    file f;
    rp__list list;
    FILE *launches = tmpfile();
    assert_non_null(launches);
    n_wrong = n_stored_ors = 0;
    begin(NULL, codecs);
    rp__arena_init(&arena, (size_t)64 << 20);
    fill_dense(HOLE_DOCS, RARE);
    find_list(c.indexes[0], 0, &list, &f);
    for (const uint8_t *at = list.docs + HEAD, *end = at + HOLE_DOCS / 8; at < end; at++)
        change(&f, at, *at);
    close(f.fd);
    launch_log_begin(2);
    rp__emulated_device_configure(
        &(rp__emulated_device_options){.processors = 2, .turns = HOLE_TURNS});
    launch_log_write(launches, NULL, "");
    assert_int_equal(rp_searcher_new(c.indexes[0], &options, &gpu, &err), RP_OK);
    assert_int_equal(rp_searcher_new(c.indexes[0], &plain, &cpu, &err), RP_OK);
    collection_put_word(word, 0);
    strcat(word, " ");
    collection_put_word(word + strlen(word), 1);
    query = (rp_batch_query){.query = word, .query_bytes = strlen(word)};
    query.status = rp_searcher_search(gpu, word, strlen(word), &query.hits, &query.err);
    compare(&q, "hole", &query, cpu);
    rp_searcher_get_gpu_state(gpu, &device);
    launch_log_write(NULL, NULL, "");
    count_stored_ors(launches);
    assert_int_equal(n_wrong, 0);
    assert_true(n_stored_ors > 0);
    assert_string_equal(device.fault, "");
    close_queries(&query, gpu, cpu);
    launch_log_end();
    fclose(launches);
    rp__arena_reset(&arena);
    collection_close(&c);
}

/* Of lists of more than 64 blocks the directory has a second level. */
static void damaged_second_levels(void **state)
{
    (void)state;
    static const char *const codecs[] = {"seglrc", "lrcseg", "bp128"};
    static const uint64_t words[] = {0, 0};
    static const world w = {draw_far, words, 2, {1, 1}, "last_far"};
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        snprintf(far_spec, sizeof far_spec, "operators:intersect=%s", codecs[i]);
        begin(NULL, (const char *const[]){codecs[i], NULL});
        fill_dense(LONG_DOCS, RAREST);
        damage_codecs(&w);
        collection_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_lists_with_bp128_frequencies),
                                       cmocka_unit_test(damaged_lists_with_optpfd_frequencies),
                                       cmocka_unit_test(damaged_lists_with_efsum_frequencies),
                                       cmocka_unit_test(damaged_transcoded_lists),
                                       cmocka_unit_test(damaged_blocks_of_lists),
                                       cmocka_unit_test(damaged_dense_lists_of_ors),
                                       cmocka_unit_test(damaged_dense_lists_with_efsum_frequencies),
                                       cmocka_unit_test(damaged_heads_of_bitmaps),
                                       cmocka_unit_test(bitmaps_without_bits_end_soon),
                                       cmocka_unit_test(damaged_second_levels)};
    cmocka_set_test_filter(getenv("RIPOSTE_TESTS"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
