/* engine/topics.h: interior of engine: a topics file in memory, and its formats, one row each. */
#ifndef RP_ENGINE_TOPICS_H
#define RP_ENGINE_TOPICS_H

#include "base/buf.h"
#include "base/json.h"
#include "riposte/topics.h"

typedef struct rp__topics_format {
    const char *name;
    bool (*sniff)(const char *head); /* is this the first line that is not blank? */
    /* The next topic from topics->at on, which it moves; strings are cut in place. */
    rp_status (*next)(rp_topics *topics, rp_topic *out, bool *has, rp_error *err);
} rp__topics_format;

/* A qid that was read, and its line. A text has fewer than 2^32 bytes. */
typedef struct rp__topics_seen {
    const char *qid; /* NULL: a free slot */
    uint32_t hash, line;
} rp__topics_seen;

struct rp_topics {
    char path[1024];
    const rp__topics_format *format;
    rp__buf text; /* a NUL stands behind it */
    char *at, *end;
    uint64_t line; /* of `at` */
    rp__json json;
    rp__topics_seen *seen;  /* open addressing, at most half full */
    size_t n_seen, n_slots; /* n_slots: 0 or a power of two */
};

extern const rp__topics_format rp__topics_lines_tsv, rp__topics_trec, rp__topics_lines_pisa,
    rp__topics_jsonl;

/* The next line that is not blank, cut from what follows; NULL at the end. *line is its number. */
char *rp__topics_line(rp_topics *topics, uint64_t *line);
/* RP_INPUT at a line. */
rp_status rp__topics_fault(const rp_topics *topics, uint64_t line, const char *what, rp_error *err);
/* An id has no blank and no control character in it: a run is cut at blanks. */
bool rp__topics_is_id(const char *qid);

#endif
