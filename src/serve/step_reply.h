/* serve/step_reply.h: one step of a query as an object of JSON, for replies and for the program. */
#ifndef RP_SERVE_STEP_REPLY_H
#define RP_SERVE_STEP_REPLY_H

#include "base/json.h"
#include "riposte/search.h"

/* An element of the array that is open. */
void rp__step_reply_write(rp__json_writer *w, const rp_query_step *step);

#endif
