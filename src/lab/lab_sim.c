/* lab_sim.c: queries of one term or two on the simulated machine, straight from an image or from an
 * index in codec iiu: no searcher, no ranking but the machine's. */
#include "lab/lab_sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/iiu/iiu_memory.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "engine/engine.h"
#include "rank/rank.h"
#include "sim/image.h"
#include "store/store.h"

enum {
    TERMS = 2,                 /* of a query */
    BEST = 10,                 /* documents that the host chooses */
    RESULTS_BYTES = 256 << 20, /* of queries that one machine has */
    ARENA_BYTES = 64 << 20,
    TELL_CYCLES = 1 << 15, /* of a machine, between two reports of its progress */
};

typedef struct query {
    size_t text; /* in texts */
    uint32_t type;
    rp__image_list lists[TERMS];
} query;

struct rp__lab_sim {
    rp_index *index; /* NULL: an image */
    rp__iiu_memory memory;
    rp__analyzer_state *analyzer;
    rp__rank rank;
    rp__arena arena;
    rp__buf bytes; /* of the image */
    rp__image image;
    query *queries;
    size_t n, cap;
    rp__buf texts;
    rp__lab_sim_left_out left_out;
};

/* ---- Opening --------------------------------------------------------------------------------- */

static rp_status read_file(const char *path, rp__buf *out, rp_error *err)
{
    rp__input *input;
    rp_status status = rp__input_open_plain(path, &input, err);
    if (status != RP_OK)
        return status;
    const uint64_t size = rp__input_size(input);
    uint8_t *to = rp__buf_room(out, (size_t)size + RP_PAD);
    size_t got = 0;
    status = to ? rp__input_read(input, to, (size_t)size, &got, err) : rp__error_no_memory(err);
    out->n = got;
    rp__input_close(input);
    return status;
}

static rp_status open_image(rp__lab_sim *sim, const char *path, rp_error *err)
{
    rp_error own;
    rp_status status = read_file(path, &sim->bytes, err);
    if (status != RP_OK)
        return status;
    status = rp__image_open(sim->bytes.at, sim->bytes.n, &sim->image, &own);
    return status == RP_OK ? RP_OK : rp__error_set(err, status, "%s: %s", path, own.text);
}

static rp_status run_open(void *arg)
{
    rp__lab_sim *sim = arg;
    return rp__iiu_memory_set_dl(&sim->memory, &sim->rank);
}

static rp_status open_index(rp__lab_sim *sim, const char *path, rp_error *err)
{
    const rp__ranking *row = rp__ranking_find("iiu");
    rp_status status = rp_index_open(path, NULL, &sim->index, err);
    if (status != RP_OK)
        return status;
    const rp__segment *segment = sim->index->segment;
    sim->rank = (rp__rank){row, row->k1, row->b, row->mu, rp__segment_get_info(segment)->stats};
    status = rp__iiu_memory_open(&sim->memory, segment, err);
    if (status == RP_OK && rp__analyzer_state_new(sim->index->analyzer, &sim->analyzer) != RP_OK)
        status = rp__error_no_memory(err);
    if (status == RP_OK && rp__index_handle_guard(sim->index, run_open, sim) != RP_OK)
        status = rp__error_set(err, RP_DAMAGED, "the lengths of documents were cut short");
    return status;
}

rp_status rp__lab_sim_open(const char *path, rp__lab_sim **out, rp_error *err)
{
    struct stat st;
    rp__lab_sim *sim = rp__alloc_zero(1, sizeof *sim);
    *out = NULL;
    if (!sim)
        return rp__error_no_memory(err);
    rp__buf_init(&sim->bytes);
    rp__buf_init(&sim->texts);
    rp__arena_init(&sim->arena, ARENA_BYTES);
    const bool is_folder = stat(path, &st) != 0 || S_ISDIR(st.st_mode);
    rp_status status = is_folder ? open_index(sim, path, err) : open_image(sim, path, err);
    if (status == RP_OK)
        *out = sim;
    else
        rp__lab_sim_close(sim);
    return status;
}

void rp__lab_sim_close(rp__lab_sim *sim)
{
    if (!sim)
        return;
    rp__iiu_memory_close(&sim->memory);
    rp__analyzer_state_free(sim->analyzer);
    rp__arena_reset(&sim->arena);
    rp__buf_free(&sim->bytes);
    rp__buf_free(&sim->texts);
    rp__free(sim->queries);
    rp_index_close(sim->index);
    rp__free(sim);
}

/* ---- Checking an image ----------------------------------------------------------------------- */

typedef struct check {
    const char *path;
    rp_check_fn *on_fault; /* (optional) */
    void *arg;
    uint32_t *postings; /* docids and frequencies of a list */
    size_t cap;
    uint64_t faults;
    rp_error *err;
} check;

/* The first fault of all is the error. */
static void report_fault(check *c, const char *where, const char *what)
{
    if (c->faults++ == 0)
        rp__error_set(c->err, RP_DAMAGED, "%s: %s", where, what);
    if (c->on_fault)
        c->on_fault(c->arg, where, what);
}

static rp_status check_list(check *c, const rp__image *image, uint64_t i, uint64_t *postings)
{
    rp__image_list list;
    rp_error why;
    char where[512];
    const char *name;
    size_t bytes;
    rp__image_name(image, i, &name, &bytes);
    snprintf(where, sizeof where, "%s: list \"%.*s\"", c->path, (int)(bytes < 99 ? bytes : 99),
             name);
    if (rp__image_get_list(image, i, &list, &why) != RP_OK) {
        report_fault(c, where, why.text);
        return RP_OK;
    }
    *postings += list.n_postings;
    if (!rp__alloc_grow(&c->postings, &c->cap, 2 * (size_t)list.n_postings, sizeof *c->postings))
        return RP_NO_MEMORY;
    if (rp__image_decode(image, &list, c->postings, c->postings + list.n_postings) != RP_OK)
        report_fault(c, where, "its docids do not rise, or a frequency is 0");
    return RP_OK;
}

static rp_status check_lists(check *c, const rp__image *image)
{
    uint64_t postings = 0;
    rp_status status = RP_OK;
    for (uint64_t i = 0; i < image->n_lists && status == RP_OK; i++)
        status = check_list(c, image, i, &postings);
    if (status == RP_OK && c->faults == 0 && postings != image->n_postings)
        report_fault(c, c->path, "its lists have another number of postings than its tail says");
    rp__free(c->postings);
    return status == RP_OK ? RP_OK : rp__error_no_memory(c->err);
}

rp_status rp__lab_sim_check(const char *path, rp_check_fn *on_fault, void *arg,
                            rp__lab_sim_image_info *out, rp_error *err)
{
    check c = {.path = path, .on_fault = on_fault, .arg = arg, .err = err};
    rp__buf bytes;
    rp__image image = {0}; /* where it cannot be opened nothing is in it */
    rp_error why;
    rp__buf_init(&bytes);
    rp_status status = read_file(path, &bytes, err);
    if (status == RP_OK) {
        status = rp__image_open(bytes.at, bytes.n, &image, &why);
        if (status == RP_INCOMPATIBLE)
            rp__error_set(err, status, "%s: %s", path, why.text);
        else if (status != RP_OK)
            report_fault(&c, path, why.text);
        else
            status = check_lists(&c, &image);
        *out = (rp__lab_sim_image_info){image.n_docs, image.n_lists, image.n_postings};
    }
    rp__buf_free(&bytes);
    return status == RP_OK && c.faults > 0 ? RP_DAMAGED : status;
}

/* ---- Queries --------------------------------------------------------------------------------- */

/* A word of a query, and the list that it has. */
typedef struct word {
    const char *text;
    size_t bytes;
    rp__image_list list;
} word;

typedef struct find_job {
    rp__lab_sim *sim;
    word *word;
} find_job;

static rp_status run_find_word(void *arg)
{
    const find_job *job = arg;
    rp__lab_sim *sim = job->sim;
    rp__term term;
    rp_status status =
        rp__segment_find(sim->index->segment, job->word->text, job->word->bytes, &term);
    if (status != RP_OK)
        return status;
    rp__arena_clear(&sim->arena);
    const float weight = rp__rank_weight(&sim->rank, &term.df, &term.cf, 1, 1.0).weight;
    return rp__iiu_memory_put_term(&sim->memory, &term,
                                   rp__rank_fix(weight, rp__rank_scale(RP_IIU_SCORE_BITS)),
                                   &sim->arena, &job->word->list);
}

static rp_status find_word(rp__lab_sim *sim, word *w, rp_error *err)
{
    uint64_t i;
    rp_status status;
    find_job job = {sim, w};
    if (sim->index)
        status = rp__index_handle_guard(sim->index, run_find_word, &job);
    else if ((status = rp__image_find(&sim->image, w->text, w->bytes, &i)) == RP_OK)
        return rp__image_get_list(&sim->image, i, &w->list, err);
    if (status == RP_OK)
        return RP_OK;
    return rp__error_set(err, status, "\"%.*s\": %s", (int)w->bytes, w->text,
                         status == RP_NOT_FOUND ? "no list has this term" : rp_status_text(status));
}

static rp_status put_query(rp__lab_sim *sim, uint32_t type, const word *words, size_t n,
                           rp_error *err)
{
    if (!rp__alloc_grow(&sim->queries, &sim->cap, sim->n + 1, sizeof *sim->queries))
        return rp__error_no_memory(err);
    query *q = &sim->queries[sim->n];
    *q = (query){.text = sim->texts.n, .type = type};
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            rp__buf_put_byte(&sim->texts, ' ');
        rp__buf_put(&sim->texts, words[i].text, words[i].bytes);
        q->lists[i] = words[i].list;
    }
    rp__buf_put_byte(&sim->texts, 0);
    /* the shorter list is searched for in the longer one */
    if (n == TERMS && q->lists[1].n_postings < q->lists[0].n_postings) {
        const rp__image_list swap = q->lists[0];
        q->lists[0] = q->lists[1];
        q->lists[1] = swap;
    }
    if (sim->texts.failed)
        return rp__error_no_memory(err);
    sim->n++;
    return RP_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next word of the text; false: there is none. It is valid until the next call. */
static bool next_word(rp__lab_sim *sim, const char *text, size_t bytes, size_t *at, char own[256],
                      word *w)
{
    rp__token term;
    if (!sim->index) {
        while (*at < bytes && is_blank(text[*at]))
            (*at)++;
        w->text = text + *at;
        w->bytes = 0;
        while (*at < bytes && !is_blank(text[*at])) {
            (*at)++;
            w->bytes++;
        }
        return w->bytes > 0;
    }
    if (*at == 0)
        rp__analyzer_begin(sim->analyzer, text, bytes);
    *at = 1;
    if (!rp__analyzer_next(sim->analyzer, &term))
        return false;
    memcpy(own, term.term, term.bytes);
    w->text = own;
    w->bytes = term.bytes;
    return true;
}

static rp_status add_pair(rp__lab_sim *sim, const word *words, size_t n, rp__lab_sim_mode mode,
                          rp_error *err)
{
    if (n == 0 || n > TERMS || (n == 1 && mode != RP_LAB_SIM_BY_TERMS))
        return rp__error_set(err, RP_LIMIT, "%zu terms; this takes %s", n,
                             mode == RP_LAB_SIM_BY_TERMS ? "one or two" : "two");
    const uint32_t type = n == 1 ? RP_SIM_SINGLE : mode == RP_LAB_SIM_OR ? RP_SIM_OR : RP_SIM_AND;
    return put_query(sim, type, words, n, err);
}

static rp_status add_query(rp__lab_sim *sim, const char *text, size_t bytes, rp__lab_sim_mode mode,
                           rp_error *err)
{
    char own[TERMS + 1][256];
    word words[TERMS + 1];
    size_t n = 0, at = 0;
    rp_status status = RP_OK;
    while (status == RP_OK && n <= TERMS && next_word(sim, text, bytes, &at, own[n], &words[n])) {
        status = find_word(sim, &words[n], err);
        if (status == RP_OK && mode == RP_LAB_SIM_SINGLE)
            status = put_query(sim, RP_SIM_SINGLE, &words[n], 1, err);
        else
            n++;
    }
    return status != RP_OK || mode == RP_LAB_SIM_SINGLE ? status
                                                        : add_pair(sim, words, n, mode, err);
}

rp_status rp__lab_sim_add(rp__lab_sim *sim, const char *text, size_t bytes, rp__lab_sim_mode mode,
                          rp_error *err)
{
    const rp_status status = add_query(sim, text, bytes, mode, err);
    sim->left_out.unknown += status == RP_NOT_FOUND;
    sim->left_out.other += status == RP_LIMIT;
    return status;
}

size_t rp__lab_sim_count(const rp__lab_sim *sim)
{
    return sim->n;
}

rp__lab_sim_left_out rp__lab_sim_count_left_out(const rp__lab_sim *sim)
{
    return sim->left_out;
}

void rp__lab_sim_get(const rp__lab_sim *sim, size_t i, rp__lab_sim_query *out)
{
    const query *q = &sim->queries[i];
    *out = (rp__lab_sim_query){.text = (const char *)sim->texts.at + q->text,
                               .type = q->type,
                               .n = {q->lists[0].n_postings, q->lists[1].n_postings}};
}

/* ---- Running --------------------------------------------------------------------------------- */

/* What the machine has of a query: all of it, or a range of docids. */
typedef struct part {
    size_t query;
    rp__descriptor descriptor;
    rp__completion done;
} part;

/* A run at work: some of the queries, on one machine. */
typedef struct job {
    const rp__lab_sim *sim;
    const rp__sim_config *config;
    rp__sim_timeline *timeline; /* (optional) */
    rp__sim_memory memory;
    size_t first, n; /* queries */
    part *parts;     /* of these queries, in their order */
    size_t n_parts;
    uint64_t result_bytes;
    uint8_t *results;
    size_t cap_results;
    rp__result_slot *slots;
    size_t cap_slots;
    rp__lab_sim_result *out;
    rp__lab_sim_progress_fn *on_progress; /* (optional) */
    void *arg;
} job;

static rp__descriptor describe(const job *j, size_t i)
{
    const query *q = &j->sim->queries[i];
    rp__descriptor d = {.query_type = (uint8_t)q->type,
                        .n_cores = (uint8_t)j->config->cores,
                        .list0 = q->lists[0].at,
                        .n_blocks0 = q->lists[0].n_blocks,
                        .cap = q->lists[0].n_postings};
    d.dl_table = j->sim->index ? j->sim->memory.dl_at : j->sim->image.dl_at;
    if (q->type == RP_SIM_SINGLE)
        return d;
    d.list1 = q->lists[1].at;
    d.n_blocks1 = q->lists[1].n_blocks;
    d.cap += q->type == RP_SIM_OR ? q->lists[1].n_postings : 0;
    return d;
}

/* Ranges that the host cuts a query into, at most one for each block of the longer list. */
static uint32_t count_ranges(const job *j, const query *q)
{
    if (q->type != RP_SIM_OR)
        return 1;
    const uint32_t n = j->config->ranges, blocks = q->lists[1].n_blocks;
    return n < blocks ? n : blocks;
}

/* The docid at which range i of n begins: each has as many blocks of the longer list. */
static uint32_t range_begin(const job *j, const query *q, uint32_t i, uint32_t n)
{
    const rp__image_list *list = &q->lists[1];
    const uint64_t block = (uint64_t)list->n_blocks * i / n;
    return i == 0   ? 0
           : i == n ? UINT32_MAX
                    : rp__load32(j->memory.image + list->skip_at +
                                 (list->flags & RP_IMAGE_PAIRED ? 16 : 4) * block);
}

/* Slots of a result buffer; lanes that keep their best write a fixed number of them. */
static uint64_t slots_of(const job *j, const rp__descriptor *d, uint64_t documents)
{
    const uint64_t best = 2 * (uint64_t)j->config->cores * j->config->topk;
    const uint64_t cap = d->cap < documents ? d->cap : documents;
    return cap > best ? cap : best;
}

static uint64_t results_of(const rp__descriptor *d)
{
    return rp__bits_align(rp__sim_result_bytes(d), RP_SIM_LINE);
}

/* Writes the descriptors of a query; the bytes of their results follow those that are there. */
static void put_query_parts(job *j, size_t i)
{
    const query *q = &j->sim->queries[i];
    const uint32_t n = count_ranges(j, q);
    for (uint32_t r = 0; r < n; r++) {
        rp__descriptor d = describe(j, i);
        const uint32_t begin = range_begin(j, q, r, n), end = range_begin(j, q, r + 1, n);
        if (n > 1) {
            d.flags = RP_SIM_RANGE;
            d.reserved = begin | (uint64_t)end << 32;
        }
        d.cap = slots_of(j, &d, end - begin);
        d.tag = (uint32_t)j->n_parts;
        d.result = j->memory.results_at + j->result_bytes;
        j->result_bytes += results_of(&d);
        j->parts[j->n_parts++] = (part){.query = i, .descriptor = d};
    }
}

/* As many queries as the results have memory for, at least one; with mode=intra one at a time. */
static rp_status take_queries(job *j)
{
    j->memory.image = j->sim->index ? j->sim->memory.image : j->sim->bytes.at;
    j->memory.image_bytes =
        j->sim->index ? (size_t)j->sim->memory.end : (size_t)j->sim->image.n_bytes;
    j->memory.results_at = rp__sim_results_at(j->memory.image_bytes);
    j->n_parts = 0;
    j->result_bytes = 0;
    for (j->n = 0; j->first + j->n < j->sim->n; j->n++) {
        const size_t parts = j->n_parts;
        const uint64_t bytes = j->result_bytes;
        const bool is_alone = j->config->mode == RP_SIM_MODE_INTRA;
        put_query_parts(j, j->first + j->n);
        if (j->n > 0 && (is_alone || j->result_bytes > RESULTS_BYTES)) {
            j->n_parts = parts;
            j->result_bytes = bytes;
            break;
        }
    }
    if (!rp__alloc_grow(&j->results, &j->cap_results, (size_t)j->result_bytes + RP_SIM_LINE, 1))
        return RP_NO_MEMORY;
    j->memory.results = j->results;
    j->memory.results_bytes = (size_t)j->result_bytes;
    return RP_OK;
}

/* The host's part: the k best by a heap, as in the paper's Figure 13. */
static rp_status choose_best(job *j, const rp__machine *machine, const part *parts, size_t n)
{
    rp__scored scratch[4 * BEST];
    rp__topk topk;
    uint64_t n_slots = 0;
    for (size_t i = 0; i < n; i++) {
        const rp__completion *c = &parts[i].done;
        if (!rp__alloc_grow(&j->slots, &j->cap_slots, (size_t)(n_slots + c->n_results) + 1,
                            sizeof *j->slots))
            return RP_NO_MEMORY;
        rp_status status =
            rp__machine_results(machine, &parts[i].descriptor, c, j->slots + n_slots);
        if (status != RP_OK)
            return status;
        n_slots += c->n_results;
    }
    if (rp__topk_room(BEST) > sizeof scratch / sizeof *scratch)
        return RP_OK;
    const uint64_t begun = rp__clock_thread();
    rp__topk_init(&topk, scratch, BEST);
    for (uint64_t i = 0; i < n_slots; i++)
        rp__topk_push(&topk, j->slots[i].score, j->slots[i].doc);
    rp__topk_finish(&topk);
    j->out->topk_seconds += (double)(rp__clock_thread() - begun) * 1e-9;
    return RP_OK;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A query lasts from its first part to its last one. */
static void join(rp__completion *all, const rp__completion *more)
{
    all->status = all->status != RP_SIM_OK ? all->status : more->status;
    all->n_results += more->n_results;
    all->arrival = smaller(all->arrival, more->arrival);
    all->start = smaller(all->start, more->start);
    all->first = smaller(all->first, more->first);
    all->last = larger(all->last, more->last);
    all->end = larger(all->end, more->end);
    all->cores |= more->cores;
}

/* Cycles of a machine that ran after others. */
static void shift(rp__completion *c, uint64_t cycles)
{
    c->arrival += cycles;
    c->start += cycles;
    c->first += cycles;
    c->last += cycles;
    c->end += cycles;
}

static void add_counts(rp__sim_counts *to, const rp__sim_counts *more)
{
    const uint64_t max_fill =
        to->mai_max_fill > more->mai_max_fill ? to->mai_max_fill : more->mai_max_fill;
    uint64_t *a = (uint64_t *)(void *)to;
    const uint64_t *b = (const uint64_t *)(const void *)more;
    for (size_t i = 0; i < sizeof *to / sizeof *a; i++)
        a[i] += b[i];
    to->mai_max_fill = max_fill;
}

static void add_report(rp__sim_report *to, const rp__sim_report *more)
{
    if (to->queries == 0) {
        *to = *more;
        return;
    }
    to->cycles += more->cycles;
    to->queries += more->queries;
    to->evaluations += more->evaluations;
    to->memory_ticks += more->memory_ticks;
    to->row_hits += more->row_hits;
    to->row_closed += more->row_closed;
    to->row_conflicts += more->row_conflicts;
    to->bus_busy += more->bus_busy;
    to->column_commands += more->column_commands;
    to->commands_saved += more->commands_saved;
    to->commands_left += more->commands_left;
    to->dram_pj += more->dram_pj;
    for (uint32_t i = 0; i < to->n_units && i < more->n_units; i++)
        for (uint32_t c = 0; c < RP_SIM_CLASSES; c++)
            to->units[i].cycles[c] += more->units[i].cycles[c];
    add_counts(&to->counts, &more->counts);
}

/* One query; n of its parts. */
static rp_status take_query(job *j, const rp__machine *machine, const part *parts, size_t n)
{
    rp__completion *all = &j->out->completions[parts[0].query];
    *all = parts[0].done;
    for (size_t i = 1; i < n; i++)
        join(all, &parts[i].done);
    all->tag = (uint32_t)parts[0].query;
    shift(all, j->out->report.cycles);
    j->out->failed += all->status != RP_SIM_OK;
    if (all->status != RP_SIM_OK)
        return RP_OK;
    j->out->results += all->n_results;
    return choose_best(j, machine, parts, n);
}

static rp_status take_results(job *j, const rp__machine *machine, rp_error *err)
{
    size_t n_done;
    rp__sim_report report;
    const rp__completion *done = rp__machine_completions(machine, &n_done);
    rp_status status = RP_OK;
    for (size_t i = 0; i < n_done; i++)
        j->parts[done[i].tag].done = done[i];
    for (size_t i = 0, n; i < j->n_parts && status == RP_OK; i += n) {
        for (n = 1; i + n < j->n_parts && j->parts[i + n].query == j->parts[i].query; n++)
            ;
        status = take_query(j, machine, &j->parts[i], n);
    }
    rp__machine_report(machine, &report);
    report.queries = j->n;
    add_report(&j->out->report, &report);
    return status == RP_NO_MEMORY ? rp__error_no_memory(err)
           : status != RP_OK      ? rp__error_set(err, status, "the machine wrote no results")
                                  : RP_OK;
}

static bool tell(const job *j, size_t queries, uint64_t cycles)
{
    return !j->on_progress ||
           j->on_progress(j->arg, j->first + queries, j->out->report.cycles + cycles);
}

/* Parts of queries count as shares of them. */
static rp_status run_machine(const job *j, rp__machine *machine, rp_error *err)
{
    bool is_done = false;
    rp_status status = RP_OK;
    while (status == RP_OK && !is_done) {
        size_t n = 0;
        status = rp__machine_run_for(machine, TELL_CYCLES, &is_done, err);
        if (status == RP_OK && !is_done) {
            rp__machine_completions(machine, &n);
            const double share = (double)n / (double)j->n_parts;
            if (!tell(j, (size_t)(share * (double)j->n), rp__machine_now(machine)))
                status = rp__error_set(err, RP_INTERRUPTED, "interrupted");
        }
    }
    if (status == RP_LIMIT)
        rp__machine_describe(machine, true, j->out->states, sizeof j->out->states);
    return status;
}

static rp_status run_some(job *j, rp_error *err)
{
    rp__machine *machine = NULL;
    if (take_queries(j) != RP_OK)
        return rp__error_no_memory(err);
    rp__sim_config config = *j->config;
    if (j->timeline) {
        config.on_spent = rp__sim_timeline_add;
        config.spent_context = j->timeline;
        j->timeline->offset = j->out->report.cycles;
    }
    rp_status status = rp__machine_new(&config, &j->memory, &machine, err);
    for (size_t i = 0; i < j->n_parts && status == RP_OK; i++)
        if (rp__machine_submit(machine, &j->parts[i].descriptor) != RP_OK)
            status = rp__error_no_memory(err);
    if (status == RP_OK)
        status = run_machine(j, machine, err);
    if (status == RP_OK)
        status = take_results(j, machine, err);
    rp__machine_free(machine);
    return status;
}

rp_status rp__lab_sim_run(const rp__lab_sim *sim, const rp__sim_config *config,
                          rp__lab_sim_progress_fn *on_progress, void *arg,
                          rp__sim_timeline *timeline, rp__lab_sim_result *out, rp_error *err)
{
    job j = {.sim = sim,
             .config = config,
             .timeline = timeline,
             .out = out,
             .on_progress = on_progress,
             .arg = arg};
    const uint64_t begun = rp__clock_now();
    *out = (rp__lab_sim_result){0};
    out->completions = rp__alloc_zero(sim->n + 1, sizeof *out->completions);
    j.parts = rp__alloc_array(sim->n + 1, config->ranges * sizeof *j.parts);
    rp_status status = out->completions && j.parts ? RP_OK : rp__error_no_memory(err);
    for (; status == RP_OK && j.first < sim->n; j.first += j.n) {
        status = run_some(&j, err);
        if (status == RP_OK && !tell(&j, j.n, 0))
            status = rp__error_set(err, RP_INTERRUPTED, "interrupted");
    }
    rp__free(j.parts);
    rp__free(j.results);
    rp__free(j.slots);
    out->seconds = (double)(rp__clock_now() - begun) * 1e-9;
    return status;
}

void rp__lab_sim_result_free(rp__lab_sim_result *result)
{
    rp__free(result->completions);
    *result = (rp__lab_sim_result){0};
}
