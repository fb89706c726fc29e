/* segment_case.h: for tests: a segment written by hand, without the builder, and any segment
 * compared with a plain index term by term, posting by posting, position by position. */
#ifndef RP_TESTS_SEGMENT_CASE_H
#define RP_TESTS_SEGMENT_CASE_H

#include "base/alloc.h"
#include "base/cpu.h"
#include "index/manifest.h"
#include "index/segment.h"
#include "index/segment_writer.h"
#include "tempdir.h"
#include "unit/files.h"
#include "unit/index/plain_index.h"

typedef struct segment_case {
    tempdir dir;
    rp__folder folder;
    rp__meta meta;
    rp__doctable_writer *docs;
    rp__lengths lengths;
    float *norms;
    rp__segment_writer *w;
    rp__segment *segment;
} segment_case;

/* Lengths of documents are what the plain index has in them; ids are d0, d1, ... */
static inline void segment_case_docs(segment_case *c, const plain_index *plain, uint32_t n_docs)
{
    uint32_t *lengths = calloc(n_docs + 1, sizeof *lengths), docid;
    for (size_t i = 0; i < plain->n; i++)
        for (uint32_t j = 0; j < plain->terms[i]->n; j++)
            lengths[plain->terms[i]->postings[j].docid] += plain->terms[i]->postings[j].n;
    assert_int_equal(rp__doctable_writer_new(&c->docs), RP_OK);
    for (uint32_t d = 0; d < n_docs; d++) {
        char id[16];
        int bytes = snprintf(id, sizeof id, "d%u", d);
        assert_int_equal(rp__doctable_writer_add(c->docs, id, (size_t)bytes, &docid), RP_OK);
        rp__doctable_writer_set_length(c->docs, d, lengths[d]);
    }
    assert_int_equal(rp__doctable_writer_code(c->docs, &c->lengths, &c->meta.tokens), RP_OK);
    assert_int_equal(c->meta.tokens, plain->tokens);
    c->meta.docs = n_docs;
    c->meta.max_length = n_docs ? c->lengths.table[c->lengths.n_table - 1] : 0;
    free(lengths);
}

/* The norms that block bounds are made of, as the builder has them. */
static inline void segment_case_norms(segment_case *c)
{
    const rp__ranking *ranking = rp__ranking_at(0);
    rp__rank rank = {.ranking = ranking,
                     .k1 = ranking->k1,
                     .b = ranking->b,
                     .mu = ranking->mu,
                     .stats = {c->meta.docs, c->meta.tokens, c->meta.max_length}};
    c->meta.bound_k1 = rank.k1;
    c->meta.bound_b = rank.b;
    strcpy(c->meta.bound_variant, ranking->name);
    c->norms = calloc(c->lengths.n_table + 1U, sizeof *c->norms);
    for (uint32_t i = 0; i < c->lengths.n_table; i++)
        c->norms[i] = rp__rank_norm(&rank, c->lengths.table[i]);
}

static inline void segment_case_begin(segment_case *c, const char *codec, bool has_positions,
                                      const plain_index *plain, uint32_t n_docs)
{
    memset(c, 0, sizeof *c);
    c->meta.generation = 1;
    c->meta.flags = has_positions ? RP_META_POSITIONS : 0;
    strcpy(c->meta.codec, codec);
    strcpy(c->meta.stem, "none");
    strcpy(c->meta.stop, "none");
    assert_int_equal(tempdir_make(&c->dir), 0);
    assert_int_equal(rp__folder_create(&c->folder, c->dir.path, NULL), RP_OK);
    segment_case_docs(c, plain, n_docs);
    segment_case_norms(c);
    rp__coding coding = {.codec = rp__codec_find(codec, rp__cpu_features())};
    assert_int_equal(rp__segment_writer_new(&c->folder, 1, &coding, has_positions, &c->lengths,
                                            c->norms, &c->w, NULL),
                     RP_OK);
}

/* Publishes what the writer has and opens it. */
static inline void segment_case_end(segment_case *c)
{
    rp_error err = {0};
    rp__meta_file *file = &c->meta.files[RP_FILE_DOCS];
    assert_int_equal(rp__segment_writer_finish(c->w, &c->meta, &err), RP_OK);
    rp__segment_writer_free(c->w);
    assert_int_equal(rp__doctable_writer_write(c->docs, &c->folder, "docs.00000001.rp",
                                               &file->bytes, &file->checksum, &err),
                     RP_OK);
    rp__doctable_writer_free(c->docs);
    free(c->norms);
    rp__manifest manifest = {.meta = c->meta};
    assert_int_equal(rp__manifest_publish(&c->folder, &manifest, &err), RP_OK);
    if (rp__segment_open(c->dir.path, true, &c->segment, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static inline void segment_case_close(segment_case *c)
{
    rp__segment_close(c->segment);
    rp__folder_close(&c->folder);
    tempdir_remove(&c->dir);
}

static inline void segment_case_put_term(segment_case *c, const plain_term *t)
{
    rp__segment_writer_term(c->w, t->term, t->bytes);
    for (uint32_t i = 0; i < t->n; i++) {
        const plain_posting *p = &t->postings[i];
        bool has_positions = c->meta.flags & RP_META_POSITIONS;
        uint32_t before = UINT32_MAX;
        assert_int_equal(rp__segment_writer_posting(c->w, p->docid, has_positions ? 0 : p->n),
                         RP_OK);
        for (uint32_t j = 0; has_positions && j < p->n; j++) {
            uint32_t gap = p->positions[j] - before - 1;
            rp__segment_writer_positions(c->w, &gap, 1);
            before = p->positions[j];
        }
    }
    assert_int_equal(rp__segment_writer_end_term(c->w, NULL), RP_OK);
}

/* A whole segment of a plain index. */
static inline void segment_case_open(segment_case *c, const char *codec, bool has_positions,
                                     plain_index *plain, uint32_t n_docs)
{
    segment_case_begin(c, codec, has_positions, plain, n_docs);
    plain_sort(plain);
    for (size_t i = 0; i < plain->n; i++)
        segment_case_put_term(c, plain->terms[i]);
    segment_case_end(c);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static inline void expect_positions(const rp__segment *s, const rp__term *entry,
                                    const rp__list *list, const plain_term *t, rp__arena *arena)
{
    rp__positions p;
    assert_int_equal(rp__positions_open(&p, s, entry, list, arena), RP_OK);
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t *at;
        uint32_t n;
        assert_int_equal(rp__positions_get(&p, i, &at, &n), RP_OK);
        assert_int_equal(n, t->postings[i].n);
        assert_memory_equal(at, t->postings[i].positions, n * sizeof *at);
    }
}

static inline void expect_term(const rp__segment *s, const rp__term *entry, const plain_term *t,
                               bool has_positions)
{
    rp__arena arena;
    rp__list list;
    uint32_t *docids = malloc((t->n + RP_BLOCK_CAPACITY) * sizeof *docids);
    uint32_t *tfs = malloc((t->n + RP_BLOCK_CAPACITY) * sizeof *tfs);
    rp__arena_init(&arena, (size_t)1 << 30);
    assert_int_equal(entry->df, t->n);
    assert_int_equal(entry->cf, t->cf);
    assert_int_equal(rp__segment_list(s, entry, &arena, &list), RP_OK);
    assert_int_equal(list.n, t->n);
    assert_int_equal(rp__list_decode(&list, docids, tfs), RP_OK);
    for (uint32_t i = 0; i < t->n; i++) {
        assert_int_equal(docids[i], t->postings[i].docid);
        assert_int_equal(tfs[i], t->postings[i].n);
    }
    if (has_positions)
        expect_positions(s, entry, &list, t, &arena);
    rp__arena_reset(&arena);
    free(docids);
    free(tfs);
}

static inline void print_fault(void *arg, const char *where, const char *what)
{
    (void)arg;
    print_error("%s: %s\n", where, what);
}

/* All terms in order, each found by itself, with all its postings; and the check finds no fault. */
static inline void expect_segment(rp__segment *s, plain_index *plain, bool has_positions)
{
    rp__term_iter iter;
    rp__term found;
    plain_sort(plain);
    const rp__segment_info *info = rp__segment_get_info(s);
    assert_int_equal(info->terms, plain->n);
    assert_int_equal(info->postings, plain->postings);
    assert_int_equal(info->stats.tokens, plain->tokens);
    assert_int_equal(rp__term_iter_start(&iter, s, "", 0), RP_OK);
    for (size_t i = 0; i < plain->n; i++) {
        const plain_term *t = plain->terms[i];
        assert_int_equal(rp__term_iter_next(&iter), RP_OK);
        assert_int_equal(iter.term_bytes, t->bytes);
        assert_memory_equal(iter.term, t->term, t->bytes);
        expect_term(s, &iter.entry, t, has_positions);
        assert_int_equal(rp__segment_find(s, t->term, t->bytes, &found), RP_OK);
        assert_memory_equal(&found, &iter.entry, sizeof found);
    }
    assert_int_equal(rp__term_iter_next(&iter), RP_NOT_FOUND);
    assert_int_equal(rp__segment_check(s, print_fault, NULL, NULL), RP_OK);
}

#endif
