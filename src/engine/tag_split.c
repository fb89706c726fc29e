/* tag_split.c: finds records by the tags around them, without a grammar. What stands between records is
 * left out. */
#include "engine/tag_split.h"

#include <string.h>

#include "engine/markup.h"

/* Where `tag` first stands in at[from, n); n: nowhere. */
static size_t find_tag(const char *at, size_t n, size_t from, const char *tag, size_t tag_bytes)
{
    while (from < n) {
        const char *p = memchr(at + from, '<', n - from);
        if (!p || n - (size_t)(p - at) < tag_bytes)
            return n;
        if (rp__markup_is_name(p, tag, tag_bytes))
            return (size_t)(p - at);
        from = (size_t)(p - at) + 1;
    }
    return n;
}

/* <DOC> or <DOC with attributes, but not <DOCNO>. */
bool rp__tag_split_is_open(const char *p, size_t n, const rp__tag_pair *pair)
{
    return n > pair->open_bytes && rp__markup_is_name(p, pair->open, pair->open_bytes) &&
           (p[pair->open_bytes] == '>' || rp__markup_is_space(p[pair->open_bytes]));
}

size_t rp__tag_split_find_open(const char *at, size_t n, const rp__tag_pair *pair)
{
    size_t i = find_tag(at, n, 0, pair->open, pair->open_bytes);
    while (i < n && !rp__tag_split_is_open(at + i, n - i, pair))
        i = find_tag(at, n, i + 1, pair->open, pair->open_bytes);
    return i;
}

/* No record in the bytes; their end may be the front of a tag, of which `keep` bytes are kept. */
static bool wait_for_more(rp__split *s, size_t keep)
{
    s->used = s->is_end ? s->n : s->n - (s->n < keep ? s->n : keep);
    s->scanned = 0;
    return false;
}

static bool found(rp__split *s, size_t begin, size_t end)
{
    s->begin = begin;
    s->end = s->used = end;
    s->scanned = 0;
    return true;
}

static bool pass_over(rp__split *s, const rp__tag_pair *pair)
{
    size_t close = find_tag(s->at, s->n, 0, pair->close, pair->close_bytes);
    if (close < s->n)
        return found(s, close, close + pair->close_bytes);
    return s->is_end ? found(s, s->n, s->n) : wait_for_more(s, pair->close_bytes - 1);
}

/* Once the tag is found, what lies before is dropped, and `scanned` > 0 says that the record begins with
 * the first byte. */
bool rp__tag_split(rp__split *s, const rp__tag_pair *pair)
{
    if (s->is_passing)
        return pass_over(s, pair);
    size_t begin = 0, from = s->scanned;
    if (from == 0) {
        begin = from = rp__tag_split_find_open(s->at, s->n, pair);
        if (begin == s->n)
            return wait_for_more(s, pair->open_bytes);
        while (begin > 0 && s->at[begin - 1] != '\n')
            begin--;
    }
    size_t close = find_tag(s->at, s->n, from, pair->close, pair->close_bytes);
    if (close < s->n)
        return found(s, begin, close + pair->close_bytes);
    if (s->is_end)
        return found(s, begin, s->n); /* parse will say that it is not closed */
    s->used = begin;
    s->scanned = s->n - begin - (pair->close_bytes - 1);
    return false;
}
