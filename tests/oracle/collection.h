/* oracle/collection.h: documents that the oracle has and, in several codecs, an index. */
#ifndef RP_TESTS_ORACLE_COLLECTION_H
#define RP_TESTS_ORACLE_COLLECTION_H

#include "oracle/oracle.h"
#include "riposte/riposte.h"

enum { COLLECTION_CODECS = 64 };

/* All zero but the names of what analyzes text, which are those of rp_build_options. */
typedef struct collection {
    const char *name, *stem, *stop;
    /* code of frequencies in indexes that are added from then on; NULL: the codec's */
    const char *freqs;
    oracle *o;
    const char *codecs[COLLECTION_CODECS];
    rp_index *indexes[COLLECTION_CODECS]; /* by codec */
    rp_builder *builders[COLLECTION_CODECS];
    size_t n_codecs;
    uint64_t n_docs;
    char folder[64];
} collection;

/* Every failure below aborts the test program, after a message. */

/* Call it for each codec, before the first document. */
void collection_add_codec(collection *c, const char *codec);
void collection_add_codecs(collection *c); /* all there are */
/* The id is d and the docid. */
void collection_add(collection *c, const char *title, size_t title_bytes, const char *text,
                    size_t text_bytes);
/* After the last document. */
void collection_end(collection *c);
void collection_close(collection *c);

/* Documents by chance: words are numbers in letters, so that they share prefixes; low numbers are
 * frequent. */
void collection_fill(collection *c, uint64_t n_docs, uint64_t n_words, uint64_t most_words);
/* A whole collection so: `c` is all zero, chance begins with the seed. */
typedef struct collection_recipe {
    const char *name;
    uint64_t seed;
    const char *const *codecs;
    size_t n_codecs;
    uint64_t docs, words, max_length; /* as of collection_fill */
} collection_recipe;
void collection_draw(collection *c, const collection_recipe *recipe);
void collection_put_word(char *out, uint64_t v); /* such a word: at most 20 letters and a NUL */
/* Adds so many words by chance to a text, as frequent words as numbers below `below` are, with a
 * space behind each. */
void collection_put_words(char *text, uint64_t n, uint64_t below);
/* The first documents of a file of the data folder; false if it is not there. */
bool collection_read(collection *c, const char *file, uint64_t most);

#endif
