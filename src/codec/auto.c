/* auto.c: the docid codec auto: each list in the codec that suits it, named in the list.
 *
 * By speed, its own way, that is a bitmap where the list is dense, and elsewhere the codec whose bits and
 * time together are the least. Times are a table of the source, by instruction set: nothing is measured
 * while an index is built, and the builder's own instruction set is not asked, so that the bytes are the
 * same on every machine. By size it is the codec of the fewest bytes. Of equal ones it is always the
 * faster. A list is then written, opened and
 * read as any other of that codec, except that its frequencies are in this row's code: walking it costs
 * nothing more. It may name every codec that cuts blocks of RP_BLOCK and leaves frequencies to the list,
 * whether tried here or not; but not raw, which compresses nothing, nor one that is younger than this
 * row: programs of then would take its id for damage. Where the name stands is list.c's
 * affair. */
#include "base/bits.h"
#include "base/cpu.h"
#include "codec/codec_table.h"

enum { RAW = 1, BP128 = 3, OPTPFD = 7, RICE = 10, EF128 = 12, BITMAP = 17, MIXED = 25 };

/* The ids tried by size, in the order of what a posting costs to decode in long lists (AVX-512: 0.2 ns in bp128,
 * 0.3 in ef128 to mixed, 0.5 in the forms of PForDelta, 16 in interpolative). Others never take less. */
static const uint8_t tried[] = {
    3,            /* bp128 */
    12,           /* ef128 */
    10,           /* rice */
    25,           /* mixed */
    17,           /* bitmap */
    5,  8,  7, 6, /* pfd, parapfor, optpfd, newpfd */
    2,  11, 4, 9, /* vbyte, qs, simple16, pfd_rec */
    13,           /* interpolative */
};

/* Shares are parts in so many. */
enum {
    N_TRIED = sizeof tried,
    SLOW_SHARE = 16,  /* what the last, 30 times slower, must save */
    SAMPLE = 8,       /* blocks that are looked at first */
    SAMPLE_SHARE = 8, /* what a codec may take more there and still be tried */
};

/* What a posting takes to decode, in hundredths of a nanosecond, in lists that are decoded as a whole and
 * in blocks that are decoded alone (riposte bench codecs, U100K: the columns Gint/s and blocks;
 * bench/results/codecs-avx2.md). Bytes of indexes depend on it. */
enum { COLUMNS = 2 }; /* AVX2, AVX-512 */
typedef struct cost {
    uint8_t id;
    uint8_t whole[COLUMNS], alone[COLUMNS];
} cost;

/* In the order in which the first of equal ones is taken. */
static const cost costs[] = {
    {BP128, {14, 10}, {17, 12}},
    {EF128, {34, 13}, {34, 18}},
    {RICE, {33, 22}, {40, 21}},
    {OPTPFD, {39, 17}, {43, 32}},
};

/* What time is worth in a list: so many bits a posting may take more to be decoded a nanosecond sooner. By how many
 * docids there are to a posting, from the first to the last. Blocks of frequent words are decoded alone, where they are
 * probed; lists of rare words as a whole, and those of one block so seldom that time is worth little. Between the words
 * that are in most queries and those that say most about a document, a saved bit costs queries the least
 * (bench/results/index-size.md). */
typedef struct price {
    uint32_t gap; /* at most */
    bool is_alone;
    uint32_t bits;
} price;

static const price prices[] = {
    {14, true, 16},
    {24, true, 4},
    {64, true, 16},
    {UINT32_MAX, false, 5},
};
static const price price_short = {0, false, 1}; /* of a list of one block */

enum {
    N_COSTS = sizeof costs / sizeof costs[0],
    DENSE_GAP = 8,   /* a bitmap, whatever it takes */
    FAST_SAMPLE = 4, /* blocks that are looked at */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The row of an id for the instructions that this row of auto needs; whoever has AVX-512 has AVX2. */
static const rp__codec *row_of(const rp__codec *codec, uint8_t id)
{
    uint32_t below = codec->needs & RP_CPU_AVX512 ? RP_CPU_AVX2 : 0;
    return rp__codec_by_id(id, codec->needs | below);
}

const rp__codec *rp__auto_named(const rp__codec *codec, uint8_t id)
{
    const rp__codec *row = id == RAW || id > MIXED ? NULL : row_of(codec, id);
    return row && !row->cut && row->freqs && !row->choose ? row : NULL;
}

size_t rp__auto_bound(const rp__codec *codec, size_t n)
{
    size_t most = 0;
    for (size_t k = 0; k < N_TRIED; k++) {
        const rp__codec *row = row_of(codec, tried[k]);
        size_t bytes = row->bound(row, n);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Bytes of every step-th block of a row made of a block code; stops when they pass `most`. */
static size_t measure_blocks(const rp__codec *row, const rp__encoding *e, size_t step, size_t most)
{
    uint32_t gaps[RP_BLOCK];
    size_t bytes = 0;
    for (size_t b = 0; b < e->n_blocks && bytes <= most; b += step) {
        size_t from = b ? e->ends[b - 1] : 0, count = e->ends[b] - from;
        uint32_t base = from ? e->docids[from - 1] : UINT32_MAX;
        for (size_t i = 0; i < count; base = e->docids[from + i++])
            gaps[i] = e->docids[from + i] - base - 1;
        bytes += row->code->encode(e->options, gaps, count, e->out);
    }
    return bytes;
}

/* Bytes of a list's docids and of the offsets that find their blocks; SIZE_MAX where they pass `most`. */
static size_t measure(const rp__codec *row, rp__encoding *e, size_t most)
{
    bool is_long = e->n_blocks > 1;
    size_t offsets = is_long && row->has_offsets ? e->n_blocks * sizeof(uint16_t) : 0;
    if (row->code)
        e->used = measure_blocks(row, e, 1, most);
    else if (row->encode(row, e))
        return SIZE_MAX;
    size_t bytes = e->used + offsets;
    return bytes <= most ? bytes : SIZE_MAX;
}

/* Which rows are worth measuring: a long list is looked at here and there. Rows that are not made of
 * blocks always are. */
static void take_samples(const rp__codec *codec, const rp__encoding *e, bool *is_worth)
{
    size_t bytes[N_TRIED] = {0}, least = SIZE_MAX, step = e->n_blocks / SAMPLE;
    for (size_t k = 0; step > 1 && k < N_TRIED; k++) {
        const rp__codec *row = row_of(codec, tried[k]);
        if (!row->code)
            continue;
        bytes[k] = measure_blocks(row, e, step, SIZE_MAX - 1);
        least = bytes[k] < least ? bytes[k] : least;
    }
    for (size_t k = 0; k < N_TRIED; k++)
        is_worth[k] = least == SIZE_MAX || bytes[k] <= least + least / SAMPLE_SHARE;
}

/* The last row tried is so slow that it must save a good part of what the next best takes. */
static size_t slow_most(size_t least)
{
    return least - least / SLOW_SHARE;
}

static uint8_t choose_by_size(const rp__codec *codec, rp__encoding *e)
{
    bool is_worth[N_TRIED];
    size_t bytes[N_TRIED], least = SIZE_MAX - 1, k = 0;
    take_samples(codec, e, is_worth);
    for (size_t i = 0; i < N_TRIED; i++) {
        size_t most = i + 1 < N_TRIED ? least : slow_most(least);
        bytes[i] = is_worth[i] ? measure(row_of(codec, tried[i]), e, most) : SIZE_MAX;
        least = bytes[i] < least ? bytes[i] : least;
    }
    while (bytes[k] > least)
        k++;
    return tried[k];
}

/* Bytes of the blocks looked at, of which there are all in a short list. */
static size_t sample(const rp__codec *codec, const rp__encoding *e, uint8_t id)
{
    size_t step = (e->n_blocks + FAST_SAMPLE - 1) / FAST_SAMPLE;
    return measure_blocks(row_of(codec, id), e, step, SIZE_MAX - 1);
}

/* Postings of these blocks. */
static size_t count_samples(const rp__encoding *e)
{
    size_t step = (e->n_blocks + FAST_SAMPLE - 1) / FAST_SAMPLE, n = 0;
    for (size_t b = 0; b < e->n_blocks; b += step)
        n += e->ends[b] - (b ? e->ends[b - 1] : 0);
    return n;
}

/* Hundredths of bits that a row takes for them, those included that its time is worth. */
static uint64_t worth(const rp__codec *codec, const rp__encoding *e, const cost *c, const price *p)
{
    size_t column = e->options && e->options->costs ? e->options->costs : RP_COSTS_DEFAULT;
    column -= RP_COSTS_AVX2;
    uint64_t time = (uint64_t)p->bits * (p->is_alone ? c->alone : c->whole)[column];
    return 100 * 8 * (uint64_t)sample(codec, e, c->id) + time * count_samples(e);
}

/* Whether a list's docids, of which there are so many from the first to the last, are so close. */
static bool is_within(const rp__encoding *e, uint64_t docids, uint32_t gap)
{
    return docids <= (uint64_t)e->n * gap;
}

static uint8_t choose_by_speed(const rp__codec *codec, rp__encoding *e)
{
    uint64_t docids = (uint64_t)e->docids[e->n - 1] - e->docids[0] + 1, least = UINT64_MAX;
    bool has_blocks = e->n_blocks > 1;
    if (has_blocks && is_within(e, docids, DENSE_GAP))
        return BITMAP;
    const price *p = has_blocks ? prices : &price_short;
    while (has_blocks && !is_within(e, docids, p->gap))
        p++;
    uint8_t best = BP128;
    for (size_t k = 0; k < N_COSTS; k++) {
        uint64_t bits = worth(codec, e, &costs[k], p);
        best = bits < least ? costs[k].id : best;
        least = bits < least ? bits : least;
    }
    return best;
}

const rp__codec *rp__auto_choose(const rp__codec *codec, rp__encoding *e)
{
    bool by_size = e->options && e->options->by == RP_BY_SIZE;
    return row_of(codec, by_size ? choose_by_size(codec, e) : choose_by_speed(codec, e));
}
