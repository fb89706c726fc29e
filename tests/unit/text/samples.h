/* samples.h: random text for the tests of text: characters of every word-break class. */
#ifndef RP_TESTS_TEXT_SAMPLES_H
#define RP_TESTS_TEXT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include <unistr.h>

static uint64_t sample_seed = 0x1234567;

static inline uint32_t sample_random(uint32_t below)
{
    sample_seed ^= sample_seed << 13;
    sample_seed ^= sample_seed >> 7;
    sample_seed ^= sample_seed << 17;
    return (uint32_t)((sample_seed >> 16) % below);
}

/* A few of each class, more than one script and length, and the odd ones: pictographs that are
 * letters (U+24C2, U+2139), ignorable letters (U+115F), ligatures, marks that combine. */
static const uint32_t sample_codes[] = {
    'a',     'Z',     'm',     '0',     '9',     '_',     ' ',     '.',     ',',     ':',
    ';',     '\'',    '"',     '-',     '\r',    '\n',    '\t',    0,       0x85,    0xA0,
    0xAD,    0xB7,    0xC4,    0xDF,    0xE9,    0x130,   0x131,   0x149,   0x300,   0x301,
    0x323,   0x345,   0x37A,   0x387,   0x391,   0x3A3,   0x3C2,   0x3C3,   0x410,   0x44F,
    0x55F,   0x589,   0x5D0,   0x5EA,   0x5F3,   0x5F4,   0x600,   0x627,   0x660,   0x66C,
    0x70F,   0x905,   0x93C,   0xE01,   0xE34,   0x1100,  0x1161,  0x11A8,  0x115F,  0x1160,
    0x1680,  0x180E,  0x1E9E,  0x1F88,  0x2000,  0x2006,  0x200B,  0x200C,  0x200D,  0x200E,
    0x2018,  0x2019,  0x2024,  0x2027,  0x2028,  0x2029,  0x202F,  0x203F,  0x2044,  0x2060,
    0x2122,  0x2126,  0x2139,  0x2163,  0x24C2,  0x2600,  0x2764,  0x3000,  0x3031,  0x3042,
    0x304C,  0x3099,  0x309B,  0x30A2,  0x30AC,  0x30FC,  0x3164,  0x3297,  0x4E00,  0x9FFF,
    0xAC00,  0xAC01,  0xD7A3,  0xF900,  0xFB01,  0xFB1D,  0xFB2A,  0xFDFA,  0xFE0F,  0xFE10,
    0xFE13,  0xFE33,  0xFE52,  0xFEFF,  0xFF07,  0xFF0C,  0xFF0E,  0xFF10,  0xFF1A,  0xFF21,
    0xFF3F,  0xFF66,  0xFF9E,  0xFFA0,  0xFFFD,  0x10400, 0x1D400, 0x1D7CE, 0x1F170, 0x1F1E6,
    0x1F1FA, 0x1F1F8, 0x1F3FB, 0x1F468, 0x1F600, 0x20000, 0x2F800, 0xE0001, 0xE0061, 0xE0100,
};

static inline uint32_t sample_code(void)
{
    enum { N = sizeof sample_codes / sizeof *sample_codes };
    if (sample_random(16) > 0)
        return sample_codes[sample_random(N)];
    uint32_t code = sample_random(sample_random(2) ? 0x3000 : 0x110000);
    return code >= 0xD800 && code <= 0xDFFF ? 'x' : code;
}

/* Appends a code point in UTF-8 and returns the bytes. */
static inline size_t sample_put(char *at, uint32_t code)
{
    return (size_t)u8_uctomb((uint8_t *)at, code, 6);
}

/* Fills `text` with up to `most` valid random characters; returns the bytes. Room: 4 * most + 6. */
static inline size_t sample_text(char *text, uint32_t most)
{
    size_t n = 0;
    for (uint32_t i = sample_random(most + 1); i > 0; i--)
        n += sample_put(text + n, sample_code());
    return n;
}

#endif
