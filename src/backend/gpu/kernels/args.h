/* backend/gpu/kernels/args.h: what kernels are given: records that host and device read alike.
 *
 * Plain C and CUDA C++: numbers and addresses of device memory (uint64_t), naturally aligned. */
#ifndef RP_KERNELS_ARGS_H
#define RP_KERNELS_ARGS_H

#include <stdint.h>

/* postings of a block, unless the codec cuts by itself, and of a frame */
enum { KARG_BLOCK = 128 };

/* A list in device memory: the parts of docs/format.md, chapter 5, as they lie on disk; addresses
 * are 0 where a part is not there. */
typedef struct karg_list {
    uint64_t docs, freqs;           /* payload of docids, of frequencies */
    uint64_t last, last_far;        /* u32 a block; a 64 blocks */
    uint64_t offsets, freq_offsets; /* of a block; a frame: see KARG_NEAR */
    /* u32 a block: rank of its first posting; 0: 128 times its number */
    uint64_t first;
    uint64_t bounds; /* u8 a block */
    uint32_t n, n_blocks, universe;
    uint32_t docs_bytes, freqs_bytes;
    /* ids of the codec; of the frequencies' codec, 0: in the payload */
    uint32_t codec, freq_code;
    uint32_t zero;
} karg_list;

/* Offsets are u32 each, or, with this bit in their address, which is a multiple of 4 without it,
 * u16 each, to which the base of their group of KARG_NEAR_GROUP is added. Bases stand before all of
 * them, u32 each, that of the last group first; the first group has none, and 0 is added. */
enum { KARG_NEAR = 1, KARG_NEAR_GROUP = 64 };

/* A run of blocks of one list, for one warp or block of threads. */
typedef struct karg_tile {
    uint32_t list;     /* index of a karg_list */
    uint32_t block, n; /* its first block; how many */
    uint32_t capacity; /* their postings: no more are written, whatever the bytes say */
    /* where the first posting goes, in elements; of blocks of 128 a multiple of 4 */
    uint64_t out;
} karg_tile;

/* decode_*.cu: docids of all tiles, each list in its codec, to device memory */
typedef struct karg_decode {
    uint64_t lists, tiles; /* karg_list, karg_tile */
    uint64_t docids;       /* u32: out[tile.out + rank - rank of the tile's first posting] */
    /* u32, for kernels that keep docids in registers: their sum, added up */
    uint64_t sum;
    uint32_t n_tiles, zero;
} karg_decode;

/* Bytes of dynamic shared memory that each warp of them needs. */
enum {
    KARG_SHARED_BLOCKS = 512, /* raw, vbyte; bp128 in registers */
    KARG_SHARED_EF128 = 1152, /* in registers */
    KARG_SHARED_EF128_STAGED = 5760,
    KARG_SHARED_EF128_LITERAL = 672, /* of each of the four warps that share a block */
    KARG_SHARED_BP128 = 5120,
    KARG_SHARED_BITMAP = 1536,
    KARG_SHARED_IIU = 1536,
    KARG_SHARED_REGRESSION = 2048, /* lrc, lrcseg, seglrc, hslrc */
    KARG_SHARED_PFD_REC = 8704,
    KARG_SHARED_HEADS = 512, /* of the codes below, with one of these */
    KARG_SHARED_RICE = 384,
    KARG_SHARED_EXCEPTIONS = 512, /* parapfor, optpfd; of pfd two */
    KARG_SHARED_NEWPFD = 1536,
    KARG_SHARED_WORKED = 1024, /* heads of parapfor, optpfd, pfd, in place of those */
    KARG_SHARED_QS = 512,      /* without heads */
    KARG_SHARED_BP256 = 1536,
    KARG_SHARED_FASTPFD = 1536,
    KARG_SHARED_SIMPLE16 = 1024,
    KARG_SHARED_EFSUM = 832,
    KARG_SHARED_MIXED = 896,
};

enum {
    /* words of shared memory of a block whose output is ordered (ordered_compaction.cuh) */
    KARG_SCRATCH = 72,
    KARG_STAGED = 512, /* and of each of its warps, where that output comes from bits */
};

/* intersect_*.cu: the docids of a short list A that are in a long list B. Lists of docids rise,
 * begin at a multiple of 16 bytes and are padded to the next; bits: bit x of them stands for docid
 * x, padded likewise. What a kernel reads of B is in its header. */
typedef struct karg_intersect {
    uint64_t a, b;           /* u32 docids */
    uint64_t a_bits, b_bits; /* u32 words, universe / 32 rounded up */
    uint64_t aux;            /* of B: lr; the starts of hs (chapter 13 of docs/format.md) */
    /* u32, by an earlier kernel: where tiles of mpath begin in A; places in B, pmf's finest level
     * first */
    uint64_t splits;
    uint64_t out;              /* u32: docids in both, rising; 0: marks and count alone */
    uint64_t a_ranks, b_ranks; /* u32: their ranks; 0: not requested */
    /* u32 words of bits: by docid (tile, bits_and), else by rank in A; 0: none */
    uint64_t marks;
    uint64_t count; /* u32: how many they are */
    uint64_t state; /* u64, two and one a tile: see ordered_compaction.cuh */
    karg_list list; /* B in its codec, or its directory beside b */
    uint32_t na, nb, universe;
    uint32_t capacity;      /* of out and ranks: at least what na and nb allow */
    uint32_t tiles;         /* blocks of the launch, one each */
    uint32_t shift;         /* tile: log2 docids of a slice, at least 5; hs: of a bucket */
    uint32_t n_buckets;     /* of hs */
    uint32_t tile;          /* mpath: elements of both lists a block merges */
    uint32_t levels, level; /* of pmf: 1 to 4; the one that a kernel finds, the finest is 0 */
} karg_intersect;
/* decode_qs_naive.cu, decode_qs_block.cu: one list in qs */
typedef struct karg_qs {
    uint64_t list;       /* its karg_list */
    uint64_t ones, sums; /* u32 a bit, or a word, of the high bits: ones; those before it */
    uint64_t uppers;     /* u32 a docid: its high bits */
    uint64_t docids;     /* u32 a docid: the result */
    uint64_t bits;       /* high bits for which there is space */
} karg_qs;

/* qs_scan.cu: sums of all numbers before each */
typedef struct karg_scan {
    uint64_t from, to; /* u32 each */
    uint64_t parts;    /* u32 a block of the grid */
    uint64_t n;
    uint32_t n_parts, zero;
} karg_scan;
/* A scored document, as rp__scored. */
typedef struct karg_pair {
    uint32_t score, docid;
} karg_pair;

/* select_*.cu: the k best of n pairs, a higher score first, then a smaller docid; docids differ.
 * `scratch` is the method's own (the file says what): its first KARG_SELECT_ZEROS words are 0 at
 * first, keys follow. */
enum {
    KARG_SELECT_ZEROS = 2048,
    KARG_BITONIC_TILE = 4096,  /* keys that select_bitonic.cu sorts at a time, */
    KARG_SORT_TILE = 8192,     /* and select_sort.cu */
    KARG_SHARED_HEAP512 = 144, /* bytes of shared memory of select_heap512.cu */
    /* bytes of shared memory of what ranks in it, less the keys of its best */
    KARG_TOPK_SHARED = 4128,
    KARG_SAMPLE_SHARED = 4128 + 4096 + 256, /* and of what ranks by buckets, less its keys */
};
typedef struct karg_select {
    uint64_t scores, docids; /* u32; docids 0: a pair's docid is its place among its query's */
    /* u32 a query, and one more: where its pairs begin; 0: one query, 0 to n */
    uint64_t begins;
    uint64_t out, counts; /* karg_pair: k a query, best first; u32 a query: how many there are */
    uint64_t scratch;
    uint32_t n, k, n_queries;
    uint32_t min_score; /* pairs that score less do not count */
    uint32_t capacity;  /* keys that scratch has space for */
    /* the method's own: which of a sample's best is looked for; which pass; which level */
    uint32_t step;
    /* methods that narrow: keys that are left to one block; select_sample.cu: that it has space
     * for */
    uint32_t enough;
    uint32_t samplers; /* select_sample.cu: blocks that look at a sample */
} karg_select;

/* Norms of documents: a code each, of 1, 2 or 4 bytes, into a table of floats. Codes past it are
 * cut to it. */
typedef struct karg_norms {
    uint64_t codes, table;
    uint32_t code_bytes, n_table;
} karg_norms;

/* score_bm25.cu: adds what the postings of one list contribute to their documents' scores */
typedef struct karg_score {
    uint64_t docids, tfs; /* u32 */
    uint64_t scores;      /* u32 a document; docids from n_docs on do not count */
    karg_norms norms;
    uint32_t n, n_docs;
    float weight; /* times 2^s */
    uint32_t zero;
} karg_score;

/* build_tiled.cu, or_maxscore.cu, or_topk.cu: the k best documents of many ORs. Documents lie in
 * tiles of 2^KARG_OR_TILE docids. Lists are laid out by tiles first, once for all queries: in the
 * order of their ranks, the low 16 bits of each posting's docid, and tf / (tf + K), which the
 * list's weight in a query makes its contribution. Both arrays have 16 readable bytes after them
 * and begin at multiples of 16. */
enum {
    KARG_OR_TERMS = 32,       /* of a query, at most; */
    KARG_OR_LONG_TERMS = 256, /* of one that long_or_maxscore.cu answers */
    KARG_OR_INLINE_TERMS = 8, /* of one query, that travel with the launch */
    KARG_OR_BINS = 1024,      /* of its scores */
    KARG_OR_TILE = 11,
    KARG_OR_RANKED_HERE = 32, /* a k up to which or_maxscore.cu ranks; of others, or_topk.cu does */
    KARG_OR_THREADS = 128,    /* of a block of or_maxscore.cu */
    KARG_OR_SHARED_BLOCK = 48, /* bytes of shared memory of a block of or_maxscore.cu, */
    KARG_OR_SHARED = 4 * ((33 << (KARG_OR_TILE - 5)) + 32), /* of each warp, */
    KARG_OR_SHARED_TERM = 48,     /* and for each term of the longest query; */
    KARG_OR_SHARED_STORED = 1024, /* of each warp of stored_or_maxscore.cu, too */
};
typedef struct karg_cell { /* of a list, in a tile */
    uint32_t first;        /* rank of its first posting there or after */
    uint32_t top;          /* its greatest ratio there, the bits of a float; 0: it has none */
} karg_cell;
typedef struct karg_tiled {
    /* u16, float: one a posting; ratios 0: it is read as it is stored, places is a karg_or_stored,
     * and the first of a cell is a block, from 1 on */
    uint64_t places, ratios;
    uint64_t cells; /* karg_cell a tile, and one more, whose first is n */
    uint64_t found; /* karg_found; damaged: the list is not what it says */
    uint32_t n, zero;
} karg_tiled;
typedef struct karg_build_tiled { /* build_tiled.cu */
    /* karg_term, karg_tiled: n_lists of each; cells and found are 0 at first */
    uint64_t terms, lists;
    karg_norms norms;
    uint32_t n_lists, n_blocks; /* blocks of all lists: before + blocks of the last term */
    uint32_t n_docs, n_tiles;
} karg_build_tiled;
typedef struct karg_or_term {
    karg_tiled list;
    float weight; /* times 2^s */
    uint32_t zero;
} karg_or_term;
typedef struct karg_or_query {
    uint32_t term, n_terms; /* its terms lie together, those of the greatest weight first */
    uint32_t min_score;     /* k documents are known to score so much; 0: none are */
    uint32_t shift;         /* scores >> shift are below KARG_OR_BINS */
} karg_or_query;
/* What is counted, from launch to launch: groups of tiles taken; tiles ahead of all others, taken,
 * and done; queries answered, where there are several. */
enum {
    KARG_OR_TAKEN,
    KARG_OR_TAKEN_AHEAD,
    KARG_OR_AHEAD,
    KARG_OR_RANKED,
    KARG_OR_COUNTERS = 32,
    KARG_OR_BELLS = 32
};
typedef struct karg_or_bins { /* how many scores were found */
    uint32_t coarse[KARG_OR_BINS / 32];
    uint32_t fine[KARG_OR_BINS];
} karg_or_bins;
typedef struct karg_or_state { /* of a query in work; 0 at first, and again after or_topk.cu */
    uint32_t min_score;        /* k documents score so much */
    uint32_t found;            /* keys */
    uint32_t done;             /* groups of tiles */
    uint32_t matches;          /* documents that match, where they are counted */
    karg_or_bins bins[2];      /* of all tiles; of those that were looked into beforehand */
} karg_or_state;
typedef struct karg_or {
    /* karg_or_term, karg_or_query; both 0: there is one query, and it is below */
    uint64_t terms, queries;
    uint64_t states; /* karg_or_state a query */
    /* u32: KARG_OR_COUNTERS of them, and a bell in each 32 words behind them; */
    uint64_t counters;
    uint64_t found; /* u64: `capacity` keys a query */
    /* as of karg_select; a count of UINT32_MAX: they did not fit, or a list is damaged. Where
     * matches are counted, a query's number of them lies n_queries words behind its count. */
    uint64_t out, counts;
    uint64_t there; /* u32: becomes `number` when all of these are there */
    uint32_t n_queries, n_tiles;
    uint32_t k, capacity; /* as many keys as documents are always enough */
    uint32_t keys;        /* that or_topk.cu has shared memory for: a power of two, at least k */
    /* tiles of a query that are looked into ahead of all others, for what they tell of the k
     * best */
    uint32_t n_ahead;
    uint32_t n_groups;  /* of tiles of a query, at most 32 each; a warp takes one at a time; */
    uint32_t group;     /* without skips, they have so many neighbours each */
    uint32_t max_terms; /* of the longest query */
    uint32_t skips;     /* 0: every posting is scored */
    uint32_t number, zero;
    uint32_t before[KARG_OR_RANKED + 1]; /* what counters are before the launch */
    karg_or_query query;
    karg_or_term inline_terms[KARG_OR_INLINE_TERMS];
} karg_or;

/* copy.cu */
enum { KARG_COPY_WORDS = 4 }; /* that a thread takes */
typedef struct karg_copy {
    uint64_t from, to; /* n words of 16 bytes each */
    uint64_t n;
} karg_copy;

/* and_para.cu: many ANDs at once (Ao's PARA). The shortest list of a query is cut into tiles; each
 * docid of a tile is looked up in the query's other lists. */
enum { KARG_AND_TILE = 256 }; /* docids of a tile: one warp's */

typedef enum karg_form { KARG_RAW, KARG_BITS } karg_form;

/* A list as a query has it. KARG_RAW: n rising u32, and where buckets of docid >> shift begin, if
 * `starts` is not
 * 0. KARG_BITS: n words of 32 bits, the first bit standing for docid `base`. */
typedef struct karg_para_term {
    uint64_t docids, starts;
    uint32_t form, n;
    uint32_t shift, n_buckets;
    uint32_t base, zero;
} karg_para_term;

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

/* para/: many ANDs over lists of an index at once (Ao's PARA). The shortest lists of all queries
 * lie end to end: each of their docids is an element, looked up in the other lists of its
 * query. */
enum {
    KARG_PARA_THREADS = 256,
    /* bytes of shared memory of a warp that decodes blocks */
    KARG_PARA_SHARED = 1088,
};

/* A list of a query; as it is stored it is in an array of its own. */
typedef struct karg_para_list {
    uint64_t docids, tfs; /* u32 each */
    uint64_t aux;         /* lr, or the starts of hs; 0: none */
    uint32_t n;
    uint32_t shift, n_buckets; /* of hs */
    float weight;              /* times 2^s */
} karg_para_list;

/* One more follows the last, whose `first` is the number of all elements. */
typedef struct karg_para_query {
    uint32_t first;         /* elements of the queries before it */
    uint32_t list, n_lists; /* the shortest list first */
    uint32_t zero;
} karg_para_query;

typedef struct karg_para {
    uint64_t lists; /* karg_para_list */
    /* karg_list of each, of which n_blocks 0: it is read as docids; 0: none is stored */
    uint64_t stored;
    uint64_t queries; /* karg_para_query */
    uint64_t marks;   /* u32: a bit an element: it is in all lists */
    /* u32: docids of all queries, and their scores: space for n each */
    uint64_t docids, scores;
    uint64_t begins; /* u32 a query, and one more: where its docids begin */
    uint64_t state;  /* u64, two and one a tile: see ordered_compaction.cuh */
    karg_norms norms;
    uint32_t n, n_queries; /* elements; queries */
    uint32_t begin, end;   /* requested documents; end is at most the number of all */
    uint32_t tiles, zero;  /* blocks of the compaction */
} karg_para;

/* Ids of codecs that kernels tell apart. */
enum {
    KARG_CODEC_RAW = 1,
    KARG_CODEC_VBYTE,
    KARG_CODEC_BP128,
    KARG_CODEC_SIMPLE16,
    KARG_CODEC_PFD,
    KARG_CODEC_NEWPFD,
    KARG_CODEC_OPTPFD,
    KARG_CODEC_PARAPFOR,
    KARG_CODEC_PFD_REC,
    KARG_CODEC_RICE,
    KARG_CODEC_QS,
    KARG_CODEC_EF128,
    KARG_CODEC_INTERPOLATIVE,
    KARG_CODEC_BP128T,
    KARG_CODEC_BP256,
    KARG_CODEC_IIU,
    KARG_CODEC_BITMAP,
    KARG_CODEC_BP128V,
    KARG_CODEC_LRC,
    KARG_CODEC_LRCSEG,
    KARG_CODEC_SEGLRC,
    KARG_CODEC_HSLRC256,
    KARG_CODEC_HSLRC128,
    KARG_CODEC_MIXED = 25,
    KARG_CODEC_BP128D4,
    KARG_CODEC_FASTPFD,
};

/* Codes of jobs that are no codec's id: docids in segments of KARG_SEGMENT, and a code of
 * frequencies alone. */
enum {
    KARG_CODE_PFD_64 = 252,
    KARG_CODE_NEWPFD_64,
    KARG_CODE_PARAPFOR_64,
    KARG_CODE_EFSUM,
};
enum { KARG_SEGMENT = 64 };

/* A term of a query. Its list is in raw, bp128, optpfd, rice, ef128 or bitmap, and cut every 128
 * postings; docs begin at u32 docids (raw), at words of bits (bitmap), or at blocks. Its
 * frequencies are in efsum, optpfd, bp128, or one u32 each (raw). */
typedef struct karg_term {
    karg_list list;
    uint64_t hints;         /* bitmap: u32 a 512 docids: postings before them */
    uint32_t base, n_words; /* bitmap: the docid of the first bit; words of 32 bits */
    float weight;           /* times 2^s */
    uint32_t before;        /* blocks of the terms before it */
} karg_term;

/* A list that stored_or_maxscore.cu reads as it is stored; its record has `last` and `bounds`. */
typedef struct karg_or_stored {
    karg_term term; /* weight and `before` are not read */
    karg_norms norms;
    uint64_t cells, found; /* of its karg_tiled */
    uint32_t n_docs, n_tiles;
} karg_or_stored;
typedef struct karg_build_cells { /* build_cells.cu */
    uint64_t lists;               /* karg_or_stored; cells are 0 at first */
    uint32_t parts;               /* thread blocks a list */
    uint32_t zero;
} karg_build_cells;

/* check_stored.cu: whether lists are sound that are read as they are stored */
enum {
    KARG_CHECK_LISTS = 8,
    KARG_SHARED_CHECK = 1040, /* bytes of each warp */
};
typedef struct karg_check {
    /* freq_code 0: frequencies are not looked at; weight is not read */
    karg_term terms[KARG_CHECK_LISTS];
    uint64_t damaged;           /* u32 a list, in memory of the host: set where it is damaged */
    uint32_t n_lists, n_blocks; /* blocks of all lists: before + blocks of the last term */
    uint32_t partial, zero;     /* a bit a list: blocks without bytes are not there */
} karg_check;

/* What and_single.cu and or_accumulate.cu have found so far. A launch leaves it as it was before
 * the first: all 0. */
typedef struct karg_found {
    uint32_t n;       /* documents that match */
    uint32_t n_pairs; /* of them that score enough */
    uint32_t damaged; /* not 0: bytes were met that cannot be, and the rest means nothing */
    uint32_t done;    /* blocks of threads */
} karg_found;

/* Their answer, in memory of the host. Pairs follow: all, where there are at most KARG_ANSWER_ALL,
 * in any order; else the k best, if k is at most KARG_ANSWER_MAX_K; else none. */
enum { KARG_ANSWER_ALL = 512, KARG_ANSWER_MAX_K = 1024 };
typedef struct karg_answer {
    uint32_t n, n_pairs, damaged; /* as above */
    uint32_t number;              /* of the query: it is written last, when the rest is there */
} karg_answer;

/* and_single.cu, or_accumulate.cu: the documents of one AND, or OR, and their scores */
enum {
    KARG_INLINE_TERMS = 8, /* terms that travel with the launch */
    KARG_MAX_TERMS = 64,
    KARG_STAGED_NORMS = 256, /* norms that fit into shared memory */
    /* bytes of shared memory a warp has for blocks of lists (step_and.cu); */
    KARG_SHARED_TERM = 3776,
    /* of and_single.cu, and for each term */
    KARG_SHARED_AND = KARG_SHARED_TERM + 4 * KARG_STAGED_NORMS + 256,
    KARG_SHARED_RANKS = 256,
};
typedef struct karg_query {
    /* karg_term: n_terms of them, if they are not in `inline_terms`; of an AND the shortest list
     * first */
    uint64_t terms;
    uint64_t found; /* karg_found */
    /* karg_pair, in any order: space for all that may match; 0: only their number is requested */
    uint64_t pairs;
    uint64_t scores; /* OR: u32 a requested document, 0 at first; and behind it */
    uint64_t marks;  /* OR: a bit a document, 0 at first */
    uint64_t answer; /* karg_answer */
    karg_norms norms;
    uint32_t n_terms;
    uint32_t begin, end;    /* requested documents; end is at most the number of all */
    uint32_t n_blocks;      /* OR: of all lists */
    uint32_t min_score;     /* documents that score less are no pairs */
    uint32_t docs_per_warp; /* AND: documents that a warp has: a power of two up to 32 */
    uint32_t k;             /* how many of the best documents are requested */
    uint32_t number;        /* of the query */
    /* of threads, that share the work: the grid; of a persistent kernel, those that have arrived */
    uint32_t blocks;
    /* AND: warps that have the same documents, and share the terms after the first */
    uint32_t width;
    karg_term inline_terms[KARG_INLINE_TERMS];
} karg_query;

/* and_single.cu: the persistent kernel, which answers ANDs as they arrive (query_mailbox.cuh,
 * persistent_result.cuh). */
typedef struct karg_mail { /* a query's record */
    uint32_t n_chunks;     /* of it */
    uint32_t written;      /* as it is before it; likewise */
    uint64_t base;         /* counts */
    karg_query query;      /* its answer is published in `counts`, not by a number */
} karg_mail;
enum {
    /* chunks of all but terms, */
    KARG_MAIL_HEAD = (sizeof(karg_mail) - KARG_INLINE_TERMS * sizeof(karg_term)) / 8,
    KARG_MAIL_TERM = sizeof(karg_term) / 8, /* and of one */
    KARG_MAIL_CHUNKS = KARG_MAIL_HEAD + KARG_INLINE_TERMS * KARG_MAIL_TERM,
    KARG_PERSISTENT_BLOCKS = 255, /* at most, */
    /* of at most so many warps; shared memory of each warp, and of a block beside them: */
    KARG_PERSISTENT_WARPS = 20,
    KARG_SHARED_PERSISTENT_WARP = KARG_SHARED_AND + KARG_INLINE_TERMS * KARG_SHARED_RANKS,
    KARG_SHARED_PERSISTENT = sizeof(karg_mail) + 64,
    /* of counts: documents; pairs; then 8 each: blocks that met damage; that are done */
    KARG_COUNT_BITS = 24,
};
/* Two words, each with the number beside it by which it is known to be there. */
typedef struct karg_chunk {
    uint32_t a, number, b, number_too;
} karg_chunk;
typedef struct karg_mailbox {
    /* a karg_mail, with its number; one of no terms: the kernel is to leave */
    karg_chunk chunks[KARG_MAIL_CHUNKS];
    /* the host's: score and docid, with the number of the query */
    karg_chunk pairs[KARG_ANSWER_ALL];
    uint64_t counts;  /* the device's: of all queries so far, and */
    uint32_t written; /* blocks of threads that have put their pairs */
    /* blocks of threads; 0 before a launch, and again after it */
    uint32_t came, gone;
    /* the host's: the last launch whose kernel takes no more queries */
    uint32_t left;
} karg_mailbox;
typedef struct karg_persistent {
    karg_mail first;
    /* karg_mailbox: the host's; and the device's, where the first block publishes to the others */
    uint64_t mailbox, echo;
    uint64_t idle, life; /* nanoseconds without a query, and in all, after which it leaves */
    uint32_t number;     /* of the next record */
    uint32_t launch;
} karg_persistent;

/* step_and.cu: documents that match an AND so far, rising, and their scores: those of a list; what
 * some lists leave of them, and add to them */
typedef struct karg_candidates {
    /* u32: n of each; scores 0: they all are; start: neither is read */
    uint64_t docids, scores;
    /* u32: those that are left, capacity for n; to_scores 0: not wanted */
    uint64_t to_docids, to_scores;
    uint64_t count; /* u32: how many are left */
    uint64_t state; /* u64, two and one a tile: see ordered_compaction.cuh */
    uint64_t found; /* karg_found, of which `damaged` is set */
    karg_norms norms;
    uint32_t n;
    /* start: documents asked about; end is at most the number of them */
    uint32_t begin, end;
    uint32_t tiles; /* blocks of the launch, one each */
    uint32_t n_words;
    /* not 0: those that are not in the list are dropped; words contribute to scores */
    uint32_t drops, adds;
    karg_term near[KARG_INLINE_TERMS];
} karg_candidates;

/* Operators of queries, whose counts stay on the device: arrays of candidates have a part behind
 * their last that no kernel takes for documents. */
#define KARG_NO_CANDIDATE 0xFFFFFFFEU /* in place of a docid; above all of them */

/* score_accumulate.cu: adds what the postings of one list contribute to an accumulator a document,
 * and marks the documents */
typedef struct karg_accumulate {
    uint64_t docids, tfs; /* u32: n of each */
    uint64_t sums;        /* u32 a document */
    uint64_t marks;       /* u32 words of bits, a bit a document; 0: not wanted */
    karg_norms norms;
    uint32_t n;
    uint32_t begin, end; /* requested documents; end is at most the number of all */
    float weight;        /* times 2^s */
} karg_accumulate;

/* score_gather.cu: the accumulators of candidates */
typedef struct karg_gather {
    uint64_t docids, scores; /* u32: n of each; scores are written */
    uint64_t sums;           /* u32 a document */
    uint32_t n, n_docs;
} karg_gather;

/* score_probe.cu: scores of candidates that are in all of some lists */
typedef struct karg_probe_list {
    karg_list list; /* as it is stored, or docids and frequencies, u32 each */
    /* (optional) u32: docids of some of its blocks, side by side; a karg_tile for each block */
    uint64_t chosen, tiles;
    uint32_t n_chosen, n_tiles;
    float weight; /* times 2^s */
    uint32_t zero;
} karg_probe_list;
typedef struct karg_probe {
    uint64_t docids, scores; /* u32: n of each; scores are written */
    uint64_t found;          /* karg_found, of which `damaged` is set */
    karg_norms norms;
    uint32_t n, n_docs, n_lists;
    uint32_t adds; /* not 0: to the scores that are there */
    karg_probe_list lists[KARG_INLINE_TERMS];
} karg_probe;

/* select_pad.cu: behind `count` candidates, docids that differ, with a score of 0 */
typedef struct karg_pad {
    uint64_t docids, scores; /* u32: n of each */
    uint64_t count;          /* u32 */
    uint32_t n, zero;
} karg_pad;

/* intersect_skips.cu: skip pointers of docids: the last of each 128, and of each 64 times as
 * many */
typedef struct karg_skips {
    uint64_t docids; /* u32: n of them */
    uint64_t last, last_far;
    uint32_t n, zero;
} karg_skips;

/* intersect_chosen.cu: a tile for each block that intersect_pmf_heads_kernel has chosen */
typedef struct karg_chosen {
    uint64_t list;          /* its karg_list */
    uint64_t blocks, count; /* u32: numbers of blocks, rising; how many */
    uint64_t tiles;         /* karg_tile: max of them; those behind `count` have no blocks */
    uint32_t max, zero;
} karg_chosen;

/* and_batch_topk.cu: many ANDs at once over lists in their codecs: how many documents match each,
 * and the k best. */
typedef struct karg_and_term {
    uint64_t term; /* its karg_term, whose weight does not count */
    float weight;  /* times 2^s */
    uint32_t n;    /* postings of its list */
} karg_and_term;

/* Where a query's parts begin, among those of all queries: part i is its i-th KARG_AND_TILE
 * postings of the shortest list. One more follows the last query's, whose part is the number of
 * them all. */
typedef struct karg_and_start {
    uint32_t part;
    /* where its terms begin, the shortest list first; and how many, times KARG_AND_TERMS */
    uint32_t terms;
} karg_and_start;

/* A part where they do not come in the order of queries. */
typedef struct karg_and_part {
    uint32_t query, part;
} karg_and_part;

typedef struct karg_and_state { /* of a query in work; all 0 before a launch, and again after it */
    karg_found found;           /* n_pairs: keys */
    uint32_t done;              /* parts; of a large k, blocks that have kept their share */
    uint32_t min_score;         /* k documents score so much */
    /* of a large k: keys that blocks have kept; not 0: a block had no room for all of its */
    uint32_t kept, is_crowded;
} karg_and_state;

typedef struct karg_and_topk {
    uint64_t terms, starts; /* karg_and_term, karg_and_start */
    uint64_t parts;         /* karg_and_part; 0: in the order of queries */
    uint64_t states;        /* karg_and_state a query */
    uint64_t answered;      /* u32: queries, or blocks that rank; as states */
    /* u64: KARG_AND_TILE a part; of a large k, KARG_AND_RANK_KEPT a part behind them all */
    uint64_t keys;
    /* karg_found a query: n_pairs of them are there; karg_pair: k a query, best first */
    uint64_t counts, pairs;
    uint64_t ended; /* u32 in memory of the host: `number`, when all is there */
    karg_norms norms;
    uint32_t n_queries, n_parts;
    uint32_t begin, end; /* requested documents; end is at most the number of all */
    uint32_t k, number;  /* k: 0: only the number of documents is requested */
} karg_and_topk;

enum {
    KARG_AND_TERMS = 1 << 24,
    KARG_AND_SHARED = 3968, /* bytes of shared memory of a warp, */
    KARG_AND_SCORES = 3072, /* and, if k is not 0, so many more */
    /* a k up to which the last part of a query ranks; of others, another kernel does, */
    KARG_AND_RANKED = 32,
    KARG_AND_RANK_BLOCK = 256, /* in blocks of so many threads, each of which has */
    KARG_AND_RANK_PARTS = 32,  /* the keys of so many parts, and */
    KARG_AND_RANK_KEYS = 4096, /* so many keys in shared memory, which are ranked at once; */
    KARG_AND_RANK_KEPT = KARG_AND_TILE / 2, /* of more, so many a part may be kept */
};

/* make_tiles.cu, check_lists.cu, check_blocks.cu, docids_to_bits.cu, freq_differences.cu,
 * decode_iiu_tfs.cu: many lists as stored into docids, frequencies and bits. A job is a list's
 * docids or frequencies: its karg_list says what a decoder reads, which of frequencies is their
 * section in place of docids, with a directory of UINT32_MAX: differences of what comes out are
 * frequencies. */
enum { KARG_TILE_BLOCKS = 16 }; /* of a tile, at most */
typedef struct karg_job {
    uint64_t out; /* u32: list.n of them; a multiple of 16 */
    /* u32 words, 0 at first, from docid 0 on; u32 a 512 docids: postings before them; 0: not
     * requested */
    uint64_t bits, hints;
    /* with bits: u32 a 128 postings: the last docid of them; 0: not requested */
    uint64_t last;
    uint32_t n_words; /* of bits */
    uint32_t tiles;   /* of the jobs before it */
    uint32_t owner;   /* which flag marks it as damaged */
    uint32_t code;    /* of its blocks: a codec's id, or a KARG_CODE_ */
} karg_job;
typedef struct karg_transcode {
    uint64_t lists, jobs; /* karg_list, karg_job: n_jobs of each */
    uint64_t tiles;       /* karg_tile: made of all jobs, in their order */
    uint64_t docids;      /* where `out` of tiles counts from: no job's out is below it */
    uint64_t damaged;     /* u32 an owner, 0 at first */
    uint32_t n_jobs, zero;
    uint32_t from, n_tiles; /* those that a launch has: the first; how many */
} karg_transcode;

#endif
