/* transcode_word.c: words of transcoded lists. A buffer of bits has those from docid 0 on, then
 * hints, then, of lists that their codec does not cut every 128 postings, a directory that is cut
 * so. */
#include "backend/gpu/transcode_word.h"

#include "base/bits.h"

enum {
    ALIGN = RP_TRANSCODE_WORD_ALIGN,
    HINT = 512, /* docids between hints */
};

static uint32_t bit_words(uint32_t universe)
{
    return universe / 32 + 1;
}

static size_t hints_at(uint32_t universe)
{
    return rp__transcode_word_array_bytes(bit_words(universe));
}

static size_t last_at(uint32_t universe)
{
    return hints_at(universe) + rp__transcode_word_array_bytes(universe / HINT + 1);
}

static uint32_t frames_of(uint32_t n)
{
    return n / KARG_BLOCK + (n % KARG_BLOCK > 0);
}

size_t rp__transcode_word_bits_bytes(const karg_list *list)
{
    size_t last = list->first ? rp__transcode_word_array_bytes(frames_of(list->n)) : 0;
    return last_at(list->universe) + last;
}

size_t rp__transcode_word_array_bytes(uint32_t n)
{
    return rp__bits_align(n * sizeof(uint32_t), ALIGN);
}

/* A word of the list with frequencies as they are, and without a directory that is not cut every
 * 128 postings. */
static karg_word word_of(const karg_list *list, rp__cu_ptr tfs)
{
    karg_word word = {.list = *list};
    word.list.freqs = tfs;
    word.list.freqs_bytes = list->n * (uint32_t)sizeof(uint32_t);
    word.list.freq_offsets = 0;
    word.list.freq_code = KARG_CODEC_RAW;
    if (list->first) {
        word.list.first = word.list.last = word.list.last_far = word.list.bounds = 0;
        word.list.n_blocks = frames_of(list->n);
    }
    return word;
}

rp__transcode_list rp__transcode_word_bits(const karg_list *list, rp__cu_ptr buffer, rp__cu_ptr tfs,
                                           karg_word *out)
{
    rp__transcode_list made = {.list = *list,
                               .tfs = tfs,
                               .bits = buffer,
                               .hints = buffer + hints_at(list->universe),
                               .last = list->first ? buffer + last_at(list->universe) : 0,
                               .n_words = bit_words(list->universe)};
    *out = word_of(list, tfs);
    out->list.codec = KARG_CODEC_BITMAP;
    out->list.docs = made.bits;
    out->list.last = made.last ? made.last : out->list.last;
    out->hints = made.hints;
    out->n_words = made.n_words;
    return made;
}

rp__transcode_list rp__transcode_word_docids(const karg_list *list, rp__cu_ptr buffer,
                                             rp__cu_ptr tfs, karg_word *out)
{
    *out = word_of(list, tfs);
    out->list.codec = KARG_CODEC_RAW;
    out->list.docs = buffer;
    out->list.docs_bytes = list->n * (uint32_t)sizeof(uint32_t);
    out->list.offsets = 0;
    return (rp__transcode_list){.list = *list, .docids = buffer, .tfs = tfs};
}

rp__transcode_list rp__transcode_word_tfs(const karg_list *list, const karg_word *word,
                                          rp__cu_ptr tfs, karg_word *out)
{
    *out = *word;
    out->list = word_of(&word->list, tfs).list;
    return (rp__transcode_list){.list = *list, .docids = tfs, .tfs = tfs};
}
