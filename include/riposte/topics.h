/* riposte/topics.h: files of queries, in the forms that people keep them.
 *
 * tsv    a line `qid<TAB>query` (MS MARCO, Anserini)
 * trec   <top> <num> <title>, its tags closed or not; and <topic number="1"> <query>
 * pisa   a line `qid:query`
 * jsonl  an object a line with a query and an id, by the usual names; without an id its line is one */
#ifndef RIPOSTE_TOPICS_H
#define RIPOSTE_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "riposte/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One thread at a time. */
typedef struct rp_topics rp_topics;

/* Both strings end with a NUL and live until the topics are closed. */
typedef struct rp_topic {
    const char *qid, *query;
    size_t query_bytes;
    uint64_t line; /* where it begins, from 1 */
} rp_topic;

/* Reads the whole file, plain or compressed; "-" is standard input. `format` NULL: told by its first
 * topic. Close what this returns. */
rp_status rp_topics_open(const char *path, const char *format, rp_topics **out, rp_error *err);
void rp_topics_close(rp_topics *topics); /* NULL is fine */
/* The next topic; *has is false at the end. RP_INPUT: a bad one, named by file and line; the next call
 * goes on behind it. */
rp_status rp_topics_next(rp_topics *topics, rp_topic *out, bool *has, rp_error *err);
const char *rp_topics_name(const rp_topics *topics); /* of the file, as messages have it */

/* The i-th format's name; NULL past the last. */
const char *rp_topics_format_name(size_t i);

#ifdef __cplusplus
}
#endif
#endif
