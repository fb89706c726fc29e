/* collection.c: documents for the oracle and for indexes. See collection.h. */
#include "oracle/collection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/corpus.h"
#include "oracle/chance.h"

static void check(const collection *c, rp_status status, const rp_error *err)
{
    if (status == RP_OK)
        return;
    fprintf(stderr, "%s: %s\n", c->name, err->text);
    abort();
}

static void folder_of(const collection *c, size_t i, char out[128])
{
    snprintf(out, 128, "%s/%s", c->folder, c->codecs[i]);
}

void collection_add_codec(collection *c, const char *codec)
{
    rp_error err = {.text = "no folder, or too many codecs"};
    char dir[128];
    if (!c->o) {
        c->o = oracle_new(c->stem, c->stop);
        snprintf(c->folder, sizeof c->folder, "/tmp/riposte-oracle-XXXXXX");
        check(c, mkdtemp(c->folder) ? RP_OK : RP_IO, &err);
    }
    check(c, c->n_codecs < COLLECTION_CODECS ? RP_OK : RP_LIMIT, &err);
    size_t i = c->n_codecs++;
    c->codecs[i] = codec;
    folder_of(c, i, dir);
    rp_build_options options = {
        .codec = codec, .freqs = c->freqs, .stem = c->stem, .stop = c->stop, .no_store = true};
    check(c, rp_builder_new(dir, &options, &c->builders[i], &err), &err);
}

void collection_add_codecs(collection *c)
{
    const char *codec;
    for (size_t i = 0; (codec = rp_codec_name(i)); i++)
        collection_add_codec(c, codec);
}

void collection_add(collection *c, const char *title, size_t title_bytes, const char *text,
                    size_t text_bytes)
{
    rp_error err;
    char id[32];
    int id_bytes = snprintf(id, sizeof id, "d%llu", (unsigned long long)c->n_docs++);
    oracle_add(c->o, title, title_bytes, text, text_bytes);
    for (size_t i = 0; i < c->n_codecs; i++)
        check(c,
              rp_builder_add(c->builders[i], id, (size_t)id_bytes, title, title_bytes, text,
                             text_bytes, &err),
              &err);
}

void collection_end(collection *c)
{
    rp_error err;
    char dir[128];
    oracle_finish(c->o);
    for (size_t i = 0; i < c->n_codecs; i++) {
        folder_of(c, i, dir);
        check(c, rp_builder_finish(c->builders[i], NULL, &err), &err);
        rp_builder_free(c->builders[i]);
        c->builders[i] = NULL;
        check(c, rp_index_open(dir, &(rp_index_options){.verify = true}, &c->indexes[i], &err),
              &err);
        rp_index_info info;
        rp_error other = {.text = "documents or terms are missing"};
        rp_index_get_info(c->indexes[i], &info);
        bool is_whole = info.docs == oracle_docs(c->o) && info.terms == oracle_terms(c->o);
        check(c, is_whole ? RP_OK : RP_DAMAGED, &other);
    }
}

void collection_close(collection *c)
{
    rp_error err = {.text = "its folder cannot be removed"};
    char command[128];
    for (size_t i = 0; i < c->n_codecs; i++) {
        rp_builder_free(c->builders[i]);
        rp_index_close(c->indexes[i]);
    }
    oracle_free(c->o);
    snprintf(command, sizeof command, "rm -rf '%s'", c->folder);
    check(c, system(command) == 0 ? RP_OK : RP_IO, &err);
}

/* ---- Documents ------------------------------------------------------------------------------- */

void collection_put_word(char *out, uint64_t v)
{
    size_t n = 0;
    do
        out[n++] = (char)('a' + v % 7);
    while ((v /= 7) > 0 && n < 20);
    out[n] = 0;
}

void collection_put_words(char *text, uint64_t n, uint64_t below)
{
    for (char *end = text + strlen(text); n > 0; n--, end += strlen(end)) {
        collection_put_word(end, chance_zipf(below));
        strcat(end, " ");
    }
}

void collection_fill(collection *c, uint64_t n_docs, uint64_t n_words, uint64_t most_words)
{
    char text[8192];
    for (uint64_t d = 0; d < n_docs; d++) {
        size_t at = 0, n = chance_below(20) ? 1 + chance_zipf(most_words) : 0;
        for (size_t i = 0; i < n && at + 32 < sizeof text; i++) {
            collection_put_word(text + at, chance_zipf(n_words));
            at += strlen(text + at);
            text[at++] = chance_below(9) ? ' ' : '.';
        }
        size_t cut = chance_below(4) ? 0 : at / 2;
        collection_add(c, text, cut, text + cut, at - cut);
    }
}

static void add_parsed(collection *c, rp__doc_parser *parser, const rp__batch *batch, uint64_t most)
{
    rp_error err;
    rp__doc doc;
    for (size_t i = 0; i < batch->n && c->n_docs < most; i++) {
        check(c, rp__doc_parser_parse(parser, batch, i, &doc, &err), &err);
        collection_add(c, doc.title, doc.title_bytes, doc.text, doc.text_bytes);
    }
}

bool collection_read(collection *c, const char *file, uint64_t most)
{
    const char *data = getenv("RIPOSTE_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", data ? data : "../shared/data", file);
    if (access(path, R_OK) != 0)
        return false;
    rp_error err = {.text = "no memory"};
    rp__corpus *corpus;
    rp__batch batch;
    rp__doc_parser *parser;
    const char *paths[] = {path};
    rp_build_options options = {0};
    rp__skip_list skips;
    rp__skip_list_init(&skips, NULL);
    check(c, rp__corpus_open(paths, 1, &options, &skips, &corpus, &err), &err);
    check(c, rp__batch_init(&batch), &err);
    check(c, rp__doc_parser_new(&options, &parser), &err);
    while (c->n_docs < most && rp__corpus_next(corpus, &batch, &err) == RP_OK && batch.n > 0)
        add_parsed(c, parser, &batch, most);
    rp__doc_parser_free(parser);
    rp__batch_free(&batch);
    rp__corpus_close(corpus);
    rp__skip_list_free(&skips);
    return true;
}

void collection_draw(collection *c, const collection_recipe *recipe)
{
    *c = (collection){.name = recipe->name, .stem = "none", .stop = "none"};
    chance_seed(recipe->seed);
    for (size_t i = 0; i < recipe->n_codecs; i++)
        collection_add_codec(c, recipe->codecs[i]);
    collection_fill(c, recipe->docs, recipe->words, recipe->max_length);
    collection_end(c);
}
