/* engine/replay_record.h: interior of engine: files of what queries cost each processor.
 *
 * Lines of columns between tabs, with a line of their names first; lines that begin with # are for
 * people. Times are whole nanoseconds; - where a card refuses a query. Plain or compressed. */
#ifndef RP_ENGINE_REPLAY_RECORD_H
#define RP_ENGINE_REPLAY_RECORD_H

#include <stdio.h>

#include "engine/replay.h"

/* All of them. RP_INPUT: line and column of what is wrong. Free them, with rp__free. */
rp_status rp__replay_record_read(const char *path, rp__replay_cost **out, size_t *n, rp_error *err);
/* The same of text in memory, which is changed, and which a NUL follows; `name` is for
 * messages. */
rp_status rp__replay_record_parse(const char *name, char *text, size_t bytes, rp__replay_cost **out,
                                  size_t *n, rp_error *err);
/* The line of names, and one of a query. */
void rp__replay_record_begin(FILE *file, const char *machine);
void rp__replay_record_put(FILE *file, const rp__replay_cost *cost);

#endif
