/* tiny_index.h: for tests: an index of a few texts in a folder of its own, made by the index room
 * alone and opened as the engine would. */
#ifndef RP_TESTS_TINY_INDEX_H
#define RP_TESTS_TINY_INDEX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "codec/codec.h"
#include "engine/engine.h"
#include "tempdir.h"

typedef struct tiny_index {
    tempdir dir;
    struct rp_index index;
} tiny_index;

typedef struct tiny_options {
    const char *stem, *stop; /* NULL: none */
    const char *tokens;      /* NULL: plain; otherwise possessives and accents are dropped too */
    bool no_positions;
} tiny_options;

static inline void tiny_token(rp__segment_builder *builder, uint32_t docid, const char *term,
                              uint32_t bytes, uint32_t position)
{
    rp_status status = rp__segment_builder_token(builder, 0, docid, term, bytes, position);
    if (status == RP_LIMIT) {
        assert_int_equal(rp__segment_builder_make_room(builder, 0, NULL), RP_OK);
        status = rp__segment_builder_token(builder, 0, docid, term, bytes, position);
    }
    assert_int_equal(status, RP_OK);
}

static inline void tiny_add(rp__segment_builder *builder, rp__analyzer_state *state, size_t i,
                            const char *text)
{
    char id[32];
    uint32_t docid, length = 0;
    int id_bytes = snprintf(id, sizeof id, "doc-%zu", i);
    assert_int_equal(rp__segment_builder_doc(builder, id, (size_t)id_bytes, &docid, NULL), RP_OK);
    assert_int_equal(docid, i);
    rp__token token;
    rp__analyzer_begin(state, text, strlen(text));
    for (; rp__analyzer_next(state, &token); length++)
        tiny_token(builder, docid, token.term, token.bytes, token.position);
    assert_int_equal(rp__segment_builder_doc_end(builder, docid, length, NULL), RP_OK);
}

static inline void tiny_open(tiny_index *tiny, const char *const *texts, size_t n,
                             tiny_options options)
{
    rp_error err = {0};
    const char *stop = options.stop ? options.stop : "none";
    const char *stem = options.stem ? options.stem : "none";
    const char *words = rp__stopwords_get(stop);
    rp__text_options text = {.stem = stem,
                             .stop_words = words,
                             .stop_bytes = strlen(words),
                             .tokens = options.tokens,
                             .drops_possessive = options.tokens != NULL,
                             .folds_accents = options.tokens != NULL};
    rp__segment_options segment = {.coding.codec = rp__codec_find("bp128", rp__cpu_features()),
                                   .stem = stem,
                                   .stop = stop,
                                   .stop_words = words,
                                   .stop_bytes = strlen(words),
                                   .tokens = text.tokens,
                                   .drops_possessive = text.drops_possessive,
                                   .folds_accents = text.folds_accents,
                                   .has_positions = !options.no_positions,
                                   .memory = 64 << 20,
                                   .workers = 1};
    assert_int_equal(tempdir_make(&tiny->dir), 0);
    assert_int_equal(rp__analyzer_open(&text, &tiny->index.analyzer, &err), RP_OK);
    rp__analyzer_state *state;
    assert_int_equal(rp__analyzer_state_new(tiny->index.analyzer, &state), RP_OK);
    rp__segment_builder *builder;
    if (rp__segment_builder_new(tiny->dir.path, &segment, &builder, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++)
        tiny_add(builder, state, i, texts[i]);
    rp_build_stats stats;
    if (rp__segment_builder_finish(builder, &stats, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp__segment_builder_free(builder);
    rp__analyzer_state_free(state);
    tiny->index.terms = NULL;
    if (rp__segment_open(tiny->dir.path, true, &tiny->index.segment, &err) != RP_OK)
        fail_msg("%s", err.text);
}

static inline void tiny_close(tiny_index *tiny)
{
    rp__segment_close(tiny->index.segment);
    rp__analyzer_close(tiny->index.analyzer);
    tempdir_remove(&tiny->dir);
}

#endif
