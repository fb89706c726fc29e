/* step_reply.c: a placement has a reason, its queue and its estimate; any other step what it worked on. */
#include "serve/step_reply.h"

void rp__step_reply_write(rp__json_writer *w, const rp_query_step *step)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "stage", step->stage);
    rp__json_writer_text(w, "processor", step->processor);
    rp__json_writer_real(w, "began_us", step->began_us, 3);
    rp__json_writer_real(w, "took_us", step->us, 3);
    if (step->reason) {
        rp__json_writer_text(w, "reason", step->reason);
        rp__json_writer_real(w, "queued_us", step->queued_us, 3);
        rp__json_writer_real(w, "estimated_us", step->estimated_us, 3);
    } else {
        rp__json_writer_uint(w, "elements", step->elements);
        rp__json_writer_uint(w, "bytes", step->bytes);
    }
    rp__json_writer_end(w, '}');
}
