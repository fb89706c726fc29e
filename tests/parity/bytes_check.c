/* bytes_check.c: one row against the plain one, on bytes that no encoder need have written. */
#include "bytes_check.h"

enum { MOST_ALONE = 64 }; /* docids of a list that are looked at alone */

static bool differ(bytes_check *bc, const char *what, uint32_t place)
{
    bc->what = what;
    bc->place = place;
    return false;
}

static bool is_same(const uint32_t *a, const uint32_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* ---- Block codes ----------------------------------------------------------------------------- */

typedef struct block_bytes {
    const uint8_t *in;
    size_t n_bytes, n;
    uint32_t base;
    /* Of the plain row: */
    rp_status values_status, docids_status;
    uint32_t values[RP_BLOCK_CAPACITY], docids[RP_BLOCK_CAPACITY];
} block_bytes;

static bool check_row_at(bytes_check *bc, const rp__block_code *row, const block_bytes *b)
{
    uint32_t one;
    size_t step = b->values_status == RP_OK ? 1 : b->n / 3 + 1; /* of damage, some */
    for (size_t i = 0; row->at && i < b->n; i += step) {
        rp_status s = row->at(b->in, b->n_bytes, b->n, i, &one);
        if (b->values_status == RP_OK && (s != RP_OK || one != b->values[i]))
            return differ(bc, "at", (uint32_t)i);
    }
    return true;
}

static bool check_row(bytes_check *bc, const rp__block_code *row, const block_bytes *b)
{
    uint32_t got[RP_BLOCK_CAPACITY];
    bc->name = row->name;
    bc->needs = row->needs;
    if (row->decode(b->in, b->n_bytes, got, b->n) != b->values_status)
        return differ(bc, "status of decode", 0);
    if (b->values_status == RP_OK && !is_same(got, b->values, b->n))
        return differ(bc, "values of decode", 0);
    if (row->decode_docids(b->in, b->n_bytes, b->base, got, b->n) != b->docids_status)
        return differ(bc, "status of decode_docids", 0);
    if (b->docids_status == RP_OK && !is_same(got, b->docids, b->n))
        return differ(bc, "values of decode_docids", 0);
    return check_row_at(bc, row, b);
}

bool bytes_check_code(bytes_check *bc, const code_family *f, const uint8_t *in, size_t n_bytes,
                      size_t n, uint32_t base)
{
    block_bytes b; /* not cleared: this is the inside of long loops */
    b.in = in;
    b.n_bytes = n_bytes;
    b.n = n;
    b.base = base;
    b.values_status = f->plain->decode(in, n_bytes, b.values, n);
    b.docids_status = f->plain->decode_docids(in, n_bytes, base, b.docids, n);
    for (size_t i = 0; b.docids_status == RP_OK && i < n; i++)
        if (b.docids[i] < (i ? (uint64_t)b.docids[i - 1] + 1 : (uint32_t)(base + 1))) {
            bc->name = f->plain->name;
            return differ(bc, "docids do not rise", (uint32_t)i);
        }
    for (size_t k = 0; k < f->n; k++)
        if (!check_row(bc, f->rows[k], &b))
            return false;
    return true;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* A list as the plain row and as another has it. */
typedef struct pair {
    const rp__list *plain, *other;
    rp_status decoded;
    const uint32_t *docids; /* by the plain row */
} pair;

/* That docids of block b rise, from those of the directory on unless it has no docid there. */
static bool is_rising(const rp__list *list, uint32_t b, const uint32_t *docids, uint32_t count)
{
    uint32_t above = b && list->last ? list->last[b - 1] + 1 : 0;
    bool rises = docids[0] >= above;
    for (uint32_t i = 1; i < count; i++)
        rises &= docids[i] > docids[i - 1];
    return rises;
}

static bool check_blocks(bytes_check *bc, const pair *p)
{
    uint32_t want[RP_BLOCK_CAPACITY], got[RP_BLOCK_CAPACITY];
    for (uint32_t b = 0; b < p->plain->n_blocks; b++) {
        uint32_t count = rp__list_block_count(p->plain, b);
        if (count == 0)
            continue;
        rp_status s = p->plain->codec->block(p->plain, b, want);
        if (p->other->codec->block(p->other, b, got) != s)
            return differ(bc, "status of block", b);
        if (s == RP_OK && !is_same(got, want, count))
            return differ(bc, "docids of block", b);
        if (s == RP_OK && !is_rising(p->plain, b, got, count))
            return differ(bc, "block does not rise", b);
    }
    return true;
}

static bool check_frames(bytes_check *bc, const pair *p)
{
    uint32_t want[RP_BLOCK_CAPACITY], got[RP_BLOCK_CAPACITY], n = p->plain->n;
    for (uint32_t f = 0; (uint64_t)f * RP_BLOCK < n; f++) {
        uint32_t count = n - f * RP_BLOCK < RP_BLOCK ? n - f * RP_BLOCK : RP_BLOCK;
        rp_status s = rp__list_freqs(p->plain, f, want);
        if (rp__list_freqs(p->other, f, got) != s)
            return differ(bc, "status of a frame", f);
        if (s == RP_OK && !is_same(got, want, count))
            return differ(bc, "frequencies of a frame", f);
        for (uint32_t i = 0; i < count; i += count / 4 + 1) {
            uint32_t one = 0;
            rp_status alone = rp__list_tf(p->other, f * RP_BLOCK + i, &one);
            if (s == RP_OK &&
                (alone != RP_OK || one != want[i])) /* of damage nothing is promised */
                return differ(bc, "frequency alone", f * RP_BLOCK + i);
        }
    }
    return true;
}

/* One docid by its rank. Where bytes are damaged `at` may say so or give another docid than the blocks
 * have: it reads parts that they do not. But all rows do the same. */
static bool check_at(bytes_check *bc, const pair *p, uint32_t i)
{
    const rp__codec *row = p->other->codec, *plain = p->plain->codec;
    uint32_t want = 0, got = 0;
    if (!row->at)
        return true;
    rp_status s = plain->at(p->plain, i, &want);
    if (row->at(p->other, i, &got) != s)
        return differ(bc, "status of at", i);
    return s != RP_OK || got == want || differ(bc, "docid of at", i);
}

static bool check_find(bytes_check *bc, const pair *p, uint32_t target, uint32_t i)
{
    const rp__codec *row = p->other->codec, *plain = p->plain->codec;
    uint32_t want[2] = {0}, got[2] = {0};
    if (!row->find)
        return true;
    rp_status s = plain->find(p->plain, target, &want[0], &want[1]);
    if (row->find(p->other, target, &got[0], &got[1]) != s)
        return differ(bc, "status of find", i);
    return s != RP_OK || is_same(got, want, 2) || differ(bc, "rank and docid of find", i);
}

static bool check_alone(bytes_check *bc, const pair *p)
{
    uint32_t n = p->plain->n, step = n / MOST_ALONE + 1;
    for (uint64_t i = 0; i < n; i += step) {
        uint32_t target = p->decoded == RP_OK ? p->docids[i] : (uint32_t)(i * 2654435761U);
        if (!check_at(bc, p, (uint32_t)i) || !check_find(bc, p, target, (uint32_t)i))
            return false;
    }
    return check_at(bc, p, n - 1) && check_find(bc, p, p->plain->universe - 1, n - 1);
}

static bool check_unordered(bytes_check *bc, const pair *p)
{
    uint32_t got[RP_BLOCK + RP_BLOCK_CAPACITY], want[RP_BLOCK_CAPACITY];
    const rp__codec *row = p->other->codec;
    for (uint32_t b = 0; row->unordered && b < p->plain->n_blocks; b++) {
        uint32_t count = rp__list_block_count(p->plain, b);
        rp_status s = p->plain->codec->block(p->plain, b, want);
        if (row->unordered(p->other, b, 1, got) != s)
            return differ(bc, "status without order", b);
        for (uint32_t k = 0; s == RP_OK && k < count; k++)
            if (got[k] != want[count == RP_BLOCK ? row->ranks[k] : k])
                return differ(bc, "docids without order", b);
    }
    return true;
}

static bool check_list_row(bytes_check *bc, const pair *p, uint32_t *docids)
{
    uint32_t scratch[2 * RP_BLOCK_CAPACITY];
    if (rp__list_validate(p->plain, scratch) != rp__list_validate(p->other, scratch))
        return differ(bc, "status of validate", 0);
    if (rp__list_decode(p->other, docids, NULL) != p->decoded)
        return differ(bc, "status of decode", 0);
    if (p->decoded == RP_OK && !is_same(docids, p->docids, p->plain->n))
        return differ(bc, "docids of decode", 0);
    return check_blocks(bc, p) && check_frames(bc, p) && check_alone(bc, p) &&
           check_unordered(bc, p);
}

bool bytes_check_list(bytes_check *bc, const codec_family *f, const uint8_t *in, size_t n_bytes,
                      uint32_t n, uint32_t universe, bool has_positions)
{
    rp__list plain, other;
    rp_status opened = rp__list_open(f->plain, in, n_bytes, n, universe, has_positions, &plain);
    uint32_t *docids = malloc(2 * (n + RP_BLOCK_CAPACITY) * sizeof *docids);
    rp_status decoded = opened ? opened : rp__list_decode(&plain, docids, NULL);
    bool is_right = true;
    for (size_t k = 0; is_right && k < f->n; k++) {
        bc->name = f->rows[k]->name;
        bc->needs = f->rows[k]->needs;
        pair p = {&plain, &other, decoded, docids};
        if (rp__list_open(f->rows[k], in, n_bytes, n, universe, has_positions, &other) != opened)
            is_right = differ(bc, "status of open", 0);
        else if (opened == RP_OK)
            is_right = check_list_row(bc, &p, docids + n + RP_BLOCK_CAPACITY);
    }
    free(docids);
    return is_right;
}
