/* pfd_rec.c: the docid codec pfd_rec: PForDelta with one width for the whole list, and exceptions
 * coded by the same method again (pfd_rec.h gives the bytes). A row of its own, not a block code.
 *
 * Trees are walked by array numbers, top down where counts are read and bottom up where values
 * are made: nothing recurses. Without options there is one level, as in the paper, and none for
 * lists of less than a group. Source: Ding et al. 2009, 3.2. */
#include "codec/pfd_rec.h"

#include "codec/codec_table.h"

enum {
    GROUP = 512,
    LEVEL_MAX = 4,
    ARRAYS_MAX = (1 << (LEVEL_MAX + 2)) - 1,
    NO_EXCEPTIONS = 128, /* flag of byte 0 */
    VALUES_MAX = 2 * GROUP + GROUP + GROUP / 2 + GROUP / 4 + GROUP / 8 + GROUP,
};

/* Arrays of one group. */
typedef struct tree {
    uint32_t counts[ARRAYS_MAX];
    const uint8_t *lows[ARRAYS_MAX];
    uint32_t values[VALUES_MAX];
} tree;

static uint32_t depth_of(uint32_t i)
{
    return rp__bits_width(i + 1) - 1;
}

static uint32_t arrays_of(uint32_t level)
{
    return (1U << (level + 2)) - 1;
}

/* Most values of array i: a quarter of its parent's, but all of array 0's may be exceptions. */
static uint32_t room_of(uint32_t i)
{
    uint32_t depth = depth_of(i);
    return (uint32_t)GROUP >> (depth < 2 ? 0 : 2 * (depth - 1));
}

/* Where array i lies in `values`: rooms of all arrays before it. */
static uint32_t *values_of(tree *t, uint32_t i)
{
    uint32_t at = 0;
    for (uint32_t d = 0, first = 0; d < depth_of(i); d++, first = 2 * first + 1)
        at += room_of(first) << d;
    return t->values + at + (i + 1 - (1U << depth_of(i))) * room_of(i);
}

static uint32_t most_exceptions(uint32_t i, uint32_t count)
{
    return i == 0 ? count : count / 4;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* An open list's of. */
typedef struct parts {
    uint32_t level, n_arrays;
    bool has_exceptions;
    const uint8_t *widths; /* of arrays 0 to n_arrays - 1 */
    const uint8_t *starts; /* of groups */
    const uint8_t *lows, *groups;
    size_t groups_bytes;
} parts;

static uint32_t groups_of(size_t n)
{
    return (uint32_t)((n + GROUP - 1) / GROUP);
}

static rp_status open_parts(const rp__list *list, parts *p)
{
    if (list->docs_bytes < 2)
        return RP_DAMAGED;
    p->level = list->docs[0] & ~(uint32_t)NO_EXCEPTIONS;
    p->has_exceptions = (list->docs[0] & NO_EXCEPTIONS) == 0;
    if (p->level > LEVEL_MAX)
        return RP_DAMAGED;
    p->n_arrays = p->has_exceptions ? arrays_of(p->level) : 1;
    p->widths = list->docs + 1;
    size_t lows = 1 + p->n_arrays + (p->has_exceptions ? 4 * (size_t)groups_of(list->n) : 0);
    if (list->docs_bytes < lows)
        return RP_DAMAGED;
    for (uint32_t i = 0; i < p->n_arrays; i++)
        if (p->widths[i] > 32)
            return RP_DAMAGED;
    size_t groups = lows + rp__patch_bytes((size_t)list->n * p->widths[0]);
    if (list->docs_bytes < groups)
        return RP_DAMAGED;
    p->starts = list->docs + 1 + p->n_arrays;
    p->lows = list->docs + lows;
    p->groups = list->docs + groups;
    p->groups_bytes = list->docs_bytes - groups;
    return RP_OK;
}

/* Finds the arrays of a group whose array 0 has `count` values. */
static rp_status read_counts(const parts *p, const uint8_t *at, const uint8_t *end, uint32_t count,
                             tree *t)
{
    t->counts[0] = count;
    for (uint32_t i = 0; i < p->n_arrays; i++) {
        bool may_have = depth_of(i) <= p->level;
        size_t head = t->counts[i] == 0 || !may_have ? 0 : i == 0 ? 2 : 1;
        if ((size_t)(end - at) < head)
            return RP_DAMAGED;
        uint32_t exceptions = head == 2 ? (uint32_t)(at[0] | at[1] << 8) : head == 1 ? at[0] : 0;
        if (exceptions > most_exceptions(i, t->counts[i]) || (exceptions && p->widths[i] > 31))
            return RP_DAMAGED;
        at += head;
        size_t bytes = i ? rp__patch_bytes((size_t)t->counts[i] * p->widths[i]) : 0;
        if ((size_t)(end - at) < bytes)
            return RP_DAMAGED;
        t->lows[i] = at;
        at += bytes;
        if (may_have)
            t->counts[2 * i + 1] = t->counts[2 * i + 2] = exceptions;
    }
    return RP_OK;
}

static rp_status read_array(const parts *p, uint32_t i, tree *t)
{
    uint32_t *values = values_of(t, i), width = p->widths[i];
    for (uint32_t k = 0; k < t->counts[i]; k++)
        values[k] = rp__patch_bits(t->lows[i], (size_t)k * width, width);
    if (depth_of(i) > p->level)
        return RP_OK;
    const uint32_t *steps = values_of(t, 2 * i + 1), *highs = values_of(t, 2 * i + 2);
    uint64_t at = 0;
    for (uint32_t k = 0; k < t->counts[2 * i + 1]; k++) {
        at += steps[k];
        if (at >= t->counts[i])
            return RP_DAMAGED;
        values[at++] += (highs[k] + 1) << width;
    }
    return RP_OK;
}

/* Steps and highs of group g as arrays 1 and 2. */
static rp_status read_group(const parts *p, uint32_t n, uint32_t g, tree *t)
{
    uint32_t from = rp__load32(p->starts + 4 * (size_t)g), count = n - g * GROUP;
    count = count < GROUP ? count : GROUP;
    if (from > p->groups_bytes ||
        read_counts(p, p->groups + from, p->groups + p->groups_bytes, count, t))
        return RP_DAMAGED;
    for (uint32_t i = p->n_arrays; i-- > 1;)
        if (read_array(p, i, t))
            return RP_DAMAGED;
    const uint32_t *steps = values_of(t, 1);
    uint64_t end = 0;
    for (uint32_t k = 0; k < t->counts[1]; k++)
        end += steps[k] + 1ULL;
    return end <= count ? RP_OK : RP_DAMAGED;
}

/* Exceptions of a group, on the way through its blocks. */
typedef struct walk {
    const uint32_t *steps, *highs;
    uint32_t count, done;
    uint64_t next; /* position in the group that the next step counts from */
} walk;

static walk walk_start(tree *t)
{
    return (walk){.steps = values_of(t, 1), .highs = values_of(t, 2), .count = t->counts[1]};
}

/* Passes the exceptions before `to`; adds those from `from` on. */
static void walk_to(walk *w, uint32_t from, uint32_t to, rp__patch *p)
{
    for (; w->done < w->count && w->next + w->steps[w->done] < to; w->done++) {
        w->next += w->steps[w->done];
        uint32_t add = (w->highs[w->done] + 1) << p->width;
        if (w->next >= from) {
            rp__patch_add(p, (uint32_t)w->next - from, add);
            p->total += add;
        }
        w->next++;
    }
}

rp_status rp__pfd_rec_block_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t b,
                               uint32_t *out)
{
    parts of;
    tree t;
    rp__patch p;
    uint32_t count = rp__list_count(list, b), in_group = b % (GROUP / RP_BLOCK) * RP_BLOCK;
    if (open_parts(list, &of))
        return RP_DAMAGED;
    rp__patch_init(&p, count);
    rp__patch_start(&p, of.lows + (size_t)b * (RP_BLOCK / 8) * of.widths[0], of.widths[0]);
    if (of.has_exceptions) {
        if (read_group(&of, list->n, b / (GROUP / RP_BLOCK), &t))
            return RP_DAMAGED;
        walk w = walk_start(&t);
        walk_to(&w, in_group, in_group + count, &p);
    }
    return kernel(&p, b ? list->last[b - 1] : UINT32_MAX, out, count);
}

rp_status rp__pfd_rec_decode_by(rp__patch_docids_fn *kernel, const rp__list *list, uint32_t *out)
{
    parts of;
    tree t;
    rp__patch p;
    walk w = {.count = 0};
    uint32_t base = UINT32_MAX;
    if (open_parts(list, &of))
        return RP_DAMAGED;
    rp__patch_init_all(&p);
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        uint32_t count = rp__list_count(list, b), in_group = b % (GROUP / RP_BLOCK) * RP_BLOCK;
        if (of.has_exceptions && in_group == 0) {
            if (read_group(&of, list->n, b / (GROUP / RP_BLOCK), &t))
                return RP_DAMAGED;
            w = walk_start(&t);
        }
        rp__patch_start(&p, of.lows + (size_t)b * (RP_BLOCK / 8) * of.widths[0], of.widths[0]);
        walk_to(&w, in_group, in_group + count, &p);
        if (kernel(&p, base, out, count))
            return RP_DAMAGED;
        out += count;
        base = out[-1];
        if (list->last && base != list->last[b])
            return RP_DAMAGED;
    }
    return base < list->universe ? RP_OK : RP_DAMAGED;
}

rp_status rp__pfd_rec_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    return rp__pfd_rec_block_by(rp__patch_docids, list, b, out);
}

rp_status rp__pfd_rec_decode(const rp__list *list, uint32_t *out)
{
    return rp__pfd_rec_decode_by(rp__patch_docids, list, out);
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The widths of all arrays, found from array 0 on. */
typedef struct plan {
    uint32_t level, n_arrays;
    uint8_t widths[ARRAYS_MAX];
} plan;

/* Values of one array in all groups, by their bits. */
typedef struct tally {
    uint64_t of[33];  /* of so many bits */
    uint64_t refuses; /* bit w: with width w some group has too many exceptions */
} tally;

static void tally_add(tally *sum, const uint32_t *values, uint32_t count, uint32_t i)
{
    rp__patch_widths widths;
    rp__patch_count_widths(values, count, &widths);
    for (uint32_t w = 0; w <= 32; w++) {
        sum->of[w] += (w ? widths.wider[w - 1] : count) - widths.wider[w];
        if (widths.wider[w] > most_exceptions(i, count))
            sum->refuses |= 1ULL << w;
    }
}

/* Gaps less one of group g as array 0; returns how many. */
static uint32_t load_group(const rp__encoding *e, uint32_t g, tree *t)
{
    size_t first = (size_t)g * GROUP;
    uint32_t count = (uint32_t)(e->n - first < GROUP ? e->n - first : GROUP);
    uint32_t base = first ? e->docids[first - 1] : UINT32_MAX;
    for (uint32_t k = 0; k < count; base = e->docids[first + k++])
        t->values[k] = e->docids[first + k] - base - 1;
    return count;
}

/* Steps and highs of array i, whose width is known. */
static void split(const plan *pl, uint32_t i, tree *t)
{
    const uint32_t *values = values_of(t, i), width = pl->widths[i];
    uint32_t *steps = values_of(t, 2 * i + 1), *highs = values_of(t, 2 * i + 2), found = 0;
    for (uint32_t k = 0, next = 0; k < t->counts[i] && width < 32; k++) {
        uint32_t high = values[k] >> width;
        if (high == 0)
            continue;
        steps[found] = k - next;
        highs[found++] = high - 1;
        next = k + 1;
    }
    t->counts[2 * i + 1] = t->counts[2 * i + 2] = found;
}

/* All arrays of group g above depth `depth`, and that depth's. */
static void fill_tree(const rp__encoding *e, const plan *pl, uint32_t g, uint32_t depth, tree *t)
{
    t->counts[0] = load_group(e, g, t);
    for (uint32_t i = 0; i + 1 < 1U << depth; i++)
        split(pl, i, t);
}

/* About what an array costs with this width, in bits: a step takes the bits of the mean distance
 * and two, a high part half the bits above the width and one. */
static double cost_of(const tally *sum, uint32_t width, uint32_t most, uint64_t n)
{
    uint64_t exceptions = 0;
    for (uint32_t w = width + 1; w <= 32; w++)
        exceptions += sum->of[w];
    uint32_t step = rp__bits_width64(n / (exceptions + 1)) + 2, high = (most - width) / 2 + 1;
    return (double)n * width + (double)exceptions * (step + high);
}

static uint32_t choose_width(const tally *sum, const rp__codec_options *options, uint32_t i,
                             bool may_have)
{
    uint64_t n = 0, wider = 0;
    uint32_t most = 0, best;
    for (uint32_t w = 0; w <= 32; w++) {
        n += sum->of[w];
        most = sum->of[w] ? w : most;
    }
    if (!may_have)
        return most;
    best = most;
    double share = i == 0 && options && options->has_exceptions ? options->exceptions : 2;
    for (uint32_t w = most; w-- > 0;) {
        wider += sum->of[w + 1];
        if (sum->refuses >> w & 1)
            break;
        if (share <= 1 ? (double)wider <= (share < 0.6 ? share : 0.6) * (double)n
                       : cost_of(sum, w, most, n) < cost_of(sum, best, most, n))
            best = w;
    }
    return best;
}

static void make_plan(const rp__encoding *e, plan *pl, tree *t)
{
    const rp__codec_options *options = e->options;
    pl->level = options && options->has_level ? options->level : e->n < GROUP ? 0 : 1;
    pl->level = pl->level < LEVEL_MAX ? pl->level : LEVEL_MAX;
    pl->n_arrays = arrays_of(pl->level);
    for (uint32_t depth = 0; depth <= pl->level + 1; depth++) {
        tally sums[1 << (LEVEL_MAX + 1)] = {{{0}, 0}};
        uint32_t first = (1U << depth) - 1;
        for (uint32_t g = 0; g < groups_of(e->n); g++) {
            fill_tree(e, pl, g, depth, t);
            for (uint32_t i = 0; i <= first; i++)
                tally_add(&sums[i], values_of(t, first + i), t->counts[first + i], first + i);
        }
        for (uint32_t i = 0; i <= first; i++)
            pl->widths[first + i] =
                (uint8_t)choose_width(&sums[i], options, first + i, depth <= pl->level);
    }
}

static uint8_t *put_group(const plan *pl, tree *t, uint8_t *p)
{
    for (uint32_t i = 0; i < pl->n_arrays; i++) {
        if (t->counts[i] == 0)
            continue;
        uint32_t exceptions = depth_of(i) <= pl->level ? t->counts[2 * i + 1] : 0;
        if (depth_of(i) <= pl->level)
            *p++ = (uint8_t)exceptions;
        if (i == 0)
            *p++ = (uint8_t)(exceptions >> 8);
        else
            p = rp__patch_put_lows(p, values_of(t, i), t->counts[i], pl->widths[i]);
    }
    return p;
}

/* Exceptions are at most all n: steps of 9 bits and highs that with b have 32, and half of that
 * again below each of them, twice; a group has 4 bytes of start and some 30 of counts. */
size_t rp__pfd_rec_bound(const rp__codec *codec, size_t n)
{
    (void)codec;
    return 1 + ARRAYS_MAX + 96 * (size_t)groups_of(n) + 12 * n;
}

rp_status rp__pfd_rec_encode(const rp__codec *codec, rp__encoding *e)
{
    (void)codec;
    plan pl;
    tree t;
    make_plan(e, &pl, &t);
    uint32_t n_groups = groups_of(e->n);
    bool has_exceptions = pl.widths[2] != 0 || pl.widths[1] != 0;
    for (uint32_t g = 0; g < n_groups && !has_exceptions; g++) {
        fill_tree(e, &pl, g, 1, &t);
        has_exceptions = t.counts[1] != 0;
    }
    uint8_t *p = e->out;
    *p++ = (uint8_t)(pl.level | (has_exceptions ? 0U : NO_EXCEPTIONS));
    memcpy(p, pl.widths, has_exceptions ? pl.n_arrays : 1);
    p += has_exceptions ? pl.n_arrays : 1;
    uint8_t *starts = p;
    p += has_exceptions ? 4 * (size_t)n_groups : 0;
    for (uint32_t g = 0; g < n_groups; g++) { /* groups are whole bytes of lows */
        uint32_t count = load_group(e, g, &t);
        p = rp__patch_put_lows(p, t.values, count, pl.widths[0]);
    }
    const uint8_t *groups = p;
    for (uint32_t g = 0; has_exceptions && g < n_groups; g++) {
        if ((size_t)(p - groups) > UINT32_MAX)
            return RP_LIMIT;
        rp__store32(starts + 4 * (size_t)g, (uint32_t)(p - groups));
        fill_tree(e, &pl, g, pl.level + 1, &t);
        p = put_group(&pl, &t, p);
    }
    e->used = (size_t)(p - e->out);
    return RP_OK;
}
