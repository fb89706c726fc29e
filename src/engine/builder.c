/* builder.c: building from memory, document by document; and the options that both ways share.
 * Building from files is build.c. */
#include "engine/builder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/record.h"
#include "base/utf8.h"
#include "engine/codec_spec.h"
#include "engine/ingest.h"

enum {
    MEMORY_DEFAULT = 1 << 30,
    MEMORY_LEAST = 16 << 20,
    MAX_LINE_DEFAULT = 256 << 20,
    MAX_EXPAND_DEFAULT = 1000,
    MAX_JSON_DEPTH_DEFAULT = 64,
    MAX_JSON_DEPTH_MOST = 1024,
    MAX_THREADS = 256,
    STOP_FILE_MOST = 1 << 20,
};

rp_status rp__builder_check_limits(uint64_t *memory, uint32_t *threads, rp_error *err)
{
    *memory = *memory ? *memory : MEMORY_DEFAULT;
    *threads = *threads ? *threads : 1;
    if (*threads > MAX_THREADS)
        return rp__error_set(err, RP_USAGE, "--threads is at most %d", MAX_THREADS);
    if (*memory < (uint64_t)MEMORY_LEAST * *threads)
        return rp__error_set(err, RP_NO_MEMORY, "--memory is at least %u MiB for %u thread%s",
                             (MEMORY_LEAST >> 20) * *threads, *threads, *threads == 1 ? "" : "s");
    return RP_OK;
}

static rp_status fill_defaults(rp_build_options *o, rp_error *err)
{
    o->codec = o->codec ? o->codec : rp_codec_name(0);
    o->stem = o->stem ? o->stem : "none";
    o->stop = o->stop ? o->stop : "none";
    o->tokens = o->tokens ? o->tokens : rp__tokens_name(0);
    o->max_line = o->max_line ? o->max_line : MAX_LINE_DEFAULT;
    o->max_expand = o->max_expand ? o->max_expand : MAX_EXPAND_DEFAULT;
    o->max_json_depth = o->max_json_depth ? o->max_json_depth : MAX_JSON_DEPTH_DEFAULT;
    rp_status status = rp__builder_check_limits(&o->memory, &o->threads, err);
    if (status == RP_OK && o->max_json_depth > MAX_JSON_DEPTH_MOST)
        return rp__error_set(err, RP_USAGE, "--max-json-depth is at most %d", MAX_JSON_DEPTH_MOST);
    return status;
}

static bool goes_on(void *options)
{
    const rp_build_options *o = options;
    rp_progress p = {.phase = "reading", .memory = rp__alloc_in_use()};
    return !o->on_progress || o->on_progress(o->progress_arg, &p);
}

/* The words of a stop list that is a file. */
static rp_status read_stop_file(rp__build_setup *s, rp_error *err)
{
    rp__input_options options = {
        .max_expand = s->o.max_expand, .goes_on = goes_on, .goes_on_arg = &s->o};
    rp__input *input;
    size_t got = 0;
    rp_error why = {0};
    rp_status status = rp__input_open_text(s->o.stop, &options, &input, &why);
    if (status != RP_OK)
        return rp__error_set(err, status, "%.150s; stop lists are lucene and languages, as german",
                             why.text);
    s->stop_words = rp__alloc(STOP_FILE_MOST + 1);
    status = s->stop_words ? rp__input_read(input, s->stop_words, STOP_FILE_MOST + 1, &got, err)
                           : rp__error_no_memory(err);
    rp__input_close(input);
    if (status != RP_OK)
        return status;
    if (got > STOP_FILE_MOST)
        return rp__error_set(err, RP_LIMIT, "%s: a stop list has at most 1 MiB", s->o.stop);
    if (rp__utf8_check(s->stop_words, got) != got)
        return rp__error_set(err, RP_INPUT, "%s: invalid UTF-8 at byte %zu", s->o.stop,
                             rp__utf8_check(s->stop_words, got));
    const char *name = strrchr(s->o.stop, '/');
    name = name ? name + 1 : s->o.stop;
    strncpy(s->stop_name, name, sizeof s->stop_name - 1);
    s->segment.stop = s->stop_name;
    s->segment.stop_words = s->stop_words;
    s->segment.stop_bytes = got;
    return RP_OK;
}

static rp_status find_stop_words(rp__build_setup *s, rp_error *err)
{
    const char *words = rp__stopwords_get(s->o.stop);
    if (!words)
        return read_stop_file(s, err);
    s->segment.stop = s->o.stop;
    s->segment.stop_words = words;
    s->segment.stop_bytes = strlen(words);
    return RP_OK;
}

static rp__text_options text_options(const rp__segment_options *o)
{
    return (rp__text_options){.stem = o->stem,
                              .stop_words = o->stop_words,
                              .stop_bytes = o->stop_bytes,
                              .tokens = o->tokens,
                              .drops_possessive = o->drops_possessive,
                              .folds_accents = o->folds_accents};
}

rp_status rp__builder_setup(const rp_build_options *options, rp__build_setup *s, rp_error *err)
{
    *s = (rp__build_setup){0};
    rp_status status = RP_TAKE(&s->o, options, err);
    if (status == RP_OK)
        status = fill_defaults(&s->o, err);
    if (status != RP_OK)
        return status;
    s->segment = (rp__segment_options){.aux = s->o.aux,
                                       .stem = s->o.stem,
                                       .tokens = s->o.tokens,
                                       .drops_possessive = !s->o.keep_possessive,
                                       .folds_accents = !s->o.no_fold,
                                       .has_positions = !s->o.no_positions,
                                       .has_text = !s->o.no_store,
                                       .memory = s->o.memory,
                                       .workers = s->o.threads};
    status = rp__codec_spec_parse(s->o.codec, s->o.freqs, &s->segment.coding, err);
    if (status != RP_OK)
        return status;
    status = find_stop_words(s, err);
    if (status == RP_OK) {
        rp__text_options text = text_options(&s->segment);
        status = rp__analyzer_open(&text, &s->analyzer, err);
    }
    if (status != RP_OK)
        rp__builder_setup_reset(s);
    return status;
}

void rp__builder_setup_reset(rp__build_setup *s)
{
    rp__analyzer_close(s->analyzer);
    rp__free(s->stop_words);
    *s = (rp__build_setup){0};
}

struct rp_builder {
    rp__build_setup setup;
    rp__segment_builder *segment;
    rp__ingest ingest;
    rp_error over; /* code RP_OK: open; else why nothing more can be done with it */
};

rp_status rp_builder_new(const char *dir, const rp_build_options *options, rp_builder **out,
                         rp_error *err)
{
    if (RP_MISSING(err, out))
        return RP_USAGE;
    *out = NULL;
    if (RP_MISSING(err, dir))
        return RP_USAGE;
    rp_builder *b = rp__alloc_zero(1, sizeof *b);
    if (!b)
        return rp__error_no_memory(err);
    rp_status status = rp__builder_setup(options, &b->setup, err);
    b->setup.segment.workers = 1;
    uint64_t limit = rp__alloc_set_limit(b->setup.o.memory);
    if (status == RP_OK)
        status = rp__segment_builder_new(dir, &b->setup.segment, &b->segment, err);
    if (status == RP_OK && rp__ingest_init(&b->ingest, b->segment, 0, b->setup.segment.has_text,
                                           b->setup.analyzer) != RP_OK)
        status = rp__error_no_memory(err);
    rp__alloc_set_limit(limit);
    if (status != RP_OK) {
        rp_builder_free(b);
        return status;
    }
    *out = b;
    return RP_OK;
}

static rp_status tell_over(const rp_builder *b, rp_error *err)
{
    if (err)
        *err = b->over;
    return b->over.code;
}

static rp_status add_document(rp_builder *b, const rp__doc *doc, rp_error *err)
{
    uint32_t docid;
    rp_status status = rp__segment_builder_doc(b->segment, doc->id, doc->id_bytes, &docid, err);
    if (status == RP_INPUT || status == RP_LIMIT)
        return status;
    if (status == RP_OK)
        status = rp__ingest_add(&b->ingest, docid, doc, err);
    if (status == RP_OK)
        status = rp__ingest_write_blocks(&b->ingest, err);
    if (status != RP_OK) /* a document that went in by halves must not be published */
        b->over = *err;
    return status;
}

rp_status rp_builder_add(rp_builder *builder, const char *id, size_t id_bytes, const char *title,
                         size_t title_bytes, const char *text, size_t text_bytes, rp_error *err)
{
    if (RP_MISSING(err, builder) || RP_MISSING_ARRAY(err, id, id_bytes) ||
        RP_MISSING_ARRAY(err, title, title_bytes) || RP_MISSING_ARRAY(err, text, text_bytes))
        return RP_USAGE;
    rp__doc doc = {.id = id,
                   .title = title,
                   .text = text,
                   .id_bytes = id_bytes,
                   .title_bytes = title_bytes,
                   .text_bytes = text_bytes};
    rp_error why = {0};
    if (builder->over.code != RP_OK)
        return tell_over(builder, err);
    if (title_bytes > builder->setup.o.max_line || text_bytes > builder->setup.o.max_line)
        return rp__error_set(err, RP_LIMIT, "a document has at most %llu bytes (--max-line)",
                             (unsigned long long)builder->setup.o.max_line);
    uint64_t limit = rp__alloc_set_limit(builder->setup.o.memory);
    rp_status status = add_document(builder, &doc, &why);
    rp__alloc_set_limit(limit);
    if (status != RP_OK && err)
        *err = why;
    return status;
}

rp_status rp_builder_finish(rp_builder *builder, rp_build_stats *stats, rp_error *err)
{
    if (RP_MISSING(err, builder))
        return RP_USAGE;
    if (stats)
        *stats = (rp_build_stats){0};
    if (builder->over.code != RP_OK)
        return tell_over(builder, err);
    uint64_t limit = rp__alloc_set_limit(builder->setup.o.memory);
    rp_status status = rp__ingest_end_block(&builder->ingest, err);
    if (status == RP_OK)
        status = rp__ingest_write_blocks(&builder->ingest, err);
    if (status == RP_OK)
        status = rp__segment_builder_finish(builder->segment, stats, err);
    rp__alloc_set_limit(limit);
    rp__error_set(&builder->over, RP_USAGE, "this index is finished; begin another");
    return status;
}

void rp_builder_free(rp_builder *b)
{
    if (!b)
        return;
    rp__ingest_reset(&b->ingest);
    rp__segment_builder_free(b->segment);
    rp__builder_setup_reset(&b->setup);
    rp__free(b);
}
