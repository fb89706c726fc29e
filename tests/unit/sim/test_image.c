/* test_image.c: images: what is written is read again, in the bytes that docs/format.md gives; and
 * damage is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/crc32c.h"
#include "sim/image.h"

enum { LISTS = 40, DOCS = 5000 };

typedef struct made {
    uint32_t *docids[LISTS], *tfs[LISTS], n[LISTS];
    rp__buf bytes;
} made;

static void name_of(size_t i, char out[8])
{
    out[0] = (char)('a' + i / 26);
    out[1] = (char)('a' + i % 26);
    out[2] = 0;
}

static uint64_t below(uint64_t *rng, uint64_t n)
{
    *rng = *rng * 6364136223846793005U + 1442695040888963407U;
    return (*rng >> 33) % n;
}

/* Lists of 1 to DOCS postings, each length of up to 12 among them. */
static void make_lists(made *m, uint64_t seed)
{
    for (size_t i = 0; i < LISTS; i++) {
        uint32_t n = i < 12 ? (uint32_t)i + 1 : 1 + (uint32_t)below(&seed, DOCS), found = 0;
        m->docids[i] = malloc(n * sizeof(uint32_t));
        m->tfs[i] = malloc(n * sizeof(uint32_t));
        for (uint32_t d = 0; d < DOCS && found < n; d++)
            if (below(&seed, DOCS - d) < n - found) {
                m->docids[i][found] = d;
                m->tfs[i][found++] = 1 + (uint32_t)below(&seed, 1U << below(&seed, 31));
            }
        m->n[i] = n;
    }
}

static void write_image(made *m, const rp__image_options *options)
{
    rp__image_writer w;
    uint32_t dl[DOCS];
    for (uint32_t d = 0; d < DOCS; d++)
        dl[d] = d + 1;
    rp__buf_init(&m->bytes);
    rp__image_writer_begin(&w, options, 1.2, 0.75, DOCS);
    rp__image_writer_dl(&w, dl, 1000);
    rp__image_writer_dl(&w, dl + 1000, DOCS - 1000);
    for (size_t i = 0; i < LISTS; i++) {
        char name[8];
        name_of(i, name);
        assert_int_equal(rp__image_writer_list(&w, name, strlen(name), m->docids[i], m->tfs[i],
                                               m->n[i], (uint32_t)i),
                         RP_OK);
        rp__buf_put(&m->bytes, w.out.at, w.out.n); /* the caller takes it when it likes */
        rp__buf_clear(&w.out, 0);
        assert_int_equal(m->bytes.n, w.at);
    }
    assert_int_equal(rp__image_writer_end(&w), RP_OK);
    rp__buf_put(&m->bytes, w.out.at, w.out.n);
    rp__image_writer_free(&w);
}

static void free_made(made *m)
{
    for (size_t i = 0; i < LISTS; i++) {
        free(m->docids[i]);
        free(m->tfs[i]);
    }
    rp__buf_free(&m->bytes);
}

static rp_status read_all(const uint8_t *bytes, size_t n)
{
    rp__image image;
    rp_error err;
    rp_status status = rp__image_open(bytes, n, &image, &err);
    static uint32_t docids[DOCS], tfs[DOCS];
    for (uint64_t i = 0; status == RP_OK && i < image.n_lists; i++) {
        rp__image_list list;
        status = rp__image_get_list(&image, i, &list, &err);
        if (status == RP_OK)
            status =
                list.n_postings > DOCS ? RP_DAMAGED : rp__image_decode(&image, &list, docids, tfs);
    }
    return status;
}

static void check_list(const made *m, const rp__image *image, size_t i, uint32_t max_size)
{
    static uint32_t docids[DOCS], tfs[DOCS];
    char name[8];
    uint64_t at;
    rp__image_list list;
    name_of(i, name);
    assert_int_equal(rp__image_find(image, name, strlen(name), &at), RP_OK);
    assert_int_equal(at, i);
    assert_int_equal(rp__image_get_list(image, at, &list, NULL), RP_OK);
    assert_int_equal(list.n_postings, m->n[i]);
    assert_int_equal(list.idf_bar, i);
    assert_int_equal(list.last_doc, m->docids[i][m->n[i] - 1]);
    assert_int_equal(rp__image_decode(image, &list, docids, tfs), RP_OK);
    assert_memory_equal(docids, m->docids[i], m->n[i] * sizeof(uint32_t));
    assert_memory_equal(tfs, m->tfs[i], m->n[i] * sizeof(uint32_t));
    for (uint32_t b = 0; b < list.n_blocks; b++) {
        uint64_t meta = rp__load64(image->bytes + list.meta_at + 8 * (size_t)b);
        assert_true((meta >> 10 & 2047) <= max_size);
    }
    if (list.n_blocks == 1 && list.n_postings <= 8) { /* one or two lines behind the header */
        assert_int_equal(list.meta_at, list.at + 64);
        assert_int_equal(list.skip_at, list.at + 72);
        assert_int_equal(list.payload_at, list.at + 76);
        assert_true(list.payload_bits <= 62 * 8);
    } else {
        assert_true(list.skip_at % 64 == 0 &&
                    list.meta_at % 64 == (list.flags & RP_IMAGE_PAIRED ? 8 : 0) &&
                    list.payload_at % 64 == 0);
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const rp__image_options options[] = {
        {0},
        {.max_size = 1},
        {.max_size = 7},
        {.max_size = 2047},
        {.of = RP_IIU_COST_PAPER},
        {.fixed = 128},
        {.has_bounds = true},
        {.max_size = 1, .has_bounds = true},
        {.is_paired = true},
        {.max_size = 7, .is_paired = true, .has_bounds = true},
        {.is_bp128 = true, .fixed = 128},
        {.is_bp128 = true, .is_paired = true, .fixed = 128},
    };
    for (size_t o = 0; o < sizeof options / sizeof options[0]; o++) {
        made m;
        make_lists(&m, o + 1);
        write_image(&m, &options[o]);
        rp__image image;
        rp_error err;
        assert_int_equal(rp__image_open(m.bytes.at, m.bytes.n, &image, &err), RP_OK);
        assert_int_equal(image.n_lists, LISTS);
        assert_int_equal(image.n_docs, DOCS);
        assert_int_equal(rp__image_dl(&image, 77), 78);
        uint32_t max = options[o].fixed ? options[o].fixed : options[o].max_size;
        for (size_t i = 0; i < LISTS; i++)
            check_list(&m, &image, i, max ? max : 256);
        uint64_t at;
        assert_int_equal(rp__image_find(&image, "a", 1, &at), RP_NOT_FOUND);
        assert_int_equal(rp__image_find(&image, "zz", 2, &at), RP_NOT_FOUND);
        free_made(&m);
    }
}

/* Each bound is at least what any posting of its block has, and some posting needs it. */
static void bounds_are_the_largest(void **state)
{
    (void)state;
    made m;
    rp__image image;
    rp_error err;
    size_t n_bounded = 0;
    make_lists(&m, 5);
    write_image(&m, &(rp__image_options){.has_bounds = true, .max_size = 16});
    assert_int_equal(rp__image_open(m.bytes.at, m.bytes.n, &image, &err), RP_OK);
    for (size_t i = 0; i < LISTS; i++) {
        rp__image_list list;
        assert_int_equal(rp__image_get_list(&image, i, &list, &err), RP_OK);
        if (!(list.flags & RP_IMAGE_HAS_BOUNDS))
            continue;
        n_bounded++;
        const uint8_t *bounds = image.bytes + list.skip_at + 4 * (uint64_t)list.n_blocks;
        for (uint32_t b = 0, at = 0; b < list.n_blocks; b++) {
            const uint32_t n =
                rp__load64(image.bytes + list.meta_at + 8 * (uint64_t)b) >> 10 & 2047;
            double most = 0;
            for (uint32_t k = 0; k < n; k++, at++) {
                const double tf = m.tfs[i][at], norm = (m.docids[i][at] + 1) / 65536.0;
                most = fmax(most, tf / (tf + norm));
            }
            assert_true(bounds[b] >= 255 * most && bounds[b] < 255 * most + 1);
        }
    }
    assert_true(n_bounded * 2 > LISTS);
    free_made(&m);
}

/* A bit anywhere but in padding, and any end. */
static void damage_is_found(void **state)
{
    (void)state;
    made m;
    make_lists(&m, 9);
    write_image(&m, &(rp__image_options){0});
    assert_int_equal(read_all(m.bytes.at, m.bytes.n), RP_OK);
    uint64_t seed = 3;
    size_t found = 0, tries = 3000;
    for (size_t i = 0; i < tries; i++) {
        const size_t at = below(&seed, m.bytes.n);
        const uint8_t bit = (uint8_t)(1U << below(&seed, 8));
        m.bytes.at[at] ^= bit;
        found += read_all(m.bytes.at, m.bytes.n) != RP_OK;
        m.bytes.at[at] ^= bit;
    }
    assert_true(found > tries * 9 / 10);
    for (size_t n = 0; n < m.bytes.n; n += 1 + n / 7) {
        uint8_t *copy = malloc(n + 1); /* so that a sanitizer sees reads behind it */
        memcpy(copy, m.bytes.at, n);
        assert_true(read_all(copy, n) != RP_OK);
        free(copy);
    }
    m.bytes.at[8]++;
    assert_int_equal(read_all(m.bytes.at, m.bytes.n), RP_INCOMPATIBLE);
    m.bytes.at[0]++;
    assert_int_equal(read_all(m.bytes.at, m.bytes.n), RP_DAMAGED);
    free_made(&m);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t docid, tf;
    } bad[] = {{1U << 31, 1}, {1, 1U << 31}};
    for (size_t i = 0; i < 2; i++) {
        rp__image_writer w;
        const uint32_t dl = 1;
        rp__image_writer_begin(&w, &(rp__image_options){0}, 1.2, 0.75, 1);
        rp__image_writer_dl(&w, &dl, 1);
        assert_int_equal(rp__image_writer_list(&w, "a", 1, &bad[i].docid, &bad[i].tf, 1, 1),
                         RP_LIMIT);
        rp__image_writer_free(&w);
    }
}

static void an_image_without_lists_is_one(void **state)
{
    (void)state;
    rp__image_writer w;
    rp__image image;
    rp_error err;
    rp__image_writer_begin(&w, &(rp__image_options){0}, 1.2, 0.75, 0);
    assert_int_equal(rp__image_writer_end(&w), RP_OK);
    assert_int_equal(rp__image_open(w.out.at, w.out.n, &image, &err), RP_OK);
    assert_int_equal(image.n_lists, 0);
    rp__image_writer_free(&w);
}

/* RFC 3720, B.4. */
static void crc32c_is_as_published(void **state)
{
    (void)state;
    uint8_t bytes[32] = {0};
    assert_int_equal(rp__crc32c(0, bytes, 32), 0x8A9136AA);
    memset(bytes, 0xFF, 32);
    assert_int_equal(rp__crc32c(0, bytes, 32), 0x62A8AB43);
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = i;
    assert_int_equal(rp__crc32c(0, bytes, 32), 0x46DD794E);
    assert_int_equal(rp__crc32c(rp__crc32c(0, bytes, 11), bytes + 11, 21), 0x46DD794E);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(bounds_are_the_largest),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(an_image_without_lists_is_one),
        cmocka_unit_test(crc32c_is_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
