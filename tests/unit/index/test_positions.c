/* test_positions.c: positions of any posting: at the edges of frames and chunks, in any order, wide and
 * narrow; and what cannot be given. */
#include "unit/index/segment_case.h"

typedef struct open_case {
    segment_case sc;
    plain_index *plain;
    rp__arena arena;
} open_case;

/* A term of n postings; tf(i) occurrences in the i-th. */
static void add_term(plain_index *p, uint64_t *seed, const char *term, uint32_t n,
                     uint32_t (*tf)(uint64_t *seed, uint32_t i), uint32_t step)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t position = chance_below(seed, step), times = tf(seed, i);
        for (uint32_t j = 0; j < times; j++) {
            plain_add(p, i, term, strlen(term), position);
            position += 1 + chance_below(seed, step);
        }
    }
}

static uint32_t tf_one(uint64_t *seed, uint32_t i)
{
    (void)seed, (void)i;
    return 1;
}

static uint32_t tf_few(uint64_t *seed, uint32_t i)
{
    (void)i;
    return 1 + chance_below(seed, 6);
}

static uint32_t tf_big(uint64_t *seed, uint32_t i)
{
    return i % 50 == 7 ? 120 + chance_below(seed, 20) : i % 50 == 8 ? 1000 : 1;
}

static const rp__list *open_list(open_case *c, const char *term, rp__term *entry)
{
    rp__list *list = rp__arena_alloc(&c->arena, sizeof *list);
    assert_int_equal(rp__segment_find(c->sc.segment, term, strlen(term), entry), RP_OK);
    assert_int_equal(rp__segment_list(c->sc.segment, entry, &c->arena, list), RP_OK);
    return list;
}

static void expect_at(rp__positions *p, const plain_term *t, uint32_t rank)
{
    const uint32_t *at;
    uint32_t n;
    assert_int_equal(rp__positions_get(p, rank, &at, &n), RP_OK);
    assert_int_equal(n, t->postings[rank].n);
    assert_memory_equal(at, t->postings[rank].positions, n * sizeof *at);
}

static void begin(open_case *c)
{
    c->plain = plain_new();
    rp__arena_init(&c->arena, (size_t)1 << 30);
}

static void end(open_case *c)
{
    rp__arena_reset(&c->arena);
    segment_case_close(&c->sc);
    plain_free(c->plain);
}

/* Forwards, backwards, at random: which frame is decoded makes no difference. */
static void test_any_order(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {9, 127, 128, 129, 255, 256, 257, 700};
    open_case c;
    uint64_t seed = 6;
    begin(&c);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char term[16];
        snprintf(term, sizeof term, "one%u", sizes[i]);
        add_term(c.plain, &seed, term, sizes[i], tf_one, 100);
        snprintf(term, sizeof term, "few%u", sizes[i]);
        add_term(c.plain, &seed, term, sizes[i], tf_few, 30);
        snprintf(term, sizeof term, "big%u", sizes[i]);
        add_term(c.plain, &seed, term, sizes[i], tf_big, 3);
    }
    segment_case_open(&c.sc, "bp128", true, c.plain, 700);
    for (size_t i = 0; i < c.plain->n; i++) {
        const plain_term *t = c.plain->terms[i];
        char name[16] = {0};
        rp__term entry;
        rp__positions p;
        memcpy(name, t->term, t->bytes);
        const rp__list *list = open_list(&c, name, &entry);
        assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &c.arena), RP_OK);
        for (uint32_t r = 0; r < t->n; r++)
            expect_at(&p, t, r);
        for (uint32_t r = t->n; r-- > 0;)
            expect_at(&p, t, r);
        for (uint32_t again = 0; again < 100; again++)
            expect_at(&p, t, chance_below(&seed, t->n));
        const uint32_t *at;
        uint32_t n;
        assert_int_equal(rp__positions_get(&p, t->n, &at, &n), RP_DAMAGED);
        assert_int_equal(rp__positions_get(&p, UINT32_MAX, &at, &n), RP_DAMAGED);
        expect_at(&p, t, 0);
    }
    end(&c);
}

/* Positions of 32 bits, in a tiny list and in a long one. */
static void test_wide(void **state)
{
    (void)state;
    static const uint32_t wide[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFD, 0xFFFFFFFE};
    open_case c;
    rp__term entry;
    rp__positions p;
    begin(&c);
    for (uint32_t d = 0; d < 300; d++)
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
            plain_add(c.plain, d, "long", 4, wide[i]);
            if (d < 4)
                plain_add(c.plain, d, "tiny", 4, wide[i]);
        }
    segment_case_open(&c.sc, "bp128", true, c.plain, 300);
    expect_segment(c.sc.segment, c.plain, true);
    const rp__list *list = open_list(&c, "tiny", &entry);
    assert_non_null(entry.tiny);
    assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &c.arena), RP_OK);
    expect_at(&p, plain_find(c.plain, "tiny", 4), 3);
    end(&c);
}

static void test_none_in_the_index(void **state)
{
    (void)state;
    open_case c;
    uint64_t seed = 1;
    rp__term entry;
    rp__positions p;
    begin(&c);
    add_term(c.plain, &seed, "t", 200, tf_one, 5);
    segment_case_open(&c.sc, "bp128", false, c.plain, 200);
    const rp__list *list = open_list(&c, "t", &entry);
    assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &c.arena), RP_USAGE);
    end(&c);
}

static void test_no_memory(void **state)
{
    (void)state;
    open_case c;
    uint64_t seed = 1;
    rp__term entry;
    rp__positions p;
    rp__arena small;
    const uint32_t *at;
    uint32_t n;
    begin(&c);
    add_term(c.plain, &seed, "t", 200, tf_big, 3);
    segment_case_open(&c.sc, "bp128", true, c.plain, 200);
    const rp__list *list = open_list(&c, "t", &entry);
    rp__arena_init(&small, 100);
    assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &small), RP_NO_MEMORY);
    rp__arena_reset(&small);
    rp__arena_init(&small, 2000);
    assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &small), RP_OK);
    assert_int_equal(rp__positions_get(&p, 0, &at, &n), RP_NO_MEMORY);
    rp__arena_reset(&small);
    end(&c);
}

/* An entry that points outside of its section, or gives its positions fewer bytes than they have. */
static void test_damaged_entry(void **state)
{
    (void)state;
    open_case c;
    uint64_t seed = 1;
    rp__term entry, bad;
    rp__positions p;
    const uint32_t *at;
    uint32_t n;
    begin(&c);
    add_term(c.plain, &seed, "t", 300, tf_few, 3);
    segment_case_open(&c.sc, "bp128", true, c.plain, 300);
    const rp__list *list = open_list(&c, "t", &entry);
    bad = entry;
    bad.pos_offset = c.sc.segment->positions_bytes + 1;
    assert_int_equal(rp__positions_open(&p, c.sc.segment, &bad, list, &c.arena), RP_DAMAGED);
    bad = entry;
    bad.pos_bytes = UINT64_MAX;
    assert_int_equal(rp__positions_open(&p, c.sc.segment, &bad, list, &c.arena), RP_DAMAGED);
    for (uint64_t bytes = 0; bytes < entry.pos_bytes; bytes += 1 + bytes / 9) {
        size_t refused = 0;
        bad = entry;
        bad.pos_bytes = bytes;
        assert_int_equal(rp__positions_open(&p, c.sc.segment, &bad, list, &c.arena), RP_OK);
        for (uint32_t r = 0; r < 300; r++)
            refused += rp__positions_get(&p, r, &at, &n) == RP_DAMAGED;
        assert_true(refused > 0);
        uint32_t last = 299; /* a refusal is not forgotten */
        assert_int_equal(rp__positions_get(&p, last, &at, &n), RP_DAMAGED);
        assert_int_equal(rp__positions_get(&p, last, &at, &n), RP_DAMAGED);
    }
    end(&c);
}

/* A dictionary that claims fewer occurrences than the list has: a walk ends before it has read more. */
static void test_false_cf(void **state)
{
    (void)state;
    enum { N = 1000 };
    open_case c;
    rp__term entry;
    rp__positions p;
    uint64_t seed = 8;
    begin(&c);
    add_term(c.plain, &seed, "few", N, tf_few, 30);
    segment_case_open(&c.sc, "bp128", true, c.plain, N);
    const rp__list *list = open_list(&c, "few", &entry);
    uint64_t cf = entry.cf;
    for (uint64_t claimed = N; claimed <= cf; claimed += (cf - N) / 3) {
        const uint32_t *at;
        uint32_t n, rank = 0;
        uint64_t read = 0;
        entry.cf = claimed;
        assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &c.arena), RP_OK);
        rp_status status = RP_OK;
        for (; rank < N && status == RP_OK; rank++) {
            status = rp__positions_get(&p, rank, &at, &n);
            read += status == RP_OK ? n : 0;
        }
        assert_int_equal(status, claimed < cf ? RP_DAMAGED : RP_OK);
        assert_true(read <= claimed);
        entry.cf = cf;
        assert_int_equal(rp__positions_open(&p, c.sc.segment, &entry, list, &c.arena), RP_OK);
        for (rank = 0; rank < N; rank++) /* nothing is held against a true one */
            assert_int_equal(rp__positions_get(&p, rank, &at, &n), RP_OK);
    }
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order), cmocka_unit_test(test_false_cf),
        cmocka_unit_test(test_wide),      cmocka_unit_test(test_none_in_the_index),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_damaged_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
