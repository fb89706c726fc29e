/* bench_size.c: what the lists of an index take, beside what they would take as plain bp128 with 8 bytes of
 * skips a block. bench/index_size.sh runs it over collections.
 *
 *   bench_size NAME INDEX       one row of a table; exit 1: the index is over a target
 *
 * Plain are all lists, the tiny ones too: blocks of 128 docids as gaps less one, and of frequencies less one,
 * each a byte of width and the values in that many bits up to a full byte; and 8 bytes for each block. The
 * index's lists count with their directory and those that lie in the dictionary; what is there for pruning
 * counts apart. Bits are per posting. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bits.h"
#include "index/index.h"

enum { SKIP_BYTES = 8 };
static const double share_most = 0.81, pruning_most = 1.5;

typedef struct sums {
    uint64_t postings, plain_docids, plain_freqs, plain_skips;
    uint64_t docids, freqs, directory, tiny, pruning;
} sums;

/* Bytes of n values, less one each, in the width of the widest. */
static uint64_t packed(const uint32_t *values, const uint32_t *before, uint32_t n)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= values[i] - (before ? before[i] : 0) - 1;
    return 1 + ((uint64_t)n * rp__bits_width(any) + 7) / 8;
}

/* docids[-1] is there, and is the one before the first: -1. */
static void add_plain(const uint32_t *docids, const uint32_t *tfs, uint32_t n, sums *s)
{
    for (uint32_t from = 0; from < n; from += RP_BLOCK) {
        uint32_t count = n - from < RP_BLOCK ? n - from : RP_BLOCK;
        s->plain_docids += packed(docids + from, docids + from - 1, count);
        s->plain_freqs += packed(tfs + from, NULL, count);
        s->plain_skips += SKIP_BYTES;
    }
}

static void add_cost(const rp_list_cost *c, bool is_tiny, sums *s)
{
    s->postings += c->postings;
    if (is_tiny) {
        s->tiny += c->bytes;
        return;
    }
    s->docids += c->bytes_docids;
    s->freqs += c->bytes_freqs;
    s->pruning += c->bytes_pruning;
    s->directory += c->bytes_directory - c->bytes_pruning;
}

static rp_status add_all(const rp__segment *segment, sums *s)
{
    rp__arena arena;
    rp__term_iter iter;
    rp__list list;
    rp_list_cost cost;
    rp__arena_init(&arena, (size_t)1 << 34);
    rp_status status = rp__term_iter_start(&iter, segment, "", 0);
    while (status == RP_OK && (status = rp__term_iter_next(&iter)) == RP_OK) {
        rp__arena_clear(&arena);
        uint32_t *docids = rp__arena_array(&arena, iter.entry.df + RP_BLOCK_CAPACITY + 1, 4);
        uint32_t *tfs = rp__arena_array(&arena, iter.entry.df + RP_BLOCK_CAPACITY, 4);
        if (!docids || !tfs)
            status = RP_NO_MEMORY;
        if (status == RP_OK)
            status = rp__segment_list(segment, &iter.entry, &arena, &list);
        if (status == RP_OK)
            status = rp__list_decode(&list, docids + 1, tfs);
        if (status == RP_OK)
            status = rp__list_cost_get(segment, &iter.entry, &cost);
        if (status != RP_OK)
            break;
        docids[0] = UINT32_MAX;
        add_plain(docids + 1, tfs, list.n, s);
        add_cost(&cost, iter.entry.tiny != NULL, s);
    }
    rp__arena_reset(&arena);
    return status == RP_NOT_FOUND ? RP_OK : status;
}

static double bits(uint64_t bytes, const sums *s)
{
    return s->postings ? (double)bytes * 8 / (double)s->postings : 0;
}

static int report(const char *name, const sums *s)
{
    uint64_t plain = s->plain_docids + s->plain_freqs + s->plain_skips;
    uint64_t ours = s->docids + s->freqs + s->directory + s->tiny;
    double share = plain ? (double)ours / (double)plain : 0;
    printf(
        "| %s | %.2f | %.2f | %.2f | **%.2f** | %.2f | %.2f | %.2f | %.2f | **%.2f** | **%.3f** | "
        "%.2f |\n",
        name, bits(s->plain_docids, s), bits(s->plain_freqs, s), bits(s->plain_skips, s),
        bits(plain, s), bits(s->docids, s), bits(s->freqs, s), bits(s->directory, s),
        bits(s->tiny, s), bits(ours, s), share, bits(s->pruning, s));
    return share <= share_most && bits(s->pruning, s) <= pruning_most ? 0 : 1;
}

int main(int argc, char **argv)
{
    rp__segment *segment;
    rp_error err;
    sums s = {0};
    if (argc != 3) {
        fputs("usage: bench_size NAME INDEX\n", stderr);
        return 2;
    }
    if (rp__segment_open(argv[2], false, &segment, &err) != RP_OK) {
        fprintf(stderr, "bench_size: %s\n", err.text);
        return 2;
    }
    rp_status status = add_all(segment, &s);
    rp__segment_close(segment);
    if (status != RP_OK) {
        fprintf(stderr, "bench_size: %s cannot be read\n", argv[2]);
        return 2;
    }
    return report(argv[1], &s);
}
