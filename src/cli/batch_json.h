/* cli/batch_json.h: an answer of a batch as JSON. */
#ifndef RP_CLI_BATCH_JSON_H
#define RP_CLI_BATCH_JSON_H

#include "base/json.h"
#include "riposte/search.h"

/* Adds an object to an array: the qid, how many documents match, and the hits. */
void rp__batch_json_put(rp__json_writer *w, const char *qid, const rp_hits *hits);

#endif
