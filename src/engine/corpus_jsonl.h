/* engine/corpus_jsonl.h: interior of engine: JSON objects as documents. */
#ifndef RP_ENGINE_CORPUS_JSONL_H
#define RP_ENGINE_CORPUS_JSONL_H

#include "engine/corpus_format.h"

/* Whether the first n bytes are an object with a field of text, or a title if that will do. In a
 * folder its known fields must hold what they may hold. `is_cut`: the bytes may end inside. */
bool rp__corpus_jsonl_has_text(const rp__sniff *sniff, const char *at, size_t n, bool or_title,
                               bool is_cut);
/* A record that is an object, or a string where `takes_strings`; otherwise a fault, `expected`. */
rp_status rp__corpus_jsonl_parse(rp__doc_parser *parser, const rp__batch *batch, size_t i,
                                 const char *expected, bool takes_strings, rp__doc *doc,
                                 rp_error *err);

#endif
