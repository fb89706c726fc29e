/* fuzz_codec.c: any bytes through every decoder of codec, and any list through every encoder.
 *
 * Byte 0 picks by id, so that kept inputs keep their meaning when rows are added: the block code of
 * that codec; 64 more, the code of its frequencies; 128 more, its lists, as bytes; 192 more, its lists,
 * as docids. Bytes 1 to 3 are n, bytes 4 to 7 base or universe (or options of the encoder), byte 8 has
 * flags; the rest is what is decoded, in memory of exactly its size and RP_PAD, or what docids are
 * drawn from.
 * Checked: all rows make the same of the same bytes (tests/parity/bytes_check.h); a cursor keeps its
 * promise on any bytes; a list that validates is walked to its end, and decodes to what the cursor gave;
 * what was encoded comes back in every way there is (tests/parity/row_check.h).
 * Of new inputs one in 32 is a list that an encoder made, or docids for one; so new rows need no seeds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parity/bytes_check.h"
#include "parity/row_check.h"
#include "unit/codec/random_docids.h"

enum { HEAD = 9, FREQS = 64, LISTS = 128, DOCIDS = 192, IDS = 64 };
enum { FLAG_POSITIONS = 1, FLAG_EXCEPTIONS = 2, FLAG_LEVEL = 4, FLAG_C = 8, FLAG_SPEED = 16 };
enum { FLAG_SEGMENT = 32, FLAG_MAX = 64, FLAG_CLOSE = 128 };
enum { MOST_DOCIDS = 3000 };

typedef struct input {
    uint8_t pick, options[4], flags;
    uint32_t n, base;
    uint8_t *bytes; /* n_bytes and RP_PAD */
    size_t n_bytes;
} input;

#define MUST(fact) ((fact) ? (void)0 : broken(#fact, __LINE__))

static _Noreturn void broken(const char *fact, int line)
{
    fprintf(stderr, "fuzz_codec.c:%d: does not hold: %s\n", line, fact);
    abort();
}

static _Noreturn void differ(const char *name, uint32_t needs, const char *what, uint32_t place)
{
    fprintf(stderr, "fuzz_codec.c: %s/%x: %s, %u\n", name, needs, what, place);
    abort();
}

static const codec_family *family_of(uint8_t id)
{
    const families *all = families_here();
    for (size_t i = 0; i < all->n_codecs; i++)
        if (all->codecs[i].plain->id == id)
            return &all->codecs[i];
    return NULL;
}

/* ---- Block codes ----------------------------------------------------------------------------- */

static void fuzz_code(const rp__block_code *plain, const input *in)
{
    const families *all = families_here();
    bytes_check bc;
    for (size_t i = 0; i < all->n_codes; i++)
        if (all->codes[i].plain == plain &&
            !bytes_check_code(&bc, &all->codes[i], in->bytes, in->n_bytes,
                              in->n % (RP_BLOCK_MAX + 1), in->base))
            differ(bc.name, bc.needs, bc.what, bc.place);
}

/* ---- Lists as bytes -------------------------------------------------------------------------- */

/* Walks with next, all docids; returns the status. */
static rp_status walk_all(const rp__list *list, rp__cursor *c, const uint32_t *docids)
{
    uint64_t above = 0;
    uint32_t i = 0;
    for (rp__cursor_open(c, list); c->docid != RP_NO_DOC; rp__cursor_next(c)) {
        MUST(c->docid >= above && c->docid < list->universe && i < list->n);
        MUST(!docids || docids[i] == c->docid);
        MUST(rp__cursor_rank(c) == i || list->first);
        above = (uint64_t)c->docid + 1;
        i++;
    }
    MUST(c->status || i == list->n);
    return c->status;
}

/* Jumps by steps that the bytes themselves give, with blocks and frequencies between. */
static rp_status walk_by(const rp__list *list, rp__cursor *c, const input *in)
{
    uint64_t above = 0;
    size_t k = 0;
    rp__cursor_open(c, list);
    while (c->docid != RP_NO_DOC) {
        const uint32_t *rest;
        uint32_t count = rp__cursor_block(c, &rest), way = in->bytes[k++ % (in->n_bytes + 1)];
        MUST(c->docid >= above && c->docid < list->universe);
        MUST(count >= 1 && count <= RP_BLOCK_MAX && rest[0] == c->docid);
        above = (uint64_t)c->docid + 1;
        if (way % 2)
            MUST(rp__cursor_tf(c) >= 1);
        if (c->docid == RP_NO_DOC)
            break;
        if (way < 64) {
            for (uint32_t i = 1; i < count; i++)
                MUST(rest[i] > rest[i - 1] && rest[i] < list->universe);
            above = (uint64_t)rest[count - 1] + 1;
            rp__cursor_next_block(c);
        } else if (above < RP_NO_DOC) {
            uint64_t target = above + (1ULL << way % 32) - 1;
            above = target < RP_NO_DOC ? target : RP_NO_DOC - 1;
            rp__cursor_next_geq(c, (uint32_t)above);
        } else {
            rp__cursor_next(c);
        }
    }
    MUST(rp__cursor_next(c) == RP_NO_DOC && rp__cursor_next_geq(c, 0) == RP_NO_DOC);
    return c->status;
}

static void fuzz_row(const rp__codec *row, const input *in, rp__cursor *c)
{
    rp__list list;
    static uint32_t scratch[2 * RP_BLOCK_CAPACITY];
    if (rp__list_open(row, in->bytes, in->n_bytes, in->n, in->base, in->flags & FLAG_POSITIONS,
                      &list))
        return;
    uint32_t *docids = malloc((list.n + RP_BLOCK_CAPACITY) * sizeof *docids);
    uint32_t *tfs = malloc((list.n + RP_BLOCK_CAPACITY) * sizeof *tfs);
    rp_status valid = rp__list_validate(&list, scratch);
    rp_status decoded = rp__list_decode(&list, docids, NULL);
    MUST(walk_all(&list, c, decoded ? NULL : docids) == decoded);
    rp_status walked = walk_by(&list, c, in);
    MUST(valid || (decoded == RP_OK && walked == RP_OK));
    MUST(valid || rp__list_decode(&list, docids, tfs) == RP_OK);
    free(tfs);
    free(docids);
}

/* A list has a byte at least for each block; one that cannot be is opened, but no room made for it. */
static void fuzz_lists(const codec_family *f, const input *in)
{
    rp__list list;
    bytes_check bc;
    bool has_positions = in->flags & FLAG_POSITIONS;
    if (in->n > (in->n_bytes + 1) * RP_BLOCK_MAX) {
        for (size_t k = 0; k < f->n; k++)
            if (rp__list_open(f->rows[k], in->bytes, in->n_bytes, in->n, in->base, has_positions,
                              &list) == RP_OK)
                MUST(rp__list_validate(&list, (uint32_t[2 * RP_BLOCK_CAPACITY]){0}) == RP_DAMAGED);
        return;
    }
    if (!bytes_check_list(&bc, f, in->bytes, in->n_bytes, in->n, in->base, has_positions))
        differ(bc.name, bc.needs, bc.what, bc.place);
    rp__cursor *c = aligned_alloc(64, sizeof *c);
    for (size_t k = 0; k < f->n; k++)
        fuzz_row(f->rows[k], in, c);
    free(c);
}

/* ---- Lists as docids ------------------------------------------------------------------------- */

typedef struct postings {
    uint32_t n, universe, largest; /* largest: of docids and frequencies */
    uint32_t *docids, *tfs;
} postings;

/* A byte is a small number or a power of two. */
static uint32_t number(uint8_t byte)
{
    return byte < 0xC0 ? byte : 1U << byte % 32;
}

/* n postings by the bytes, again and again, as long as there are docids. */
static postings draw_postings(const input *in)
{
    uint32_t most = 1 + in->n % MOST_DOCIDS;
    postings p = {.docids = malloc(most * sizeof(uint32_t)),
                  .tfs = malloc(most * sizeof(uint32_t))};
    uint64_t next = 0;
    for (size_t k = 0; p.n < most; k += 2) {
        next += number(in->bytes[k % (in->n_bytes + 1)]);
        if (next >= RP_NO_DOC)
            break;
        p.docids[p.n] = (uint32_t)next++;
        p.tfs[p.n] = number(in->bytes[(k + 1) % (in->n_bytes + 1)]) + 1;
        p.largest = p.tfs[p.n] > p.largest ? p.tfs[p.n] : p.largest;
        p.n++;
    }
    p.universe = p.docids[p.n - 1] + 1;
    p.largest = p.docids[p.n - 1] > p.largest ? p.docids[p.n - 1] : p.largest;
    return p;
}

static rp__codec_options options_of(const input *in)
{
    return (rp__codec_options){.has_exceptions = in->flags & FLAG_EXCEPTIONS,
                               .exceptions = in->options[0] % 61 / 100.0,
                               .has_level = in->flags & FLAG_LEVEL,
                               .level = in->options[1] % 5,
                               .c = in->flags & FLAG_C ? exp2(in->options[2] % 7 - 2.0) : 0,
                               .by = in->flags & FLAG_SPEED ? RP_BY_SPEED : RP_BY_SIZE,
                               .segment = in->flags & FLAG_SEGMENT ? 64 : 0,
                               .max_size = in->flags & FLAG_MAX ? in->options[1] + 1U : 0};
}

/* Bytes of exactly their size and RP_PAD, for the caller to free; NULL: RP_LIMIT. */
static uint8_t *encode(const rp__codec *row, const postings *p, const rp__codec_options *options,
                       bool has_positions, bool is_close, size_t *used)
{
    size_t bound = rp__list_bound(row, p->n), most_blocks = rp__list_blocks_bound(row, p->n);
    uint32_t *scratch = malloc(rp__list_scratch(row, p->n) * sizeof *scratch);
    uint32_t *ends = malloc(most_blocks * sizeof *ends);
    uint32_t *pos_offsets = calloc(p->n / RP_BLOCK + 1, sizeof *pos_offsets);
    uint8_t *bounds = calloc(most_blocks, 1), *out = malloc(bound), *bytes = NULL;
    size_t n_blocks = rp__list_cut(row, options, p->docids, p->tfs, p->n, scratch, ends);
    MUST(n_blocks <= most_blocks);
    static const uint8_t kths[RP_LIST_KTHS];
    rp__list_parts parts = {.ends = ends,
                            .n_blocks = n_blocks,
                            .bounds = bounds,
                            .kths = kths,
                            .pos_offsets = has_positions ? pos_offsets : NULL,
                            .options = options,
                            .is_close = is_close && !row->cut};
    rp_status s = rp__list_encode(row, p->docids, p->tfs, p->n, &parts, scratch, out, used);
    MUST(s == (row->limit && p->largest >= row->limit ? RP_LIMIT : RP_OK));
    if (s == RP_OK) {
        MUST(*used <= bound);
        bytes = malloc(*used + RP_PAD);
        memcpy(bytes, out, *used);
        memset(bytes + *used, 0xEE, RP_PAD);
    }
    free(scratch);
    free(ends);
    free(pos_offsets);
    free(bounds);
    free(out);
    return bytes;
}

static void fuzz_docids(const codec_family *f, const input *in)
{
    postings p = draw_postings(in);
    rp__codec_options options = options_of(in);
    bool has_positions = in->flags & FLAG_POSITIONS;
    size_t used = 0;
    uint8_t *bytes = encode(f->rows[in->options[3] % f->n], &p, &options, has_positions,
                            in->flags & FLAG_CLOSE, &used);
    row_check rc;
    row_check_init(&rc, p.n, in->n);
    for (size_t k = 0; bytes && k < f->n; k++) {
        rp__list list;
        MUST(rp__list_open(f->rows[k], bytes, used, p.n, p.universe, has_positions, &list) ==
             RP_OK);
        if (!row_check_list(&rc, &list, p.docids, p.tfs))
            differ(f->rows[k]->name, f->rows[k]->needs, rc.what, rc.rank);
    }
    row_check_free(&rc);
    free(bytes);
    free(p.docids);
    free(p.tfs);
}

/* ---- libFuzzer ------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* A list's bytes as an encoder made them, of a length that fits. */
static size_t make_list(uint8_t *data, size_t max_size, uint64_t *rng)
{
    const families *all = families_here();
    const codec_family *f = &all->codecs[random_below(rng, all->n_codecs)];
    uint32_t docids[700], tfs[700], n = random_length(rng, 700);
    uint32_t most = f->plain->limit ? f->plain->limit : UINT32_MAX;
    postings p = {.n = n, .docids = docids, .tfs = tfs};
    p.universe = n + (uint32_t)random_below(rng, (most - n) >> random_below(rng, 32));
    make_docids(rng, (shape)random_below(rng, N_SHAPES), n, p.universe, docids);
    for (uint32_t i = 0; i < n; i++)
        tfs[i] = make_tf(rng) % (most - 1) + 1;
    input drawn = {.flags = (uint8_t)random64(rng)};
    rp__store32(drawn.options, (uint32_t)random64(rng));
    rp__codec_options options = options_of(&drawn);
    size_t used = 0;
    uint8_t *bytes = encode(f->plain, &p, &options, drawn.flags & FLAG_POSITIONS,
                            drawn.flags & FLAG_CLOSE, &used);
    bool fits = bytes && HEAD + used <= max_size;
    if (fits) {
        data[0] = (uint8_t)(LISTS + f->plain->id);
        rp__store32(data + 1, n);
        rp__store32(data + 4, p.universe);
        data[8] = drawn.flags & FLAG_POSITIONS;
        memcpy(data + HEAD, bytes, used);
    }
    free(bytes);
    return fits ? HEAD + used : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t rng = seed;
    if (max_size < HEAD || random_below(&rng, 32))
        return LLVMFuzzerMutate(data, size, max_size);
    if (random64(&rng) & 1) {
        const families *all = families_here();
        uint8_t id = all->codecs[random_below(&rng, all->n_codecs)].plain->id;
        for (size_t i = size; i < HEAD; i++)
            data[i] = (uint8_t)random64(&rng);
        data[0] = (uint8_t)(id + IDS * random_below(&rng, 4));
        return size < HEAD ? HEAD : size;
    }
    size_t made = make_list(data, max_size, &rng);
    return made ? made : LLVMFuzzerMutate(data, size, max_size);
}

static void run(const input *in)
{
    const codec_family *f = family_of(in->pick % IDS);
    if (!f)
        return;
    switch (in->pick / IDS * IDS) {
    case 0:
        fuzz_code(f->plain->code, in);
        break;
    case FREQS:
        fuzz_code(f->plain->freqs, in);
        break;
    case LISTS:
        fuzz_lists(f, in);
        break;
    default:
        fuzz_docids(f, in);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    input in = {.pick = data[0],
                .flags = data[8],
                .n = rp__load32(data + 1) & 0xFFFFFF,
                .base = rp__load32(data + 4),
                .n_bytes = size - HEAD};
    memcpy(in.options, data + 4, sizeof in.options);
    in.bytes = malloc(in.n_bytes + RP_PAD);
    if (!in.bytes)
        return 0;
    memcpy(in.bytes, data + HEAD, in.n_bytes);
    memset(in.bytes + in.n_bytes, 0xEE, RP_PAD);
    run(&in);
    free(in.bytes);
    return 0;
}
