/* backend/gpu/kernels/tuning.h: numbers that were chosen by measuring; docs/kernels.md has the measurements. */
#ifndef RP_KERNELS_TUNING_H
#define RP_KERNELS_TUNING_H

enum {
    TUNE_MPATH_STEPS = 11, /* of the merge, a thread; odd: threads begin in different banks */
    TUNE_IS_STEPS = 8,     /* of interpolation, before what is left is halved */
    TUNE_PMF_FINEST = 5,   /* log2 of the elements of A between splitters of the finest level */
    TUNE_PMF_FAN = 4,      /* and of splitters between those of the next */
};

#endif
