/* test_term_sort.c: terms in byte order, against qsort, in the orders that are hard on a quicksort. */
#include "index/term_sort.h"

#include "unit/index/plain_index.h"

enum { MOST = 20000 };

typedef struct case_terms {
    char (*bytes)[32];
    rp__sort_term *terms;
    size_t n;
} case_terms;

static case_terms make_terms(size_t n)
{
    case_terms c = {.bytes = calloc(n + 1, 32), .terms = calloc(n + 1, sizeof *c.terms), .n = n};
    return c;
}

static void set_term(case_terms *c, size_t i, const char *term, size_t bytes)
{
    memcpy(c->bytes[i], term, bytes);
    c->terms[i] = (rp__sort_term){.prefix = rp__term_sort_prefix(c->bytes[i], bytes),
                                  .term = c->bytes[i],
                                  .bytes = (uint32_t)bytes,
                                  .tag = (uint32_t)i};
}

static int order(const void *a, const void *b)
{
    const rp__sort_term *x = a, *y = b;
    return plain_compare(x->term, x->bytes, y->term, y->bytes);
}

/* Sorts and compares with qsort; tags must have moved with their terms. Frees. */
static void expect_sorted(case_terms *c)
{
    rp__sort_term *want = malloc((c->n + 1) * sizeof *want);
    memcpy(want, c->terms, c->n * sizeof *want);
    if (c->n)
        qsort(want, c->n, sizeof *want, order);
    rp__term_sort(c->terms, c->n);
    for (size_t i = 0; i < c->n; i++) {
        assert_int_equal(order(&c->terms[i], &want[i]), 0);
        assert_ptr_equal(c->terms[i].term, c->bytes[c->terms[i].tag]);
        assert_true(i == 0 || order(&c->terms[i - 1], &c->terms[i]) < 0);
    }
    free(want);
    free(c->bytes);
    free(c->terms);
}

static void test_prefix(void **state)
{
    (void)state;
    assert_int_equal(rp__term_sort_prefix("", 0), 0);
    assert_int_equal(rp__term_sort_prefix("a", 1), 0x6100000000000000U);
    assert_int_equal(rp__term_sort_prefix("abcdefgh", 8), 0x6162636465666768U);
    assert_int_equal(rp__term_sort_prefix("abcdefghij", 10), 0x6162636465666768U);
    assert_int_equal(rp__term_sort_prefix("\xFF", 1), 0xFF00000000000000U);
}

static void test_small(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 40;
         n++) { /* either side of where insertion ends and quicksort begins */
        uint64_t seed = n;
        case_terms c = make_terms(n);
        for (size_t i = 0; i < n; i++) {
            char term[24];
            set_term(&c, i, term,
                     (size_t)snprintf(term, sizeof term, "%u-%zu", chance_below(&seed, 30), i));
        }
        expect_sorted(&c);
    }
}

/* Orders: 0 random, 1 rising, 2 falling, 3 organ pipe, 4 a sawtooth, 5 all but the last in order. */
static size_t place(int kind, size_t i, size_t n)
{
    if (kind == 1 || kind == 5)
        return kind == 5 && i + 1 == n ? 0 : i + 1;
    if (kind == 2)
        return n - i;
    if (kind == 3)
        return i < n / 2 ? 2 * i : 2 * (n - i) + 1;
    return kind == 4 ? i % 64 * n + i : i;
}

static void test_orders(void **state)
{
    (void)state;
    static const char *const starts[] = {"", "same8byt", "a-common-start"};
    for (size_t s = 0; s < 3; s++)
        for (int kind = 1; kind < 6; kind++) {
            size_t n = kind == 2 ? MOST : 4097;
            case_terms c = make_terms(n);
            for (size_t i = 0; i < n; i++) {
                char term[40];
                set_term(
                    &c, i, term,
                    (size_t)snprintf(term, sizeof term, "%s%09zu", starts[s], place(kind, i, n)));
            }
            expect_sorted(&c);
        }
}

static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int again = 0; again < 20; again++) {
        size_t n = 1 + chance_below(&seed, MOST);
        case_terms c = make_terms(n);
        for (size_t i = 0; i < n; i++) {
            char term[40];
            size_t bytes =
                (size_t)snprintf(term, sizeof term, "%x-%zx", chance_below(&seed, 5000), i);
            if (again % 2)
                term[chance_below(&seed, (uint32_t)bytes)] = (char)0xE9;
            set_term(&c, i, term, bytes);
            memcpy(c.bytes[i] + bytes, &i, 4); /* distinct, with any bytes at all */
            set_term(&c, i, c.bytes[i], bytes + 4);
        }
        expect_sorted(&c);
    }
}

/* Terms that are the beginnings of each other, and those that a filling with zeros makes alike. */
static void test_beginnings(void **state)
{
    (void)state;
    case_terms c = make_terms(24 * 3);
    char term[32] = {0};
    size_t n = 0;
    for (size_t bytes = 24; bytes > 0; bytes--) {
        set_term(&c, n++, term, bytes);
        memset(term, 'a', bytes);
        set_term(&c, n++, term, bytes);
        term[bytes - 1] = (char)0xFF;
        set_term(&c, n++, term, bytes);
        memset(term, 0, sizeof term);
    }
    expect_sorted(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefix),     cmocka_unit_test(test_small),
        cmocka_unit_test(test_orders),     cmocka_unit_test(test_random),
        cmocka_unit_test(test_beginnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
