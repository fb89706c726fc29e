/* plain_index.h: for tests: an inverted file as plain arrays, which says what the index room must
 * give; and random terms and documents of the awkward sorts.
 *
 * A term's postings, a posting's positions: all in one growing array each, terms found by walking a
 * chain of a hash. Nothing here is shared with the code under test. */
#ifndef RP_TESTS_PLAIN_INDEX_H
#define RP_TESTS_PLAIN_INDEX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Chance ---------------------------------------------------------------------------------- */

static inline uint64_t chance_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static inline uint32_t chance_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(chance_next(state) % n);
}

/* Small numbers often, those near n seldom. */
static inline uint32_t chance_skewed(uint64_t *state, uint32_t n)
{
    uint32_t v = n;
    for (int i = 0; i < 3; i++)
        v = chance_below(state, v + 1 < n ? v + 1 : n);
    return v;
}

/* ---- The plain index ------------------------------------------------------------------------- */

typedef struct plain_posting {
    uint32_t docid, n, cap;
    uint32_t *positions;
} plain_posting;

typedef struct plain_term {
    char term[256];
    uint32_t bytes;
    plain_posting *postings;
    uint32_t n, cap;
    uint64_t cf;
    struct plain_term *chain;
} plain_term;

enum { PLAIN_BUCKETS = 1 << 14 };

typedef struct plain_index {
    plain_term **terms; /* in order after plain_sort */
    size_t n, cap;
    plain_term *buckets[PLAIN_BUCKETS];
    uint64_t postings, tokens;
} plain_index;

static inline plain_index *plain_new(void)
{
    return calloc(1, sizeof(plain_index));
}

static inline plain_term **plain_bucket(plain_index *p, const char *term, size_t bytes)
{
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (uint8_t)term[i]) * 16777619U;
    return &p->buckets[(h ^ h >> 16) % PLAIN_BUCKETS];
}

static inline plain_term *plain_find(plain_index *p, const char *term, size_t bytes)
{
    plain_term *t = *plain_bucket(p, term, bytes);
    while (t && (t->bytes != bytes || memcmp(t->term, term, bytes) != 0))
        t = t->chain;
    return t;
}

#define PLAIN_GROW(array, n, cap)                                                                  \
    do {                                                                                           \
        if ((n) == (cap)) {                                                                        \
            (cap) = (cap) ? 2 * (cap) : 4;                                                         \
            (array) = realloc((array), (cap) * sizeof *(array));                                   \
        }                                                                                          \
    } while (0)

static inline plain_term *plain_insert(plain_index *p, const char *term, size_t bytes)
{
    plain_term **bucket = plain_bucket(p, term, bytes), *t = calloc(1, sizeof *t);
    memcpy(t->term, term, bytes);
    t->bytes = (uint32_t)bytes;
    t->chain = *bucket;
    *bucket = t;
    PLAIN_GROW(p->terms, p->n, p->cap);
    p->terms[p->n++] = t;
    return t;
}

static inline void plain_add(plain_index *p, uint32_t docid, const char *term, size_t bytes,
                             uint32_t position)
{
    plain_term *t = plain_find(p, term, bytes);
    if (!t)
        t = plain_insert(p, term, bytes);
    if (t->n == 0 || t->postings[t->n - 1].docid != docid) {
        PLAIN_GROW(t->postings, t->n, t->cap);
        t->postings[t->n++] = (plain_posting){.docid = docid};
        p->postings++;
    }
    plain_posting *last = &t->postings[t->n - 1];
    PLAIN_GROW(last->positions, last->n, last->cap);
    last->positions[last->n++] = position;
    t->cf++;
    p->tokens++;
}

static inline int plain_compare(const char *a, size_t n_a, const char *b, size_t n_b)
{
    int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

static inline int plain_order(const void *a, const void *b)
{
    const plain_term *x = *(plain_term *const *)a, *y = *(plain_term *const *)b;
    return plain_compare(x->term, x->bytes, y->term, y->bytes);
}

static inline void plain_sort(plain_index *p)
{
    if (p->n)
        qsort(p->terms, p->n, sizeof *p->terms, plain_order);
}

static inline void plain_free(plain_index *p)
{
    for (size_t i = 0; i < p->n; i++) {
        for (uint32_t j = 0; j < p->terms[i]->n; j++)
            free(p->terms[i]->postings[j].positions);
        free(p->terms[i]->postings);
        free(p->terms[i]);
    }
    free(p->terms);
    free(p);
}

/* ---- Random terms and documents -------------------------------------------------------------- */

/* Term number i, always the same: of 1 to 255 bytes, some with long common beginnings, some that
 * are the beginning of another, some with bytes at both ends of their range. */
static inline size_t plain_make_term(uint32_t i, char out[256])
{
    static const char stem[] = "an-uncommonly-long-beginning-";
    uint32_t kind = i % 8, number = i / 8;
    size_t n = 0;
    if (kind == 0)
        return (size_t)snprintf(out, 256, "w%u", number);
    if (kind == 1)
        return (size_t)snprintf(out, 256, "%s%u", stem, number);
    if (kind == 2)
        return (size_t)snprintf(out, 256, "12345678%u", number); /* equal in the first 8 bytes */
    if (kind == 3) {
        n = (size_t)snprintf(out, 256, "long%u", number);
        size_t want = 16 + number % 240;
        while (n < want)
            out[n++] = 'x';
        return n;
    }
    if (kind == 4) { /* each the beginning of the next */
        n = 1 + number % 255;
        memset(out, 'p', n);
        out[0] = (char)('a' + number / 255);
        return n;
    }
    n = (size_t)snprintf(out, 256, "%u", number * 7919U);
    for (size_t j = 0; kind == 5 && j < n; j++)
        out[j] = (char)(out[j] + 0xB0); /* bytes above 0x7F, as of UTF-8 */
    if (kind == 6)
        out[n++] = 0; /* "7" and "7\0" have equal first 8 bytes when filled with zeros */
    return n;
}

/* Terms 0 to n - 1, each in the first 1 + i % docs documents at a position of its own. */
static inline void plain_add_terms(plain_index *p, uint32_t n, uint32_t docs)
{
    for (uint32_t i = 0; i < n; i++) {
        char term[256];
        size_t bytes = plain_make_term(i, term);
        for (uint32_t d = 0; d < 1 + i % docs; d++)
            plain_add(p, d, term, bytes, i);
    }
}

/* One document of n tokens over `vocabulary` terms: positions rise, with holes. */
typedef void plain_token_fn(void *arg, uint32_t docid, const char *term, uint32_t bytes,
                            uint32_t position);

static inline void plain_document(uint64_t *state, uint32_t docid, uint32_t n, uint32_t vocabulary,
                                  plain_token_fn *fn, void *arg)
{
    uint32_t position = chance_below(state, 3);
    for (uint32_t i = 0; i < n; i++) {
        char term[256];
        size_t bytes = plain_make_term(chance_skewed(state, vocabulary), term);
        fn(arg, docid, term, (uint32_t)bytes, position);
        position += 1 + (chance_below(state, 8) == 0 ? chance_below(state, 1000) : 0);
    }
}

#endif
