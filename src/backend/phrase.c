/* phrase.c: how often a phrase stands in one document, from the positions of its words.
 *
 * The one definition of a match that all processors share (backend.h). Starts are taken in rising
 * order, so the place of every word only moves forward: the work is linear in the positions, plus,
 * with slop, what is tried around words that repeat. It does not read positions from an index. */
#include "backend/backend.h"

enum { FEW = 4 }; /* starts, each of which is compared with all positions */

/* The first position that is not below target, from i on. */
static uint32_t seek(const uint32_t *at, uint32_t n, uint32_t i, uint64_t target)
{
    while (i < n && at[i] < target)
        i++;
    return i;
}

static uint32_t count_exact(const uint32_t *const *at, const uint32_t *n, const uint32_t *offsets,
                            uint32_t n_words, uint32_t *next)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n[0]; i++) {
        uint32_t w = 1;
        for (; w < n_words; w++) {
            uint64_t target = (uint64_t)at[0][i] + offsets[w];
            next[w] = seek(at[w], n[w], next[w], target);
            if (next[w] == n[w])
                return count; /* later starts aim further still */
            if (at[w][next[w]] != target)
                break;
        }
        count += w == n_words;
    }
    return count;
}

static bool is_taken(const uint32_t *picks, uint32_t n, uint32_t position)
{
    for (uint32_t i = 0; i < n; i++)
        if (picks[i] == position)
            return true;
    return false;
}

/* Goes outward from `right`, the first position not below target. Returns the distance of the nearest
 * position not yet taken, which becomes picks[n_picks]; UINT64_MAX: there is none. */
static uint64_t pick_nearest(const uint32_t *at, uint32_t n, uint32_t right, uint64_t target,
                             uint32_t *picks, uint32_t n_picks)
{
    uint32_t left = right;
    while (left > 0 || right < n) {
        uint64_t below = left > 0 ? target - at[left - 1] : UINT64_MAX;
        uint64_t above = right < n ? at[right] - target : UINT64_MAX;
        uint32_t position = below <= above ? at[--left] : at[right++];
        if (is_taken(picks, n_picks, position))
            continue;
        picks[n_picks] = position;
        return below <= above ? below : above;
    }
    return UINT64_MAX;
}

static uint32_t count_sloppy(const uint32_t *const *at, const uint32_t *n, const uint32_t *offsets,
                             uint32_t n_words, uint32_t slop, uint32_t *next, uint32_t *picks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n[0]; i++) {
        uint64_t left = slop;
        uint32_t w = 1;
        picks[0] = at[0][i];
        for (; w < n_words; w++) {
            uint64_t target = (uint64_t)at[0][i] + offsets[w];
            next[w] = seek(at[w], n[w], next[w], target);
            uint64_t distance = pick_nearest(at[w], n[w], next[w], target, picks, w);
            if (distance > left)
                break;
            left -= distance;
        }
        count += w == n_words;
    }
    return count;
}

uint32_t rp__phrase_count(const uint32_t *const *at, const uint32_t *n, const uint32_t *offsets,
                          uint32_t n_words, uint32_t slop, uint32_t *scratch)
{
    for (uint32_t w = 0; w < n_words; w++)
        scratch[w] = 0;
    if (slop == 0)
        return count_exact(at, n, offsets, n_words, scratch);
    return count_sloppy(at, n, offsets, n_words, slop, scratch, scratch + n_words);
}

uint32_t rp__phrase_begin(const uint32_t *at, uint32_t n, uint32_t offset, uint32_t *starts)
{
    uint32_t below = seek(at, n, 0, offset);
    for (uint32_t i = below; i < n; i++)
        starts[i - below] = at[i] - offset;
    return n - below;
}

/* Whether one of the first n of RP_PHRASE_ROOM positions is the target. Without a branch, since where it stands
 * cannot be foreseen; compilers make SIMD of it. */
static uint32_t holds(const uint32_t *at, uint32_t n, uint32_t target)
{
    uint32_t is_there = 0;
    for (uint32_t j = 0; j < RP_PHRASE_ROOM; j++)
        is_there |= (at[j] == target) & (j < n);
    return is_there;
}

/* The same as below where positions are few; those past 2^32 are none. */
static uint32_t narrow_few(uint32_t *starts, uint32_t n_starts, const uint32_t *at, uint32_t n,
                           uint32_t offset)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n_starts; i++) {
        uint32_t start = starts[i], target = start + offset;
        starts[kept] = start;
        kept += holds(at, n, target) & (target >= offset);
    }
    return kept;
}

uint32_t rp__phrase_narrow(uint32_t *starts, uint32_t n_starts, const uint32_t *at, uint32_t n,
                           uint32_t offset)
{
    if (n <= RP_PHRASE_ROOM && n_starts <= FEW)
        return narrow_few(starts, n_starts, at, n, offset);
    uint32_t kept = 0, j = 0;
    for (uint32_t i = 0; i < n_starts; i++) {
        uint64_t target = (uint64_t)starts[i] + offset;
        j = seek(at, n, j, target);
        if (j == n)
            break;
        starts[kept] = starts[i];
        kept += at[j] == target;
    }
    return kept;
}
