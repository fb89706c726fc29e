/* remade.c: an index before and after: size, codec, bits a posting. */
#include "cli/remade.h"

#include "base/json.h"
#include "cli/figures.h"

rp_status rp__remade_look(rp__remade_side *side, const char *dir, rp_error *err)
{
    rp_index *index = NULL;
    rp_index_info info;
    rp_index_costs costs = {0};
    rp_status status = rp_index_open(dir, NULL, &index, err);
    if (status == RP_OK)
        status = rp_index_get_costs(index, 0, &costs, err);
    if (status == RP_OK) {
        rp_index_get_info(index, &info);
        *side = (rp__remade_side){.dir = dir,
                                  .bytes_lists = info.bytes_lists,
                                  .bytes_docids = costs.lists.bytes_docids,
                                  .bytes_total = info.bytes_total,
                                  .postings = costs.lists.postings};
        snprintf(side->codec, sizeof side->codec, "%s", info.codec);
        snprintf(side->freqs, sizeof side->freqs, "%s", info.freqs);
    }
    rp_index_costs_free(&costs);
    rp_index_close(index);
    return status;
}

static double docid_bits(const rp__remade_side *s)
{
    return s->postings ? 8.0 * (double)s->bytes_docids / (double)s->postings : 0;
}

static void write_side(rp__json_writer *w, const char *key, const rp__remade_side *s)
{
    rp__json_writer_begin(w, key, '{');
    rp__json_writer_text(w, "index", s->dir);
    rp__json_writer_text(w, "codec", s->codec);
    rp__json_writer_text(w, "freqs", s->freqs);
    rp__json_writer_real(w, "docid_bits", docid_bits(s), 3);
    rp__json_writer_uint(w, "bytes_lists", s->bytes_lists);
    rp__json_writer_uint(w, "bytes_total", s->bytes_total);
    rp__json_writer_end(w, '}');
}

static rp_status write_result(rp__console *console, const rp__remade *made, rp_error *err)
{
    const rp_build_stats *stats = &made->stats;
    rp__buf out;
    rp__json_writer w;
    rp__buf_init(&out);
    rp__json_writer_init(&w, &out);
    rp__json_writer_begin(&w, NULL, '{');
    rp__json_writer_text(&w, "schema", made->schema);
    if (made->by)
        rp__json_writer_text(&w, "by", made->by);
    write_side(&w, "from", &made->from);
    write_side(&w, "to", &made->to);
    rp__json_writer_uint(&w, "docs", stats->docs);
    rp__json_writer_uint(&w, "terms", stats->terms);
    rp__json_writer_uint(&w, "postings", stats->postings);
    rp__json_writer_uint(&w, "memory_peak", stats->memory_peak);
    rp__json_writer_real(&w, "seconds", stats->seconds, 6);
    rp__json_writer_end(&w, '}');
    rp_status status = rp__console_reply(console, &out, err);
    rp__buf_free(&out);
    return status;
}

static void print_result(const rp__remade *made)
{
    const rp_build_stats *stats = &made->stats;
    const rp__remade_side *from = &made->from, *to = &made->to;
    char a[RP_FIGURE_BYTES], b[RP_FIGURE_BYTES], c[RP_FIGURE_BYTES];
    printf("%s, %s, %s\n", rp__figures_of(a, stats->docs, "document"),
           rp__figures_of(b, stats->terms, "term"), rp__figures_of(c, stats->postings, "posting"));
    printf("lists: %s (%s, frequencies %s) -> %s (%s, frequencies %s)\n",
           rp__figures_size(a, from->bytes_lists), from->codec, from->freqs,
           rp__figures_size(b, to->bytes_lists), to->codec, to->freqs);
    printf("docids: %.2f -> %.2f bits a posting\n", docid_bits(from), docid_bits(to));
    printf("index: %s -> %s in %s, ", rp__figures_size(a, from->bytes_total),
           rp__figures_size(b, to->bytes_total), rp__figures_time(c, stats->seconds));
    printf("at most %s of memory\n", rp__figures_size(a, stats->memory_peak));
}

rp_status rp__remade_tell(rp__console *console, const rp__remade *made, rp_error *err)
{
    if (console->wants_json)
        return write_result(console, made, err);
    if (!console->is_quiet)
        print_result(made);
    return RP_OK;
}
