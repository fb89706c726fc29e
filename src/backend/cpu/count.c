/* count.c: how many documents a flat OR matches, without scoring.
 *
 * Where one list is much longer than the others together it is not walked: its documents are known to be as
 * many as it has postings, so what counts is how many documents of the others it lacks; two words are one
 * intersection then. Lists of few postings are merged. Otherwise, and for the others where they are several,
 * documents are gathered over windows of docids, which tell each of them once: as marks, a byte each, or as
 * bits where the lists are bits already. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "backend/cpu/bitset.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"

enum {
    WINDOW = 1 << 14,
    WORDS = WINDOW / 64,
    STRETCH = 256,         /* documents that are drained together, if there is one among them */
    MERGED_MOST = 1 << 16, /* postings: so much memory merging may take */
    /* in quarters of a nanosecond (AVX-512): */
    CLEAR_COST = 1600, /* of a window's marks and bits */
    DRAIN_COST = 32,   /* of a stretch */
    MERGE_COST = 8,    /* of a posting at each level */
};

typedef struct counter {
    rp__cpu_run *run;
    const rp__bitset_kernel *kernel;
    rp__part *longest;        /* to be searched; NULL: gathered like the others */
    size_t n;                 /* parts that are gathered */
    rp__bitmap_view *bits;    /* of each; no words: it is marked */
    uint32_t base, end;       /* of the window */
    uint64_t touched, marked; /* stretches of it that have bits; marks */
    uint32_t docids[RP_BLOCK_MAX], kept[RP_BLOCK_CAPACITY];
    uint64_t set[WORDS];
    uint8_t marks[WINDOW];
} counter;

_Static_assert(WINDOW / STRETCH == 64, "a stretch is a bit of `touched`");

static bool applies(const rp__query *query)
{
    return query->k == 0 && rp__algorithm_is_or(query);
}

/* ---- Searching the longest ------------------------------------------------------------------- */

/* Its postings among the documents asked about. */
static uint64_t count_longest(const counter *c)
{
    const rp__query *query = c->run->query;
    rp__reader *reader = c->longest->reader;
    if (query->begin == 0 && query->end == query->lengths.n_docs)
        return reader->list.n;
    rp__reader_start(reader, query->begin);
    if (rp__reader_docid(reader) == RP_NO_DOC)
        return 0;
    uint32_t from = rp__cursor_rank(&reader->cursor), to = reader->list.n;
    if (rp__reader_next_geq(reader, query->end) != RP_NO_DOC)
        to = rp__cursor_rank(&reader->cursor);
    return to - from;
}

/* Counts those of n documents that it lacks. */
static void search(counter *c, const uint32_t *docids, uint32_t n)
{
    c->run->total += n - rp__probe_find(c->longest->probe, docids, n, c->kept, NULL);
}

static rp_status search_list(counter *c, rp__reader *reader)
{
    uint32_t end = c->run->query->end, n;
    const uint32_t *docids;
    rp_status status = RP_OK;
    while (status == RP_OK && (n = rp__reader_postings(reader, end, &docids, NULL))) {
        search(c, docids, n);
        rp__reader_skip(reader, n);
        status = rp__cpu_run_check(c->run);
    }
    return status;
}

/* Searches for the documents of n words of the window, and empties them. */
static void search_words(counter *c, uint32_t word, uint32_t n_words)
{
    uint32_t n = 0;
    for (uint32_t w = word; w < word + n_words; w++) {
        for (uint64_t set = c->set[w]; set; set &= set - 1)
            c->docids[n++] = c->base + w * 64 + rp__bits_lowest64(set);
        c->set[w] = 0;
        if (n > RP_BLOCK_MAX - 64) {
            search(c, c->docids, n);
            n = 0;
        }
    }
    search(c, c->docids, n);
}

/* ---- Gathering ------------------------------------------------------------------------------- */

/* Those from the one that has document `first` of the window to the one that has `last`. */
static uint64_t stretches(uint32_t first, uint32_t last)
{
    return UINT64_MAX << first / STRETCH & UINT64_MAX >> (63 - last / STRETCH);
}

static void mark(counter *c, rp__reader *reader)
{
    const uint32_t *docids;
    uint32_t n;
    while ((n = rp__reader_postings(reader, c->end, &docids, NULL))) {
        for (uint32_t i = 0; i < n; i++)
            c->marks[docids[i] - c->base] = 1;
        c->marked |= stretches(docids[0] - c->base, docids[n - 1] - c->base);
        rp__reader_skip(reader, n);
    }
}

static void put_bits(counter *c, rp__reader *reader)
{
    const uint32_t *docids;
    uint32_t n;
    while ((n = rp__reader_postings(reader, c->end, &docids, NULL))) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = docids[i] - c->base;
            c->set[at / 64] |= UINT64_C(1) << at % 64;
        }
        c->touched |= stretches(docids[0] - c->base, docids[n - 1] - c->base);
        rp__reader_skip(reader, n);
    }
}

/* The words of a list that is bits, as far as the window has them. A window begins with a word, and ends
 * with one where it is not the last. */
static void unite(counter *c, const rp__bitmap_view *bits)
{
    uint64_t begin = bits->base, end = begin + 64 * (uint64_t)bits->n_words;
    begin = begin > c->base ? begin : c->base;
    end = end < c->end ? end : c->end;
    if (begin >= end)
        return;
    uint32_t n = (uint32_t)((end - begin + 63) / 64);
    uint64_t *set = c->set + (begin - c->base) / 64;
    c->kernel->unite(set, bits->words + (begin - bits->base) / 8, n);
    if (end % 64) /* documents past those asked about */
        set[n - 1] &= (UINT64_C(1) << end % 64) - 1;
    c->touched = UINT64_MAX;
}

static void drain(counter *c)
{
    const uint32_t words = STRETCH / 64;
    for (uint64_t left = c->touched | c->marked; left; left &= left - 1) {
        uint32_t i = rp__bits_lowest64(left);
        uint8_t *marks = c->marked >> i & 1 ? c->marks + i * STRETCH : NULL;
        if (c->longest)
            search_words(c, i * words, words);
        else
            c->run->total += c->kernel->drain(c->set + i * words, marks, words);
    }
    c->touched = c->marked = 0;
}

/* The first document from c->end on that is in a list. */
static uint32_t first_docid(const counter *c)
{
    uint32_t first = RP_NO_DOC;
    for (size_t i = 0; i < c->n; i++) {
        const rp__bitmap_view *bits = &c->bits[i];
        uint64_t end = bits->base + 64 * (uint64_t)bits->n_words;
        uint32_t docid = rp__reader_docid(c->run->parts[i].reader);
        if (bits->n_words)
            docid = bits->base > c->end ? bits->base : c->end < end ? c->end : RP_NO_DOC;
        first = docid < first ? docid : first;
    }
    return first;
}

static rp_status gather(counter *c)
{
    const rp__query *query = c->run->query;
    rp_status status = RP_OK;
    uint32_t first;
    c->end = query->begin;
    memset(c->set, 0, sizeof c->set);
    memset(c->marks, 0, sizeof c->marks);
    while (status == RP_OK && (first = first_docid(c)) < query->end) {
        c->base = first / 64 * 64;
        c->end = query->end - c->base > WINDOW ? c->base + WINDOW : query->end;
        for (size_t i = 0; i < c->n; i++) {
            if (c->bits[i].n_words)
                unite(c, &c->bits[i]);
            else if (c->longest)
                put_bits(c, c->run->parts[i].reader);
            else
                mark(c, c->run->parts[i].reader);
        }
        drain(c);
        status = rp__cpu_run_check(c->run);
    }
    return status;
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* Documents of one list or several, rising. */
typedef struct array {
    uint32_t *docids;
    size_t n;
} array;

static rp_status read_list(const rp__cpu_run *run, rp__reader *reader, array *out)
{
    const uint32_t *docids;
    uint32_t n;
    rp_status status = RP_OK;
    rp__reader_start(reader, run->query->begin);
    while (status == RP_OK && (n = rp__reader_postings(reader, run->query->end, &docids, NULL))) {
        memcpy(out->docids + out->n, docids, n * sizeof *docids);
        out->n += n;
        rp__reader_skip(reader, n);
        status = rp__cpu_run_check(run);
    }
    return status;
}

/* The documents of both, each once; `to` has room for all. */
static array merge(array a, array b, uint32_t *to)
{
    size_t i = 0, j = 0, n = 0;
    while (i < a.n && j < b.n) {
        const uint32_t x = a.docids[i], y = b.docids[j];
        to[n++] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
    }
    memcpy(to + n, a.docids + i, (a.n - i) * sizeof *to);
    memcpy(to + n + (a.n - i), b.docids + j, (b.n - j) * sizeof *to);
    return (array){to, n + (a.n - i) + (b.n - j)};
}

/* Neighbours two by two, until one is left. */
static size_t merge_all(array *lists, size_t n, uint32_t *from, uint32_t *to)
{
    for (; n > 1; n = (n + 1) / 2) {
        uint32_t *end = to;
        for (size_t i = 0; i < n; i += 2) {
            lists[i / 2] = merge(lists[i], i + 1 < n ? lists[i + 1] : (array){from, 0}, end);
            end += lists[i / 2].n;
        }
        uint32_t *other = from;
        from = to;
        to = other;
    }
    return lists[0].n;
}

static rp_status count_few(rp__cpu_run *run, size_t postings)
{
    array *lists = rp__arena_array(run->arena, run->n_parts, sizeof *lists);
    uint32_t *docids = rp__arena_array(run->arena, 2 * postings, sizeof *docids), *end = docids;
    rp_status status = RP_OK;
    if (!lists || !docids)
        return rp__error_no_memory(run->err);
    for (size_t i = 0; i < run->n_parts && status == RP_OK; i++) {
        lists[i] = (array){.docids = end};
        status = read_list(run, run->parts[i].reader, &lists[i]);
        end += lists[i].n;
    }
    if (status == RP_OK)
        run->total = merge_all(lists, run->n_parts, docids, docids + postings);
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* What gathering a list costs, in quarters of a nanosecond (AVX-512). */
static uint64_t gather_cost(const rp__list *list)
{
    rp__bitmap_view bits;
    return rp__bitmap_bits(list, &bits) ? bits.n_words : 3 * (uint64_t)list->n;
}

/* And searching it for n documents: blocks have to be decoded. */
static uint64_t search_cost(const rp__list *list, uint64_t n)
{
    rp__bitmap_view bits;
    uint64_t blocks = n < list->n_blocks ? n : list->n_blocks;
    return rp__bitmap_bits(list, &bits) ? 8 * n : 16 * n + 140 * blocks;
}

/* And draining the stretches that have postings. */
static uint64_t drain_cost(const rp__query *query, uint64_t postings)
{
    const uint64_t stretches = (query->end - query->begin) / STRETCH + 1;
    return DRAIN_COST * (postings < stretches ? postings : stretches);
}

/* Whether the longest list is better searched than gathered. */
static bool searches_longest(const rp__cpu_run *run, uint64_t postings)
{
    const rp__list *longest = &run->parts[run->n_parts - 1].reader->list;
    uint64_t gathering = gather_cost(longest);
    if (run->n_parts == 2) /* otherwise the others are gathered in any case */
        gathering += gather_cost(&run->parts[0].reader->list) + drain_cost(run->query, postings);
    return search_cost(longest, postings - longest->n) < gathering;
}

static uint64_t count_postings(const rp__cpu_run *run)
{
    uint64_t n = 0;
    for (size_t i = 0; i < run->n_parts; i++)
        n += run->parts[i].reader->list.n;
    return n;
}

/* Whether lists are better merged than gathered: windows are cleared once, and stretches that have postings drained. */
static bool merges(const rp__cpu_run *run, uint64_t postings)
{
    uint64_t levels = 0, gathering = CLEAR_COST + drain_cost(run->query, postings);
    for (size_t i = 0; i < run->n_parts; i++)
        gathering += gather_cost(&run->parts[i].reader->list);
    while ((size_t)1 << levels < run->n_parts)
        levels++;
    return postings <= MERGED_MOST && MERGE_COST * levels * postings < gathering;
}

static rp_status open_counter(counter *c, bool searches)
{
    rp__cpu_run *run = c->run;
    rp_status status = RP_OK;
    c->kernel = rp__bitset_find(rp__cpu_features());
    c->n = run->n_parts;
    if (searches) {
        c->longest = &run->parts[--c->n];
        run->total = count_longest(c);
        status = rp__part_probe(run, c->longest, c->longest->reader->list.n / 16);
    }
    c->bits = rp__arena_zero(run->arena, c->n, sizeof *c->bits);
    if (!c->bits)
        return rp__error_no_memory(run->err);
    for (size_t i = 0; i < c->n; i++) {
        /* windows begin with a whole word: documents before `begin` could not be told apart */
        if (run->query->begin % 64 == 0 && c->n > 1)
            (void)rp__bitmap_bits(&run->parts[i].reader->list, &c->bits[i]);
        if (c->bits[i].n_words == 0)
            rp__reader_start(run->parts[i].reader, run->query->begin);
        if (c->bits[i].n_words == 0)
            continue;
        run->read += run->parts[i].reader->list.n;
        run->parts[i].reader->cursor.n_read = run->parts[i].reader->list.n_blocks;
    }
    return status;
}

static rp_status run_count(rp__cpu_run *run)
{
    rp_status status = rp__part_list(run);
    for (size_t i = 0; i < run->n_parts && status == RP_OK; i++)
        status = rp__part_open(run, &run->parts[i]);
    if (status != RP_OK)
        return status;
    const uint64_t postings = count_postings(run);
    const bool searches = searches_longest(run, postings);
    if (!searches && merges(run, postings))
        return count_few(run, (size_t)postings);
    counter *c = rp__arena_alloc(run->arena, sizeof *c);
    if (!c)
        return rp__error_no_memory(run->err);
    memset(c, 0, offsetof(counter, docids));
    c->run = run;
    status = open_counter(c, searches);
    if (status != RP_OK)
        return status;
    return c->longest && c->n == 1 ? search_list(c, run->parts[0].reader) : gather(c);
}

const rp__algorithm rp__count_row = {"count", false, applies, run_count, .is_lazy = true};
