/* corpus_text.c: a plain file is one document; its path is its id. */
#include "engine/corpus_format.h"

static bool sniff(const rp__sniff *s)
{
    (void)s;
    return true;
}

static rp_status parse(rp__doc_parser *parser, const rp__batch *batch, size_t i, rp__doc *doc,
                       rp_error *err)
{
    (void)parser, (void)err;
    doc->text = (const char *)batch->bytes.at + batch->records[i].offset;
    doc->text_bytes = batch->records[i].bytes;
    return RP_OK;
}

const rp__corpus_format rp__corpus_text = {
    .name = "text",
    .is_sure = true,
    .is_file = true,
    .sniff = sniff,
    .split = rp__corpus_format_split_file,
    .parse = parse,
};
