/* format_codes.c: see format_codes.h. Chapters 5 and 6 of docs/format.md. */
#include "parity/format_codes.h"

#include <string.h>

/* w bits from bit `bit` on. */
static uint32_t bits_at(const uint8_t *p, size_t bit, unsigned w)
{
    uint32_t v = 0;
    for (unsigned j = 0; j < w; j++)
        v |= (uint32_t)(p[(bit + j) / 8] >> (bit + j) % 8 & 1) << j;
    return v;
}

const uint8_t *format_bp128(const uint8_t *p, size_t n, uint32_t *out)
{
    unsigned w = *p++;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (unsigned j = 0; j < w; j++) {
            size_t bit = i * w + j;
            out[i] |= (uint32_t)(p[bit / 8] >> bit % 8 & 1) << j;
        }
    }
    return p + (n * w + 7) / 8;
}

const uint8_t *format_vbyte(const uint8_t *p, size_t n, uint32_t *out)
{
    const uint8_t *data = p + (n + 3) / 4;
    for (size_t i = 0; i < n; i++) {
        size_t length = (p[i / 4] >> 2 * (i % 4) & 3) + 1U;
        out[i] = bits_at(data, 0, 8 * (unsigned)length);
        data += length;
    }
    return data;
}

const uint8_t *format_rice(const uint8_t *p, size_t n, uint32_t *out)
{
    unsigned b = *p++;
    const uint8_t *unary = p + (n * b + 7) / 8;
    size_t bit = 0;
    for (size_t i = 0; i < n; i++, bit++) {
        out[i] = bits_at(p, i * b, b);
        for (; bits_at(unary, bit, 1); bit++)
            out[i] += 1U << b;
    }
    return unary + (bit + 7) / 8;
}

/* k ranks, then k parts of `width` bits, that are added above bit `shift`; where they end. */
static const uint8_t *listed(const uint8_t *p, size_t k, unsigned rank_width, unsigned width,
                             unsigned shift, uint32_t *out)
{
    for (size_t j = 0; j < k; j++)
        out[bits_at(p, j * rank_width, rank_width)] += bits_at(p, k * rank_width + j * width, width)
                                                       << shift;
    return p + (k * (rank_width + width) + 7) / 8;
}

static const uint8_t *mapped(const uint8_t *p, size_t n, unsigned width, unsigned shift,
                             uint32_t *out)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (bits_at(p, i, 1))
            out[i] += bits_at(p + (n + 7) / 8, k++ * width, width) << shift;
    return p + (n + 7) / 8 + (k * width + 7) / 8;
}

const uint8_t *format_optpfd(const uint8_t *p, size_t n, uint32_t *out)
{
    unsigned b = *p & 63, mode = *p++ >> 6, h = 0, k = 0, f = 0, far_width = 0, rank_width = 0;
    bool has_far = mode == 3;
    while ((n - 1) >> rank_width)
        rank_width++;
    if (mode == 1 || mode == 2) {
        h = (*p & 7U) + 1;
        has_far = *p & 8;
        k = mode == 1 ? (*p >> 4) + 1U : 0;
        p++;
    }
    if (has_far) {
        f = (*p & 7U) + 1;
        far_width = (*p++ >> 3) + 1U;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = bits_at(p, i * b, b);
    p += (n * b + 7) / 8;
    p = mode == 2 ? mapped(p, n, h, b, out) : listed(p, k, rank_width, h, b, out);
    return listed(p, f, rank_width, far_width, b + h, out);
}

const uint8_t *format_ef128(const uint8_t *p, size_t n, uint32_t *out)
{
    unsigned form = *p++;
    const uint8_t *high = p + (n * form + 7) / 8;
    uint32_t before = 0, zeros = 0;
    size_t bit = 0;
    for (size_t i = 0; form == 32 && i < n; i++)
        out[i] = 0;
    if (form >= 32)
        return form == 32 ? p : format_bp128(p, n, out);
    for (size_t i = 0; i < n; i++) {
        for (; !bits_at(high, bit, 1); bit++)
            zeros++;
        uint32_t sum = zeros << form | bits_at(p, i * form, form);
        out[i] = sum - before;
        before = sum;
        bit++;
    }
    return high + (bit + 7) / 8;
}

const uint8_t *format_efsum(const uint8_t *p, size_t n, uint32_t *out)
{
    uint32_t gaps[127], rank = 0;
    if (*p < 128)
        return format_ef128(p, n, out);
    size_t steps = *p - 128U;
    p = format_ef128(p + 1, steps, gaps);
    for (size_t i = 0; i < n; i++)
        out[i] = 0;
    for (size_t j = 0; j < steps; j++)
        out[rank += gaps[j]]++;
    return p;
}

/* ---- Rows -------------------------------------------------------------------------------------- */

/* Of auto only the frequencies, if the manifest does not say them: mixed, which is not here. efsum is
 * no codec of docids: lists do not name it. */
static const format_row rows[] = {{FORMAT_RAW, "raw", NULL, format_bp128},
                                  {2, "vbyte", format_vbyte, format_vbyte},
                                  {3, "bp128", format_bp128, format_bp128},
                                  {7, "optpfd", format_optpfd, format_optpfd},
                                  {10, "rice", format_rice, format_rice},
                                  {12, "ef128", format_ef128, format_ef128},
                                  {FORMAT_BITMAP, "bitmap", NULL, format_bp128},
                                  {UINT32_MAX, "efsum", format_efsum, format_efsum},
                                  {FORMAT_AUTO, "auto", NULL, NULL}};
enum { ROWS = sizeof rows / sizeof *rows };

bool format_find_row(const char *name, const char *freqs, format_row *out)
{
    bool has_name = false;
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *out = rows[i];
            has_name = true;
        }
    for (size_t i = 0; freqs[0] && i < ROWS; i++)
        if (strcmp(rows[i].name, freqs) == 0)
            out->freqs = rows[i].docs;
    return has_name && out->freqs;
}

bool format_name_row(const uint8_t *p, format_row *row, uint32_t *id)
{
    *id = row->id == FORMAT_AUTO ? p[3] == 0x80 ? p[1] : p[3] : 0;
    for (size_t i = 0; *id && i < ROWS; i++)
        if (rows[i].id == *id) {
            row->id = *id;
            row->docs = rows[i].docs;
        }
    return row->id != FORMAT_AUTO && (*id == 0 || row->id == *id);
}
