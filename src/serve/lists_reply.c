/* lists_reply.c: of each list what it costs, and what of it was read. A block that was decoded more than once counts each
 * time; one that was only looked into, without decoding it, counts as passed over. */
#include "serve/lists_reply.h"

#include <string.h>

bool rp__lists_reply_blocks(const rp_hits *hits, const rp_list_cost *list, uint64_t *read,
                            uint64_t *skipped)
{
    const rp_list_read *found = NULL;
    for (size_t i = 0; i < hits->n_reads && !found; i++)
        if (strcmp(hits->reads[i].term, list->term) == 0)
            found = &hits->reads[i];
    if (!found || (hits->gpu.launches > 0 && found->blocks == 0))
        return false;
    *read = list->blocks > 0 ? found->blocks : 0; /* a tiny list has none */
    *skipped = list->blocks > *read ? list->blocks - *read : 0;
    return true;
}

static void write_blocks(rp__json_writer *w, const rp_hits *hits, const rp_list_cost *list)
{
    uint64_t read, skipped;
    if (rp__lists_reply_blocks(hits, list, &read, &skipped)) {
        rp__json_writer_uint(w, "blocks_read", read);
        rp__json_writer_uint(w, "blocks_skipped", skipped);
    } else {
        rp__json_writer_text(w, "blocks_read", NULL);
        rp__json_writer_text(w, "blocks_skipped", NULL);
    }
}

void rp__lists_reply_write(rp__json_writer *w, const rp_query_lists *lists, const rp_hits *hits)
{
    rp__json_writer_begin(w, "lists", '[');
    for (size_t i = 0; i < lists->n; i++) {
        const rp_list_cost *cost = &lists->at[i];
        const uint64_t bytes = cost->bytes - cost->bytes_positions;
        rp__json_writer_begin(w, NULL, '{');
        rp__json_writer_text(w, "term", cost->term);
        rp__json_writer_uint(w, "postings", cost->postings);
        rp__json_writer_text(w, "codec", cost->codec);
        rp__json_writer_real(w, "bits_a_posting", 8 * (double)bytes / (double)cost->postings, 2);
        rp__json_writer_uint(w, "blocks", cost->blocks);
        write_blocks(w, hits, cost);
        rp__json_writer_uint(w, "bytes", cost->bytes);
        rp__json_writer_end(w, '}');
    }
    rp__json_writer_end(w, ']');
}
