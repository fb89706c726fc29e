/* batch_json.c: writes answers of a batch as JSON, as fast as lines of a run: a hit whose id needs no escapes is put
 * together in one piece. */
#include "cli/batch_json.h"

#include <string.h>

enum { DECIMALS = 7 };

static const char rank_key[] = "{\"rank\":", id_key[] = ",\"id\":\"",
                  docid_key[] = "\",\"docid\":", score_key[] = ",\"score\":";
enum {
    FIXED_BYTES = sizeof rank_key + sizeof id_key + sizeof docid_key + sizeof score_key +
                  2 * RP_BUF_DIGITS + RP_JSON_DECIMALS + 4
};

static uint8_t *put(uint8_t *to, const char *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

/* False: it must be written field by field. */
static bool put_plain_hit(rp__json_writer *w, size_t rank, const rp_hit *hit)
{
    uint8_t score[RP_JSON_DECIMALS];
    const size_t id_bytes = strlen(hit->name);
    const size_t score_bytes = rp__json_writer_decimals(score, hit->score, DECIMALS);
    if (score_bytes == 0 || !rp__json_writer_is_plain(hit->name, id_bytes))
        return false;
    uint8_t *const from = rp__buf_room(w->out, FIXED_BYTES + id_bytes), *to = from;
    if (!from)
        return true;
    if (rank > 1)
        *to++ = ',';
    to = put(to, rank_key, sizeof rank_key - 1);
    to += rp__buf_digits(to, rank);
    to = put(to, id_key, sizeof id_key - 1);
    to = put(to, hit->name, id_bytes);
    to = put(to, docid_key, sizeof docid_key - 1);
    to += rp__buf_digits(to, hit->docid);
    to = put(to, score_key, sizeof score_key - 1);
    to = put(to, (const char *)score, score_bytes);
    *to++ = '}';
    w->out->n += (size_t)(to - from);
    rp__json_writer_note_item(w);
    return true;
}

static void put_hit(rp__json_writer *w, size_t rank, const rp_hit *hit)
{
    if (put_plain_hit(w, rank, hit))
        return;
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_uint(w, "rank", rank);
    rp__json_writer_text(w, "id", hit->name);
    rp__json_writer_uint(w, "docid", hit->docid);
    rp__json_writer_real(w, "score", hit->score, DECIMALS);
    rp__json_writer_end(w, '}');
}

void rp__batch_json_put(rp__json_writer *w, const char *qid, const rp_hits *hits)
{
    rp__json_writer_begin(w, NULL, '{');
    rp__json_writer_text(w, "qid", qid);
    rp__json_writer_uint(w, "total", hits->total);
    rp__json_writer_bool(w, "total_is_exact", hits->total_is_exact);
    if (hits->is_partial)
        rp__json_writer_bool(w, "is_partial", true);
    rp__json_writer_begin(w, "hits", '[');
    for (size_t i = 0; i < hits->n; i++)
        put_hit(w, i + 1, &hits->at[i]);
    rp__json_writer_end(w, ']');
    rp__json_writer_end(w, '}');
}
