/* test_codecs_bytes.c: every string of up to three bytes through every decoder: each row of a code, and
 * of a codec, says and gives what its plain row does.
 *
 * Each string is a block of every size below, and the payload of a short list of three of them. With
 * RIPOSTE_THOROUGH, as `make test-all` sets it, all strings of three bytes; otherwise one of each 997.
 * SHARD=i/n: a share of them. */
#include "parity/bytes_check.h"
#include "parity/shard.h"
#include "unit/codec/list_case.h"

static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 128, 256};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], HEAD = 4 };

/* A list's head and a string, in memory of exactly their size and RP_PAD. */
typedef struct image {
    uint8_t *list;
    size_t n_bytes; /* of the string */
    uint32_t string;
} image;

static image image_of(uint32_t string, size_t n_bytes)
{
    image m = {malloc(HEAD + n_bytes + RP_PAD), n_bytes, string};
    const uint8_t head[HEAD] = {(uint8_t)n_bytes, 0, 7, 0};
    memcpy(m.list, head, HEAD);
    for (size_t i = 0; i < n_bytes; i++)
        m.list[HEAD + i] = (uint8_t)(string >> 8 * i);
    memset(m.list + HEAD + n_bytes, 0xEE, RP_PAD);
    return m;
}

static void check_codes(const image *m, uint32_t n, uint32_t base)
{
    const families *all = families_here();
    bytes_check bc;
    for (size_t i = 0; i < all->n_codes; i++)
        if (!bytes_check_code(&bc, &all->codes[i], m->list + HEAD, m->n_bytes, n, base))
            fail_msg("%s/%x: %s %u", bc.name, bc.needs, bc.what, bc.place);
}

static void check_codecs(const image *m, uint32_t n, uint32_t universe)
{
    const families *all = families_here();
    bytes_check bc;
    for (size_t i = 0; i < all->n_codecs; i++) {
        bool names_rows = all->codecs[i].plain->named != NULL;
        m->list[3] = names_rows ? all->codecs[m->string / 7 % all->n_codecs].plain->id : 0;
        if (!bytes_check_list(&bc, &all->codecs[i], m->list, HEAD + m->n_bytes, n, universe, false))
            fail_msg("%s/%x: %s %u", bc.name, bc.needs, bc.what, bc.place);
    }
}

static void check_string(uint32_t string, size_t n_bytes)
{
    static const uint32_t bases[] = {UINT32_MAX, 0, 1000, UINT32_MAX - 70000, UINT32_MAX - 2};
    image m = image_of(string, n_bytes);
    for (size_t k = 0; k < N_SIZES; k++)
        check_codes(&m, sizes[k], bases[(string + k) % 5]);
    for (size_t k = string % 5; k < N_SIZES; k += 5) {
        uint32_t n = sizes[k] < 1 ? 1 : sizes[k] > RP_BLOCK ? RP_BLOCK : sizes[k];
        check_codecs(&m, n, string % 3 ? UINT32_MAX : n + string % 1000);
    }
    free(m.list);
}

static void strings_of_up_to_two(void **unused)
{
    (void)unused;
    shard s = shard_here();
    check_string(0, 0);
    for (uint32_t v = s.i; v < 1U << 8; v += s.n)
        check_string(v, 1);
    for (uint32_t v = s.i; v < 1U << 16; v += s.n)
        check_string(v, 2);
}

static void strings_of_three(void **unused)
{
    (void)unused;
    shard s = shard_here();
    uint32_t step = s.n * (getenv("RIPOSTE_THOROUGH") ? 1 : 997), strings = 0;
    for (uint32_t v = s.i; v < 1U << 24; v += step, strings++)
        check_string(v, 3);
    print_message("short strings: shard %u/%u: %u strings of three bytes, %zu rows\n", s.i, s.n,
                  strings, families_here()->n_rows);
}

/* ---- Planted faults -------------------------------------------------------------------------- */

static const rp__block_code *sound_code;
static const rp__codec *sound_codec;

static rp_status bad_values(const uint8_t *in, size_t in_bytes, uint32_t *out, size_t n)
{
    rp_status s = sound_code->decode(in, in_bytes, out, n);
    out[n - 1]++;
    return s;
}

static rp_status bad_docids(const uint8_t *in, size_t in_bytes, uint32_t base, uint32_t *out,
                            size_t n)
{
    return sound_code->decode_docids(in, in_bytes, base + 1, out, n);
}

static rp_status bad_value(const uint8_t *in, size_t in_bytes, size_t n, size_t i, uint32_t *out)
{
    return i + 1 == n ? RP_DAMAGED : sound_code->at(in, in_bytes, n, i, out);
}

static rp_status bad_block(const rp__list *list, uint32_t b, uint32_t *out)
{
    rp_status s = sound_codec->block(list, b, out);
    out[0]--;
    return s;
}

static rp_status no_list(const rp__list *list, uint32_t *out)
{
    (void)list;
    (void)out;
    return RP_DAMAGED;
}

static rp_status bad_docid(const rp__list *list, uint32_t i, uint32_t *out)
{
    rp_status s = sound_codec->at(list, i, out);
    *out += i + 1 == list->n;
    return s;
}

static void a_wrong_code_is_found(void **unused)
{
    (void)unused;
    const uint32_t values[] = {3, 0, 9, 1000, 2};
    const families *all = families_here();
    for (size_t i = 0; i < all->n_codes; i++) {
        const rp__block_code *row = sound_code = all->codes[i].plain;
        rp__block_code bad[3] = {*row, *row, *row};
        uint8_t bytes[512 + RP_PAD] = {0};
        size_t used = row->encode(NULL, values, 5, bytes);
        bad[0].decode = bad_values;
        bad[1].decode_docids = bad_docids;
        bad[2].at = row->at ? bad_value : NULL;
        for (size_t k = 0; k < 3; k++) {
            code_family f = {.plain = row, .rows = {row, &bad[k]}, .n = 2};
            bytes_check bc;
            bool is_planted = k < 2 || row->at;
            assert_int_equal(bytes_check_code(&bc, &f, bytes, used, 5, 7), !is_planted);
        }
    }
}

static void a_wrong_codec_is_found(void **unused)
{
    (void)unused;
    const families *all = families_here();
    uint64_t rng = 4;
    list_case lc;
    list_case_make(&lc, &rng, UNIFORM, 300, 100000);
    for (size_t i = 0; i < all->n_codecs; i++) {
        const rp__codec *row = sound_codec = all->codecs[i].plain;
        rp__codec bad[3] = {*row, *row, *row};
        list_case_trim(&lc, row);
        assert_int_equal(list_case_encode(&lc, row, false), RP_OK);
        bad[0].block = bad_block;
        bad[1].decode = no_list;
        bad[2].at = row->at ? bad_docid : NULL;
        for (size_t k = 0; k < 3; k++) {
            codec_family f = {.plain = row, .rows = {row, &bad[k]}, .n = 2};
            bytes_check bc;
            rp__list list;
            rp__list_open(&bad[k], lc.bytes, lc.n_bytes, 300, 100000, false, &list);
            bool is_planted = list.codec == &bad[k] && (k < 2 || row->at);
            assert_int_equal(bytes_check_list(&bc, &f, lc.bytes, lc.n_bytes, 300, 100000, false),
                             !is_planted);
        }
    }
    list_case_free(&lc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_code_is_found),
        cmocka_unit_test(a_wrong_codec_is_found),
        cmocka_unit_test(strings_of_up_to_two),
        cmocka_unit_test(strings_of_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
