/* test_mixed.c: which code a block of mixed is in, and what its decoders refuse. Rows are compared with
 * each other in tests/parity/test_codecs.c. */
#include "code_rows.h"

static size_t encode_as(const char *name, const rp__codec_options *options, const uint32_t *values,
                        size_t n, uint8_t *out)
{
    return rp__block_code_find(name, 0)->encode(options, values, n, out);
}

static void runs_are_packed_in_no_bits(void **unused)
{
    (void)unused;
    const uint32_t values[100] = {0};
    const uint8_t want[] = {32, 0};
    check_bytes_of("mixed", values, 100, want, sizeof want);
}

static void few_steps_are_efsum(void **unused)
{
    (void)unused;
    const uint32_t values[16] = {0, 0, 3, 0, 1};
    const uint8_t want[] = {33, 128 + 4, 0, 0x9C};
    check_bytes_of("mixed", values, 16, want, sizeof want);
}

/* Values as gaps of a list at random are. */
static void rice_needs_no_name(void **unused)
{
    (void)unused;
    uint64_t rng = 4;
    uint32_t values[100];
    uint8_t want[512];
    for (size_t i = 0; i < 100; i++)
        for (values[i] = 0; random_below(&rng, 20);)
            values[i]++;
    size_t used = encode_as("rice", NULL, values, 100, want);
    check_bytes_of("mixed", values, 100, want, used);
}

static void optpfd_with_exceptions_needs_no_name(void **unused)
{
    (void)unused;
    uint32_t values[96];
    uint8_t want[512];
    for (uint32_t i = 0; i < 96; i++)
        values[i] = i % 4 + (i % 48 == 7 ? 100000 : 0);
    size_t used = encode_as("optpfd", NULL, values, 96, want);
    assert_true(want[0] >= 64);
    check_bytes_of("mixed", values, 96, want, used);
}

static void random_values(uint64_t *rng, uint32_t *values, size_t n)
{
    uint32_t low = (uint32_t)random_below(rng, 20), wide = (uint32_t)random_below(rng, 30);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = random_below(rng, 9) ? low : wide;
        values[i] = bits ? (uint32_t)random64(rng) >> (32 - bits) : 0;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* By size, the smallest; by speed, at most an eighth more, and bp128 if that is in it. */
static void a_block_is_the_smallest_or_the_fastest(void **unused)
{
    (void)unused;
    const rp__codec_options by_speed = {.by = RP_BY_SPEED};
    uint64_t rng = 12;
    size_t fast = 0;
    for (int round = 0; round < 3000; round++) {
        uint32_t values[RP_BLOCK_MAX];
        uint8_t out[2000];
        size_t n = 1 + random_below(&rng, RP_BLOCK_MAX);
        random_values(&rng, values, n);
        size_t rice = encode_as("rice", NULL, values, n, out);
        size_t packed = 1 + encode_as("bp128", NULL, values, n, out);
        size_t sums = 1 + encode_as("efsum", NULL, values, n, out);
        size_t patched = encode_as("optpfd", NULL, values, n, out);
        patched = out[0] < 64 ? packed : patched;
        size_t smallest = least(least(rice, packed), least(sums, patched));
        assert_int_equal(encode_as("mixed", NULL, values, n, out), smallest);
        sums = 1 + encode_as("efsum", &by_speed, values, n, out);
        smallest = least(least(rice, packed), least(sums, patched));
        size_t used = encode_as("mixed", &by_speed, values, n, out);
        assert_true(used <= smallest + smallest / 8);
        assert_int_equal(out[0] == 32, packed <= smallest + smallest / 8);
        fast += out[0] == 32;
    }
    assert_in_range(fast, 100, 2900);
}

static bool is_name(uint32_t byte)
{
    return byte <= 33 || (byte >= 64 && byte % 64 <= 32);
}

static void other_names_are_damage(void **unused)
{
    (void)unused;
    uint8_t in[700];
    memset(in, 0xFF, sizeof in);
    for (uint32_t byte = 0; byte < 256; byte++) {
        in[0] = (uint8_t)byte;
        if (!is_name(byte))
            check_status("mixed", in, sizeof in, 128, 5, RP_DAMAGED, RP_DAMAGED);
        check_status("mixed", in, byte >= 64 && is_name(byte) ? 0 : 1, 128, 5, RP_DAMAGED,
                     RP_DAMAGED); /* cut off */
    }
}

/* What a name leads to finds damage of its own. */
static void damage_inside_is_found(void **unused)
{
    (void)unused;
    const uint8_t wide[] = {32, 33, 1, 2, 3, 4, 5, 6}, form[] = {33, 128, 0, 0, 0, 0, 0, 0};
    const uint8_t far[] = {64 + 32, 0x07, 0, 0, 0, 0, 0, 0, 0, 0}; /* 32 bits and 8 more */
    check_status("mixed", wide, sizeof wide, 1, 5, RP_DAMAGED, RP_DAMAGED);
    check_status("mixed", form, sizeof form, 1, 5, RP_DAMAGED, RP_DAMAGED);
    check_status("mixed", far, sizeof far, 1, 5, RP_DAMAGED, RP_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_packed_in_no_bits),
        cmocka_unit_test(few_steps_are_efsum),
        cmocka_unit_test(rice_needs_no_name),
        cmocka_unit_test(optpfd_with_exceptions_needs_no_name),
        cmocka_unit_test(a_block_is_the_smallest_or_the_fastest),
        cmocka_unit_test(other_names_are_damage),
        cmocka_unit_test(damage_inside_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
