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
    return !row->cut && row->freqs && !row->choose && strcmp(row->name, "raw") != 0;
}

static const uint32_t lengths[] = {1, 20, 128, 129, 1000};
enum { N_LENGTHS = sizeof lengths / sizeof lengths[0] };

static void every_candidate_is_read(void **unused)
{
    (void)unused;
    uint64_t rng = 6;
    uint32_t got[1000 + RP_BLOCK_ROOM], tfs[1000 + RP_BLOCK_ROOM], names = 0;
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
    uint32_t scratch[2 * RP_BLOCK_ROOM];
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
    return rp__bits_align(list.docs_bytes, 16) +
           (list.offsets ? rp__bits_align(4 * (size_t)list.n_blocks, 16) : 0);
}

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
        size_t got = bytes_in(&lc, auto_here(), NULL, chosen), smallest = SIZE_MAX, slow = 0;
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

static void by_speed_is_the_fastest_of_the_small(void **unused)
{
    (void)unused;
    static const char *const fast[] = {"bp128", "ef128", "rice", "mixed", "bitmap"};
    const rp__codec_options options = {.by = RP_BY_SPEED};
    uint64_t rng = 22;
    size_t picked[5] = {0};
    for (int round = 0; round < 400; round++) {
        list_case lc;
        char name[16];
        size_t bytes[5], smallest = SIZE_MAX, k = 0;
        uint32_t n = random_length(&rng, 1900);
        list_case_make(&lc, &rng, (shape)(round % N_SHAPES), n, round % 2 ? 2 * n : 4000000);
        for (size_t j = 0; j < 5; j++) {
            const rp__codec *row = rp__codec_find(fast[j], rp__cpu_features());
            bytes[j] = bytes_in(&lc, row, &options, name);
            smallest = bytes[j] < smallest ? bytes[j] : smallest;
        }
        while (bytes[k] > smallest + smallest / 10)
            k++;
        assert_int_equal(bytes_in(&lc, auto_here(), &options, name), bytes[k]);
        assert_string_equal(name, fast[k]);
        picked[k]++;
        list_case_free(&lc);
    }
    assert_true(picked[0] && picked[1] && picked[2] + picked[3] + picked[4]);
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
        size_t got = bytes_in(&lc, auto_here(), NULL, name);
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
        cmocka_unit_test(by_speed_is_the_fastest_of_the_small),
        cmocka_unit_test(long_lists_are_nearly_the_smallest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
