/* count.c: how many documents a flat OR matches, without scoring.
 *
 * The longest list is not walked: its documents are known to be as many as it has postings, so what counts
 * is how many documents of the others it lacks. Two words are one intersection. Of more, the others are
 * gathered as a set of bits over a window of docids, which tells each document once. */
#include "backend/cpu/cpu_run.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"

enum { WINDOW = 1 << 16, WORDS = WINDOW / 64 };

typedef struct counter {
    rp__cpu_run *run;
    rp__part *longest;
    uint32_t base, end; /* of the window */
    uint32_t n;         /* documents not yet searched for */
    uint32_t docids[RP_BLOCK_MAX];
    uint32_t kept[RP_BLOCK_ROOM];
    uint64_t set[WORDS];
} counter;

static bool applies(const rp__query *query)
{
    return query->k == 0 && rp__algorithm_is_or(query);
}

/* Postings of the list among the documents asked about. */
static uint64_t count_longest(counter *c)
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

/* Counts those of n documents that the longest list lacks. */
static void search(counter *c, const uint32_t *docids, uint32_t n)
{
    c->run->total += n - rp__probe_find(c->longest->probe, docids, n, c->kept, NULL);
}

static rp_status count_one(counter *c, rp__reader *reader)
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

static void gather(counter *c, rp__reader *reader)
{
    const uint32_t *docids;
    uint32_t n;
    while ((n = rp__reader_postings(reader, c->end, &docids, NULL))) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = docids[i] - c->base;
            c->set[at / 64] |= UINT64_C(1) << at % 64;
        }
        rp__reader_skip(reader, n);
    }
}

/* Searches for the documents of the set, and empties it. */
static void search_set(counter *c)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        for (uint64_t word = c->set[w]; word; word &= word - 1)
            c->docids[n++] = c->base + w * 64 + rp__bits_lowest64(word);
        if (n > RP_BLOCK_MAX - 64) {
            search(c, c->docids, n);
            n = 0;
        }
    }
    search(c, c->docids, n);
    memset(c->set, 0, sizeof c->set);
}

static uint32_t first_docid(const rp__part *parts, size_t n)
{
    uint32_t first = RP_NO_DOC;
    for (size_t i = 0; i < n; i++) {
        uint32_t docid = rp__reader_docid(parts[i].reader);
        first = docid < first ? docid : first;
    }
    return first;
}

static rp_status count_many(counter *c, const rp__part *parts, size_t n)
{
    uint32_t end = c->run->query->end;
    rp_status status = RP_OK;
    while (status == RP_OK && (c->base = first_docid(parts, n)) < end) {
        c->end = end - c->base > WINDOW ? c->base + WINDOW : end;
        for (size_t i = 0; i < n; i++)
            gather(c, parts[i].reader);
        search_set(c);
        status = rp__cpu_run_check(c->run);
    }
    return status;
}

static rp_status run_count(rp__cpu_run *run)
{
    counter *c = rp__arena_zero(run->arena, 1, sizeof *c);
    if (!c)
        return rp__error_no_memory(run->err);
    rp_status status = rp__part_list(run);
    if (status != RP_OK)
        return status;
    size_t n = run->n_parts - 1;
    uint64_t others = 0;
    c->run = run;
    c->longest = &run->parts[n];
    run->total = count_longest(c);
    for (size_t i = 0; i < n; i++) {
        rp__reader_start(run->parts[i].reader, run->query->begin);
        others += run->parts[i].reader->list.n;
    }
    if (others == 0)
        return RP_OK;
    status = rp__part_probe(run, c->longest, others);
    if (status != RP_OK)
        return status;
    return n == 1 ? count_one(c, run->parts[0].reader) : count_many(c, run->parts, n);
}

const rp__algorithm rp__count_row = {"count", false, applies, run_count};
