/* run_lines.c: makes the lines of a run.
 *
 * A run of a million queries has hundreds of megabytes, so that a line is put together in words of eight bytes: what
 * a line begins with is copied from the line before it, ids are copied while they are looked through, and digits of a
 * score come from integers. Words may write up to 15 bytes behind a line's end, where the next line goes. */
#include "engine/run_lines.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "engine/docnos.h"

enum {
    SCORE_BYTES = 340, /* "%.7f" of a double has at most 318 */
    WORD_SLACK = 32,   /* that words write behind the end */
    NUMBERS_BYTES = SCORE_BYTES + RP_BUF_DIGITS + WORD_SLACK + 8, /* score, rank, blanks, newline */
};

/* Whether one of eight bytes is a blank, a control character or DEL. The lowest byte that is found is one;
 * those above it may be no more than its borrow. */
static bool has_odd_byte(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    const uint64_t below = (word - ('!' * ones)) & ~word;
    const uint64_t del = word ^ (0x7F * ones);
    return ((below | ((del - ones) & ~del)) & tops) != 0;
}

static void put_odd_name(uint8_t *to, const char *name, size_t n, bool *is_altered)
{
    for (size_t i = 0; i < n; i++) {
        const char c = rp__docnos_byte(name[i]);
        *is_altered = *is_altered || c != name[i];
        to[i] = (uint8_t)c;
    }
}

/* Copies n bytes, 8 or more, unless one of them is odd. */
static bool put_long_name(uint8_t *to, const char *name, size_t n)
{
    for (size_t i = 0; i + 8 < n; i += 8) {
        const uint64_t word = rp__load64((const uint8_t *)name + i);
        if (has_odd_byte(word))
            return false;
        rp__store64(to + i, word);
    }
    const uint64_t last = rp__load64((const uint8_t *)name + n - 8);
    rp__store64(to + n - 8, last);
    return !has_odd_byte(last);
}

/* As docnos.h says. */
static uint8_t *put_name(uint8_t *to, const char *name, size_t n, bool *is_altered)
{
    if (n < 8 || !put_long_name(to, name, n))
        put_odd_name(to, name, n, is_altered);
    return to + n;
}

static uint8_t *put_bytes(uint8_t *to, const char *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

/* n bytes from before `to`, in words. */
static uint8_t *put_again(uint8_t *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        const uint64_t low = rp__load64(from + i), high = rp__load64(from + i + 8);
        rp__store64(to + i, low);
        rp__store64(to + i + 8, high);
    }
    return to + n;
}

/* As by %.7f, which took most of the time of a run: fixed / 2^fraction_bits is rounded to even at the
 * seventh decimal. */
static uint8_t *put_score(uint8_t *to, const rp_hit *hit, int32_t fraction_bits)
{
    const uint64_t unit = 10000000;
    if (fraction_bits < 1 || fraction_bits > 30)
        return to + snprintf((char *)to, SCORE_BYTES, "%.7f", hit->score);
    uint64_t n = hit->fixed * unit, rest = n & ((UINT64_C(1) << fraction_bits) - 1);
    const uint64_t half = UINT64_C(1) << (fraction_bits - 1);
    n >>= fraction_bits;
    n += rest > half || (rest == half && n % 2);
    to += rp__buf_digits(to, n / unit);
    const uint64_t decimals = rp__buf_eight_digits((uint32_t)(n % unit)); /* the first is a 0 */
    rp__store64(to, (decimals & ~UINT64_C(0xFF)) | '.');
    return to + 8;
}

static uint8_t *put_trec(uint8_t *to, const rp__run_lines_form *form, const rp_hits *hits, size_t i)
{
    *to++ = ' ';
    to += rp__buf_digits(to, i + 1);
    *to++ = ' ';
    to = put_score(to, &hits->at[i], hits->fraction_bits);
    *to++ = ' ';
    return put_bytes(to, form->tag, form->tag_bytes);
}

/* Until a document's id. */
static uint8_t *put_head(uint8_t *to, const rp__run_lines_form *form, const char *qid, size_t n)
{
    bool ignored = false;
    to = put_name(to, qid, n, &ignored);
    return form->format == RP_RUN_TREC ? put_bytes(to, " Q0 ", 4) : put_bytes(to, "\t", 1);
}

void rp__run_lines_put(rp__buf *lines, const rp__run_lines_form *form, const rp_run_answer *answer,
                       bool *is_altered)
{
    const rp_hits *hits = answer->hits;
    const size_t qid_bytes = strlen(answer->qid);
    const size_t fixed_bytes = qid_bytes + form->tag_bytes + NUMBERS_BYTES;
    size_t before = lines->n, head = 0;
    for (size_t i = 0; i < hits->n; i++) {
        const size_t id_bytes = strlen(hits->at[i].name);
        uint8_t *const from = rp__buf_room(lines, fixed_bytes + id_bytes), *to = from;
        if (!from)
            return;
        if (i == 0)
            head = (size_t)(put_head(to, form, answer->qid, qid_bytes) - to);
        else
            put_again(to, lines->at + before, head);
        to = put_name(to + head, hits->at[i].name, id_bytes, is_altered);
        if (form->format == RP_RUN_TREC) {
            to = put_trec(to, form, hits, i);
        } else {
            *to++ = '\t';
            to += rp__buf_digits(to, i + 1);
        }
        *to++ = '\n';
        before = lines->n;
        lines->n += (size_t)(to - from);
    }
}
