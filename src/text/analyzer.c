/* analyzer.c: text to terms: finds words, folds them, drops stop words, stems the rest.
 * Words of plain ASCII come straight from the map that asciiscan.c makes of a stretch of text. What
 * the map cannot decide (a character of another script, a '.' between letters, the end of the
 * stretch) goes to tokens.c, which has every rule; so both give the same words. Only the rules
 * `plain` and `uax29` use the map.
 * Source: UAX #29; Unicode NFKC casefold; Snowball.
 * Invariants: 1 `at` is always where a segment or a letter ended; 2 [scan_begin, scan_begin +
 * scan.n) is ASCII. */

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/error.h"
#include "text/accents.h"
#include "text/asciiscan.h"
#include "text/folding.h"
#include "text/stemming.h"
#include "text/stopwords.h"
#include "text/term_hash.h"
#include "text/text.h"
#include "text/tokens.h"
#include "text/wordbreak.h"

struct rp__analyzer {
    const char *algorithm; /* of the stemmer; NULL: none */
    rp__tokens tokens;
    bool has_scan; /* the map of ASCII serves */
    bool drops_possessive;
    rp__accents accents; /* dropped before the stemmer */
    rp__accents all;     /* dropped after it too */
    rp__stopwords stop;
};

struct rp__analyzer_state {
    const rp__analyzer *analyzer;
    rp__stemming *stemming; /* NULL: none */
    const char *text;
    size_t bytes, at, scan_begin;
    size_t paired;     /* where the last pair of letters ended */
    uint32_t position; /* words so far */
    rp__asciiscan scan;
    char
        term[RP_TEXT_TERM_MAX + RP_TERM_HASH_SLACK]; /* of a word that is not taken from the scan */
    rp__folding folding;
};

/* Looks the names up. */
static rp_status choose(rp__analyzer *a, const rp__text_options *o, rp_error *err)
{
    if (!rp__stemming_find(o->stem, &a->algorithm))
        return rp__error_set(err, RP_USAGE,
                             "unknown stemmer \"%.40s\"; use \"none\", \"porter\", \"english\" or "
                             "another language of libstemmer",
                             o->stem);
    if (!rp__tokens_find(o->tokens ? o->tokens : "plain", &a->tokens))
        return rp__error_set(err, RP_USAGE,
                             "unknown tokens \"%.40s\"; use \"uax29\", \"split\", "
                             "\"whitespace\" or \"bigram\"",
                             o->tokens);
    if (a->algorithm && a->tokens == RP_TOKENS_BIGRAM)
        return rp__error_set(err, RP_USAGE,
                             "pairs of letters have no stem; use --stem none with "
                             "--tokens bigram");
    a->has_scan = a->tokens == RP_TOKENS_PLAIN || a->tokens == RP_TOKENS_UAX29;
    a->drops_possessive = o->drops_possessive;
    if (o->folds_accents) {
        rp__accents_init(&a->all, "");
        a->accents = a->all;
        if (a->algorithm)
            rp__accents_init(&a->accents, rp__stemming_letters(a->algorithm));
    }
    return RP_OK;
}

rp_status rp__analyzer_open(const rp__text_options *options, rp__analyzer **out, rp_error *err)
{
    *out = NULL;
    rp__analyzer *analyzer = rp__alloc_zero(1, sizeof *analyzer);
    if (!analyzer)
        return rp__error_no_memory(err);
    rp_status status = choose(analyzer, options, err);
    if (status == RP_OK && rp__stopwords_init(&analyzer->stop, &analyzer->accents,
                                              options->stop_words, options->stop_bytes) != RP_OK)
        status = rp__error_no_memory(err);
    if (status != RP_OK) {
        rp__analyzer_close(analyzer);
        return status;
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
    if (analyzer->algorithm &&
        rp__stemming_new(analyzer->algorithm, &analyzer->all, &state->stemming) != RP_OK) {
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
    state->paired = 0;
    state->position = 0;
}

/* Whether there is ASCII at `at`; if so it is in the scan. */
static inline bool has_ascii(rp__analyzer_state *state)
{
    if (state->at < state->scan_begin + state->scan.n)
        return true;
    if ((unsigned char)state->text[state->at] >= 0x80 || !state->analyzer->has_scan)
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

/* Whether a run of word characters that ends at `end` and the 's behind it are a segment of their
 * own, and the 's is to be dropped. */
static inline bool has_possessive(const rp__analyzer_state *state, size_t begin, size_t end)
{
    const rp__asciiscan *scan = &state->scan;
    size_t after = end + 2;
    return state->analyzer->drops_possessive && after <= scan->n && scan->lower[end] == '\'' &&
           scan->lower[end + 1] == 's' && scan->lower[end - 1] >= 'a' &&
           (scan->map[after / 64] >> (after % 64) & 1) == 0 && is_alone(state, begin, after);
}

static size_t fold(rp__analyzer_state *state, const rp__wordbreak_segment *segment, size_t begin,
                   size_t end)
{
    const char *word = state->text + begin;
    if (segment->is_ascii)
        return segment->is_folded ? rp__folding_copy(word, end - begin, state->term)
                                  : rp__folding_ascii(word, end - begin, state->term);
    return rp__folding_word(&state->folding, &state->analyzer->accents, word, end - begin,
                            segment->is_folded, state->term);
}

/* Takes the letter at `at` where letters go by pairs: as the first of a pair, or alone unless it was
 * the second of one. False: no such letter; *is_word: whether there is a word. */
static bool take_pair(rp__analyzer_state *state, rp__token *out, bool *is_word)
{
    rp__tokens rule = state->analyzer->tokens;
    rp__wordbreak_segment s = rp__tokens_letter(rule, state->text, state->bytes, state->at);
    size_t begin = state->at;
    if (s.end == begin)
        return false;
    rp__wordbreak_segment next = rp__tokens_letter(rule, state->text, state->bytes, s.end);
    state->at = s.end;
    *is_word = next.end > s.end || begin >= state->paired;
    if (!*is_word)
        return true;
    s.is_ascii &= next.is_ascii;
    s.is_folded &= next.is_folded;
    state->paired = out->end = next.end;
    out->begin = begin;
    out->term = state->term;
    out->bytes = (uint32_t)fold(state, &s, begin, next.end);
    return true;
}

/* Takes the segment at `at`; false if it is no word. Nothing may be left of a word: 0 bytes. */
static bool take_segment(rp__analyzer_state *state, rp__token *out)
{
    const rp__analyzer *a = state->analyzer;
    bool is_word;
    if (a->tokens != RP_TOKENS_PLAIN && take_pair(state, out, &is_word))
        return is_word;
    rp__wordbreak_segment segment =
        rp__tokens_next(a->tokens, state->text, state->bytes, state->at);
    out->begin = state->at;
    out->end = state->at = segment.end;
    if (!segment.is_word)
        return false;
    size_t end =
        a->drops_possessive ? rp__tokens_trim(state->text, out->begin, out->end) : out->end;
    out->term = state->term;
    out->bytes = (uint32_t)fold(state, &segment, out->begin, end);
    return true;
}

/* Takes the run [begin, end) of the scan as a word, and the text up to `after`. */
static inline void take_run(rp__analyzer_state *state, size_t begin, size_t end, size_t after,
                            rp__token *out)
{
    size_t n = end - begin;
    out->begin = state->scan_begin + begin;
    out->end = state->at = state->scan_begin + after;
    out->term = state->scan.lower + begin;
    out->bytes = (uint32_t)(n < RP_TEXT_TERM_MAX ? n : RP_TEXT_TERM_MAX);
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
                take_run(state, begin, end, end, out);
                return true;
            } else if (has_possessive(state, begin, end)) {
                take_run(state, begin, end, end + 2, out);
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

bool rp__analyzer_run(rp__analyzer_state *state, const char *run, size_t bytes, rp__token *token)
{
    if (!state->analyzer->has_scan || bytes > RP_TEXT_TERM_MAX)
        return false;
    memcpy(state->term, run, bytes);
    *token = (rp__token){.term = state->term, .bytes = (uint32_t)bytes, .end = bytes};
    if (!keep(state, token))
        token->bytes = 0;
    return true;
}

uint32_t rp__analyzer_positions(const rp__analyzer_state *state)
{
    return state->position;
}

bool rp__analyzer_is_lone(const rp__analyzer_state *state, const char *term, size_t bytes,
                          uint8_t *first)
{
    return rp__tokens_is_lone(state->analyzer->tokens, term, bytes, first);
}

size_t rp__analyzer_fold(rp__analyzer_state *state, const char *word, size_t bytes,
                         char out[RP_TEXT_TERM_MAX])
{
    return rp__folding_any(&state->folding, &state->analyzer->all, word, bytes, out);
}
