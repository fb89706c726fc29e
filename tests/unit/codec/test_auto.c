/* test_auto.c: which codec a list of auto names, and which names it refuses. That every row reads what
 * it writes is in tests/parity/test_codecs.c. */
#include "list_case.h"

static const rp__codec *auto_here(void)
{
    return rp__codec_find("auto", rp__cpu_features());
}

static rp_status open_case(const rp__codec *codec, const list_case *lc, rp__list *list)
{
    return rp__list_open(codec, lc->bytes, lc->n_bytes, lc->n, lc->universe, false, list);
}

/* Writes the list in a row, with auto's frequencies and this name. */
static void encode_named(list_case *lc, const rp__codec *row, uint8_t name)
{
    const rp__codec codec = rp__codec_with_freqs(row, auto_here()->freqs);
    assert_int_equal(list_case_encode(lc, &codec, false), RP_OK);
    lc->bytes[lc->bytes[3] ? 1 : 3] = name;
}

static bool is_candidate(const rp__codec *row)
{
    return !row->cut && row->freqs && !row->choose && strcmp(row->name, "raw") != 0 &&
           row->id <= 25; /* younger ones would be damage to older programs */
}

static const uint32_t lengths[] = {1, 20, 128, 129, 1000};
enum { N_LENGTHS = sizeof lengths / sizeof lengths[0] };

static void every_candidate_is_read(void **unused)
{
    (void)unused;
    uint64_t rng = 6;
    uint32_t got[1000 + RP_BLOCK_CAPACITY], tfs[1000 + RP_BLOCK_CAPACITY], names = 0;
    const rp__codec *row;
    for (size_t k = 0; k < N_LENGTHS; k++) {
        list_case lc;
        list_case_make(&lc, &rng, CLUSTERED, lengths[k], 5000000);
        for (size_t j = 0; (row = codec_here(j)); j++) {
            rp__list list;
            if (!is_candidate(row))
                continue;
            encode_named(&lc, row, row->id);
            assert_int_equal(open_case(auto_here(), &lc, &list), RP_OK);
            assert_string_equal(list.codec->name, row->name);
            assert_ptr_equal(list.codec, rp__codec_find(row->name, rp__cpu_features()));
            assert_int_equal(rp__list_decode(&list, got, tfs), RP_OK);
            assert_memory_equal(got, lc.docids, lc.n * sizeof *got);
            assert_memory_equal(tfs, lc.tfs, lc.n * sizeof *tfs);
            names |= 1U << row->id;
        }
        list_case_free(&lc);
    }
    assert_int_equal(names & 0x1000C, 0xC);          /* vbyte, bp128; iiu is not among them */
    assert_true(names >> 25 & 1 && names >> 13 & 1); /* mixed, interpolative */
}

static void other_names_are_damage(void **unused)
{
    (void)unused;
    uint64_t rng = 7;
    const rp__codec *bp128 = rp__codec_find("bp128", rp__cpu_features());
    for (size_t k = 0; k < N_LENGTHS; k++) {
        list_case lc;
        list_case_make(&lc, &rng, UNIFORM, lengths[k], 5000000);
        for (uint32_t name = 0; name < 256; name++) {
            const rp__codec *row = rp__codec_by_id((uint8_t)name, 0);
            rp__list list;
            encode_named(&lc, bp128, (uint8_t)name);
            if (!row || !is_candidate(row))
                assert_int_equal(open_case(auto_here(), &lc, &list), RP_DAMAGED);
            else if (row->has_offsets) /* the same directory: what it says is for the decoder */
                assert_int_equal(open_case(auto_here(), &lc, &list), RP_OK);
        }
        list_case_free(&lc);
    }
}

/* A name of another row, bit by bit: no promise but safety, and that rows agree. */
static void wrong_names_are_safe(void **unused)
{
    (void)unused;
    uint64_t rng = 8;
    uint32_t scratch[2 * RP_BLOCK_CAPACITY];
    const rp__codec *row;
    for (int round = 0; round < 40; round++) {
        list_case lc;
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), random_length(&rng, 1000), 9000000);
        for (size_t j = 0; (row = codec_here(j)); j++)
            for (uint8_t name = 1; is_candidate(row) && name < 32; name++) {
                rp__list list, plain;
                encode_named(&lc, row, name);
                rp_status s = open_case(auto_here(), &lc, &list);
                assert_int_equal(open_case(rp__codec_find("auto", 0), &lc, &plain), s);
                if (s == RP_OK) {
                    walk_cursor(&list, &rng);
                    s = rp__list_validate(&list, scratch);
                    assert_int_equal(rp__list_validate(&plain, scratch), s);
                }
            }
        list_case_free(&lc);
    }
}

/* A list of another index's codec has no name. */
static void a_list_without_a_name_is_damage(void **unused)
{
    (void)unused;
    uint64_t rng = 3;
    for (size_t k = 0; k < N_LENGTHS; k++) {
        list_case lc;
        rp__list list;
        list_case_make(&lc, &rng, UNIFORM, lengths[k], 5000000);
        const rp__codec *bp128 = rp__codec_find("bp128", rp__cpu_features());
        assert_int_equal(list_case_encode(&lc, bp128, false), RP_OK);
        assert_int_equal(open_case(auto_here(), &lc, &list), RP_DAMAGED);
        assert_int_equal(list_case_encode(&lc, auto_here(), false), RP_OK);
        assert_int_equal(open_case(bp128, &lc, &list), RP_DAMAGED);
        list_case_free(&lc);
    }
}

/* Bytes of the docids in a codec and of the offsets that find their blocks. */
static size_t bytes_in(list_case *lc, const rp__codec *codec, const rp__codec_options *options,
                       char *name)
{
    rp__list list;
    assert_int_equal(list_case_encode_as(lc, codec, false, options), RP_OK);
    assert_int_equal(open_case(codec, lc, &list), RP_OK);
    strcpy(name, list.codec->name);
    if (list.n_blocks == 1)
        return list.docs_bytes;
    return list.docs_bytes + (list.offsets ? sizeof(uint16_t) * (size_t)list.n_blocks : 0);
}

static const rp__codec_options by_size = {.by = RP_BY_SIZE};

/* In lists that are measured whole. */
static void by_size_is_the_smallest(void **unused)
{
    (void)unused;
    uint64_t rng = 21;
    const rp__codec *row;
    for (int round = 0; round < 300; round++) {
        list_case lc;
        char name[16], chosen[16];
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), random_length(&rng, 1900), 4000000);
        size_t got = bytes_in(&lc, auto_here(), &by_size, chosen), smallest = SIZE_MAX, slow = 0;
        for (size_t j = 0; (row = codec_here(j)); j++) {
            if (!is_candidate(row))
                continue;
            size_t bytes = bytes_in(&lc, row, NULL, name);
            if (strcmp(name, "interpolative") == 0)
                slow = bytes;
            else
                smallest = bytes < smallest ? bytes : smallest;
        }
        bool is_slow = slow <= smallest - smallest / 16 && slow < smallest;
        assert_int_equal(got, is_slow ? slow : smallest);
        assert_int_equal(strcmp(chosen, "interpolative") == 0, is_slow);
        list_case_free(&lc);
    }
}

/* A list of rising docids with gaps that a function of the rank gives. */
static void make_gaps(list_case *lc, uint32_t n, uint32_t (*gap)(uint64_t *rng, uint32_t i))
{
    uint64_t rng = 22;
    list_case_make(lc, &rng, UNIFORM, n, 4000000);
    uint32_t docid = UINT32_MAX; /* the one before the first */
    for (uint32_t i = 0; i < n; i++)
        lc->docids[i] = docid += gap(&rng, i);
    lc->universe = docid + 1;
}

static uint32_t of_dense(uint64_t *rng, uint32_t i)
{
    return i % 2 ? 15 : 1 + (uint32_t)random_below(rng, 1); /* 8 on average */
}
static uint32_t of_long(uint64_t *rng, uint32_t i)
{
    return i % 2 ? 1 + (uint32_t)random_below(rng, 127) : 64;
}
static uint32_t of_even(uint64_t *rng, uint32_t i)
{
    (void)i;
    return 512 + (uint32_t)random_below(rng, 512); /* one width, and no smaller by rice */
}
/* Gaps by chance, so many docids to a posting on average. */
static uint32_t by_chance(uint64_t *rng, uint64_t mean)
{
    uint32_t gap = 1;
    while (random_below(rng, mean) > 0)
        gap++;
    return gap;
}
static uint32_t of_random(uint64_t *rng, uint32_t i)
{
    (void)i;
    return by_chance(rng, 200);
}
static uint32_t of_ten(uint64_t *rng, uint32_t i)
{
    (void)i;
    return by_chance(rng, 10);
}
static uint32_t of_eighteen(uint64_t *rng, uint32_t i)
{
    (void)i;
    return by_chance(rng, 18);
}
static uint32_t of_forty(uint64_t *rng, uint32_t i)
{
    (void)i;
    return by_chance(rng, 40);
}
static uint32_t of_runs(uint64_t *rng, uint32_t i)
{
    return i % 100 ? 1 + (uint32_t)random_below(rng, 2) : 50000;
}

static void by_speed_it_is_by_density(void **unused)
{
    (void)unused;
    static const struct {
        const char *what, *codec;
        uint32_t n;
        uint32_t (*gap)(uint64_t *rng, uint32_t i);
    } cases[] = {
        {"dense", "bitmap", 129, of_dense},
        {"dense", "bitmap", 5000, of_dense},
        {"dense, but short", "optpfd", 128, of_dense},
        {"long", "bp128", 5000, of_long},
        {"even", "bp128", 5000, of_even},
        {"even", "bp128", 100, of_even},
        {"random", "rice", 5000, of_random},
        {"random, in a tenth of the documents", "bp128", 5000, of_ten},
        {"random, in an eighteenth", "rice", 5000, of_eighteen},
        {"random, in a fortieth", "bp128", 5000, of_forty},
        {"random, just long", "bp128", 129, of_random},
        {"random, but short", "rice", 128, of_random},
        {"runs", "optpfd", 5000, of_runs},
        {"runs", "optpfd", 128, of_runs},
        {"one", "bp128", 1, of_dense},
    };
    const rp__codec_options by_speed = {.by = RP_BY_SPEED};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        list_case lc;
        char name[16], own[16];
        make_gaps(&lc, cases[i].n, cases[i].gap);
        size_t bytes = bytes_in(&lc, auto_here(), &by_speed, name);
        if (strcmp(name, cases[i].codec) != 0)
            fail_msg("%s, %u: %s", cases[i].what, cases[i].n, name);
        assert_int_equal(bytes_in(&lc, auto_here(), NULL, own), bytes);
        assert_string_equal(own, name);
        list_case_free(&lc);
    }
}

/* The column of costs is named, and no row asks what it runs on: bytes are the same everywhere. */
static void rows_of_all_instructions_choose_alike(void **unused)
{
    (void)unused;
    static uint32_t (*const gaps[])(uint64_t *, uint32_t) = {of_dense, of_long, of_even, of_random,
                                                             of_runs};
    static const uint32_t counts[] = {1, 100, 128, 129, 700, 5000};
    uint32_t differ = 0;
    for (size_t i = 0; i < 5 * 6; i++) {
        list_case lc;
        char names[3][16];
        make_gaps(&lc, counts[i % 6], gaps[i / 6]);
        for (uint32_t costs = RP_COSTS_OWN; costs <= RP_COSTS_AVX512; costs++) {
            const rp__codec_options o = {.costs = (rp__codec_costs)costs};
            const rp__codec *row;
            char name[16];
            size_t bytes = bytes_in(&lc, rp__codec_find("auto", 0), &o, names[costs]);
            for (size_t j = 0; (row = codec_here(j)); j++)
                if (row->choose) {
                    assert_int_equal(bytes_in(&lc, row, &o, name), bytes);
                    assert_string_equal(name, names[costs]);
                }
        }
        assert_string_equal(names[RP_COSTS_OWN], names[RP_COSTS_DEFAULT]);
        differ += strcmp(names[RP_COSTS_AVX2], names[RP_COSTS_AVX512]) != 0;
        list_case_free(&lc);
    }
    assert_true(differ > 0);
}

/* One docid more in the range and it is not dense; runs of a long list are worth a smaller code. */
static void density_has_an_edge(void **unused)
{
    (void)unused;
    list_case lc;
    char name[16];
    uint64_t rng = 5;
    list_case_make(&lc, &rng, UNIFORM, 1000, 9000);
    for (uint32_t i = 0; i < 1000; i++)
        lc.docids[i] = 7 + 8 * i;
    lc.docids[999] = 7 + 7999;
    bytes_in(&lc, auto_here(), NULL, name);
    assert_string_equal(name, "bitmap");
    lc.docids[999]++;
    bytes_in(&lc, auto_here(), NULL, name);
    assert_string_equal(name, "bp128");
    list_case_free(&lc);
}

/* Long lists are looked at here and there first: what is dropped is not the best by far. */
static void long_lists_are_nearly_the_smallest(void **unused)
{
    (void)unused;
    uint64_t rng = 23;
    for (int round = 0; round < 20; round++) {
        list_case lc;
        char name[16];
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), 30000 + 1000 * (uint32_t)round,
                       round % 3 ? 4000000 : 70000);
        size_t got = bytes_in(&lc, auto_here(), &by_size, name);
        size_t mixed = bytes_in(&lc, rp__codec_find("mixed", rp__cpu_features()), NULL, name);
        size_t ef128 = bytes_in(&lc, rp__codec_find("ef128", rp__cpu_features()), NULL, name);
        assert_true(got <= mixed && got <= ef128 + ef128 / 100);
        list_case_free(&lc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_is_read),
        cmocka_unit_test(other_names_are_damage),
        cmocka_unit_test(wrong_names_are_safe),
        cmocka_unit_test(a_list_without_a_name_is_damage),
        cmocka_unit_test(by_size_is_the_smallest),
        cmocka_unit_test(by_speed_it_is_by_density),
        cmocka_unit_test(rows_of_all_instructions_choose_alike),
        cmocka_unit_test(density_has_an_edge),
        cmocka_unit_test(long_lists_are_nearly_the_smallest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
