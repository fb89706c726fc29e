/* dropped.c: a small set of names, made for asking again and again in the same order. */
#include "engine/dropped.h"

#include <stdlib.h>
#include <string.h>

#include "base/charset.h"

static bool is_at(const rp__dropped *d, size_t i, const char *name, size_t bytes)
{
    return i < d->n && d->bytes[i] == bytes && memcmp(d->names[i], name, bytes) == 0;
}

void rp__dropped_add(rp__dropped *d, const char *name, size_t bytes)
{
    if (bytes > RP_DROPPED_BYTES) { /* cut between characters */
        bytes = RP_DROPPED_BYTES;
        bytes -= rp__charset_open_tail((const uint8_t *)name, bytes);
    }
    size_t i = d->next;
    if (!is_at(d, i, name, bytes)) {
        i = 0;
        while (i < d->n && !is_at(d, i, name, bytes))
            i++;
    }
    d->next = i + 1 < d->n ? i + 1 : 0;
    if (i < d->n)
        return;
    if (d->n == RP_DROPPED_NAMES) {
        d->has_more = true;
        return;
    }
    memcpy(d->names[d->n], name, bytes);
    d->bytes[d->n++] = bytes;
}

void rp__dropped_merge(rp__dropped *to, const rp__dropped *from)
{
    for (size_t i = 0; i < from->n; i++)
        rp__dropped_add(to, from->names[i], from->bytes[i]);
    to->has_more |= from->has_more;
}

static int by_name(const void *a, const void *b, void *dropped)
{
    const rp__dropped *d = dropped;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    size_t n = d->bytes[x] < d->bytes[y] ? d->bytes[x] : d->bytes[y];
    int order = memcmp(d->names[x], d->names[y], n);
    return order ? order : (d->bytes[x] > d->bytes[y]) - (d->bytes[x] < d->bytes[y]);
}

void rp__dropped_put(rp__dropped *d, rp__buf *out)
{
    size_t order[RP_DROPPED_NAMES];
    for (size_t i = 0; i < d->n; i++)
        order[i] = i;
    if (d->n > 0)
        qsort_r(order, d->n, sizeof *order, by_name, d);
    for (size_t i = 0; i < d->n; i++) {
        rp__buf_put_string(out, i ? ", \"" : "\"");
        rp__buf_put(out, d->names[order[i]], d->bytes[order[i]]);
        rp__buf_put_byte(out, '"');
    }
    if (d->has_more)
        rp__buf_put_string(out, " and more");
}
