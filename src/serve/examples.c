/* examples.c: picks words for examples from the text of a few documents: plain letters, neither rare nor in most
 * documents. What fails leaves the examples out: they are help, and nothing depends on them. */
#include "serve/examples.h"

#include <stdbool.h>
#include <string.h>

enum { DOCUMENTS = 4, TEXT_BYTES = 1500, MIN_LETTERS = 5, MAX_LETTERS = 14, MAX_LOOKS = 400 };

typedef struct found {
    uint32_t df[3];
    uint32_t phrase_df;
    size_t looks;
} found;

/* How many documents have a word; 0: too many for an example. */
static uint32_t weigh(const rp_index *index, const rp_index_info *info, found *f, const char *word)
{
    rp_term_info t;
    if (f->looks++ >= MAX_LOOKS || rp_index_get_term(index, word, &t, NULL) != RP_OK ||
        t.df > info->docs / 16 + 1)
        return 0;
    return t.df;
}

static void keep_word(rp__examples *out, found *f, const char *term, uint32_t df)
{
    size_t at = 2;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(out->words[i], term) == 0)
            return;
    if (df <= f->df[at])
        return;
    for (; at > 0 && df > f->df[at - 1]; at--) {
        memcpy(out->words[at], out->words[at - 1], sizeof *out->words);
        f->df[at] = f->df[at - 1];
    }
    memcpy(out->words[at], term, strlen(term) + 1);
    f->df[at] = df;
}

static void keep_phrase(rp__examples *out, found *f, const char *first, const char *second,
                        uint32_t df)
{
    if (df <= f->phrase_df || strcmp(first, second) == 0)
        return;
    memcpy(out->phrase[0], first, strlen(first) + 1);
    memcpy(out->phrase[1], second, strlen(second) + 1);
    f->phrase_df = df;
}

/* The i-th word as the text has it, in small letters; false: it is none for an example. */
static bool spell(const rp_text_tokens *tokens, size_t i, const char *text,
                  char out[RP_EXAMPLE_BYTES])
{
    const size_t begin = tokens->at[i].begin, bytes = tokens->at[i].end - begin;
    if (bytes < MIN_LETTERS || bytes > MAX_LETTERS)
        return false;
    for (size_t k = 0; k < bytes; k++) {
        const char c = text[begin + k];
        out[k] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[bytes] = 0;
    return strspn(out, "abcdefghijklmnopqrstuvwxyz") == bytes;
}

static void look_at_text(const rp_index *index, const rp_index_info *info,
                         const rp_document *document, found *f, rp__examples *out)
{
    rp_text_tokens tokens = {0};
    char words[2][RP_EXAMPLE_BYTES] = {"", ""}; /* this one and the one before, in turn */
    uint32_t before = 0;
    if (rp_index_analyze(index, document->text, document->text_bytes, &tokens, NULL) != RP_OK)
        return;
    for (size_t i = 0; i + 1 < tokens.n; i++) { /* the last word may be cut */
        char *word = words[i % 2];
        const uint32_t df =
            spell(&tokens, i, document->text, word) ? weigh(index, info, f, word) : 0;
        if (df > 0)
            keep_word(out, f, word, df);
        if (df > 0 && before > 0 && tokens.at[i].position == tokens.at[i - 1].position + 1)
            keep_phrase(out, f, words[(i + 1) % 2], word, df < before ? df : before);
        before = df;
    }
    rp_text_tokens_free(&tokens);
}

void rp__examples_find(const rp_index *index, const rp_index_info *info, rp__examples *out)
{
    found f = {0};
    *out = (rp__examples){0};
    for (uint64_t i = 1; info->has_text && info->docs > 0 && i <= DOCUMENTS; i++) {
        rp_document document = {0};
        const uint32_t docid = (uint32_t)(info->docs * i / (DOCUMENTS + 1));
        if (rp_index_get_document_start(index, docid, TEXT_BYTES, &document, NULL) == RP_OK)
            look_at_text(index, info, &document, &f, out);
        rp_document_free(&document);
    }
}
