/* stemming.c: Snowball stems by libstemmer, and a table of those asked for lately.
 * Stemming costs many times what finding a word does, and few words make up most of a text. A
 * line of the table holds two words. A new word takes the second place and moves up when it is
 * asked for again, so that words seen once do not drive out frequent ones. A stem is kept as how
 * much of the word it keeps and what it ends in. The table changes how long an answer takes, never
 * the answer.
 * Does not fold and does not know stop words. */
#include "text/stemming.h"

#include <libstemmer.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "text/folding.h"
#include "text/term_hash.h"
#include "text/text.h"

enum {
    LINES = 16384, /* of 64 bytes, 1 MiB: twice as many gain a tenth */
    WORD_MAX = 26,
    TAIL_MAX = 3,
};

/* Read eight bytes at a time up to its end. */
typedef struct slot {
    char word[WORD_MAX];
    uint8_t bytes;           /* of the word; 0: empty */
    uint8_t keeps, has_tail; /* the stem: bytes of the word, then of the tail */
    char tail[TAIL_MAX];
} slot;

typedef struct line {
    slot first, second;
} line;

_Static_assert(sizeof(line) == 64, "a line of the table is a cache line");

struct rp__stemming {
    struct sb_stemmer *stemmer;
    void *memory;
    line *lines; /* inside memory, aligned */
    char stem[sizeof(slot)];
    const rp__accents *accents; /* dropped from stems */
    rp__folding folding;
    char folded[RP_TEXT_TERM_MAX + RP_TERM_HASH_SLACK]; /* a stem without accents */
};

/* Algorithms whose rules mention letters with accents. Others see words without any. */
static const struct {
    const char *algorithm, *letters;
} rows[] = {
    {"arabic", "آأإؤئ"},
    {"catalan", "àáèéíïòóúüç"},
    {"danish", "å"},
    {"dutch", "è"},
    {"finnish", "äö"},
    {"french", "âàçëéêèïîôûù"},
    {"german", "äöü"},
    {"hungarian", "áéíóöőúüű"},
    {"irish", "áéíóú"},
    {"italian", "áéíóúàèìòù"},
    {"lithuanian", "ąčęėįšųūž"},
    {"norwegian", "å"},
    {"portuguese", "ãõáéíóúâêôç"},
    {"romanian", "âîăşţșț"},
    {"russian", "й"},
    {"serbian", "čćšž"},
    {"spanish", "áéíóúüñ"},
    {"swedish", "äåö"},
    {"turkish", "çğöşü"},
};

const char *rp__stemming_letters(const char *algorithm)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(algorithm, rows[i].algorithm) == 0)
            return rows[i].letters;
    return "";
}

/* "none", then what libstemmer has. */
const char *rp__stemming_name(size_t i)
{
    const char **algorithm = sb_stemmer_list();
    for (size_t k = 1; k < i && *algorithm; k++)
        algorithm++;
    return i == 0 ? "none" : *algorithm;
}

bool rp__stemming_find(const char *name, const char **algorithm)
{
    const char *known;
    for (size_t i = 0; (known = rp__stemming_name(i)); i++)
        if (strcmp(name, known) == 0) {
            *algorithm = i == 0 ? NULL : known;
            return true;
        }
    return false;
}

/* Makes the stemmer get, now, all the memory that it will ever need: its one buffer grows to the
 * longest word, and some more, and never shrinks. */
static bool warm_up(struct sb_stemmer *stemmer)
{
    sb_symbol longest[RP_TEXT_TERM_MAX];
    memset(longest, 'a', sizeof longest);
    return sb_stemmer_stem(stemmer, longest, sizeof longest) != NULL;
}

rp_status rp__stemming_new(const char *algorithm, const rp__accents *accents, rp__stemming **out)
{
    *out = NULL;
    rp__stemming *s = rp__alloc_zero(1, sizeof *s);
    if (!s)
        return RP_NO_MEMORY;
    s->accents = accents;
    s->memory = rp__alloc_zero(LINES + 1, sizeof(line));
    s->stemmer = sb_stemmer_new(algorithm, "UTF_8");
    if (!s->memory || !s->stemmer || !warm_up(s->stemmer)) {
        rp__stemming_free(s);
        return RP_NO_MEMORY;
    }
    s->lines = (line *)rp__bits_align((uintptr_t)s->memory, sizeof(line));
    *out = s;
    return RP_OK;
}

void rp__stemming_free(rp__stemming *stemming)
{
    if (!stemming)
        return;
    sb_stemmer_delete(stemming->stemmer);
    rp__free(stemming->memory);
    rp__free(stemming);
}

static bool has_high_byte(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)text[i] >= 0x80)
            return true;
    return false;
}

/* An empty stem (Porter's of "s") would lose the word: it then stays as it is. */
static const char *find_stem(rp__stemming *s, const char *term, uint32_t *bytes)
{
    const sb_symbol *out = sb_stemmer_stem(s->stemmer, (const sb_symbol *)term, (int)*bytes);
    int length = sb_stemmer_length(s->stemmer);
    if (!out || length <= 0) /* NULL: out of memory, which warm_up has made impossible */
        return term;
    size_t n = rp__folding_cut((const char *)out, (size_t)length, RP_TEXT_TERM_MAX);
    if (s->accents->drops && has_high_byte((const char *)out, n)) {
        size_t folded =
            rp__folding_word(&s->folding, s->accents, (const char *)out, n, false, s->folded);
        if (folded > 0) {
            *bytes = (uint32_t)folded;
            return s->folded;
        }
    }
    *bytes = (uint32_t)n;
    return (const char *)out;
}

static void remember(slot *place, const char *term, size_t n, const char *stem, size_t stem_bytes)
{
    size_t keeps = 0;
    while (keeps < n && keeps < stem_bytes && term[keeps] == stem[keeps])
        keeps++;
    size_t tail = stem_bytes - keeps;
    if (n > WORD_MAX || stem_bytes > WORD_MAX || tail > TAIL_MAX)
        return;
    memcpy(place->word, term, n);
    place->bytes = (uint8_t)n;
    place->keeps = (uint8_t)keeps;
    place->has_tail = (uint8_t)tail;
    memcpy(place->tail, stem + keeps, tail);
}

static inline bool holds(const slot *place, const char *term, size_t bytes)
{
    return place->bytes == bytes && rp__term_hash_equal(place->word, term, bytes);
}

const char *rp__stemming_get(rp__stemming *s, const char *term, uint32_t *bytes, uint64_t hash)
{
    line *at = &s->lines[hash % LINES];
    if (!holds(&at->first, term, *bytes)) {
        if (!holds(&at->second, term, *bytes)) {
            uint32_t n = *bytes;
            const char *out = find_stem(s, term, bytes);
            remember(&at->second, term, n, out, *bytes);
            return out;
        }
        slot frequent = at->second;
        at->second = at->first;
        at->first = frequent;
    }
    const slot *place = &at->first;
    memcpy(s->stem, place, sizeof *place);
    memcpy(s->stem + place->keeps, place->tail, TAIL_MAX);
    *bytes = (uint32_t)place->keeps + place->has_tail;
    return s->stem;
}
