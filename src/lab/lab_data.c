/* lab_data.c: sets of lists to measure with: drawn, read from an index, or renumbered: chapter 4 of
 * lab/lab.h.
 *
 * A set is two arrays, docids and frequencies, list behind list. Sources: clustered lists as in Anh and
 * Moffat, "Index compression using 64-bit words", 2010: halves of a list share a range unevenly, and
 * halves of those again. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/random.h"
#include "engine/engine.h"
#include "lab/lab.h"

enum {
    UNIVERSE = 25200000,
    MOST = 12000000,      /* docids of a drawn list: under half, so that drawing ends soon */
    TWINS = 16,           /* lists of one kind in a set, but */
    TWIN_DOCIDS = 200000, /* no more once they have so many docids: L2 holds them, encoded */
    ZIPF_LISTS = 2000,
    ZIPF_FIRST = 5000000,
    CLUSTER_LEAST = 10, /* fewer docids are uniform in their range */
    STACK = 64,         /* ranges that wait: a half is halved, so one a level */
    TERMS_MEMORY = 64 << 20,
};

/* ---- Sets ------------------------------------------------------------------------------------ */

/* What a set's `memory` is. */
typedef struct memory {
    rp__lab_postings *lists;
    uint32_t *docids, *tfs;
    uint64_t *bits; /* one a docid of the universe, all zero between uses; NULL: not needed */
} memory;

void rp__lab_set_free(rp__lab_set *set)
{
    if (!set)
        return;
    memory *m = set->memory;
    if (m) {
        rp__free(m->bits);
        rp__free(m->tfs);
        rp__free(m->docids);
        rp__free(m->lists);
        rp__free(m);
    }
    *set = (rp__lab_set){0};
}

static size_t words_of(uint32_t universe)
{
    return universe / 64 + 1;
}

/* An empty set with room for so many lists and postings. */
static rp_status begin_set(rp__lab_set *set, size_t n_lists, uint64_t n, uint32_t universe)
{
    memory *m = rp__alloc_zero(1, sizeof *m);
    *set = (rp__lab_set){.universe = universe, .memory = m};
    if (!m)
        return RP_NO_MEMORY;
    m->lists = rp__alloc_array(n_lists, sizeof *m->lists);
    m->docids = rp__alloc_array(n + RP_LAB_ROOM, sizeof *m->docids);
    m->tfs = rp__alloc_array(n + RP_LAB_ROOM, sizeof *m->tfs);
    m->bits = rp__alloc_zero(words_of(universe), sizeof *m->bits);
    set->lists = m->lists;
    return m->lists && m->docids && m->tfs && m->bits ? RP_OK : RP_NO_MEMORY;
}

/* The next n places of both arrays hold a list. */
static void end_list(rp__lab_set *set, uint32_t n)
{
    memory *m = set->memory;
    m->lists[set->n_lists++] = (rp__lab_postings){n, m->docids + set->n, m->tfs + set->n};
    set->n += n;
    set->longest = n > set->longest ? n : set->longest;
}

/* Moves the bits of [base, base + range) out, as rising docids. */
static uint32_t take_bits(uint64_t *bits, uint32_t base, uint32_t range, uint32_t *out)
{
    uint32_t n = 0;
    for (size_t w = 0; w < words_of(range); w++) {
        for (uint64_t word = bits[w]; word; word &= word - 1)
            out[n++] = base + (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(word);
        bits[w] = 0;
    }
    return n;
}

/* ---- Synthetic lists ------------------------------------------------------------------------- */

/* n distinct docids of [base, base + range), rising; bits are all zero, before and after. */
static void draw_uniform(rp__random *random, uint64_t *bits, uint32_t base, uint32_t range,
                         uint32_t n, uint32_t *out)
{
    bool is_dense = n > range / 2; /* then what is left out is drawn */
    for (uint32_t left = is_dense ? range - n : n; left > 0;) {
        uint32_t v = rp__random_below(random, range);
        left -= !(bits[v / 64] >> v % 64 & 1);
        bits[v / 64] |= 1ULL << v % 64;
    }
    for (uint32_t w = 0; is_dense && w <= range / 64; w++) {
        uint32_t last = range - w * 64 < 64 ? range - w * 64 : 64;
        bits[w] = ~bits[w] & (last < 64 ? (1ULL << last) - 1 : ~0ULL);
    }
    take_bits(bits, base, range, out);
}

typedef struct span {
    uint32_t base, range, from, n; /* docids out[from .. from + n) lie in [base, base + range) */
    bool is_uniform;
} span;

/* A half of the docids goes to each side of a cut that leaves room for both; one time in four each,
 * one of the sides is uniform. */
static void halve(rp__random *random, const span *whole, span *left, span *right)
{
    uint32_t half = whole->n / 2, slack = whole->range - whole->n;
    uint32_t cut = half + rp__random_below(random, slack + 1);
    uint32_t kind = rp__random_below(random, 4);
    *left = (span){whole->base, cut, whole->from, half, kind == 0};
    *right = (span){whole->base + cut, whole->range - cut, whole->from + half, whole->n - half,
                    kind == 1};
}

static void draw_clustered(rp__random *random, uint64_t *bits, uint32_t n, uint32_t *out)
{
    span stack[STACK] = {{0, UNIVERSE, 0, n, false}};
    size_t depth = 1;
    while (depth > 0) {
        span s = stack[--depth];
        if (s.is_uniform || s.n <= CLUSTER_LEAST || s.range == s.n) {
            draw_uniform(random, bits, s.base, s.range, s.n, out + s.from);
        } else {
            halve(random, &s, &stack[depth + 1], &stack[depth]);
            depth += 2;
        }
    }
}

/* How many fail before one succeeds, a success being `good` of 10. */
static uint32_t draw_geometric(rp__random *random, uint32_t good)
{
    uint32_t n = 0;
    while (rp__random_below(random, 10) >= good)
        n++;
    return n;
}

static void draw_list(rp__lab_set *set, rp__random *random, bool is_clustered, uint32_t n)
{
    memory *m = set->memory;
    if (is_clustered)
        draw_clustered(random, m->bits, n, m->docids + set->n);
    else
        draw_uniform(random, m->bits, 0, UNIVERSE, n, m->docids + set->n);
    for (uint32_t i = 0; i < n; i++)
        m->tfs[set->n + i] = 1 + draw_geometric(random, rp__random_below(random, 100) < 3 ? 1 : 6);
    end_list(set, n);
}

static rp_status make_twins(rp__lab_set *set, rp__random *random, bool is_clustered, uint32_t n)
{
    uint32_t lists = TWIN_DOCIDS / n < 1 ? 1 : TWIN_DOCIDS / n > TWINS ? TWINS : TWIN_DOCIDS / n;
    rp_status status = begin_set(set, lists, (uint64_t)n * lists, UNIVERSE);
    for (uint32_t i = 0; status == RP_OK && i < lists; i++)
        draw_list(set, random, is_clustered, n);
    set->has_twins = lists > 1;
    return status;
}

static rp_status make_zipf(rp__lab_set *set, rp__random *random)
{
    uint64_t n = 0;
    for (uint32_t rank = 1; rank <= ZIPF_LISTS; rank++)
        n += ZIPF_FIRST / rank;
    rp_status status = begin_set(set, ZIPF_LISTS, n, UNIVERSE);
    for (uint32_t rank = 1; status == RP_OK && rank <= ZIPF_LISTS; rank++)
        draw_list(set, random, rank % 2 == 0, ZIPF_FIRST / rank);
    return status;
}

/* "U10K": the number; 0: none. */
static uint32_t read_count(const char *text)
{
    char *end;
    unsigned long v = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (v == 0 || v > MOST)
        return 0;
    if (*end == 'K')
        v *= 1000;
    else if (*end == 'M')
        v *= 1000000;
    end += *end == 'K' || *end == 'M';
    return *end == 0 && v >= RP_BLOCK && v <= MOST ? (uint32_t)v : 0;
}

/* What kind of lists, 'Z', 'U' or 'C', and of how many docids; false: no such name. */
static bool read_name(const char *name, char *kind, uint32_t *n)
{
    *kind = name[0];
    *n = 0;
    if (name[0] == 'Z')
        return name[1] == 0;
    if (name[0] == 'U' || name[0] == 'C')
        *n = read_count(name + 1);
    return *n > 0;
}

bool rp__lab_set_is_name(const char *name)
{
    if (RP_MISSING(NULL, name))
        return false;
    char kind;
    uint32_t n;
    return read_name(name, &kind, &n);
}

rp_status rp__lab_set_make(const char *name, uint64_t seed, rp__lab_set *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp__lab_set){0};
    if (RP_MISSING(err, name))
        return RP_USAGE;
    rp__random random;
    char kind;
    uint32_t n;
    rp__random_init(&random, seed);
    if (!read_name(name, &kind, &n))
        return rp__error_set(err, RP_NOT_FOUND,
                             "unknown lists \"%s\"; there are U10K and C10K (128 to 12M) and Z",
                             name);
    rp_status status =
        kind == 'Z' ? make_zipf(out, &random) : make_twins(out, &random, kind == 'C', n);
    if (status == RP_OK)
        return RP_OK;
    rp__lab_set_free(out);
    return rp__error_no_memory(err);
}

/* ---- Lists of an index ----------------------------------------------------------------------- */

typedef struct load_job {
    const rp_index *index;
    uint32_t least;
    size_t n_lists;
    uint64_t n;
    rp__lab_set *set; /* NULL: count alone */
    rp__token term;   /* of one list */
    rp__arena arena;
} load_job;

static rp_status load_list(load_job *job, const rp__term *term)
{
    memory *m = job->set->memory;
    rp__list list;
    if (job->set->n_lists == job->n_lists || job->n - job->set->n < term->df)
        return RP_DAMAGED; /* not what was counted */
    rp__arena_clear(&job->arena);
    rp_status status = rp__segment_list(job->index->segment, term, &job->arena, &list);
    if (status == RP_OK)
        status = rp__list_decode(&list, m->docids + job->set->n, m->tfs + job->set->n);
    if (status == RP_OK)
        end_list(job->set, list.n);
    return status;
}

static rp_status run_load(void *arg)
{
    load_job *job = arg;
    rp__term_iter iter;
    rp_status status = rp__term_iter_start(&iter, job->index->segment, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&iter)) == RP_OK) {
        if (iter.entry.df < job->least)
            continue;
        if (job->set) {
            status = load_list(job, &iter.entry);
        } else {
            job->n_lists++;
            job->n += iter.entry.df;
        }
    }
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static rp_status load(load_job *job, rp__lab_set *out)
{
    const rp__segment_info *info = rp__segment_get_info(job->index->segment);
    rp_status status = rp__index_handle_guard(job->index, run_load, job);
    if (status == RP_OK && job->n_lists == 0)
        return RP_NOT_FOUND;
    if (status == RP_OK)
        status = begin_set(out, job->n_lists, job->n, (uint32_t)info->docs);
    job->set = out;
    return status == RP_OK ? rp__index_handle_guard(job->index, run_load, job) : status;
}

rp_status rp__lab_set_load(const rp_index *index, uint32_t least, rp__lab_set *out, rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp__lab_set){0};
    if (RP_MISSING(err, index))
        return RP_USAGE;
    load_job job = {.index = index, .least = least ? least : 1};
    rp__arena_init(&job.arena, TERMS_MEMORY);
    rp_status status = load(&job, out);
    rp__arena_reset(&job.arena);
    if (status == RP_OK)
        return RP_OK;
    rp__lab_set_free(out);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    if (status == RP_NOT_FOUND)
        return rp__error_set(err, status, "no term is in %u documents or more", (unsigned)least);
    return rp__error_set(err, status, "a list is damaged; run 'riposte check' on the index");
}

/* One list: the term is what is counted and loaded. */
static rp_status run_load_term(void *arg)
{
    load_job *job = arg;
    rp__term term;
    rp_status status =
        rp__segment_find(job->index->segment, job->term.term, job->term.bytes, &term);
    if (status != RP_OK)
        return status;
    job->n_lists = 1;
    job->n = term.df;
    const rp__segment_info *info = rp__segment_get_info(job->index->segment);
    status = begin_set(job->set, 1, term.df, (uint32_t)info->docs);
    return status == RP_OK ? load_list(job, &term) : status;
}

rp_status rp__lab_set_load_term(const rp_index *index, const char *word, rp__lab_set *out,
                                rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = (rp__lab_set){0};
    if (RP_MISSING(err, index, word))
        return RP_USAGE;
    load_job job = {.index = index, .set = out};
    rp__analyzer_state *state;
    if (rp__analyzer_state_new(index->analyzer, &state) != RP_OK)
        return rp__error_no_memory(err);
    rp__arena_init(&job.arena, TERMS_MEMORY);
    rp__analyzer_begin(state, word, strlen(word));
    rp_status status = rp__analyzer_next(state, &job.term)
                           ? rp__index_handle_guard(index, run_load_term, &job)
                           : RP_NOT_FOUND;
    rp__arena_reset(&job.arena);
    rp__analyzer_state_free(state);
    if (status == RP_OK)
        return RP_OK;
    rp__lab_set_free(out);
    if (status == RP_NO_MEMORY)
        return rp__error_no_memory(err);
    return rp__error_set(err, status, "term \"%.100s\": %s", word,
                         status == RP_NOT_FOUND ? "not in this index"
                                                : "its list is damaged; run 'riposte check'");
}

/* ---- Another numbering ----------------------------------------------------------------------- */

/* order[d] is the new number of document d. */
static void fill_order(uint32_t *order, uint32_t n, uint64_t seed)
{
    rp__random random;
    rp__random_init(&random, seed);
    for (uint32_t d = 0; d < n; d++) {
        uint32_t other = rp__random_below(&random, d + 1);
        order[d] = d;
        order[d] = order[other];
        order[other] = d;
    }
}

/* Sorts by setting bits, because a list's range is all of the universe. */
static void renumber(memory *m, const rp__lab_postings *list, uint32_t universe,
                     const uint32_t *order, uint32_t *tf_of)
{
    uint32_t *docids = m->docids + (list->docids - m->docids);
    uint32_t *tfs = m->tfs + (list->tfs - m->tfs);
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t d = order[docids[i]];
        m->bits[d / 64] |= 1ULL << d % 64;
        tf_of[d] = tfs[i];
    }
    take_bits(m->bits, 0, universe, docids);
    for (uint32_t i = 0; i < list->n; i++)
        tfs[i] = tf_of[docids[i]];
}

rp_status rp__lab_set_permute(rp__lab_set *set, uint64_t seed, rp_error *err)
{
    if (RP_MISSING(err, set))
        return RP_USAGE;
    rp_status status = RP_OK;
    uint32_t *order = rp__alloc_array(set->universe, sizeof *order);
    uint32_t *tf_of = rp__alloc_array(set->universe, sizeof *tf_of);
    if (order && tf_of) {
        fill_order(order, set->universe, seed);
        for (size_t i = 0; i < set->n_lists; i++)
            renumber(set->memory, &set->lists[i], set->universe, order, tf_of);
    } else {
        status = rp__error_no_memory(err);
    }
    rp__free(tf_of);
    rp__free(order);
    return status;
}
