/* test_fastpfd.c: the bytes of fastpfd, and exceptions that cannot be. Rows are compared with each
 * other in tests/parity/test_codecs.c. */
#include "list_case.h"

enum { N = 9 * RP_BLOCK + 5, N_BLOCKS = 10, GROUP = 8, ROOM = 16 * N };

/* A list on its way to bytes, and as bytes. */
typedef struct bytes_case {
    uint32_t docids[N], ends[N_BLOCKS], offsets[N_BLOCKS], last[N_BLOCKS], far;
    uint8_t out[ROOM + RP_PAD];
    rp__encoding e;
} bytes_case;

/* Gaps less one of 0 to 3; in block 1 gap 5 is 4 + 2 and gap 6 is 8 + 3, in block 2 gap 9 is 16, in
 * block 8 gap 1 is 7. */
static void make(bytes_case *c)
{
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0, next = 0; i < N; i++) {
        uint32_t b = i / RP_BLOCK, k = i % RP_BLOCK, gap = i % 4;
        gap = b == 1 && k == 5 ? 6 : b == 1 && k == 6 ? 11 : b == 2 && k == 9 ? 16 : gap;
        gap = b == 8 && k == 1 ? 7 : gap;
        c->docids[i] = next + gap;
        next = c->docids[i] + 1;
    }
    const rp__codec *row = rp__codec_find("fastpfd", 0);
    c->e = (rp__encoding){
        .docids = c->docids, .n = N, .ends = c->ends, .offsets = c->offsets, .out = c->out};
    for (; c->e.n_blocks < N_BLOCKS; c->e.n_blocks++) {
        size_t end = (c->e.n_blocks + 1) * RP_BLOCK;
        c->ends[c->e.n_blocks] = (uint32_t)(end < N ? end : N);
        c->last[c->e.n_blocks] = c->docids[c->ends[c->e.n_blocks] - 1];
    }
    c->far = c->docids[N - 1];
    assert_true(row->bound(row, N) <= ROOM);
    assert_int_equal(row->encode(row, &c->e), RP_OK);
}

static rp__list list_of(const bytes_case *c, const rp__codec *row)
{
    return (rp__list){.codec = row,
                      .n = N,
                      .n_blocks = N_BLOCKS,
                      .universe = c->far + 1,
                      .last = c->last,
                      .last_far = &c->far,
                      .offsets = c->offsets,
                      .docs = c->out,
                      .docs_bytes = c->e.used};
}

/* The i-th row here. */
static const rp__codec *row_of(size_t i)
{
    const rp__codec *row;
    for (size_t k = 0; (row = rp__codec_at(k)); k++)
        if (strcmp(row->name, "fastpfd") == 0 && !(row->needs & ~rp__cpu_features()) && i-- == 0)
            return row;
    return NULL;
}

/* Each block is one of bp128; those of a group are followed, in the first one, by runs: a high part of
 * one bit at rank 133, of two at 134, of three at 265. */
static void exceptions_follow_the_first_block(void **unused)
{
    (void)unused;
    static const uint8_t runs[] = {1, 0, 133, 0, 2, 0, 134, 0, 0, 3, 0, 265 & 255, 265 >> 8, 0};
    static const uint8_t one[] = {1, 0, 1, 0};
    bytes_case c;
    make(&c);
    const uint32_t block = 1 + 2 * RP_BLOCK / 8;
    for (uint32_t b = 0; b < N_BLOCKS; b++)
        assert_int_equal(c.out[c.offsets[b]], 2);
    assert_int_equal(c.offsets[1], block + sizeof runs);
    assert_memory_equal(c.out + block, runs, sizeof runs);
    for (uint32_t b = 1; b < GROUP; b++)
        assert_int_equal(c.offsets[b + 1] - c.offsets[b], block);
    assert_int_equal(c.offsets[9] - c.offsets[8], block + sizeof one);
    assert_memory_equal(c.out + c.offsets[8] + block, one, sizeof one);
}

static void every_row_reads_them(void **unused)
{
    (void)unused;
    const rp__codec *row;
    bytes_case c;
    make(&c);
    for (size_t i = 0; (row = row_of(i)); i++) {
        uint32_t out[N + RP_BLOCK_CAPACITY];
        rp__list list = list_of(&c, row);
        assert_int_equal(row->decode(&list, out), RP_OK);
        assert_memory_equal(out, c.docids, sizeof c.docids);
        for (uint32_t b = 0; b < N_BLOCKS; b++) {
            assert_int_equal(row->block(&list, b, out), RP_OK);
            assert_memory_equal(out, c.docids + b * RP_BLOCK,
                                (c.ends[b] - b * RP_BLOCK) * sizeof *out);
        }
    }
}

/* The byte at `at` after the first block, or after block 8, made another. */
static void assert_damaged(uint32_t b, uint32_t at, uint8_t byte)
{
    const rp__codec *row;
    bytes_case c;
    make(&c);
    c.out[c.offsets[b] + 1 + 2 * RP_BLOCK / 8 + at] = byte;
    for (size_t i = 0; (row = row_of(i)); i++) {
        uint32_t out[N + RP_BLOCK_CAPACITY];
        rp__list list = list_of(&c, row);
        assert_int_equal(row->decode(&list, out), RP_DAMAGED);
        assert_int_equal(rp__list_decode(&list, out, NULL), RP_DAMAGED);
    }
}

static void what_cannot_be_is_damage(void **unused)
{
    (void)unused;
    assert_damaged(0, 0, 0);   /* a high part of no bits */
    assert_damaged(0, 0, 33);  /* of too many */
    assert_damaged(0, 0, 31);  /* of more than fit above the width: 2 + 31, and 4 bytes more */
    assert_damaged(0, 9, 40);  /* the same of the last run, which then does not lie inside */
    assert_damaged(0, 1, 255); /* a run that does not lie inside */
    assert_damaged(0, 2, 5);   /* in another block: both end elsewhere */
    assert_damaged(0, 3, 3);   /* in the last block of the group */
    assert_damaged(8, 3, 1);   /* past the list's docids: rank 257 of 133 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exceptions_follow_the_first_block),
        cmocka_unit_test(every_row_reads_them),
        cmocka_unit_test(what_cannot_be_is_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
