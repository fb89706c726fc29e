/* engine/tag_split.h: interior of engine: records between a tag and its end. */
#ifndef RP_ENGINE_TAG_SPLIT_H
#define RP_ENGINE_TAG_SPLIT_H

#include "engine/corpus_format.h"

/* In lower case; found in any. */
typedef struct rp__tag_pair {
    const char *open; /* "<doc": a blank or '>' follows it */
    size_t open_bytes;
    const char *close; /* "</doc>" */
    size_t close_bytes;
} rp__tag_pair;

bool rp__tag_split_is_open(const char *p, size_t n, const rp__tag_pair *pair);
size_t rp__tag_split_find_open(const char *at, size_t n, const rp__tag_pair *pair); /* n: none */
/* A row's split. A record begins with the line on which its tag stands, so that columns can be
 * said; one that the file's end cuts is a record without its closing tag. */
bool rp__tag_split(rp__split *split, const rp__tag_pair *pair);

#endif
