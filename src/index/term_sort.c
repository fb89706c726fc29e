/* term_sort.c: quicksort with an explicit stack; small ranges by insertion. Terms are distinct. */
#include "index/term_sort.h"

#include <stdbool.h>
#include <string.h>

uint64_t rp__term_sort_prefix(const char *term, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, term, bytes < 8 ? bytes : 8);
    return __builtin_bswap64(v);
}

static bool is_less(const rp__sort_term *a, const rp__sort_term *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    int order = memcmp(a->term, b->term, a->bytes < b->bytes ? a->bytes : b->bytes);
    return order != 0 ? order < 0 : a->bytes < b->bytes;
}

static void swap(rp__sort_term *a, rp__sort_term *b)
{
    rp__sort_term t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(rp__sort_term *t, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        rp__sort_term x = t[i];
        size_t j = i;
        for (; j > 0 && is_less(&x, &t[j - 1]); j--)
            t[j] = t[j - 1];
        t[j] = x;
    }
}

/* Moves the median of three to the middle, partitions around it, returns where it ends up. */
static size_t partition(rp__sort_term *t, size_t n)
{
    size_t mid = n / 2;
    if (is_less(&t[mid], &t[0]))
        swap(&t[mid], &t[0]);
    if (is_less(&t[n - 1], &t[mid])) {
        swap(&t[n - 1], &t[mid]);
        if (is_less(&t[mid], &t[0]))
            swap(&t[mid], &t[0]);
    }
    swap(&t[mid], &t[n - 2]);
    rp__sort_term pivot = t[n - 2];
    size_t i = 0, j = n - 2;
    for (;;) {
        while (is_less(&t[++i], &pivot))
            ;
        while (is_less(&pivot, &t[--j]))
            ;
        if (i >= j)
            break;
        swap(&t[i], &t[j]);
    }
    swap(&t[i], &t[n - 2]);
    return i;
}

void rp__term_sort(rp__sort_term *t, size_t n)
{
    /* The larger part is always deferred, so 64 entries are enough for any n. */
    struct range {
        rp__sort_term *t;
        size_t n;
    } stack[64];
    size_t depth = 0;
    stack[depth++] = (struct range){t, n};
    while (depth > 0) {
        struct range r = stack[--depth];
        while (r.n > 16) {
            size_t p = partition(r.t, r.n);
            struct range left = {r.t, p}, right = {r.t + p + 1, r.n - p - 1};
            bool is_left_larger = left.n > right.n;
            stack[depth++] = is_left_larger ? left : right;
            r = is_left_larger ? right : left;
        }
        insertion_sort(r.t, r.n);
    }
}
