/* count.c: how many documents a flat OR matches, without scoring.
 *
 * Where one list is much longer than the others together it is not walked: its documents are known to be as
 * many as it has postings, so what counts is how many documents of the others it lacks; two words are one
 * intersection then. Lists of few postings are decoded into arrays, which are merged, or marked posting by
 * posting: a document counts where it was not marked yet. Otherwise documents are gathered over windows of
 * docids, which tell each of them once: as marks, a byte each, or as bits where the lists are bits already.
 * The way that takes the fewest instructions is chosen. */
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
    MERGED_LISTS = 32,     /* at most; more are marked or gathered */
    ARRAYS_MOST = 1 << 16, /* postings: so much memory arrays may take */
    CLEARED = 1024,        /* bytes at once: of more, some libraries make a loop over bytes */
    /* in instructions (AVX2): */
    READ_COST = 5,     /* of a posting that is decoded */
    CLEAR_COST = 1500, /* of a window's marks and bits */
    DRAIN_COST = 70,   /* of a stretch */
    GATHER_COST = 4,   /* of a posting, besides */
    VISIT_COST = 150,  /* of a list in a window that is gathered */
    MERGE_COST = 10,   /* of a posting at each level */
    TELL_COST = 9,     /* of a posting of an array that is marked */
    TURN_COST = 25,    /* of an array in a window */
    OPEN_COST = 800,   /* of a list that is searched */
    PROBE_COST = 30,   /* of a document that is searched for */
    BIT_COST = 10,     /* the same in a list that is bits */
    BLOCK_COST = 900,  /* of a block that is searched */
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

static void clear_marks(counter *c)
{
    for (size_t i = 0; i < WINDOW; i += CLEARED)
        memset(c->marks + i, 0, CLEARED);
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
    clear_marks(c);
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

/* ---- Arrays ---------------------------------------------------------------------------------- */

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
static array merge_all(array *lists, size_t n, uint32_t *from, uint32_t *to)
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
    return lists[0];
}

/* The first n lists, each as an array, one behind the other. */
static rp_status read_lists(rp__cpu_run *run, size_t n, array *lists, uint32_t *docids)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < n && status == RP_OK; i++) {
        lists[i] = (array){.docids = docids};
        status = read_list(run, run->parts[i].reader, &lists[i]);
        docids += lists[i].n;
    }
    return status;
}

/* The documents of the first n lists, which have so many postings. */
static rp_status merge_lists(rp__cpu_run *run, size_t n, size_t postings, array *out)
{
    array *lists = rp__arena_array(run->arena, n, sizeof *lists);
    uint32_t *docids = rp__arena_array(run->arena, 2 * postings, sizeof *docids);
    if (!lists || !docids)
        return rp__error_no_memory(run->err);
    rp_status status = read_lists(run, n, lists, docids);
    if (status == RP_OK)
        *out = merge_all(lists, n, docids, docids + postings);
    return status;
}

/* Marks documents of an array before c->end with the number of this window; adds those that did not have it. */
static void tell(counter *c, array *list, uint8_t window)
{
    const uint32_t *p = list->docids, *end = p + list->n;
    uint8_t *marks = c->marks;
    uint64_t total = 0;
    for (; p < end && *p < c->end; p++) {
        uint8_t *at = marks + (*p - c->base);
        total += *at != window;
        *at = window;
    }
    c->run->total += total;
    list->n = (size_t)(end - p);
    list->docids += p - list->docids;
}

static uint32_t first_of(const array *lists, size_t n)
{
    uint32_t first = RP_NO_DOC;
    for (size_t i = 0; i < n; i++)
        if (lists[i].n > 0 && lists[i].docids[0] < first)
            first = lists[i].docids[0];
    return first;
}

/* Counts the documents of all lists by marks, which are cleared once for 255 windows. */
static rp_status tell_lists(counter *c, size_t postings)
{
    rp__cpu_run *run = c->run;
    const size_t n = run->n_parts;
    array *lists = rp__arena_array(run->arena, n, sizeof *lists);
    uint32_t *docids = rp__arena_array(run->arena, postings, sizeof *docids);
    if (!lists || !docids)
        return rp__error_no_memory(run->err);
    rp_status status = read_lists(run, n, lists, docids);
    uint8_t window = 0;
    while (status == RP_OK && (c->base = first_of(lists, n)) != RP_NO_DOC) {
        if (window++ % UINT8_MAX == 0) {
            clear_marks(c);
            window = 1;
        }
        c->end = c->base < RP_NO_DOC - WINDOW ? c->base + WINDOW : RP_NO_DOC;
        for (size_t i = 0; i < n; i++)
            tell(c, &lists[i], window);
    }
    return status;
}

/* Merges all lists but the longest, and searches that one. */
static rp_status search_merged(counter *c, size_t postings)
{
    array others = {0};
    rp_status status = merge_lists(c->run, c->n, postings, &others);
    for (size_t i = 0; i < others.n && status == RP_OK; i += RP_BLOCK_MAX) {
        const size_t left = others.n - i;
        search(c, others.docids + i, (uint32_t)(left < RP_BLOCK_MAX ? left : RP_BLOCK_MAX));
        status = rp__cpu_run_check(c->run);
    }
    return status;
}

/* ---- Which way ------------------------------------------------------------------------------- */

typedef enum way {
    MERGE,           /* arrays */
    TELL,            /* arrays, by marks */
    GATHER,          /* by windows */
    SEARCH_MERGED,   /* the longest list, for the others */
    SEARCH_GATHERED, /* the same, by windows */
} way;

/* The first n lists. */
typedef struct lists_cost {
    uint64_t postings, reading, gathering;
    bool has_bits;
} lists_cost;

static lists_cost add_costs(const rp__cpu_run *run, size_t n)
{
    lists_cost c = {0};
    rp__bitmap_view bits;
    for (size_t i = 0; i < n; i++) {
        const rp__list *list = &run->parts[i].reader->list;
        const bool is_bits = rp__bitmap_bits(list, &bits);
        const uint64_t reading = list->codec ? READ_COST * (uint64_t)list->n : 0;
        c.postings += list->n;
        c.reading += reading;
        c.gathering += is_bits ? bits.n_words : reading + GATHER_COST * (uint64_t)list->n;
        c.has_bits |= is_bits;
    }
    return c;
}

/* Of windows or stretches of so many documents, those that have postings. */
static uint64_t touched(const rp__query *query, uint64_t postings, uint32_t documents)
{
    const uint64_t all = (query->end - query->begin) / documents + 1;
    return postings < all ? postings : all;
}

/* Of the first n lists: what merge_all takes two by two; the last is copied where it is alone. */
static uint64_t merge_cost(const rp__cpu_run *run, size_t n, const lists_cost *c)
{
    uint64_t sizes[MERGED_LISTS], postings = 0;
    if (c->postings > ARRAYS_MOST || n > MERGED_LISTS)
        return UINT64_MAX / 4;
    for (size_t i = 0; i < n; i++)
        sizes[i] = run->parts[i].reader->list.n;
    for (; n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; i + 1 < n; i += 2) {
            sizes[i / 2] = sizes[i] + sizes[i + 1];
            postings += sizes[i / 2];
        }
        if (n % 2)
            sizes[n / 2] = sizes[n - 1];
    }
    return c->reading + MERGE_COST * postings;
}

static uint64_t tell_cost(const rp__query *query, size_t n, const lists_cost *c)
{
    return c->postings > ARRAYS_MOST ? UINT64_MAX / 4
                                     : c->reading + TELL_COST * c->postings + CLEAR_COST +
                                           TURN_COST * n * touched(query, c->postings, WINDOW);
}

static uint64_t gather_cost(const rp__query *query, size_t n, const lists_cost *c)
{
    const uint64_t stretches =
        c->has_bits ? UINT64_MAX : c->postings; /* bits are drained wherever they are */
    return c->gathering + CLEAR_COST + DRAIN_COST * touched(query, stretches, STRETCH) +
           VISIT_COST * n * touched(query, stretches, WINDOW);
}

/* Of searching a list for n documents: blocks have to be decoded. */
static uint64_t search_cost(const rp__list *list, uint64_t n)
{
    rp__bitmap_view bits;
    const uint64_t blocks = n < list->n_blocks ? n : list->n_blocks;
    if (rp__bitmap_bits(list, &bits))
        return BIT_COST * n;
    return OPEN_COST + PROBE_COST * n + (list->codec ? BLOCK_COST : 0) * blocks;
}

static way choose(const rp__cpu_run *run, size_t *postings)
{
    const rp__query *query = run->query;
    const size_t n = run->n_parts;
    *postings = 0;
    if (n == 1) /* its length is known, and nothing is read */
        return SEARCH_MERGED;
    const lists_cost all = add_costs(run, n), others = add_costs(run, n - 1);
    const uint64_t searching = search_cost(&run->parts[n - 1].reader->list, others.postings);
    const uint64_t costs[] = {
        [MERGE] = merge_cost(run, n, &all),
        [TELL] = tell_cost(query, n, &all),
        [GATHER] = gather_cost(query, n, &all),
        [SEARCH_MERGED] = (n > 2 ? merge_cost(run, n - 1, &others) : others.reading) + searching,
        [SEARCH_GATHERED] = n > 2 ? gather_cost(query, n - 1, &others) + searching : UINT64_MAX,
    };
    way best = MERGE;
    for (way w = TELL; w <= SEARCH_GATHERED; w++)
        best = costs[w] < costs[best] ? w : best;
    *postings = (size_t)(best == SEARCH_MERGED ? others.postings : all.postings);
    return best;
}

/* ---- The run --------------------------------------------------------------------------------- */

static rp_status open_longest(counter *c)
{
    rp__cpu_run *run = c->run;
    c->longest = &run->parts[--c->n];
    run->total = count_longest(c);
    return rp__part_probe(run, c->longest, c->longest->reader->list.n / 16);
}

/* Lists that are gathered. */
static rp_status open_lists(counter *c)
{
    rp__cpu_run *run = c->run;
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
    return RP_OK;
}

static rp_status count_by(counter *c, way by, size_t postings)
{
    rp__cpu_run *run = c->run;
    rp_status status = RP_OK;
    if (by == TELL)
        return tell_lists(c, postings);
    if (by != GATHER)
        status = open_longest(c);
    if (status != RP_OK)
        return status;
    if (by == SEARCH_MERGED && c->n != 1)
        return c->n > 1 ? search_merged(c, postings) : RP_OK;
    status = open_lists(c);
    if (status != RP_OK)
        return status;
    return by == SEARCH_MERGED ? search_list(c, run->parts[0].reader) : gather(c);
}

static rp_status run_count(rp__cpu_run *run)
{
    rp_status status = rp__part_list(run);
    for (size_t i = 0; i < run->n_parts && status == RP_OK; i++)
        status = rp__part_open(run, &run->parts[i]);
    if (status != RP_OK)
        return status;
    size_t postings;
    const way by = choose(run, &postings);
    if (by == MERGE) {
        array all = {0};
        status = merge_lists(run, run->n_parts, postings, &all);
        run->total = all.n;
        return status;
    }
    counter *c = rp__arena_alloc(run->arena, sizeof *c);
    if (!c)
        return rp__error_no_memory(run->err);
    memset(c, 0, offsetof(counter, docids));
    c->run = run;
    c->n = run->n_parts;
    c->kernel = rp__bitset_find(rp__cpu_features());
    return count_by(c, by, postings);
}

const rp__algorithm rp__count_row = {"count", false, applies, run_count, .is_lazy = true};
