/* codec/codec.h: the door of codec: rising docids and their frequencies to and from bytes.
 *
 * Chapters: 1 block codes; 2 docid codecs, one row each; 3 lists; 4 cursors; 5 auxiliary data; 6
 * figures. No file, no thread, no allocation. Bytes are untrusted: every decoder is memory-safe on
 * any bytes, reads at most what it is given plus RP_PAD, and says RP_DAMAGED for what cannot be. */
#ifndef RP_CODEC_CODEC_H
#define RP_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "riposte/status.h"

enum {
    RP_BLOCK = 128,     /* values of a frequency or position frame, and of a block by default */
    RP_BLOCK_MAX = 256, /* values of the largest block any codec cuts */
    RP_BLOCK_CAPACITY = RP_BLOCK_MAX + 64, /* uint32 that a decoder may write, past the count too */
};
#define RP_NO_DOC UINT32_MAX /* no docid: docids are below it */

/* ---- 1. Block codes -------------------------------------------------------------------------- */

/* What an encoder that has a choice prefers: the fewest bytes, or fast decoding at few bytes. Its
 * own way: that is size for mixed, and speed for auto. */
typedef enum rp__codec_by { RP_BY_OWN, RP_BY_SIZE, RP_BY_SPEED } rp__codec_by;

/* By speed, for which instruction set: a column of the costs that auto knows (auto.c). Its own:
 * RP_COSTS_DEFAULT. */
typedef enum rp__codec_costs { RP_COSTS_OWN, RP_COSTS_AVX2, RP_COSTS_AVX512 } rp__codec_costs;
#define RP_COSTS_DEFAULT RP_COSTS_AVX2

/* Options of an encoder. All zero: the row's own choice, which is the best it knows. Nothing
 * of it is needed to decode. */
typedef struct rp__codec_options {
    bool has_exceptions, has_level;
    double exceptions;     /* the share of values that become exceptions: 0 to 0.6 */
    uint32_t level;        /* of recursion: 0 to 4 */
    double c;              /* of qs: a low part has log2(c * mean gap) bits; 0.25 to 16, 0: 1 */
    rp__codec_by by;       /* of mixed and auto, and of their frequencies */
    rp__codec_costs costs; /* of auto */
    /* of rows that have a `segment`: postings of a block, that or 0: 128 */
    uint32_t segment;
    uint32_t max_size; /* of iiu: postings of the largest block, 1 to 256; 0: 256 */
} rp__codec_options;

/* Up to RP_BLOCK_MAX values at a time. One row per code and instruction set; all rows of a name
 * write and read the same bytes. */
typedef struct rp__block_code {
    const char *name;
    uint32_t needs; /* RP_CPU_ bits; 0 is the plain reference */
    size_t (*bound)(size_t n);
    /* values -> bytes used, at most bound(n). options may be NULL. */
    size_t (*encode)(const rp__codec_options *options, const uint32_t *values, size_t n,
                     uint8_t *out);
    /* The same n values. Writes up to RP_BLOCK_CAPACITY values of out. */
    rp_status (*decode)(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n);
    /* Values are gaps less one: out[i] = out[i-1] + 1 + value[i], out[-1] = base; a first block has
     * the base UINT32_MAX. What RP_OK gives rises: RP_DAMAGED also where it would pass 2^32. */
    rp_status (*decode_docids)(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                               size_t n);
    /* (optional) The i-th value alone. */
    rp_status (*at)(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out);
    /* (optional) Values i to i + n - 1 alone, n >= 1, of as many or more, as decode_docids gives
     * them. Writes up to 15 past them. */
    rp_status (*slice)(const uint8_t *in, size_t in_bytes, size_t i, size_t n, uint32_t base,
                       uint32_t *out);
} rp__block_code;

/* The best row of that name for these features; NULL: no such name. */
const rp__block_code *rp__block_code_find(const char *name, uint32_t features);
const rp__block_code *rp__block_code_at(size_t i); /* every row, for tests; NULL past the last */

/* ---- 2. Docid codecs ------------------------------------------------------------------------- */

typedef struct rp__list rp__list;

/* A list on its way to bytes. */
typedef struct rp__encoding {
    const rp__codec_options *options; /* may be NULL */
    const uint32_t *docids, *tfs;
    size_t n;
    const uint32_t *ends; /* ends[i] postings lie in blocks 0..i */
    size_t n_blocks;
    uint32_t *scratch; /* as many as the row's `scratch` asks for */
    uint32_t *offsets; /* out: of each block, where has_offsets */
    uint8_t *out;      /* out: bound(n) bytes */
    size_t used;       /* out: of them */
} rp__encoding;

/* One row per codec and instruction set; a codec owns the whole list. `id` is on disk: append
 * only. */
typedef struct rp__codec {
    uint8_t id;
    const char *name;
    uint32_t needs;
    const rp__block_code *code; /* of rows made by the block adapter, else NULL */
    /* codes the frequencies; NULL: they are in the payload, for `tfs` */
    const rp__block_code *freqs;
    bool has_offsets;            /* the directory holds a byte offset for each block */
    uint32_t limit;              /* docids and frequencies are below it, else RP_LIMIT; 0: any */
    uint32_t max_blocks_per_128; /* 1 for blocks of 128; more for dynamic partitions */
    /* (without cut) blocks of so many postings in place of 128, if an option says so; 0 */
    uint32_t segment;
    size_t (*bound)(const struct rp__codec *codec, size_t n); /* bytes of payload for n docids */
    /* (optional) uint32 to cut and encode; 0 */
    size_t (*scratch)(const struct rp__codec *codec, size_t n);
    /* (optional) Fills e->ends' array, given as `ends`; returns the number of blocks. NULL: every
     * RP_BLOCK. */
    size_t (*cut)(const struct rp__codec *codec, const rp__encoding *e, uint32_t *ends);
    /* Payload of all blocks. RP_LIMIT: an offset would pass 2^32. */
    rp_status (*encode)(const struct rp__codec *codec, rp__encoding *e);
    /* Block b of an open list into out (RP_BLOCK_CAPACITY); its count is known from the list. RP_OK
     * promises that the docids rise and are above last[b-1], unless that is RP_NO_DOC, and nothing
     * else. */
    rp_status (*block)(const rp__list *list, uint32_t b, uint32_t *out);
    /* (optional) All docids of the list at once, checked as a cursor checks them; out has
     * n + RP_BLOCK_CAPACITY. NULL: block by block. */
    rp_status (*decode)(const rp__list *list, uint32_t *out);
    /* (optional) The i-th docid alone. */
    rp_status (*at)(const rp__list *list, uint32_t i, uint32_t *out);
    /* (optional) Blocks b to b + n_blocks - 1, each in another order, for membership tests: block b
     * + k to out + k * RP_BLOCK (n_blocks * RP_BLOCK + RP_BLOCK_CAPACITY in all). Of RP_BLOCK
     * docids, out[s] is the one of slot ranks[s]; fewer are in order. RP_OK promises what it does
     * of `block`. */
    rp_status (*unordered)(const rp__list *list, uint32_t b, uint32_t n_blocks, uint32_t *out);
    const uint8_t *ranks; /* (with unordered) a permutation of 0 to RP_BLOCK - 1 */
    /* (where freqs is NULL) Frequencies of frame f into out (RP_BLOCK_CAPACITY). RP_OK: at least
     * 1. */
    rp_status (*tfs)(const rp__list *list, uint32_t f, uint32_t *out);
    /* (optional) The first docid that is at least target, and its rank; RP_NO_DOC and n: there is
     * none. Of damaged bytes RP_OK promises nothing more. */
    rp_status (*find)(const rp__list *list, uint32_t target, uint32_t *rank, uint32_t *docid);
    /* (optional) The same within block b of a list that has a directory, whose last docid is at
     * least target while that of the block before is below it; the rank is given as the slot. Not
     * RP_OK: the block has to be decoded to be searched. Of damaged bytes RP_OK promises nothing
     * more. */
    rp_status (*seek)(const rp__list *list, uint32_t b, uint32_t target, uint32_t *slot,
                      uint32_t *docid);
    /* (optional) Called once by rp__list_open: finds the parts of the payload for list->view, so
     * that the functions above start with them. RP_DAMAGED: they do not lie inside. */
    rp_status (*open)(rp__list *list);
    /* (optional, together) Of a row that has each list name a row of its own: the row for a list,
     * which may use e->out and e->offsets; and the row of a name, its id (NULL: there is none). */
    const struct rp__codec *(*choose)(const struct rp__codec *codec, rp__encoding *e);
    const struct rp__codec *(*named)(const struct rp__codec *codec, uint8_t id);
} rp__codec;

const rp__codec *rp__codec_find(const char *name, uint32_t features); /* NULL: no such name */
const rp__codec *rp__codec_by_id(uint8_t id, uint32_t features);      /* NULL: no such id */
/* The row with its frequencies in another code, whose `needs` must not pass the row's; itself where
 * they are in the payload. */
rp__codec rp__codec_with_freqs(const rp__codec *row, const rp__block_code *freqs);
/* every row; the default codec's come first; NULL past the last */
const rp__codec *rp__codec_at(size_t i);

/* ---- 3. Lists -------------------------------------------------------------------------------- */

/* Where the parts of a payload lie, as a codec's `open` found them: low and high parts of docids,
 * and hints to the high ones. All zero without it. */
typedef struct rp__list_view {
    const uint8_t *low, *high, *hints;
    uint64_t high_bits; /* in the bytes of high */
    uint32_t width;     /* bits of a low part */
    uint32_t n_hints;
} rp__list_view;

/* An open list: views into its bytes, or of two plain arrays, which are trusted and count as cut
 * every RP_BLOCK. Frequencies and positions are cut into frames of RP_BLOCK postings by rank i,
 * whatever the codec's own blocks are. */
struct rp__list {
    /* NULL: docids and tfs below are plain arrays. Never a row that chooses */
    const rp__codec *codec;
    const rp__block_code *freq_code; /* of the frequencies; NULL: they are in the payload */
    uint32_t n, n_blocks;            /* postings; blocks */
    uint32_t universe;               /* every docid is below it */
    const uint32_t *last;            /* last docid of each block; NULL for one block */
    const uint32_t *last_far; /* of each RP_LIST_FAR blocks, the last docid; NULL for one block */
    const uint32_t *offsets;  /* of blocks in docs; NULL for one block or without has_offsets */
    const uint32_t *first;    /* rank of each block's first posting; NULL: b * RP_BLOCK */
    /* by frame; NULL for one frame; pos NULL without positions */
    const uint32_t *freq_offsets, *pos_offsets;
    /* in place of offsets and freq_offsets in a list whose parts lie close: for rp__list_near */
    const uint16_t *near_offsets, *near_freqs;
    /* by block: max of tf/(tf+K), rounded up, in 1/255; never NULL with a codec */
    const uint8_t *bounds;
    /* of the 10th, 100th, 1000th best posting: tf/(tf+K), rounded down; NULL: not known */
    const uint8_t *kths;
    const uint8_t *docs, *freqs;
    size_t docs_bytes, freqs_bytes;
    const uint32_t *docids, *tfs;
    rp__list_view view;
};

enum {
    RP_LIST_FAR = 64, /* blocks between entries of last_far */
    RP_LIST_KTHS = 3, /* entries of kths; 0 where the list has fewer postings */
};

/* What the writer of a list computes beside the codec. */
typedef struct rp__list_parts {
    const uint32_t *ends; /* by rp__list_cut */
    size_t n_blocks;
    const uint8_t *bounds;       /* n_blocks */
    const uint8_t *kths;         /* RP_LIST_KTHS; NULL: not known. A list of one block has none */
    const uint32_t *pos_offsets; /* one a frame; NULL without positions */
    const rp__codec_options *options; /* may be NULL */
    /* parts lie close together, and offsets are narrow, where they fit; not of a row that cuts */
    bool is_close;
} rp__list_parts;

size_t rp__list_blocks_bound(const rp__codec *codec, size_t n);
size_t rp__list_scratch(const rp__codec *codec, size_t n); /* uint32 that cut and encode may use */
size_t rp__list_cut(const rp__codec *codec, const rp__codec_options *options,
                    const uint32_t *docids, const uint32_t *tfs, size_t n, uint32_t *scratch,
                    uint32_t *ends); /* returns the number of blocks */
size_t rp__list_bound(const rp__codec *codec, size_t n);
/* n >= 1, docids rising, tfs >= 1. `out` has rp__list_bound(n) bytes and is 16-byte aligned, or,
 * for parts that lie close, 4-byte aligned. *used is a multiple of as many. RP_LIMIT: over 4
 * GiB. */
rp_status rp__list_encode(const rp__codec *codec, const uint32_t *docids, const uint32_t *tfs,
                          size_t n, const rp__list_parts *parts, uint32_t *scratch, uint8_t *out,
                          size_t *used);
/* Opens `in` (4-byte aligned, RP_PAD readable after in_bytes) as a list of n postings. Checks that
 * all parts lie inside; not what they say. */
rp_status rp__list_open(const rp__codec *codec, const uint8_t *in, size_t in_bytes, uint32_t n,
                        uint32_t universe, bool has_positions, rp__list *list);
void rp__list_from_arrays(const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                          uint32_t universe, rp__list *list);
/* Entry i of narrow offsets. The groups of RP_LIST_FAR have a base each, but for the first, which
 * has 0: it stands before all entries, that of the last group first. */
static inline uint32_t rp__list_near(const uint16_t *near, uint32_t i)
{
    uint32_t group = i / RP_LIST_FAR, base = 0;
    if (group)
        memcpy(&base, (const uint8_t *)near - sizeof base * group, sizeof base);
    return base + near[i];
}
/* Where block b begins in docs, of a list that has offsets. */
static inline uint32_t rp__list_offset(const rp__list *list, uint32_t b)
{
    return list->near_offsets ? rp__list_near(list->near_offsets, b) : list->offsets[b];
}
static inline bool rp__list_has_offsets(const rp__list *list)
{
    return list->offsets || list->near_offsets;
}
/* Postings in block b, and the rank of its first. */
uint32_t rp__list_block_count(const rp__list *list, uint32_t b);
uint32_t rp__list_block_first(const rp__list *list, uint32_t b);
/* Block b of a list with a codec into out (RP_BLOCK_CAPACITY), and how many postings it has (1 to
 * RP_BLOCK_MAX). RP_OK: they rise, are above last[b-1] and below the universe, and the last one is
 * what the directory says. */
rp_status rp__list_block(const rp__list *list, uint32_t b, uint32_t *out, uint32_t *count);
/* The largest bound of blocks from `from` on and before `to`, at most n_blocks; 255 of plain
 * arrays, which have none. */
uint8_t rp__list_bound_max(const rp__list *list, uint32_t from, uint32_t to);
/* Everything: docids (n + RP_BLOCK_CAPACITY) and, unless NULL, frequencies (the same room).
 * RP_DAMAGED where a cursor would have said so. */
rp_status rp__list_decode(const rp__list *list, uint32_t *docids, uint32_t *tfs);
/* Frequencies of frame f into out (RP_BLOCK_CAPACITY). */
rp_status rp__list_freqs(const rp__list *list, uint32_t f, uint32_t *out);
/* Where the bytes of frame f lie, of a list with a code of frequencies. */
rp_status rp__list_freq_bytes(const rp__list *list, uint32_t f, const uint8_t **in, size_t *bytes);
/* Of the posting of rank i (below n) alone: where the code can, without those of its frame. */
rp_status rp__list_tf(const rp__list *list, uint32_t i, uint32_t *tf);
/* Decodes all and says whether it is what an encoder would have written: rising, below universe,
 * directory true, frequencies at least 1. `scratch`: 2 * RP_BLOCK_CAPACITY. */
rp_status rp__list_validate(const rp__list *list, uint32_t *scratch);

/* The docids of a list as bits: bit j of word i stands for base + 64i + j. hints[k] of them lie
 * before word 8k: 4 bytes each, as a word has 8, none of them aligned. */
typedef struct rp__bitmap_view {
    const uint8_t *words, *hints;
    uint32_t base, n_words; /* base + 64 * n_words is at most 2^32 */
} rp__bitmap_view;

/* False: its codec did not make bits of it, or the bytes are damaged. True promises that all parts
 * lie inside, not what they say. */
bool rp__bitmap_bits(const rp__list *list, rp__bitmap_view *view);

/* ---- 4. Cursors ------------------------------------------------------------------------------ */

/* Walks a list in rising order; docids it gives are rising and below the universe whatever the
 * bytes say. After the last posting, or damage, docid is RP_NO_DOC; `status` then tells which.
 * One thread at a time; about 3 KiB, 64-byte aligned. */
typedef struct rp__cursor {
    const rp__list *list;
    uint32_t docid;
    /* block stood in; where in it; postings of it in docs: 0 if not decoded */
    uint32_t block, slot, count;
    uint32_t frame; /* frame decoded in tfs; UINT32_MAX: none */
    rp_status status;
    uint64_t decoded;   /* postings decoded so far */
    uint32_t n_read;    /* blocks of them */
    const uint32_t *at; /* docids of the block */
    _Alignas(64) uint32_t docs[RP_BLOCK_CAPACITY];
    _Alignas(64) uint32_t tfs[RP_BLOCK_CAPACITY];
} rp__cursor;

void rp__cursor_open(rp__cursor *c, const rp__list *list); /* stands on the first posting */
uint32_t rp__cursor_next(rp__cursor *c);
uint32_t rp__cursor_next_geq(rp__cursor *c, uint32_t docid); /* never goes back */
uint32_t rp__cursor_rank(const rp__cursor *c); /* of the current posting in the list */
/* Of the current posting, at least 1. Where it is damaged the walk ends. */
uint32_t rp__cursor_tf(rp__cursor *c);
/* The rest of the current block, from the current posting on; then next_block. 0: at the end. */
uint32_t rp__cursor_block(rp__cursor *c, const uint32_t **docids);
uint32_t rp__cursor_next_block(rp__cursor *c); /* stands on its first posting, or RP_NO_DOC */

/* ---- 5. Auxiliary data ----------------------------------------------------------------------- */

/* Auxiliary data of a list, in any codec, which narrow the search for a docid x to a range of
 * ranks: every docid before `lo` is below x, and every one from `hi` on is at least x. So the first
 * docid that is at least x has a rank from lo to hi, and a docid of the list lies before hi. lo <=
 * hi <= n whatever the bytes say. The arrays are flat and aligned, to be read by any processor as
 * they are. */
typedef struct rp__aux rp__aux;

/* One row per kind; `id` is on disk: append only. */
typedef struct rp__aux_kind {
    uint8_t id;
    const char *name;
    uint32_t bucket; /* of hs: postings a bucket has at most, on average */
    size_t (*bound)(const struct rp__aux_kind *kind, uint32_t n);
    /* n >= 1 docids, rising, below universe -> bytes used: a multiple of 16, at most bound(n). */
    size_t (*fit)(const struct rp__aux_kind *kind, const uint32_t *docids, uint32_t n,
                  uint32_t universe, uint8_t *out);
    /* Opens `in` (16-byte aligned) for a list of n docids. Checks the shape, not what it says. */
    rp_status (*open)(const struct rp__aux_kind *kind, const uint8_t *in, size_t in_bytes,
                      uint32_t n, uint32_t universe, rp__aux *aux);
    void (*range)(const rp__aux *aux, uint32_t x, uint32_t *lo, uint32_t *hi);
    /* Whether the ranges of all x are as promised, these being the docids. */
    bool (*is_sound)(const rp__aux *aux, const uint32_t *docids);
} rp__aux_kind;

enum { RP_AUX_KINDS = 9 }; /* ids are below it */

const rp__aux_kind *rp__aux_kind_at(size_t i); /* by id; NULL past the last */
const rp__aux_kind *rp__aux_kind_find(const char *name, size_t bytes); /* NULL: no such name */

/* A line from docids to ranks: x has about rank (s * x + t) >> 31, in signed 64 bits and held
 * within the list; the true rank is at most `left` less and `right` more. */
typedef struct rp__lr_line {
    int64_t t;
    uint32_t s, left, right;
} rp__lr_line;

enum { RP_LR_SEGMENT = 256 }; /* postings that have a line of their own */

/* Views into the bytes of an auxiliary. */
struct rp__aux {
    const rp__aux_kind *kind;
    uint32_t n;
    const uint8_t *from; /* all of it, where a segment has it */
    size_t bytes;
    /* Of lr: the list's line, then by segment its line's numbers and its first docid. */
    rp__lr_line line;
    const int64_t *t;
    const uint32_t *s, *heads;
    const uint8_t *left, *right;
    /* Of hs: docid x is in bucket x >> shift; bucket h begins at starts[h], and starts[n_buckets]
     * is n. */
    uint32_t shift, n_buckets;
    const uint32_t *starts;
};

/* The range of x in n docids by their line. */
void rp__lr_range(rp__lr_line line, uint32_t n, uint32_t x, uint32_t *lo, uint32_t *hi);
/* Of lr: narrows the range of x to the segment where x would be, and by that segment's line. */
void rp__lr_narrow(const rp__aux *aux, uint32_t x, uint32_t *lo, uint32_t *hi);

/* ---- 6. Figures ------------------------------------------------------------------------------ */

/* How near a list is to a straight line from ranks to docids; contraction: the share of it that a
 * search guided by the line has to look at, of all and of segments of RP_LR_SEGMENT postings. */
typedef struct rp__line_figures {
    double slope; /* docids a rank; 0 for one docid */
    double determination, contraction, local_mean, local_most;
} rp__line_figures;

/* n >= 1 rising docids. */
rp__line_figures rp__regression_figures(const uint32_t *docids, size_t n);

#endif
