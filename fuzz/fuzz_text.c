/* fuzz_text.c: any bytes through any analyzer.
 * Input: a byte that picks the stemmer, a byte for the length of the stop list, the list, the text.
 * Checks what the door promises of every token, and the words against the plain path. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/text.h"
#include "text/wordbreak.h"

static void require(bool is_true)
{
    if (!is_true)
        abort();
}

static const char *const stems[] = {"none", "porter", "english"};

/* Moves *at to the end of the next segment that is a word. */
static bool next_plain(const char *text, size_t bytes, size_t *begin, size_t *at)
{
    while (*at < bytes) {
        rp__wordbreak_segment segment = rp__wordbreak_next(text, bytes, *at);
        require(segment.end > *at && segment.end <= bytes);
        *begin = *at;
        *at = segment.end;
        if (segment.is_word)
            return true;
    }
    return false;
}

static void check_tokens(rp__analyzer_state *state, const char *text, size_t bytes)
{
    rp__token t;
    size_t begin = 0, at = 0;
    uint32_t words = 0;
    rp__analyzer_begin(state, text, bytes);
    while (rp__analyzer_next(state, &t)) {
        while (words <= t.position) { /* those between were dropped */
            require(next_plain(text, bytes, &begin, &at));
            words++;
        }
        require(t.begin == begin && t.end == at && t.begin < t.end && t.end <= bytes);
        require(t.bytes >= 1 && t.bytes <= RP_TEXT_TERM_MAX);
        require(rp__utf8_check(t.term, t.bytes) == t.bytes);
    }
    while (next_plain(text, bytes, &begin, &at))
        words++;
    require(words == rp__analyzer_positions(state));
}

static void check_fold(rp__analyzer_state *state, const char *text, size_t bytes)
{
    char out[RP_TEXT_TERM_MAX];
    size_t n = rp__analyzer_fold(state, text, bytes, out);
    require(n <= sizeof out && rp__utf8_check(out, n) == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *rest = (const char *)data + 2;
    size_t stop = data[1] < size - 2 ? data[1] : size - 2;
    rp__text_options options = {stems[data[0] % 3], rest, stop};
    rp__analyzer *analyzer = NULL;
    rp__analyzer_state *state = NULL;
    require(rp__analyzer_open(&options, &analyzer, NULL) == RP_OK);
    require(rp__analyzer_state_new(analyzer, &state) == RP_OK);
    check_tokens(state, rest + stop, size - 2 - stop);
    check_fold(state, rest + stop, size - 2 - stop);
    check_tokens(state, rest + stop, size - 2 - stop); /* now with stems remembered */
    rp__analyzer_state_free(state);
    rp__analyzer_close(analyzer);
    return 0;
}
