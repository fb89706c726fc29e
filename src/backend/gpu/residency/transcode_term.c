/* transcode_term.c: terms of transcoded lists. A buffer of bits has those from docid 0 on, then
 * hints, then a directory that is cut every 128 postings: what is made of a list does not need the
 * list any more, which may be evicted. */
#include "backend/gpu/residency/transcode_term.h"

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
    return rp__transcode_term_array_bytes(bit_words(universe));
}

static size_t last_at(uint32_t universe)
{
    return hints_at(universe) + rp__transcode_term_array_bytes(universe / HINT + 1);
}

static uint32_t frames_of(uint32_t n)
{
    return n / KARG_BLOCK + (n % KARG_BLOCK > 0);
}

size_t rp__transcode_term_bits_bytes(const karg_list *list)
{
    return last_at(list->universe) + rp__transcode_term_array_bytes(frames_of(list->n));
}

size_t rp__transcode_term_array_bytes(uint32_t n)
{
    return rp__bits_align(n * sizeof(uint32_t), ALIGN);
}

/* The list with frequencies as they are. */
static karg_list with_tfs(karg_list list, rp__cu_ptr tfs)
{
    list.freqs = tfs;
    list.freqs_bytes = list.n * (uint32_t)sizeof(uint32_t);
    list.freq_offsets = 0;
    list.freq_code = KARG_CODEC_RAW;
    return list;
}

/* A term that has nothing of the list as it is stored but its numbers. */
static karg_term word_of(const karg_list *list, uint32_t codec, rp__cu_ptr docs, rp__cu_ptr tfs)
{
    const karg_list numbers = {.docs = docs,
                               .n = list->n,
                               .n_blocks = frames_of(list->n),
                               .universe = list->universe,
                               .codec = codec};
    return (karg_term){.list = with_tfs(numbers, tfs)};
}

rp__transcode_list rp__transcode_term_bits(const karg_list *list, rp__cu_ptr buffer, rp__cu_ptr tfs,
                                           karg_term *out)
{
    rp__transcode_list made = {.list = *list,
                               .tfs = tfs,
                               .bits = buffer,
                               .hints = buffer + hints_at(list->universe),
                               .last = buffer + last_at(list->universe),
                               .n_words = bit_words(list->universe)};
    *out = word_of(list, KARG_CODEC_BITMAP, made.bits, tfs);
    out->list.last = made.last;
    out->hints = made.hints;
    out->n_words = made.n_words;
    return made;
}

rp__transcode_list rp__transcode_term_docids(const karg_list *list, rp__cu_ptr buffer,
                                             rp__cu_ptr tfs, karg_term *out)
{
    *out = word_of(list, KARG_CODEC_RAW, buffer, tfs);
    out->list.docs_bytes = list->n * (uint32_t)sizeof(uint32_t);
    return (rp__transcode_list){.list = *list, .docids = buffer, .tfs = tfs};
}

rp__transcode_list rp__transcode_term_tfs(const karg_list *list, const karg_term *term,
                                          rp__cu_ptr tfs, karg_term *out)
{
    *out = *term;
    out->list = with_tfs(term->list, tfs);
    return (rp__transcode_list){.list = *list, .docids = tfs, .tfs = tfs};
}
