/* test_damaged_lists.c: every algorithm of the cpu on lists whose bytes are others than were written: an
 * answer, or that the index is damaged, and no harm to memory, at each level of instructions.
 *
 * RIPOSTE_ORACLE_SEED sets where chance starts; RIPOSTE_THOROUGH has all codecs, and ten times as many
 * rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_run.h"
#include "engine/searcher.h"
#include "oracle/chance.h"
#include "oracle/collection.h"
#include "oracle/levels.h"
#include "oracle/question.h"

enum { QUERY_TEXT = 60000, ROUNDS = 40, QUERIES = 10 };

static const level *here;

typedef struct file {
    char path[160];
    uint8_t *bytes;
    size_t n;
} file;

static void read_lists(const collection *c, size_t codec, file *f)
{
    snprintf(f->path, sizeof f->path, "%s/%s/lists.00000001.rp", c->folder, c->codecs[codec]);
    FILE *in = fopen(f->path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    f->n = (size_t)ftell(in);
    f->bytes = malloc(f->n);
    rewind(in);
    assert_int_equal(fread(f->bytes, 1, f->n, in), f->n);
    fclose(in);
}

/* Some bytes are others: single bits, or all bits, which make the largest numbers. */
static void write_damaged(const file *f)
{
    uint8_t *bytes = malloc(f->n);
    memcpy(bytes, f->bytes, f->n);
    for (uint64_t i = 1 + chance_below(20); i > 0; i--)
        bytes[chance_below(f->n)] ^= (uint8_t)(chance_below(3) ? 1U << chance_below(8) : 255);
    FILE *out = fopen(f->path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, f->n, out), f->n);
    assert_int_equal(fclose(out), 0);
    free(bytes);
}

static const collection *damaged;

/* Any answer will do, or that the index is damaged. */
static void ask_damaged(rp_searcher *searcher, rp__arena *arena)
{
    char text[QUERY_TEXT] = "";
    rp__query query;
    const rp__algorithm *row;
    oracle_node *node = question_make_flat(damaged->o);
    oracle_print(node, text, sizeof text);
    oracle_node_free(node);
    rp_mode mode = chance_below(3) ? RP_MODE_OR : RP_MODE_AND;
    rp_status status = rp__searcher_bind(searcher, text, strlen(text), mode, &query, NULL);
    bool is_run = status == RP_OK && query.n_ops > 0;
    for (size_t i = 0; is_run && (row = rp__algorithm_at(i)); i++) {
        rp__answer answer;
        query.k = chance_below(3) ? 1 + chance_below(1000) : 0;
        query.algorithm = row->name;
        if (!row->applies(&query))
            continue;
        rp__arena_clear(arena);
        status = rp__cpu_run_by(row, &query, arena, &answer, NULL);
        assert_true(status == RP_OK || status == RP_DAMAGED);
        for (size_t j = 0; status == RP_OK && j < answer.n; j++)
            assert_true(answer.at[j].docid < damaged->n_docs);
    }
}

static uint64_t ask_index(const char *dir)
{
    rp_index *index;
    rp_searcher *searcher;
    rp__arena arena;
    if (rp_index_open(dir, NULL, &index, NULL) != RP_OK)
        return 0;
    rp__arena_init(&arena, (size_t)256 << 20);
    assert_int_equal(rp_searcher_new(index, NULL, &searcher, NULL), RP_OK);
    for (uint32_t i = 0; i < QUERIES; i++)
        ask_damaged(searcher, &arena);
    rp_searcher_free(searcher);
    rp__arena_reset(&arena);
    rp_index_close(index);
    return 1;
}

/* The codec, damaged in many ways; how many of them opened. */
static uint64_t damage_codec(collection *c, size_t i, uint64_t rounds)
{
    file f;
    char dir[128];
    uint64_t opened = 0;
    snprintf(dir, sizeof dir, "%s/%s", c->folder, c->codecs[i]);
    rp_index_close(c->indexes[i]);
    c->indexes[i] = NULL;
    read_lists(c, i, &f);
    for (uint64_t r = 0; r < rounds; r++) {
        write_damaged(&f);
        opened += ask_index(dir);
    }
    free(f.bytes);
    return opened;
}

static void damaged_lists_do_no_harm(void **state)
{
    (void)state;
    collection c = {.name = "damaged lists", .stem = "none", .stop = "none"};
    bool is_thorough = getenv("RIPOSTE_THOROUGH") != NULL;
    const char *codec, *seed = getenv("RIPOSTE_ORACLE_SEED");
    uint64_t opened = 0, rounds = is_thorough ? 10 * ROUNDS : ROUNDS;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++)
        if (is_thorough || i % 8 == here->number)
            collection_add_codec(&c, codec);
    chance_seed((seed ? strtoull(seed, NULL, 10) : 1) + here->number);
    collection_fill(&c, 4000, 60, 12);
    collection_end(&c);
    damaged = &c;
    for (size_t i = 0; i < c.n_codecs; i++)
        opened += damage_codec(&c, i, rounds);
    assert_true(opened > rounds);
    collection_close(&c);
}

static int run_level(const level *l)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_lists_do_no_harm)};
    here = l;
    return cmocka_run_group_tests_name(l->name, tests, NULL, NULL);
}

int main(void)
{
    return levels_run(run_level);
}
