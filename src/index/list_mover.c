/* list_mover.c: postings of one list get other docids and are sorted by them; positions go along.
 *
 * A list is sorted by digits of its new docids, which takes time in proportion to its length. Positions
 * are never added up: what is stored of a posting does not depend on its neighbours. */
#include "index/list_mover.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/cpu.h"

enum { DIGIT = 8, DIGITS = 1 << DIGIT, SHORT = 48 };

bool rp__list_mover_init(rp__list_mover *m, const rp__segment *from, const uint32_t *place,
                         uint32_t n, uint64_t cf)
{
    size_t room = (size_t)n + RP_BLOCK_CAPACITY;
    *m = (rp__list_mover){.from = from, .place = place};
    m->pos_code = rp__block_code_find("bp128", rp__cpu_features());
    m->docids = rp__alloc_array(room, sizeof *m->docids);
    m->tfs = rp__alloc_array(room, sizeof *m->tfs);
    m->keys = rp__alloc_array((size_t)n + 1, sizeof *m->keys);
    m->spare = rp__alloc_array((size_t)n + 1, sizeof *m->spare);
    if (!m->docids || !m->tfs || !m->keys || !m->spare)
        return false;
    if (!from->positions)
        return true;
    m->values = rp__alloc_array((size_t)cf + RP_BLOCK_CAPACITY, sizeof *m->values);
    m->frames = rp__alloc_array((size_t)n / RP_BLOCK + 1, sizeof *m->frames);
    return m->values && m->frames;
}

void rp__list_mover_reset(rp__list_mover *m)
{
    rp__free(m->docids);
    rp__free(m->tfs);
    rp__free(m->keys);
    rp__free(m->spare);
    rp__free(m->values);
    rp__free(m->frames);
    *m = (rp__list_mover){0};
}

uint64_t rp__list_mover_bytes(uint32_t n, uint64_t cf)
{
    uint64_t postings = (uint64_t)n + RP_BLOCK_CAPACITY, positions = cf + RP_BLOCK_CAPACITY;
    return postings * (2 * sizeof(uint32_t) + 2 * sizeof(uint64_t)) +
           (positions + n / RP_BLOCK + 1) * sizeof(uint32_t);
}

/* A byte for each chunk, of which each frame has one that is not full. */
uint64_t rp__list_mover_bound(uint32_t n, uint64_t cf)
{
    uint64_t chunks = cf / RP_BLOCK + n / RP_BLOCK + 1;
    return chunks + cf * sizeof(uint32_t) + RP_BLOCK * sizeof(uint32_t) + RP_PAD;
}

/* ---- Sorting ----------------------------------------------------------------------------------- */

static void sort_short(uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* By one digit, from `from` to `to`. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t n, uint32_t shift)
{
    uint32_t at[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        at[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        uint32_t count = at[d];
        at[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Ends with the sorted ones in m->keys. */
static void sort_keys(rp__list_mover *m, size_t n)
{
    uint32_t bits = 32 + rp__bits_width(m->from->docs.n_docs);
    if (n <= SHORT) {
        sort_short(m->keys, n);
        return;
    }
    for (uint32_t shift = 32; shift < bits; shift += DIGIT) {
        uint64_t *sorted = m->spare;
        sort_digit(m->keys, sorted, n, shift);
        m->spare = m->keys;
        m->keys = sorted;
    }
}

rp_status rp__list_mover_move(rp__list_mover *m, const rp__term *term, uint32_t *docids,
                              uint32_t *tfs)
{
    rp__list list;
    uint64_t cf = 0;
    rp_status status = rp__segment_list(m->from, term, NULL, &list);
    if (status == RP_OK)
        status = rp__list_decode(&list, m->docids, m->tfs);
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < list.n; i++) {
        m->keys[i] = (uint64_t)m->place[m->docids[i]] << 32 | i;
        cf += m->tfs[i];
    }
    if (cf != term->cf)
        return RP_DAMAGED;
    if (m->from->positions)
        status = rp__positions_decode(m->from, term, &list, m->tfs, m->values);
    sort_keys(m, list.n);
    for (uint32_t i = 0; i < list.n; i++) {
        docids[i] = (uint32_t)(m->keys[i] >> 32);
        tfs[i] = m->tfs[(uint32_t)m->keys[i]];
    }
    return status;
}

/* ---- Positions --------------------------------------------------------------------------------- */

/* Values on their way out, a chunk at a time. */
typedef struct chunk {
    const rp__block_code *code;
    uint8_t *begin, *out;
    uint32_t n;
    uint32_t values[RP_BLOCK];
} chunk;

static void flush(chunk *c)
{
    if (c->n > 0)
        c->out += c->code->encode(NULL, c->values, c->n, c->out);
    c->n = 0;
}

static void put_values(chunk *c, const uint32_t *values, uint32_t n)
{
    while (n > 0) {
        if (c->n == RP_BLOCK)
            flush(c);
        uint32_t room = RP_BLOCK - c->n, take = n < room ? n : room;
        memcpy(c->values + c->n, values, take * sizeof *values);
        c->n += take;
        values += take;
        n -= take;
    }
}

rp_status rp__list_mover_positions(rp__list_mover *m, const rp__term *term, uint8_t *out,
                                   size_t *used)
{
    chunk c = {.code = m->pos_code, .begin = out, .out = out};
    uint64_t *starts = m->spare, sum = 0; /* where each posting's values begin, by its old rank */
    for (uint32_t i = 0; i < term->df; i++) {
        starts[i] = sum;
        sum += m->tfs[i];
    }
    for (uint32_t i = 0; i < term->df; i++) {
        uint32_t rank = (uint32_t)m->keys[i];
        if (i % RP_BLOCK == 0) {
            flush(&c);
            if ((uint64_t)(c.out - c.begin) > UINT32_MAX)
                return RP_LIMIT;
            m->frames[i / RP_BLOCK] = (uint32_t)(c.out - c.begin);
        }
        put_values(&c, m->values + starts[rank], m->tfs[rank]);
    }
    flush(&c);
    *used = (size_t)(c.out - c.begin);
    return RP_OK;
}

/* ---- Tiny lists -------------------------------------------------------------------------------- */

/* A posting by the docid that it gets. */
typedef struct moved {
    uint32_t docid, tf;
    const uint32_t *gaps;
} moved;

void rp__list_mover_tiny(const rp__list_mover *m, uint32_t n, rp__tiny *tiny)
{
    const rp__tiny from = *tiny;
    const uint32_t *gaps = from.gaps;
    moved at[RP_TINY_DF];
    for (uint32_t i = 0; i < n; i++) {
        moved posting = {m->place[from.docids[i]], from.tfs[i], gaps};
        uint32_t j = i;
        for (; j > 0 && at[j - 1].docid > posting.docid; j--)
            at[j] = at[j - 1];
        at[j] = posting;
        gaps += m->from->positions ? posting.tf : 0;
    }
    uint32_t *to = tiny->gaps;
    for (uint32_t i = 0; i < n; i++) {
        tiny->docids[i] = at[i].docid;
        tiny->tfs[i] = at[i].tf;
        for (uint32_t j = 0; m->from->positions && j < at[i].tf; j++)
            *to++ = at[i].gaps[j];
    }
}
