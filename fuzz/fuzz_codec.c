/* fuzz_codec.c: any bytes through every decoder of codec.
 *
 * Byte 0 picks by id, so that kept inputs keep their meaning when rows are added: below 128 the block
 * code of that codec, above, less 128, the docid codec, all rows of it. Bytes 1 to 3
 * are n, bytes 4 to 7 base or universe, byte 8 whether there are positions; the rest is what is
 * decoded, in memory of exactly its size and RP_PAD.
 * Checked: rows of one code agree; docids rise; a cursor keeps its promise on any bytes; a list
 * that validates is walked to its end, and decodes to what the cursor gave; blocks without order hold
 * what they hold with it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "codec/codec.h"

enum { HEAD = 9 };

typedef struct input {
    uint8_t pick;
    uint32_t n, base;
    bool has_positions;
    uint8_t *bytes; /* n_bytes and RP_PAD */
    size_t n_bytes;
} input;

#define MUST(fact) ((fact) ? (void)0 : broken(#fact, __LINE__))

static _Noreturn void broken(const char *fact, int line)
{
    fprintf(stderr, "fuzz_codec.c:%d: does not hold: %s\n", line, fact);
    abort();
}

static bool runs_here(uint32_t needs)
{
    return (needs & ~rp__cpu_features()) == 0;
}

/* ---- Block codes ----------------------------------------------------------------------------- */

static void compare_rows(const rp__block_code *plain, const rp__block_code *row, const input *in)
{
    static uint32_t want[RP_BLOCK_ROOM], got[RP_BLOCK_ROOM];
    size_t n = in->n % (RP_BLOCK_MAX + 1), bytes = n * sizeof *got;
    rp_status s = plain->decode(in->bytes, in->n_bytes, want, n);
    MUST(row->decode(in->bytes, in->n_bytes, got, n) == s);
    MUST(s || memcmp(want, got, bytes) == 0);
    for (size_t i = 0; s == RP_OK && row->at && i < n; i++) {
        MUST(row->at(in->bytes, in->n_bytes, n, i, got) == RP_OK);
        MUST(got[0] == want[i]);
    }
    s = plain->decode_docids(in->bytes, in->n_bytes, in->base, want, n);
    MUST(row->decode_docids(in->bytes, in->n_bytes, in->base, got, n) == s);
    MUST(s || memcmp(want, got, bytes) == 0);
    for (size_t i = 0; s == RP_OK && i < n; i++)
        MUST(i ? got[i] > got[i - 1] : got[0] >= (uint32_t)(in->base + 1));
}

static void fuzz_code(const input *in)
{
    const rp__codec *codec = rp__codec_by_id(in->pick, 0);
    const rp__block_code *row;
    for (size_t i = 0; codec && codec->code && (row = rp__block_code_at(i)); i++)
        if (runs_here(row->needs) && strcmp(row->name, codec->code->name) == 0)
            compare_rows(codec->code, row, in);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

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

/* Where all blocks are sound so are they without order, and hold the same. */
static void look_up(const rp__list *list, rp_status decoded, const uint32_t *docids)
{
    static uint32_t out[2 * RP_BLOCK + RP_BLOCK_ROOM];
    const rp__codec *codec = list->codec;
    for (uint32_t i = 0; codec->at && i < list->n && i < 1000; i++)
        (void)codec->at(list, i * 7919 % list->n, out);
    for (uint32_t i = 0; codec->find && i < list->n && i < 1000; i++)
        (void)codec->find(list, i * 7919 % list->universe, &out[0], &out[1]);
    for (uint32_t b = 0; codec->unordered && b + 1 < list->n_blocks; b++) {
        rp_status s = codec->unordered(list, b, 2, out);
        MUST(decoded || s == RP_OK);
        for (uint32_t k = 0; !decoded && k < rp__list_block_count(list, b); k++)
            MUST(out[k] == docids[b * RP_BLOCK + codec->ranks[k]]);
    }
}

/* The status of all docids at once. */
static rp_status fuzz_list(const rp__codec *row, const input *in)
{
    rp__list list;
    if (rp__list_open(row, in->bytes, in->n_bytes, in->n, in->base, in->has_positions, &list))
        return RP_DAMAGED;
    rp__cursor *c = aligned_alloc(64, sizeof *c);
    uint32_t *docids = malloc((list.n + RP_BLOCK_ROOM) * sizeof *docids);
    uint32_t *tfs = malloc((list.n + RP_BLOCK_ROOM) * sizeof *tfs);
    static uint32_t scratch[2 * RP_BLOCK_ROOM];
    rp_status valid = rp__list_validate(&list, scratch);
    rp_status decoded = rp__list_decode(&list, docids, NULL);
    MUST(walk_all(&list, c, decoded ? NULL : docids) == decoded);
    rp_status walked = walk_by(&list, c, in);
    look_up(&list, decoded, docids);
    MUST(valid || (decoded == RP_OK && walked == RP_OK));
    MUST(valid || rp__list_decode(&list, docids, tfs) == RP_OK);
    free(tfs);
    free(docids);
    free(c);
    return decoded;
}

static void fuzz_lists(const input *in)
{
    const rp__codec *plain = rp__codec_by_id(in->pick % 128, 0), *row;
    if (!plain)
        return;
    rp_status want = fuzz_list(plain, in);
    for (size_t i = 0; (row = rp__codec_at(i)); i++)
        if (row != plain && row->id == plain->id && runs_here(row->needs))
            MUST(fuzz_list(row, in) == want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    input in = {.pick = data[0],
                .n = rp__load32(data + 1) & 0xFFFFFF,
                .base = rp__load32(data + 4),
                .has_positions = data[8] & 1,
                .n_bytes = size - HEAD};
    in.bytes = malloc(in.n_bytes + RP_PAD);
    if (!in.bytes)
        return 0;
    memcpy(in.bytes, data + HEAD, in.n_bytes);
    memset(in.bytes + in.n_bytes, 0xEE, RP_PAD);
    if (in.pick < 128)
        fuzz_code(&in);
    else
        fuzz_lists(&in);
    free(in.bytes);
    return 0;
}
