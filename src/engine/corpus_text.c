/* corpus_text.c: a plain file is one document; its path is its id. */
#include "engine/corpus_format.h"

#include <string.h>

static bool sniff(const char *head, size_t n)
{
    (void)head, (void)n;
    return true;
}

static bool split(rp__split *s)
{
    s->begin = 0;
    s->end = s->n;
    s->used = s->is_end || s->is_passing ? s->n : 0;
    return s->is_end;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    (void)parser;
    doc->id = batch->path + batch->path_id;
    doc->id_bytes = strlen(doc->id);
    doc->text = (const char *)batch->bytes.at + batch->records[i].offset;
    doc->text_bytes = batch->records[i].bytes;
    return rp__doc_parser_check_utf8(batch, i, err);
}

const rp__corpus_format rp__corpus_text = {
    .name = "text",
    .is_sure = true,
    .sniff = sniff,
    .split = split,
    .parse = parse,
};
