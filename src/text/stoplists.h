/* text/stoplists.h: interior to text. The named stop lists. */
#ifndef RP_TEXT_STOPLISTS_H
#define RP_TEXT_STOPLISTS_H

typedef struct rp__stoplist {
    const char *name, *words; /* words separated by '\n' */
} rp__stoplist;

extern const rp__stoplist rp__stoplists[]; /* ends with a name that is NULL */

#endif
