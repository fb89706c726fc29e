/* stopwords.c: a stop list as a hash set of folded words; the named lists are in stoplists.c.
 * A list comes from a user or from an index and may hold any bytes.
 * Does not fold by itself (folding.c). */
#include "text/stopwords.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/buf.h"
#include "text/folding.h"
#include "text/stoplists.h"
#include "text/term_hash.h"
#include "text/text.h"

const char *rp__stopwords_name(size_t i)
{
    const rp__stoplist *list = rp__stoplists;
    for (; i > 0 && list->name; i--)
        list++;
    return list->name;
}

const char *rp__stopwords_get(const char *name)
{
    for (size_t i = 0; rp__stoplists[i].name; i++)
        if (strcmp(name, rp__stoplists[i].name) == 0)
            return rp__stoplists[i].words;
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The line at *rest, without the blanks around it, in [*at, *stop); false past the last one. */
static bool next_line(const char **at, const char **stop, const char **rest, const char *end)
{
    if (*rest == end)
        return false;
    *at = *rest;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    *stop = newline ? newline : end;
    *rest = newline ? newline + 1 : end;
    while (*at < *stop && is_blank(**at))
        (*at)++;
    while (*at < *stop && is_blank((*stop)[-1]))
        (*stop)--;
    return true;
}

static void insert(rp__stopwords *set, size_t at, uint32_t bytes)
{
    uint64_t hash = rp__term_hash_of(set->words + at, bytes);
    if (rp__stopwords_has(set, set->words + at, bytes, hash))
        return;
    size_t i = hash & set->mask;
    while (set->slots[i].bytes > 0)
        i = (i + 1) & set->mask;
    set->slots[i] = (rp__stopwords_slot){hash, at, bytes};
    set->lengths[(unsigned char)set->words[at] % 64] |= (uint64_t)1 << bytes % 64;
    set->n++;
}

/* All words folded, a byte of length before each; returns how many. */
static size_t fold_all(rp__buf *out, rp__folding *folding, const rp__accents *accents,
                       const char *list, size_t bytes)
{
    size_t n = 0;
    char term[RP_TEXT_TERM_MAX];
    const char *at, *stop, *rest = list;
    while (next_line(&at, &stop, &rest, list + bytes)) {
        size_t length = rp__folding_any(folding, accents, at, (size_t)(stop - at), term);
        if (length == 0)
            continue;
        rp__buf_put_byte(out, (uint8_t)length);
        rp__buf_put(out, term, length);
        n++;
    }
    rp__buf_put_zeros(out, RP_TERM_HASH_SLACK);
    return n;
}

rp_status rp__stopwords_init(rp__stopwords *set, const rp__accents *accents, const char *list,
                             size_t bytes)
{
    if (bytes == 0)
        return RP_OK;
    rp__folding *folding = rp__alloc_zero(1, sizeof *folding);
    if (!folding)
        return RP_NO_MEMORY;
    rp__buf words;
    rp__buf_init(&words);
    size_t n = fold_all(&words, folding, accents, list, bytes);
    rp__free(folding);
    set->words = (char *)words.at;
    if (words.failed)
        return RP_NO_MEMORY;
    size_t slots = (size_t)1 << rp__bits_width64(n * 2);
    set->slots = rp__alloc_zero(slots, sizeof *set->slots);
    if (!set->slots)
        return RP_NO_MEMORY;
    set->mask = slots - 1;
    size_t end = words.n - RP_TERM_HASH_SLACK;
    for (size_t at = 0; at < end; at += words.at[at] + 1U)
        insert(set, at + 1, words.at[at]);
    return RP_OK;
}

void rp__stopwords_reset(rp__stopwords *set)
{
    rp__free(set->slots);
    rp__free(set->words);
    *set = (rp__stopwords){0};
}

bool rp__stopwords_has(const rp__stopwords *set, const char *term, size_t bytes, uint64_t hash)
{
    for (size_t i = hash & set->mask; set->slots[i].bytes > 0; i = (i + 1) & set->mask)
        if (set->slots[i].hash == hash && set->slots[i].bytes == bytes &&
            rp__term_hash_equal(set->words + set->slots[i].at, term, bytes))
            return true;
    return false;
}
