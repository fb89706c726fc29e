/* analyzer.c: text to terms: finds words, folds them, drops stop words, stems the rest.
 * Words of plain ASCII come straight from the map that asciiscan.c makes of a stretch of text. What
 * the map cannot decide (a character of another script, a '.' between letters, the end of the
 * stretch) goes to wordbreak.c, which knows every rule; so both give the same words.
 * Source: UAX #29; Unicode NFKC casefold; Snowball.
 * Invariants: 1 `at` is always a word boundary; 2 [scan_begin, scan_begin + scan.n) is ASCII. */

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "text/asciiscan.h"
#include "text/folding.h"
#include "text/stemming.h"
#include "text/stopwords.h"
#include "text/term_hash.h"
#include "text/text.h"
#include "text/wordbreak.h"

struct rp__analyzer {
    const char *algorithm; /* of the stemmer; NULL: none */
    rp__stopwords stop;
};

struct rp__analyzer_state {
    const rp__analyzer *analyzer;
    rp__stemming *stemming; /* NULL: none */
    const char *text;
    size_t bytes, at, scan_begin;
    uint32_t position; /* words so far */
    rp__asciiscan scan;
    char
        term[RP_TEXT_TERM_MAX + RP_TERM_HASH_SLACK]; /* of a word that is not taken from the scan */
    rp__folding folding;
};

rp_status rp__analyzer_open(const rp__text_options *options, rp__analyzer **out, rp_error *err)
{
    *out = NULL;
    const char *algorithm;
    if (!rp__stemming_find(options->stem, &algorithm))
        return rp__error_set(err, RP_USAGE,
                             "unknown stemmer \"%s\"; use \"none\", \"porter\" or \"english\"",
                             options->stem);
    rp__analyzer *analyzer = rp__alloc_zero(1, sizeof *analyzer);
    if (!analyzer)
        return rp__error_no_memory(err);
    analyzer->algorithm = algorithm;
    if (rp__stopwords_init(&analyzer->stop, options->stop_words, options->stop_bytes) != RP_OK) {
        rp__analyzer_close(analyzer);
        return rp__error_no_memory(err);
    }
    *out = analyzer;
    return RP_OK;
}

void rp__analyzer_close(rp__analyzer *analyzer)
{
    if (!analyzer)
        return;
    rp__stopwords_reset(&analyzer->stop);
    rp__free(analyzer);
}

rp_status rp__analyzer_state_new(const rp__analyzer *analyzer, rp__analyzer_state **out)
{
    *out = NULL;
    rp__analyzer_state *state = rp__alloc_zero(1, sizeof *state);
    if (!state)
        return RP_NO_MEMORY;
    state->analyzer = analyzer;
    if (analyzer->algorithm && rp__stemming_new(analyzer->algorithm, &state->stemming) != RP_OK) {
        rp__analyzer_state_free(state);
        return RP_NO_MEMORY;
    }
    *out = state;
    return RP_OK;
}

void rp__analyzer_state_free(rp__analyzer_state *state)
{
    if (!state)
        return;
    rp__stemming_free(state->stemming);
    rp__free(state);
}

void rp__analyzer_begin(rp__analyzer_state *state, const char *text, size_t bytes)
{
    state->text = text;
    state->bytes = bytes;
    state->at = 0;
    state->scan_begin = 0;
    state->scan.n = 0;
    state->position = 0;
}

/* Whether there is ASCII at `at`; if so it is in the scan. */
static inline bool has_ascii(rp__analyzer_state *state)
{
    if (state->at < state->scan_begin + state->scan.n)
        return true;
    if ((unsigned char)state->text[state->at] >= 0x80)
        return false;
    state->scan_begin = state->at;
    rp__asciiscan_load(&state->scan, state->text + state->at, state->bytes - state->at);
    return true;
}

/* The next run of word characters of the map from `from` on, as [*begin, *end); false: none. */
static inline bool find_run(const rp__asciiscan *scan, size_t from, size_t *begin, size_t *end)
{
    size_t block = from / 64, last = scan->n / 64;
    uint64_t bits = scan->map[block] >> (from % 64) << (from % 64);
    while (bits == 0) {
        if (block == last)
            return false;
        bits = scan->map[++block];
    }
    *begin = block * 64 + rp__bits_lowest64(bits);
    uint64_t gaps = ~scan->map[block] >> (*begin % 64) << (*begin % 64);
    while (gaps == 0)
        gaps = ~scan->map[++block]; /* ends: the map is 0 from n on */
    *end = block * 64 + rp__bits_lowest64(gaps);
    return true;
}

/* Whether a run of word characters that ends at `end` (an offset into the scan) is a segment of its
 * own: what comes after it cannot join it. A run that begins with '_' may be no word at all. */
static inline bool is_alone(const rp__analyzer_state *state, size_t begin, size_t end)
{
    const rp__asciiscan *scan = &state->scan;
    if (scan->lower[begin] == '_')
        return false;
    size_t next = end;
    if (end < scan->n) {
        char c = scan->lower[end];
        if (c != '.' && c != ',' && c != '\'' && c != ':' && c != ';')
            return true;
        next++;
    }
    if (next == scan->n)
        return state->scan_begin + next == state->bytes;
    return (scan->map[next / 64] >> (next % 64) & 1) == 0;
}

/* With no run left in the scan: goes to the last boundary before its end. Two characters there are
 * one segment only if they are blanks (or a line end, which joins nothing else). */
static void skip_gap(rp__analyzer_state *state)
{
    size_t at = state->scan_begin + state->scan.n;
    if (at > state->at)
        at--;
    while (at > state->at && state->text[at] == ' ' && state->text[at - 1] == ' ')
        at--;
    state->at = at;
}

static size_t fold(rp__analyzer_state *state, const rp__wordbreak_segment *segment, size_t begin)
{
    const char *word = state->text + begin;
    size_t bytes = segment->end - begin;
    if (segment->is_folded)
        return rp__folding_copy(word, bytes, state->term);
    if (segment->is_ascii)
        return rp__folding_ascii(word, bytes, state->term);
    return rp__folding_unicode(&state->folding, word, bytes, state->term);
}

/* Takes the segment at `at`; false if it is no word. Nothing may be left of a word: 0 bytes. */
static bool take_segment(rp__analyzer_state *state, rp__token *out)
{
    rp__wordbreak_segment segment = rp__wordbreak_next(state->text, state->bytes, state->at);
    out->begin = state->at;
    out->end = state->at = segment.end;
    if (!segment.is_word)
        return false;
    out->term = state->term;
    out->bytes = (uint32_t)fold(state, &segment, out->begin);
    return true;
}

/* The next word, folded, before the stop list and the stemmer. Its term has 8 readable bytes behind
 * it. Writes straight into the token: a copy of a struct just written stalls. */
static inline bool next_word(rp__analyzer_state *state, rp__token *out)
{
    while (state->at < state->bytes) {
        if (has_ascii(state)) {
            size_t begin, end;
            if (!find_run(&state->scan, state->at - state->scan_begin, &begin, &end)) {
                skip_gap(state);
            } else if (is_alone(state, begin, end)) {
                size_t n = end - begin;
                out->begin = state->scan_begin + begin;
                out->end = state->at = state->scan_begin + end;
                out->term = state->scan.lower + begin;
                out->bytes = (uint32_t)(n < RP_TEXT_TERM_MAX ? n : RP_TEXT_TERM_MAX);
                return true;
            } else {
                state->at = state->scan_begin + begin;
            }
        }
        if (take_segment(state, out))
            return true;
    }
    return false;
}

/* Applies the stop list and the stemmer; false: nothing is left. */
static inline bool keep(rp__analyzer_state *state, rp__token *token)
{
    const rp__stopwords *stop = &state->analyzer->stop;
    if (token->bytes == 0)
        return false;
    bool may_stop = rp__stopwords_may_have(stop, token->term, token->bytes);
    if (!may_stop && !state->stemming)
        return true;
    uint64_t hash = rp__term_hash_of(token->term, token->bytes);
    if (may_stop && rp__stopwords_has(stop, token->term, token->bytes, hash))
        return false;
    if (state->stemming)
        token->term = rp__stemming_get(state->stemming, token->term, &token->bytes, hash);
    return true;
}

bool rp__analyzer_next(rp__analyzer_state *state, rp__token *token)
{
    while (next_word(state, token)) {
        token->position = state->position++;
        if (keep(state, token))
            return true;
    }
    return false;
}

uint32_t rp__analyzer_positions(const rp__analyzer_state *state)
{
    return state->position;
}

size_t rp__analyzer_fold(rp__analyzer_state *state, const char *word, size_t bytes,
                         char out[RP_TEXT_TERM_MAX])
{
    return rp__folding_any(&state->folding, word, bytes, out);
}
