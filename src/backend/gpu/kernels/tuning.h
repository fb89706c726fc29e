/* backend/gpu/kernels/tuning.h: numbers that were chosen by measuring; docs/kernels.md has the
 * measurements. */
#ifndef RP_KERNELS_TUNING_H
#define RP_KERNELS_TUNING_H

enum {
    TUNE_MPATH_STEPS = 11,   /* of the merge, a thread; odd: threads begin in different banks */
    TUNE_IS_STEPS = 8,       /* of interpolation, before what is left is halved */
    TUNE_PMF_FINEST = 5,     /* log2 of the elements of A between splitters of the finest level */
    TUNE_PMF_FAN = 4,        /* and of splitters between those of the next */
    TUNE_SELECT_BLOCK = 256, /* threads that select */
    TUNE_SELECT_FITS = 8192, /* a k up to which keys are ranked in shared memory */
    TUNE_SAMPLE_BLOCK = 512, /* threads that filter by a sample, with */
    TUNE_SAMPLE_LOADS = 8,   /* of 16 bytes each; */
    TUNE_SAMPLERS = 32,      /* blocks that look at it, with */
    TUNE_SAMPLE_EACH = 4,    /* more loads a thread; */
    /* that are ranked in shared memory; half as many beside many best; */
    TUNE_SAMPLE_KEYS = 16384,
    TUNE_SAMPLE_BUCKET = 128, /* keys of a bucket that are looked at one by one */
    /* scores; of fewer, other methods narrow to 32 keys, so that tests see them narrow */
    TUNE_SAMPLE_FROM = 1 << 20,
    /* keys that may reach the sample's threshold, or all scores are read again */
    TUNE_SAMPLE_CAPACITY = 1 << 20,
    TUNE_NARROW_ENOUGH = 4096, /* keys that one block ranks */
    /* documents found that are sorted at once, or the k best of them are chosen first */
    TUNE_OR_KEYS = 256,
    /* documents of a query that may be found on the way to its k best */
    TUNE_OR_FOUND = 1 << 14,
    TUNE_OR_AHEAD = 128,    /* tiles of a query that are looked into beforehand, at most; */
    TUNE_OR_AHEAD_MIN = 32, /* and at least, if there are more than blocks for them */
    /* tiles that a warp takes at a time, if each then has some; more, */
    TUNE_OR_GROUP = 4,
    TUNE_OR_TURNS = 8, /* if it comes so often all the same; */
    /* of warps that pass over most, some of which have much more to do than others */
    TUNE_OR_TURNS_SKIPS = 4,
    /* tiles between one that is decoded and those that are looked up meanwhile */
    TUNE_DECODE_AHEAD = 2112,
    /* postings of the shortest list from which a single AND takes and_batch_topk.cu */
    TUNE_AND_BATCH_FROM = 1 << 15,
    /* postings of a single term from which it takes or_maxscore.cu */
    TUNE_OR_MAXSCORE_FROM = 1 << 20,
    /* 1: ORs with exact totals take count_or_maxscore.cu; 0: or_accumulate.cu alone, the CPU in
     * batches */
    TUNE_OR_COUNTS = 1,
    /* bytes of shared memory of a multiprocessor; each block takes 1 KiB more */
    TUNE_SHARED_ALL = 228 << 10,
};

#endif
