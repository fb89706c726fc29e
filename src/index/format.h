/* index/format.h: interior of index: every number that is on disk. docs/format.md is its prose.
 *
 * Little endian, naturally aligned. A field is never reused; a new one needs a feature bit. */
#ifndef RP_INDEX_FORMAT_H
#define RP_INDEX_FORMAT_H

#include <stdint.h>

/* Files of an index; also their kinds in the section header. */
typedef enum rp__file_kind {
    RP_FILE_MANIFEST,
    RP_FILE_TERMS,
    RP_FILE_LISTS,
    RP_FILE_POSITIONS,
    RP_FILE_DOCS,
    RP_FILE_TEXT,
    RP_FILE_KINDS,
} rp__file_kind;

/* Sections. */
enum {
    RP_SECTION_META = 1,       /* manifest: rp__meta */
    RP_SECTION_STOP_WORDS = 2, /* manifest: words separated by '\n' */
    /* manifest: name of the frequencies' code, if not the codec's own */
    RP_SECTION_FREQS = 3,
    /* manifest: rp__meta_stats, if ranking counts with other figures */
    RP_SECTION_STATS = 4,
    /* manifest: rp__meta_analysis, if text is analyzed in another way than the plain one */
    RP_SECTION_ANALYSIS = 5,
    /* manifest: for which instruction set auto chose the codecs of lists; readers need it not */
    RP_SECTION_COSTS = 6,
    RP_SECTION_TERM_BLOCKS = 16,  /* terms: front-coded blocks of RP_TERMS_PER_BLOCK terms */
    RP_SECTION_TERM_OFFSETS = 17, /* terms: u64 a block and one more */
    /* terms: u64 a block: first 8 bytes of its first term, as a number */
    RP_SECTION_TERM_PREFIXES = 18,
    /* terms, optional: u32 a block: the most documents that a term of it has */
    RP_SECTION_TERM_MOST = 19,
    RP_SECTION_LISTS = 32,
    /* lists: u64 a list of more than RP_BLOCK postings: where it begins */
    RP_SECTION_AUX_LISTS = 33,
    RP_SECTION_AUX = 34, /* lists: of the kind of id 0, then 1, ... */
    RP_SECTION_POSITIONS = 48,
    RP_SECTION_DOC_IDS = 64,
    RP_SECTION_DOC_ID_BASES = 65,   /* u64 for every RP_DOC_ID_STRIDE documents */
    RP_SECTION_DOC_ID_OFFSETS = 66, /* u32 a document and one more, from its base */
    RP_SECTION_DOC_LENGTH_CODES = 67,
    RP_SECTION_DOC_LENGTHS = 68, /* u32: the distinct lengths, rising */
    /* docs, optional: u32 a bucket of ids and one more, then u32 a document */
    RP_SECTION_DOC_ID_TABLE = 69,
    RP_SECTION_TEXT_BLOCKS = 80,
    RP_SECTION_TEXT_INDEX = 81, /* rp__text_block a block and one more */
};

enum {
    RP_TERMS_PER_BLOCK = 16,
    RP_DOC_ID_STRIDE = 4096,
    RP_DOC_ID_BUCKET = 4,        /* ids of a bucket, on average */
    RP_STOP_WORDS_MAX = 1 << 20, /* bytes of the stop list */
    RP_DOC_ID_MAX = 1 << 20,     /* bytes of a document's id: offsets from a base stay below 2^32 */
    RP_LIST_UNIT = 4,            /* lists are multiples of so many bytes, */
    RP_LIST_UNIT_OLD = 16,       /* and in indexes of before of so many */
    RP_TINY_DF = 8,              /* a tiny list has at most so many postings */
    RP_TINY_POSITIONS = 24,      /* and positions */
    /* a block of stored text is full once it has so many bytes of text */
    RP_TEXT_BLOCK = 16 * 1024,
    /* unpacked, it is less than so many times longer: zstd reaches 33,000 */
    RP_TEXT_RATIO = 40000,
};

/* The most documents: docids fit in 31 bits. */
#define RP_MAX_DOCS 0x7FFFFFFFU

/* RP_META_GIVEN_LENGTHS: lengths of documents were given, and need not be the sums of their
 * frequencies. */
enum { RP_META_POSITIONS = 1, RP_META_TEXT = 2, RP_META_GIVEN_LENGTHS = 4 };

enum { RP_NAME_BYTES = 16 }; /* of a codec's or code's name, with its NUL */

typedef struct rp__meta_file {
    uint64_t bytes, checksum; /* 0, 0: not part of this index */
} rp__meta_file;

typedef struct rp__meta {
    uint64_t generation, docs, tokens, terms, postings;
    uint32_t max_length, flags;
    double bound_k1, bound_b; /* the parameters for which block bounds hold */
    char bound_variant[16], codec[RP_NAME_BYTES], stem[16], stop[64];
    rp__meta_file files[RP_FILE_KINDS]; /* [0] is unused: the manifest itself */
} rp__meta;

/* The collection as ranking sees it. */
typedef struct rp__meta_stats {
    uint64_t docs, tokens;
    uint32_t max_length, zero; /* max_length: no frequency is larger either */
} rp__meta_stats;

#define RP_TOKENS_NONE "plain" /* the rule of an index that has no such section */

enum { RP_ANALYSIS_POSSESSIVE = 1, RP_ANALYSIS_ACCENTS = 2, RP_ANALYSIS_FLAGS = 3 };

/* What is done to text beside the stop list and the stemmer. */
typedef struct rp__meta_analysis {
    char tokens[RP_NAME_BYTES]; /* the rule that cuts it into words */
    uint32_t flags, zero;       /* RP_ANALYSIS_ bits: what is dropped */
} rp__meta_analysis;

typedef struct rp__text_block {
    uint64_t offset;
    uint32_t first_docid, raw_bytes;
} rp__text_block;

_Static_assert(sizeof(rp__meta) == 64 + 112 + 96, "meta");
_Static_assert(sizeof(rp__meta_stats) == 24, "meta stats");
_Static_assert(sizeof(rp__meta_analysis) == 24, "meta analysis");
_Static_assert(sizeof(rp__text_block) == 16, "text block");

#endif
