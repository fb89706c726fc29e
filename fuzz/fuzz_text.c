/* fuzz_text.c: any bytes through any analyzer.
 * Input: a byte that picks the stemmer, a byte for the rule and the steps, a byte for the length of
 * the stop list, the list, the text.
 * Checks what the door promises of every token, and the words against the plain path. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/stemming.h"
#include "text/text.h"
#include "unit/text/plain_tokens.h"

static void require(bool is_true)
{
    if (!is_true)
        abort();
}

static const char *const rules[] = {"plain", "uax29", "split", "whitespace", "bigram"};

static const char *pick_stem(uint8_t byte)
{
    size_t n = 0;
    while (rp__stemming_name(n))
        n++;
    return rp__stemming_name(byte % n);
}

/* With no stemmer and no stop list the terms are those of the plain path too. */
static void check_tokens(rp__analyzer_state *state, plain_tokens *p, bool has_terms,
                         const char *text, size_t bytes)
{
    rp__token t;
    size_t next = 0;
    plain_analyze(p, text, bytes);
    rp__analyzer_begin(state, text, bytes);
    while (rp__analyzer_next(state, &t)) {
        while (has_terms && p->at[next].bytes == 0)
            next++;
        require(t.position < p->n && t.position >= next);
        require(!has_terms || t.position == next);
        next = t.position + 1U;
        const plain_token *want = &p->at[t.position];
        require(t.begin == want->begin && t.end == want->end);
        require(t.bytes >= 1 && t.bytes <= RP_TEXT_TERM_MAX);
        require(rp__utf8_check(t.term, t.bytes) == t.bytes);
        require(!has_terms || (t.bytes == want->bytes && memcmp(t.term, want->term, t.bytes) == 0));
    }
    require(rp__analyzer_positions(state) == p->n);
}

static void check_fold(rp__analyzer_state *state, const char *text, size_t bytes)
{
    char out[RP_TEXT_TERM_MAX];
    size_t n = rp__analyzer_fold(state, text, bytes, out);
    require(n <= sizeof out && rp__utf8_check(out, n) == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    const char *rest = (const char *)data + 3;
    size_t stop = data[2] < size - 3 ? data[2] : size - 3;
    rp__text_options options = {.stem = pick_stem(data[0]),
                                .stop_words = rest,
                                .stop_bytes = stop,
                                .tokens = rules[data[1] / 4 % 5],
                                .drops_possessive = data[1] & 1,
                                .folds_accents = data[1] & 2};
    rp__analyzer *analyzer = NULL;
    rp__analyzer_state *state = NULL;
    rp_status status = rp__analyzer_open(&options, &analyzer, NULL);
    bool has_stem = strcmp(options.stem, "none") != 0;
    require(status == (has_stem && data[1] / 4 % 5 == 4 ? RP_USAGE : RP_OK));
    if (status != RP_OK)
        return 0;
    rp__accents accents = {0};
    if (options.folds_accents)
        rp__accents_init(&accents, has_stem ? rp__stemming_letters(options.stem) : "");
    plain_tokens plain = {.drops_possessive = options.drops_possessive, .accents = &accents};
    require(rp__tokens_find(options.tokens, &plain.rule));
    require(rp__analyzer_state_new(analyzer, &state) == RP_OK);
    for (int again = 0; again < 2; again++) { /* the second time with stems remembered */
        check_tokens(state, &plain, !has_stem && stop == 0, rest + stop, size - 3 - stop);
        check_fold(state, rest + stop, size - 3 - stop);
    }
    free(plain.at);
    rp__analyzer_state_free(state);
    rp__analyzer_close(analyzer);
    return 0;
}
