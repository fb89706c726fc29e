/* serve/lists_reply.h: the lists of a query as an array of JSON, for replies and the program. */
#ifndef RP_SERVE_LISTS_REPLY_H
#define RP_SERVE_LISTS_REPLY_H

#include "base/json.h"
#include "riposte/search.h"

/* Blocks of a list that cores decoded for the hits, and that they passed over. False: it is not
 * known, since a card or several threads read it. */
bool rp__lists_reply_blocks(const rp_hits *hits, const rp_list_cost *list, uint64_t *read,
                            uint64_t *skipped);
/* The array "lists" of the object that is open. */
void rp__lists_reply_write(rp__json_writer *w, const rp_query_lists *lists, const rp_hits *hits);

#endif
