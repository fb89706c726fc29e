/* test_text_reader.c: documents of blocks of any size, in any order; blocks that break the format's
 * rules are refused, and what a block claims does not decide how much memory it takes. */
#include "index/text_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* One block in memory. */
typedef struct one_block {
    rp__doctable t;
    rp__text_block index[2];
    rp__buf raw, packed;
    rp__zblock *z;
} one_block;

static void fill(uint8_t *at, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)('a' + (i * (seed + 3) + i / 11) % 26);
}

/* Documents of these sizes, each with a title of d bytes. */
static void make(one_block *b, const uint32_t *sizes, uint32_t n)
{
    memset(b, 0, sizeof *b);
    for (uint32_t d = 0; d < n; d++) {
        rp__buf_put_varint(&b->raw, d);
        rp__buf_put_varint(&b->raw, sizes[d]);
    }
    for (uint32_t d = 0; d < n; d++) {
        fill(rp__buf_room(&b->raw, d), d, 100 + d);
        b->raw.n += d;
        fill(rp__buf_room(&b->raw, sizes[d]), sizes[d], d);
        b->raw.n += sizes[d];
    }
    assert_int_equal(rp__zblock_new(&b->z), RP_OK);
}

static void pack(one_block *b, uint32_t n)
{
    b->packed.n = 0;
    assert_int_equal(rp__zblock_pack(b->z, b->raw.at, b->raw.n, &b->packed), RP_OK);
    b->index[0] = (rp__text_block){.raw_bytes = (uint32_t)b->raw.n};
    b->index[1] = (rp__text_block){.offset = b->packed.n, .first_docid = n};
    b->t = (rp__doctable){.n_docs = n,
                          .text = b->packed.at,
                          .text_bytes = b->packed.n,
                          .n_text_blocks = 1,
                          .text_index = b->index};
}

static void drop(one_block *b)
{
    rp__zblock_free(b->z);
    rp__buf_free(&b->raw);
    rp__buf_free(&b->packed);
}

static void expect_document(rp__text_reader *r, uint32_t d, uint32_t size)
{
    uint64_t title, text;
    assert_int_equal(rp__text_reader_seek(r, d, &title, &text), RP_OK);
    assert_int_equal(title, d);
    assert_int_equal(text, size);
    uint8_t *got = malloc(size + 1), *want = malloc(size + 1);
    assert_int_equal(rp__text_reader_read(r, NULL, title), RP_OK);
    assert_int_equal(rp__text_reader_read(r, got, text), RP_OK);
    fill(want, size, d);
    assert_memory_equal(got, want, size);
    free(got);
    free(want);
}

static void expect_block(const uint32_t *sizes, uint32_t n, bool is_whole)
{
    one_block b;
    rp__text_reader *r;
    make(&b, sizes, n);
    pack(&b, n);
    assert_int_equal(rp__text_reader_open(&b.t, b.z, 0, &r, NULL), RP_OK);
    for (uint32_t turn = 0; turn < 3 * n; turn++)
        expect_document(r, turn * 7 % n, sizes[turn * 7 % n]);
    assert_int_equal(rp__text_reader_is_whole(r), is_whole);
    assert_int_equal(rp__text_reader_finish(r), RP_OK);
    rp__text_reader_close(r);
    drop(&b);
}

static void test_documents(void **state)
{
    (void)state;
    expect_block((const uint32_t[]){0}, 1, true);
    expect_block((const uint32_t[]){5, 0, 900, 16000, 1}, 4, true);
    expect_block((const uint32_t[]){100, 200, 131072 - 400}, 3, true);
    expect_block((const uint32_t[]){100, 200, 131072}, 3, false);
    expect_block((const uint32_t[]){16383, 9 << 20}, 2, false);
}

/* A long document costs what is read of it. */
static void test_memory(void **state)
{
    (void)state;
    one_block b;
    rp__text_reader *r;
    uint64_t title, text;
    make(&b, (const uint32_t[]){7, 100 << 20}, 2);
    pack(&b, 2);
    uint64_t before = rp__alloc_in_use();
    rp__alloc_reset_peak();
    assert_int_equal(rp__text_reader_open(&b.t, b.z, 0, &r, NULL), RP_OK);
    assert_int_equal(rp__text_reader_seek(r, 1, &title, &text), RP_OK);
    assert_int_equal(text, 100 << 20);
    assert_int_equal(rp__text_reader_finish(r), RP_OK);
    rp__text_reader_close(r);
    assert_true(rp__alloc_peak() - before < 4 << 20);
    drop(&b);
}

static void expect_refused(one_block *b, const char *reason)
{
    const char *why = "";
    uint64_t title, text;
    rp__text_reader *r;
    rp_status status = rp__text_reader_open(&b->t, b->z, 0, &r, &why);
    if (status == RP_OK)
        status = rp__text_reader_seek(r, 0, &title, &text);
    if (status == RP_OK)
        status = rp__text_reader_finish(r);
    rp__text_reader_close(r);
    assert_int_equal(status, RP_DAMAGED);
    assert_non_null(strstr(why, reason));
}

static void test_rules(void **state)
{
    (void)state;
    one_block b;
    make(&b, (const uint32_t[]){RP_TEXT_BLOCK, 1}, 2);
    pack(&b, 2);
    expect_refused(&b, "after it was full");
    drop(&b);
    make(&b, (const uint32_t[]){RP_TEXT_BLOCK - 1, 1}, 2);
    pack(&b, 2);
    b.index[0].raw_bytes++;
    expect_refused(&b, "do not add up");
    b.index[0].raw_bytes -= 2;
    expect_refused(&b, "do not add up");
    b.index[0].raw_bytes = UINT32_MAX;
    expect_refused(&b, "more text than its bytes can hold");
    pack(&b, 2);
    b.index[1].offset--;
    expect_refused(&b, "");
    b.index[1].offset += 2;
    expect_refused(&b, "does not lie in its section");
    pack(&b, 2);
    rp__buf_put_byte(&b.packed, 0);
    b.t.text = b.packed.at;
    b.t.text_bytes = b.index[1].offset = b.packed.n;
    expect_refused(&b, "behind its end");
    pack(&b, 2);
    b.index[1].first_docid = 0;
    expect_refused(&b, "do not follow");
    drop(&b);
}

/* The sizes are true, the frame has more. */
static void test_longer_frame(void **state)
{
    (void)state;
    one_block b;
    make(&b, (const uint32_t[]){10, 300000}, 2);
    rp__buf_put_zeros(&b.raw, 50);
    pack(&b, 2);
    b.index[0].raw_bytes -= 50;
    expect_refused(&b, "another size");
    drop(&b);
}

/* A frame with a window of 2^27 bytes, which would be allocated. */
static void test_large_window(void **state)
{
    (void)state;
    static const uint8_t frame[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 17 << 3, 0x03, 0x80, 0x00, 'x'};
    one_block b;
    make(&b, (const uint32_t[]){300000}, 1);
    pack(&b, 1);
    memcpy(b.packed.at, frame, sizeof frame);
    expect_refused(&b, "zstd cannot unpack");
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_rules),        cmocka_unit_test(test_longer_frame),
        cmocka_unit_test(test_large_window),
    };
    return cmocka_run_group_tests_name("text_reader", tests, NULL, NULL);
}
