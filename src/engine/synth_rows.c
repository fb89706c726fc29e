/* synth_rows.c: the table of collections. A new one is a row here and a line in docs/synth.md.
 *
 * Sources: Ao et al. 2011, tables 1 and 4, appendix B (gov, gov2, bd); Ding et al. 2009, section 4 (gov2's
 * queries); Griffin 2018, figures 10 and 11 (clueweb's queries); IIU 2020, section 6 (sizes of clueweb and
 * ccnews). What a paper leaves unsaid is chosen here, and docs/synth.md names it. No paper's is `expanded`: it has
 * the size of MS MARCO's passages, and 120 postings a document. */
#include "engine/synth.h"

/* Terabyte 2006 as Ao has it, stop words and all; he says the shares of 2 to 6 terms. */
static const rp__synth_queries ao = {
    .shares = {3.56, 16.1, 24.5, 22.8, 14.8, 8.24, 4.6, 2.6, 1.6, 1.2},
    .least = 6,
    .rarest = 0.185,
    .other = 0.19,
    .tilt = 2.25,
    .stop = 0.31,
    .stop_more = 0.03,
};

/* As Ding has it: 3.74 million postings a query of 25.2 million documents. */
static const rp__synth_queries ding = {
    .shares = {3.56, 16.1, 24.5, 22.8, 14.8, 8.24, 4.6, 2.6, 1.6, 1.2},
    .least = 6,
    .rarest = 0.14,
    .other = 0.37,
    .tilt = 2.25,
};

/* Most lists have a thousand to a million postings. */
static const rp__synth_queries griffin = {
    .shares = {4, 27, 33, 24, 8, 4},
    .least = 300,
    .rarest = 0.02,
    .other = 0.06,
    .tilt = 1,
};

/* Single terms for decompression, pairs for intersection and union. */
static const rp__synth_queries iiu = {
    .shares = {50, 50},
    .least = 100,
    .rarest = 0.086,
    .other = 0.29,
    .tilt = 1,
};

/* What a learned sparse model makes of a passage's question. */
static const rp__synth_queries learned = {
    .rarest = 0.001,
    .other = 0.2,
    .expanded = 45,
    .own = 8,
    .stray = 0.5,
};

static const rp__synth_row rows[] = {
    {"gov", "GV", 1053372, 125, 43, 6, 6.2, 0.9, 20, 21, 0, &ao},
    {"gov2", "GX", 5038710, 16, 19, 9, 6.3, 0.9, 20, 21, 0, &ding},
    {"bd", "BD", 15749656, 440, 12, 50, 6.0, 0.9, 20, 21, 0, &ding},
    {"clueweb", "CW", 52343021, 16, 19, 9, 6.2, 0.8, 20, 21, 0, &griffin},
    {"ccnews", "CC", 29948077, 440, 12, 50, 6.1, 0.7, 20, 21, 0, &iiu},
    {"expanded", "EX", 8841823, 440, 12, 50, 5.5, 0.4, 20, 75.6, 30522, &learned},
};

const rp__synth_row *rp__synth_rows_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const char *rp_synth_name(size_t i)
{
    return i < sizeof rows / sizeof *rows ? rows[i].name : NULL;
}
