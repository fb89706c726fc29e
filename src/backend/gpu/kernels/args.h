/* backend/gpu/kernels/args.h: what kernels are given: records that host and device read alike.
 *
 * Plain C and CUDA C++: numbers and addresses of device memory (uint64_t), naturally aligned. */
#ifndef RP_KERNELS_ARGS_H
#define RP_KERNELS_ARGS_H

#include <stdint.h>

enum { KARG_BLOCK = 128 }; /* postings of a block, unless the codec cuts by itself, and of a frame */

/* A list in device memory: the parts of docs/format.md, chapter 5, as they lie on disk; addresses are 0 where a
 * part is not there. */
typedef struct karg_list {
    uint64_t docs, freqs;           /* payload of docids, of frequencies */
    uint64_t last, last_far;        /* u32 a block; a 64 blocks */
    uint64_t offsets, freq_offsets; /* u32 a block; a frame */
    uint64_t first;                 /* u32 a block: rank of its first posting; 0: 128 times its number */
    uint64_t bounds;                /* u8 a block */
    uint32_t n, n_blocks, universe;
    uint32_t docs_bytes, freqs_bytes;
    uint32_t codec, freq_code;      /* ids of the codec; of the frequencies' codec, 0: in the payload */
    uint32_t zero;
} karg_list;

/* A run of blocks of one list, for one warp or block of threads. */
typedef struct karg_tile {
    uint32_t list;          /* index of a karg_list */
    uint32_t block, n;      /* its first block; how many */
    uint32_t room;          /* their postings: no more are written, whatever the bytes say */
    uint64_t out;           /* where the first posting goes, in elements; of blocks of 128 a multiple of 4 */
} karg_tile;

/* decode_*.cu: docids of all tiles, each list in its codec, to device memory */
typedef struct karg_decode {
    uint64_t lists, tiles;  /* karg_list, karg_tile */
    uint64_t docids;        /* u32: out[tile.out + rank - rank of the tile's first posting] */
    uint64_t sum;           /* u32, for kernels that keep docids in registers: their sum, added up */
    uint32_t n_tiles, zero;
} karg_decode;

/* Bytes of dynamic shared memory that each warp of them needs. */
enum {
    KARG_SHARED_BLOCKS = 512, /* raw, vbyte; bp128 in registers */
    KARG_SHARED_EF128 = 1152,
    KARG_SHARED_BP128 = 5120,
    KARG_SHARED_BITMAP = 1536,
    KARG_SHARED_IIU = 1536,
    KARG_SHARED_LINES = 2048, /* lrc, lrcseg, seglrc, hslrc */
    KARG_SHARED_PFD_REC = 8192,
    KARG_SHARED_HEADS = 512, /* of the codes below, with one of these for each block that is worked on at a time */
    KARG_SHARED_RICE = 128,
    KARG_SHARED_PATCH = 512, /* parapfor, optpfd, pfd */
    KARG_SHARED_NEWPFD = 1536,
    KARG_SHARED_QS = 512, /* without heads */
};

enum {
    KARG_SCRATCH = 72, /* words of shared memory of a block whose output is ordered (compact.cuh) */
    KARG_STAGED = 512, /* and of each of its warps, where that output comes from bits */
};

/* intersect_*.cu: the docids of a short list A that are in a long list B. Lists of docids rise, begin at a
 * multiple of 16 bytes and have room to the next; bits: bit x of them stands for docid x, likewise with room.
 * What a kernel reads of B is in its header. */
typedef struct karg_intersect {
    uint64_t a, b;             /* u32 docids */
    uint64_t a_bits, b_bits;   /* u32 words, universe / 32 rounded up */
    uint64_t aux;              /* of B: lr; the starts of hs (chapter 13 of docs/format.md) */
    uint64_t splits;           /* u32, by an earlier kernel: where tiles of mpath begin in A; places in B, pmf's finest level first */
    uint64_t out;              /* u32: docids in both, rising; 0: marks and count alone */
    uint64_t a_ranks, b_ranks; /* u32: their ranks; 0: not asked for */
    uint64_t marks;            /* u32 words of bits: by docid (tile, bits_and), else by rank in A; 0: none */
    uint64_t count;            /* u32: how many they are */
    uint64_t state;            /* u64, two and one a tile: see compact.cuh */
    karg_list list;            /* B in its codec, or its directory beside b */
    uint32_t na, nb, universe;
    uint32_t room;             /* of out and ranks: at least what na and nb allow */
    uint32_t tiles;            /* blocks of the launch, one each */
    uint32_t shift;            /* tile: log2 docids of a slice, at least 5; hs: of a bucket */
    uint32_t n_buckets;        /* of hs */
    uint32_t tile;             /* mpath: elements of both lists a block merges */
    uint32_t levels, level;    /* of pmf: 1 to 4; the one that a kernel finds, the finest is 0 */
} karg_intersect;
/* decode_qs_naive.cu, decode_qs_block.cu: one list in qs */
typedef struct karg_qs {
    uint64_t list;          /* its karg_list */
    uint64_t ones, sums;    /* u32 a bit, or a word, of the high bits: ones; those before it */
    uint64_t uppers;        /* u32 a docid: its high bits */
    uint64_t docids;        /* u32 a docid: the result */
    uint64_t bits;          /* high bits for which there is room */
} karg_qs;

/* qs_scan.cu: sums of all numbers before each */
typedef struct karg_scan {
    uint64_t from, to;      /* u32 each */
    uint64_t parts;         /* u32 a block of the grid */
    uint64_t n;
    uint32_t n_parts, zero;
} karg_scan;
/* A scored document, as rp__scored. */
typedef struct karg_pair {
    uint32_t score, docid;
} karg_pair;

/* select_*.cu: the k best of n pairs, a higher score first, then a smaller docid; docids differ. `scratch` is
 * the method's own (the file says what): its first KARG_SELECT_ZEROS words are 0 at first, keys follow. */
enum {
    KARG_SELECT_ZEROS = 2048,
    KARG_BITONIC_TILE = 4096, /* keys that select_bitonic.cu sorts at a time, */
    KARG_SORT_TILE = 8192,    /* and select_sort.cu */
    KARG_BEST_SHARED = 4128, /* bytes of shared memory of what ranks in it, less the keys of its best */
};
typedef struct karg_select {
    uint64_t scores, docids; /* u32; docids 0: a pair's docid is its place among its query's */
    uint64_t begins;         /* u32 a query, and one more: where its pairs begin; 0: one query, 0 to n */
    uint64_t out, counts;    /* karg_pair: k a query, best first; u32 a query: how many there are */
    uint64_t scratch;
    uint32_t n, k, n_queries;
    uint32_t least;          /* pairs that score less do not count */
    uint32_t room;           /* keys that scratch has room for */
    uint32_t step;           /* the method's own: of how many chunks one is sampled; which pass; which level */
    uint32_t enough, zero;   /* methods that narrow: keys that are left to one block */
} karg_select;

/* Norms of documents: a code each, of 1, 2 or 4 bytes, into a table of floats. Codes past it are cut to it. */
typedef struct karg_norms {
    uint64_t codes, table;
    uint32_t code_bytes, n_table;
} karg_norms;

/* score_bm25.cu: adds what the postings of one list contribute to their documents' scores */
typedef struct karg_score {
    uint64_t docids, tfs;  /* u32 */
    uint64_t scores;       /* u32 a document; docids from n_docs on do not count */
    karg_norms norms;
    uint32_t n, n_docs;
    float weight;          /* times 2^s */
    uint32_t zero;
} karg_score;

/* or_*.cu: the k best documents of ORs. Documents lie in tiles of 2^tile_bits docids, a query's postings in
 * blocks; for or_tile.cu a list is a karg_list whose docs and freqs are u32, uncompressed, with 16 readable bytes
 * after them. */
enum {
    KARG_OR_TERMS = 32,  /* of a query, at most */
    KARG_OR_BINS = 1024, /* of its scores */
    KARG_OR_SHARED = KARG_BEST_SHARED + 4 * (12 * KARG_OR_TERMS + 16), /* bytes of shared memory of or_tile.cu, less a
                                                                      * tile's scores, marks and keys */
};
typedef struct karg_or_term {
    uint64_t docs, freqs, last; /* of its list, as karg_list has them */
    uint32_t n, n_blocks;
    uint32_t list;  /* its place in `lists` */
    float weight;   /* times 2^s */
    uint32_t step;  /* what each 255th of a block's bound allows, rounded up; 0: bounds say nothing */
    uint32_t most;  /* no posting contributes more */
} karg_or_term;
typedef struct karg_or_query {
    uint32_t term, n_terms; /* its terms lie together, those of the greatest `most` first */
    uint32_t least;         /* k documents are known to score so much; 0: none are */
    uint32_t shift;         /* scores >> shift are below KARG_OR_BINS */
} karg_or_query;
typedef struct karg_or_state { /* of a query in work; 0 at first */
    uint32_t least;         /* k documents score so much */
    uint32_t found, done;   /* keys; tiles */
    uint32_t zero;
    uint32_t bins[KARG_OR_BINS]; /* of the scores of what was found */
} karg_or_state;
typedef struct karg_or {
    uint64_t lists, terms, queries; /* karg_list, karg_or_term, karg_or_query */
    uint64_t states;                /* karg_or_state a query */
    uint64_t firsts, tops;          /* u32 a term and tile (firsts: one tile more), 0 at first: the first block that
                                     * ends in or past it; the greatest bound of blocks in it */
    uint64_t taken;                 /* u32, 0 at first: tiles of queries that blocks of threads have taken */
    uint64_t found;                 /* u64: `room` keys a query */
    uint64_t out, counts;           /* as of karg_select; a count of UINT32_MAX: there was no room, ask the CPU */
    karg_norms norms;
    uint32_t n_queries, n_terms, n_docs, n_tiles, tile_bits;
    uint32_t k, room;               /* n_tiles * k keys are always enough */
    uint32_t list_keys;             /* of a tile that shared memory has room for: a power of two, at least k and 2 */
    uint32_t group;                 /* tiles taken at a time, at most 32 */
    uint32_t parts;                 /* or_plan.cu: blocks of threads that share a list */
    uint32_t skips, zero;           /* 0: every posting is scored */
} karg_or;

/* copy.cu */
enum { KARG_COPY_WORDS = 4 }; /* that a thread takes */
typedef struct karg_copy {
    uint64_t from, to; /* n words of 16 bytes each */
    uint64_t n;
} karg_copy;

/* and_batch.cu: many ANDs at once (Ao's PARA). The shortest list of a query is cut into tiles; each docid of a
 * tile is looked up in the query's other lists. */
enum { KARG_AND_TILE = 256 }; /* docids of a tile: one warp's */

typedef enum karg_form { KARG_RAW, KARG_BITS } karg_form;

/* A list as a query has it. KARG_RAW: n rising u32, and where buckets of docid >> shift begin, if `starts` is not
 * 0. KARG_BITS: n words of 32 bits, the first bit standing for docid `base`. */
typedef struct karg_term {
    uint64_t docids, starts;
    uint32_t form, n;
    uint32_t shift, n_buckets;
    uint32_t base, zero;
} karg_term;

typedef struct karg_and_query {
    uint32_t term, n_terms; /* terms[term ..], the shortest list, KARG_RAW, first */
    uint32_t out, zero;     /* where its bits begin in `found`, in words */
} karg_and_query;

typedef struct karg_and_tile {
    uint32_t query, first; /* rank of its first docid: a multiple of KARG_AND_TILE */
} karg_and_tile;

typedef struct karg_and {
    uint64_t terms, queries, tiles;
    uint64_t found;  /* u32: bit i of a query's: docid i of its shortest list is in all */
    uint64_t counts; /* u32 a query, to be added to */
    uint32_t n_tiles, zero;
} karg_and;

/* Ids of codecs that kernels tell apart. */
enum { KARG_CODEC_RAW = 1, KARG_CODEC_BP128 = 3, KARG_CODEC_OPTPFD = 7, KARG_CODEC_BITMAP = 17 };

/* A word of a query. Its list's docs begin at u32 docids (raw), at words of bits (bitmap), or at blocks (bp128); its
 * frequencies are in optpfd, bp128, or one u32 each (raw). All blocks have 128 postings, but the last. */
typedef struct karg_word {
    karg_list list;
    uint64_t hints;         /* bitmap: u32 a 512 docids: postings before them */
    uint32_t base, n_words; /* bitmap: the docid of the first bit; words of 32 bits */
    float weight;           /* times 2^s */
    uint32_t before;        /* blocks of the words before it */
} karg_word;

/* What and_score.cu and or_score.cu tell of a query; 0 at first. */
typedef struct karg_found {
    uint32_t n;       /* documents that match */
    uint32_t n_pairs; /* of them that score enough */
    uint32_t damaged; /* not 0: bytes were met that cannot be, and the rest means nothing */
    uint32_t zero;
} karg_found;

/* and_score.cu, or_score.cu: the documents of one AND, or OR, and their scores */
enum { KARG_WORDS_MOST = 64 };
typedef struct karg_flat {
    uint64_t words;      /* karg_word: n_words of them; of an AND the shortest list first */
    uint64_t found;      /* karg_found */
    uint64_t pairs;      /* karg_pair, in any order: room for all that may match; 0: the number alone is wanted */
    uint64_t scores;     /* OR: u32 a document asked about, 0 at first; and behind it */
    uint64_t marks;      /* OR: a bit a document, 0 at first */
    karg_norms norms;
    uint32_t n_words;
    uint32_t begin, end; /* documents asked about; end is at most the number of them */
    uint32_t n_blocks;   /* of the shortest list; of an OR of all lists */
    uint32_t least;      /* documents that score less are no pairs */
    uint32_t zero;
} karg_flat;

#endif
