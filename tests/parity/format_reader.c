/* format_reader.c: see format_reader.h. Chapter numbers are those of docs/format.md. */
#include "parity/format_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "parity/format_codes.h"

static bool fail(format_index *ix, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!ix->why[0])
        vsnprintf(ix->why, sizeof ix->why, format, args);
    va_end(args);
    return false;
}

static uint64_t number(const uint8_t *p, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static uint64_t u64(const uint8_t *p)
{
    return number(p, 8);
}
static uint32_t u32(const uint8_t *p)
{
    return (uint32_t)number(p, 4);
}

static uint64_t varint(const uint8_t **p)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*p)++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return v;
    }
}

static uint64_t up_to(uint64_t v, uint64_t multiple)
{
    return (v + multiple - 1) / multiple * multiple;
}

/* ---- Chapter 2: section files ------------------------------------------------------------------ */

static bool load(format_index *ix, const char *path, format_file *f)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return fail(ix, "%s is not there", path);
    fseek(in, 0, SEEK_END);
    f->bytes = (size_t)ftell(in);
    rewind(in);
    f->at = malloc(f->bytes + 1);
    bool is_read = fread(f->at, 1, f->bytes, in) == f->bytes;
    fclose(in);
    return is_read || fail(ix, "%s cannot be read", path);
}

static bool are_zeros(const uint8_t *p, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static bool check_sections(format_index *ix, const format_file *f, const uint8_t *table, uint64_t n)
{
    uint64_t at = 64;
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *e = table + 32 * i;
        uint64_t offset = u64(e + 8), bytes = u64(e + 16), all = up_to(bytes + 64, 64);
        if (u32(e + 4) != 0 || offset != at)
            return fail(ix, "section %u is out of place", u32(e));
        if (u64(e + 24) != XXH3_64bits(f->at + offset, bytes))
            return fail(ix, "section %u: checksum", u32(e));
        if (!are_zeros(f->at + offset + bytes, all - bytes))
            return fail(ix, "section %u: padding", u32(e));
        at += all;
    }
    return f->at + at == table || fail(ix, "the table is out of place");
}

static bool open_file(format_index *ix, const char *path, uint32_t kind, format_file *f)
{
    static const uint8_t magic[8] = {0x89, 0x52, 0x49, 0x50, 0x0D, 0x0A, 0x1A, 0x0A};
    static const uint8_t magic_end[8] = {0x0A, 0x1A, 0x0A, 0x0D, 0x50, 0x49, 0x52, 0x89};
    if (!load(ix, path, f))
        return false;
    const uint8_t *footer = f->at + f->bytes - 64, *table = f->at + u64(footer);
    uint64_t n = u64(footer + 8);
    if (f->bytes < 128 || memcmp(f->at, magic, 8) != 0 || memcmp(footer + 56, magic_end, 8) != 0)
        return fail(ix, "%s: magic", path);
    if (u32(f->at + 8) != kind || u32(f->at + 12) != 1 || u64(f->at + 16) > (kind == 0 ? 63 : 0) ||
        !are_zeros(f->at + 32, 32))
        return fail(ix, "%s: header", path);
    f->checksum = u64(footer + 48);
    if (f->checksum != XXH3_64bits(footer, 48) || u64(footer + 16) != XXH3_64bits(f->at, 64) ||
        u64(footer + 24) != XXH3_64bits(table, 32 * n))
        return fail(ix, "%s: checksum of header, table or footer", path);
    if (u64(footer + 32) != f->bytes || u64(footer + 40) != 0 || table + 32 * n != footer)
        return fail(ix, "%s: footer", path);
    return check_sections(ix, f, table, n);
}

static const uint8_t *section(const format_index *ix, int kind, uint32_t id, uint64_t *bytes)
{
    const format_file *f = &ix->files[kind];
    const uint8_t *footer = f->at + f->bytes - 64, *table = f->at + u64(footer);
    for (uint64_t i = 0; i < u64(footer + 8); i++)
        if (u32(table + 32 * i) == id) {
            *bytes = u64(table + 32 * i + 16);
            return f->at + u64(table + 32 * i + 8);
        }
    *bytes = 0;
    return NULL;
}

/* ---- Chapters 1 and 3: files and manifest ------------------------------------------------------- */

static double real(const uint8_t *p)
{
    uint64_t bits = u64(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static bool read_stats(format_index *ix, bool is_asked_for)
{
    uint64_t bytes;
    const uint8_t *stats = section(ix, 0, 4, &bytes);
    if (is_asked_for != (stats != NULL) || (stats && bytes != 24))
        return fail(ix, "statistics");
    ix->total_docs = stats ? u64(stats) : ix->docs;
    ix->total_tokens = stats ? u64(stats + 8) : ix->tokens;
    ix->total_longest = stats ? u32(stats + 16) : ix->longest;
    if (ix->total_docs < ix->docs || ix->total_longest < ix->longest ||
        (stats && u32(stats + 20) != 0))
        return fail(ix, "statistics of less than there is");
    return true;
}

static bool read_analysis(format_index *ix, bool is_asked_for)
{
    uint64_t bytes;
    const uint8_t *a = section(ix, 0, 5, &bytes);
    if (is_asked_for != (a != NULL) || (a && (bytes != 24 || a[0] == 0 || a[15] != 0)))
        return fail(ix, "analysis");
    strcpy(ix->token_rule, a ? (const char *)a : "plain");
    ix->drops_possessive = a && (u32(a + 16) & 1);
    ix->folds_accents = a && (u32(a + 16) & 2);
    if (a && (u32(a + 16) > 3 || u32(a + 20) != 0))
        return fail(ix, "flags of the analysis");
    return true;
}

static bool read_meta(format_index *ix)
{
    uint64_t bytes;
    const uint8_t *m = section(ix, 0, 1, &bytes);
    if (!m || bytes != 272)
        return fail(ix, "meta has %llu bytes", (unsigned long long)bytes);
    ix->generation = u64(m);
    ix->docs = u64(m + 8);
    ix->tokens = u64(m + 16);
    ix->terms = u64(m + 24);
    ix->postings = u64(m + 32);
    ix->longest = u32(m + 40);
    ix->has_positions = u32(m + 44) & 1;
    ix->has_text = u32(m + 44) & 2;
    ix->is_told = u32(m + 44) & 4;
    ix->k1 = real(m + 48);
    ix->b = real(m + 56);
    memcpy(ix->variant, m + 64, 16);
    memcpy(ix->codec, m + 80, 16);
    memcpy(ix->stem, m + 96, 16);
    memcpy(ix->stop, m + 112, 64);
    uint64_t features = u64(ix->files[0].at + 16);
    const uint8_t *freqs = section(ix, 0, 3, &bytes);
    ix->has_tiny_bits = features & 16;
    ix->unit = features & 32 ? 4 : 16;
    if ((features & 1) != (freqs != NULL) || bytes > 15)
        return fail(ix, "frequencies");
    if (freqs)
        memcpy(ix->freqs, freqs, bytes);
    return read_stats(ix, features & 2) && read_analysis(ix, features & 8);
}

bool format_open(format_index *ix, const char *dir)
{
    static const char *const names[6] = {"manifest", "terms", "lists", "positions", "docs", "text"};
    char path[4200];
    uint64_t bytes;
    memset(ix, 0, sizeof *ix);
    snprintf(path, sizeof path, "%s/manifest.rp", dir);
    if (!open_file(ix, path, 0, &ix->files[0]) || !read_meta(ix))
        return false;
    for (uint32_t kind = 1; kind < 6; kind++) {
        const uint8_t *told = section(ix, 0, 1, &bytes) + 176 + 16 * kind;
        if ((kind == 3 && !ix->has_positions) || (kind == 5 && !ix->has_text)) {
            if (!are_zeros(told, 16))
                return fail(ix, "the manifest tells of a file that is not there");
            continue;
        }
        snprintf(path, sizeof path, "%s/%s.%08llx.rp", dir, names[kind],
                 (unsigned long long)ix->generation);
        if (!open_file(ix, path, kind, &ix->files[kind]))
            return false;
        if (u64(told) != ix->files[kind].bytes || u64(told + 8) != ix->files[kind].checksum)
            return fail(ix, "%s is not the manifest's", path);
    }
    return true;
}

void format_close(format_index *ix)
{
    for (int kind = 0; kind < 6; kind++)
        free(ix->files[kind].at);
    memset(ix, 0, sizeof *ix);
}

const uint8_t *format_stop_words(const format_index *ix, size_t *bytes)
{
    uint64_t n;
    const uint8_t *words = section(ix, 0, 2, &n);
    *bytes = (size_t)n;
    return words;
}

/* ---- Chapters 5 and 7: lists -------------------------------------------------------------------- */

/* Block b, of n docids. */
static void read_block(const format_row *row, const uint8_t *p, uint32_t b, uint32_t before,
                       uint32_t n, uint32_t *out)
{
    uint32_t values[128];
    if (row->docs)
        row->docs(p, n, values);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = row->docs ? (i || b ? before + 1 : 0) + values[i] : u32(p + 4 * i);
        before = out[i];
    }
}

/* All docids of a bitmap, at most n. */
static void read_bitmap(const uint8_t *p, uint32_t n, uint32_t *out)
{
    uint32_t base = u32(p), n_words = u32(p + 4), k = 0;
    for (uint32_t i = 0; base == 1 && i < n; i++)
        out[i] = u32(p + 8 + 4 * i);
    for (uint64_t bit = 0; base != 1 && bit < 64ULL * n_words && k < n; bit++)
        if (p[8 + bit / 8] >> bit % 8 & 1)
            out[k++] = base + (uint32_t)bit;
}

static void read_freqs(const format_row *row, const uint8_t *p, uint32_t n, uint32_t *out)
{
    row->freqs(p, n, out);
    for (uint32_t i = 0; i < n; i++)
        out[i]++;
}

static int by_falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* tf/(tf+K) of each posting. */
static float *ratios_of(const format_index *ix, const format_term *t)
{
    float *ratios = malloc(t->df * sizeof *ratios);
    double average = (double)ix->total_tokens / (double)ix->total_docs;
    for (uint32_t i = 0; i < t->df; i++) {
        double length = format_length(ix, t->docids[i]);
        float norm = (float)(ix->k1 * (1 - ix->b + ix->b * (length / average)));
        ratios[i] = (float)t->tfs[i] / ((float)t->tfs[i] + norm);
    }
    return ratios;
}

/* Bounds of blocks of 128, and behind them, if the list has them, kths. */
static bool check_bounds(format_index *ix, const format_term *t, const uint8_t *bounds,
                         const uint8_t *kths)
{
    float *ratios = ratios_of(ix, t);
    bool is_true = true;
    for (uint32_t i = 0; i < t->df; i++)
        is_true &= (double)ratios[i] * 255 <= bounds[i / 128];
    for (uint32_t b = 0; 128 * b < t->df; b++) {
        uint32_t n = t->df - 128 * b < 128 ? t->df - 128 * b : 128, near = 0;
        for (uint32_t i = 0; i < n; i++)
            near += (double)ratios[128 * b + i] * 255 > bounds[b] - 1;
        is_true &= near > 0;
    }
    qsort(ratios, t->df, sizeof *ratios, by_falling);
    for (uint32_t i = 0, k = 10; kths && i < 3; i++, k *= 10)
        is_true &= kths[i] == (t->df < k ? 0 : (uint8_t)((double)ratios[k - 1] * 255));
    free(ratios);
    return is_true || fail(ix, "bounds or kths of a list");
}

/* Where the parts of a long list lie; of narrow offsets the first entry. */
typedef struct format_parts {
    bool is_close;
    const uint8_t *last, *far, *offsets, *freq_offsets, *pos_offsets, *bounds, *kths, *docs, *freqs;
} format_parts;

static void place_parts(const uint8_t *p, uint32_t n, const format_row *row, bool has_positions,
                        format_parts *at)
{
    bool has_kths = p[0] & 16;
    uint64_t words = up_to(4 * n, 16);
    at->last = p + 16;
    at->far = at->last + words;
    at->offsets = at->far + up_to(4 * ((n + 63) / 64), 16);
    at->freq_offsets = at->offsets + (row->docs ? words : 0);
    at->pos_offsets = at->freq_offsets + words;
    at->bounds = at->pos_offsets + (has_positions ? words : 0);
    at->kths = has_kths ? at->bounds + n : NULL;
    at->docs = at->bounds + up_to(n + (has_kths ? 3 : 0), 16);
    at->freqs = at->docs + up_to(u32(p + 8), 16);
}

static void place_close_parts(const uint8_t *p, uint32_t n, const format_row *row,
                              bool has_positions, format_parts *at)
{
    bool has_kths = p[0] & 16;
    uint64_t words = 4 * n, bases = 4 * ((n - 1) / 64), near = up_to(2 * n, 4);
    at->last = p + 12;
    at->far = n > 64 ? at->last + words : at->last + words - 4;
    at->pos_offsets = at->last + words + (n > 64 ? 4 * ((n + 63) / 64) : 0);
    at->offsets = at->pos_offsets + (has_positions ? words : 0) + bases;
    at->freq_offsets = row->docs ? at->offsets + near + bases : at->offsets;
    at->bounds = at->freq_offsets + 2 * n;
    at->kths = has_kths ? at->bounds + n : NULL;
    at->docs = p + up_to((uint64_t)(at->bounds - p) + n + (has_kths ? 3 : 0), 4);
    at->freqs = at->docs + up_to(u32(p + 4), 4);
}

static uint32_t offset_of(const format_parts *at, const uint8_t *offsets, uint32_t i)
{
    if (!at->is_close)
        return u32(offsets + 4 * i);
    return (uint32_t)number(offsets + 2 * i, 2) + (i < 64 ? 0 : u32(offsets - 4 * (i / 64)));
}

/* Fills docids and frequencies; where the positions of each frame begin, or NULL for one frame. */
static bool read_list(format_index *ix, format_row *row, const uint8_t *p, format_term *t,
                      const uint8_t **pos_offsets)
{
    uint32_t n_blocks = (t->df + 127) / 128, id;
    format_parts at = {0};
    *pos_offsets = NULL;
    if (!format_name_row(p, row, &id))
        return fail(ix, "a list of codec %u", id);
    if (p[3] != 0x80) {
        if (row->id == FORMAT_BITMAP)
            read_bitmap(p + 4, t->df, t->docids);
        else
            read_block(row, p + 4, 0, 0, t->df, t->docids);
        read_freqs(row, p + 4 + number(p, 2), t->df, t->tfs);
        return t->df <= 128 || fail(ix, "a short list that is long");
    }
    uint32_t flags = (ix->has_positions ? 2U : 0) | (row->docs ? 4U : 0) | id << 8 | 0x80000000U;
    at.is_close = p[0] & 32;
    if (u32(p) != (flags | (p[0] & 48)) || (!at.is_close && u32(p + 4) != n_blocks))
        return fail(ix, "flags 0x%x or %u blocks of a list", u32(p), u32(p + 4));
    if (at.is_close && ix->unit != 4)
        return fail(ix, "a close list among others");
    if (at.is_close)
        place_close_parts(p, n_blocks, row, ix->has_positions, &at);
    else
        place_parts(p, n_blocks, row, ix->has_positions, &at);
    *pos_offsets = at.pos_offsets;
    if (row->id == FORMAT_BITMAP)
        read_bitmap(at.docs, t->df, t->docids);
    for (uint32_t b = 0; b < n_blocks; b++) {
        uint32_t n = t->df - 128 * b < 128 ? t->df - 128 * b : 128;
        uint32_t before = b ? u32(at.last + 4 * (b - 1)) : 0;
        const uint8_t *docs = at.docs + (row->docs ? offset_of(&at, at.offsets, b) : 512 * b);
        if (row->id != FORMAT_BITMAP)
            read_block(row, docs, b, before, n, t->docids + 128 * b);
        read_freqs(row, at.freqs + offset_of(&at, at.freq_offsets, b), n, t->tfs + 128 * b);
        if (t->docids[128 * b + n - 1] != u32(at.last + 4 * b) ||
            u32(at.last + 4 * b) > u32(at.far + 4 * (b / 64)))
            return fail(ix, "the directory of a list");
    }
    return check_bounds(ix, t, at.bounds, at.kths);
}

/* ---- Chapter 8: positions ------------------------------------------------------------------------ */

static void add_up(uint32_t *at, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        at[i] += at[i - 1] + 1;
}

static bool read_positions(format_index *ix, const uint8_t *p, uint64_t bytes,
                           const uint8_t *offsets, format_term *t)
{
    const uint8_t *begin = p;
    for (uint32_t first = 0; first < t->df; first += 128) {
        uint32_t end = t->df - first < 128 ? t->df : first + 128;
        uint32_t from = t->starts[first], to = t->starts[end];
        if (offsets && p != begin + u32(offsets + 4 * (first / 128)))
            return fail(ix, "a frame of positions is out of place");
        for (; from < to; from += 128)
            p = format_bp128(p, to - from < 128 ? to - from : 128, t->positions + from);
    }
    for (uint32_t i = 0; i < t->df; i++)
        add_up(t->positions + t->starts[i], t->tfs[i]);
    return p == begin + bytes || fail(ix, "positions take other bytes than told");
}

/* ---- Chapter 13: auxiliary data ------------------------------------------------------------------ */

static int64_t guess(int64_t t, uint32_t s, uint32_t n, uint32_t x)
{
    int64_t product = (int64_t)s * x, g = (product + t) / 2147483648;
    if ((product + t) % 2147483648 < 0)
        g--;
    return g < 0 ? 0 : g >= n ? (int64_t)n - 1 : g;
}

/* A line for n docids: whether every rank is in its range. */
static bool check_line(format_index *ix, uint64_t t, uint32_t s, int64_t left, int64_t right,
                       const uint32_t *docids, uint32_t n)
{
    if (s > 1U << 31)
        return fail(ix, "the slope of a line");
    for (uint32_t r = 0; r < n; r++) {
        int64_t g = guess((int64_t)t, s, n, docids[r]);
        if (g - left > r || g + right < r)
            return fail(ix, "docid %u of rank %u is outside its range", docids[r], r);
    }
    return true;
}

static bool check_lr(format_index *ix, const uint8_t *p, uint64_t bytes, const format_term *t)
{
    uint64_t k = (t->df + 255) / 256;
    if (bytes != up_to(24 + 18 * k, 16) || u32(p + 20) != 0 ||
        !are_zeros(p + 24 + 18 * k, bytes - 24 - 18 * k))
        return fail(ix, "the size of lr");
    if (!check_line(ix, u64(p), u32(p + 8), u32(p + 12), u32(p + 16), t->docids, t->df))
        return false;
    for (uint64_t i = 0; i < k; i++) {
        const uint32_t *first = t->docids + 256 * i;
        uint32_t n = i + 1 < k ? 256 : t->df - 256 * (uint32_t)i;
        if (u32(p + 24 + 12 * k + 4 * i) != *first)
            return fail(ix, "the first docid of a segment");
        if (!check_line(ix, u64(p + 24 + 8 * i), u32(p + 24 + 8 * k + 4 * i), p[24 + 16 * k + i],
                        p[24 + 17 * k + i], first, n))
            return false;
    }
    return true;
}

static bool check_hs(format_index *ix, const uint8_t *p, uint64_t bytes, uint32_t size,
                     const format_term *t)
{
    uint32_t shift = 0, rank = 0;
    while ((ix->docs - 1) >> shift)
        shift++;
    for (uint64_t room = size; room < t->df; room *= 2)
        shift--;
    uint64_t d = (t->docids[t->df - 1] >> shift) + 1;
    if (u32(p) != shift || u32(p + 4) != d || bytes != up_to(8 + 4 * (d + 1), 16))
        return fail(ix, "the head of hs%u", size);
    for (uint32_t h = 0; h <= d; h++) {
        while (rank < t->df && t->docids[rank] >> shift < h)
            rank++;
        if (u32(p + 8 + 4 * h) != rank)
            return fail(ix, "bucket %u of hs%u", h, size);
    }
    return are_zeros(p + 12 + 4 * d, bytes - 12 - 4 * d) || fail(ix, "padding of hs%u", size);
}

/* Of the list that begins at list_offset. */
static bool check_aux(format_index *ix, const format_term *t)
{
    uint64_t bytes, n, i = ix->next_aux;
    const uint8_t *lists = section(ix, 2, 33, &n);
    if (!lists || t->df <= 128)
        return true;
    ix->next_aux++;
    n /= 8;
    if (i >= n || u64(lists + 8 * i) != ix->list_offset)
        return fail(ix, "the lists of auxiliary data");
    for (uint32_t kind = 0; kind < 9; kind++) {
        const uint8_t *p = section(ix, 2, 34 + kind, &bytes);
        if (!p)
            continue;
        uint64_t from = u64(p + 8 * i), to = u64(p + 8 * i + 8);
        if ((i == 0 && from != up_to(8 * (n + 1), 16)) || (i + 1 == n && to != bytes))
            return fail(ix, "the ends of section %u", 34 + kind);
        if (kind ? !check_hs(ix, p + from, to - from, 4U << kind, t)
                 : !check_lr(ix, p + from, to - from, t))
            return false;
    }
    return true;
}

uint32_t format_aux_kinds(const format_index *ix)
{
    uint32_t kinds = 0;
    uint64_t bytes;
    for (uint32_t id = 34; id <= 42; id++)
        kinds += section(ix, 2, id, &bytes) != NULL;
    return kinds;
}

/* ---- Chapter 4: terms ---------------------------------------------------------------------------- */

static void make_room(format_term *t)
{
    t->docids = realloc(t->docids, (t->df + 1) * sizeof(uint32_t));
    t->tfs = realloc(t->tfs, (t->df + 1) * sizeof(uint32_t));
    t->starts = realloc(t->starts, (t->df + 1) * sizeof(uint32_t));
    t->positions = realloc(t->positions, (t->cf + 1) * sizeof(uint32_t));
}

static bool sum_starts(format_index *ix, format_term *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->df; i++) {
        t->starts[i] = (uint32_t)sum;
        sum += t->tfs[i];
    }
    t->starts[t->df] = (uint32_t)sum;
    return sum == t->cf || fail(ix, "frequencies do not sum to cf");
}

/* Rising numbers of ranks a to b - 1, from low on and below high; false: one is not among its choices. */
static bool read_rising(const uint8_t *p, uint64_t *bit, uint64_t *v, uint32_t a, uint32_t b,
                        uint64_t low, uint64_t high)
{
    if (a == b)
        return true;
    uint32_t m = (a + b) / 2, width = 0;
    uint64_t choices = high - low - (b - a) + 1, number = 0;
    while ((choices - 1) >> width)
        width++;
    for (uint32_t i = 0; i < width; i++, ++*bit)
        number |= (uint64_t)(p[*bit / 8] >> *bit % 8 & 1) << i;
    v[m] = low + (m - a) + number;
    return number < choices && read_rising(p, bit, v, a, m, low, v[m]) &&
           read_rising(p, bit, v, m + 1, b, v[m] + 1, high);
}

static bool read_bits(format_index *ix, const uint8_t **p, format_term *t)
{
    uint64_t docids[8], sums[8], bit = 0;
    if (t->df > 8 || !read_rising(*p, &bit, docids, 0, t->df, 0, ix->docs) ||
        !read_rising(*p, &bit, sums, 0, t->df - 1, 0, t->cf - 1))
        return fail(ix, "the numbers of a tiny list");
    sums[t->df - 1] = t->cf - 1;
    for (uint32_t i = 0; i < t->df; i++) {
        t->docids[i] = (uint32_t)docids[i];
        t->tfs[i] = (uint32_t)(sums[i] - (i ? sums[i - 1] : UINT64_MAX));
    }
    bool is_padded = bit % 8 == 0 || (*p)[bit / 8] >> bit % 8 == 0;
    *p += (bit + 7) / 8;
    return is_padded || fail(ix, "the padding of a tiny list");
}

static void read_varints(format_index *ix, const uint8_t **p, format_term *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->df; i++) {
        uint32_t gap = (uint32_t)varint(p);
        t->docids[i] = i ? t->docids[i - 1] + 1 + gap : gap;
        t->tfs[i] = (uint32_t)varint(p) + 1;
        for (uint32_t j = 0; ix->has_positions && j < t->tfs[i]; j++)
            t->positions[n++] = (uint32_t)varint(p);
    }
}

static bool read_tiny(format_index *ix, const uint8_t *p, uint64_t bytes, format_term *t)
{
    const uint8_t *end = p + bytes;
    if (!ix->has_tiny_bits)
        read_varints(ix, &p, t);
    else if (!read_bits(ix, &p, t))
        return false;
    for (uint64_t i = 0; ix->has_tiny_bits && ix->has_positions && i < t->cf; i++)
        t->positions[i] = (uint32_t)varint(&p);
    for (uint32_t i = 0, n = 0; ix->has_positions && i < t->df; n += t->tfs[i++])
        add_up(t->positions + n, t->tfs[i]);
    bool is_tiny = t->df <= 8 && (!ix->has_positions || t->cf <= 24);
    return (p == end && is_tiny) || fail(ix, "a tiny list");
}

static bool read_place(format_index *ix, format_term *t)
{
    uint64_t bytes;
    const uint8_t *offsets, *lists = section(ix, 2, 32, &bytes);
    format_row row;
    uint64_t list_bytes = ix->unit * varint(&ix->p),
             pos_bytes = ix->has_positions ? varint(&ix->p) : 0;
    if (t->df <= 8 && (!ix->has_positions || t->cf <= 24))
        return fail(ix, "a list that should be tiny");
    if (!format_find_row(ix->codec, ix->freqs, &row))
        return fail(ix, "codec %s", ix->codec);
    if (!read_list(ix, &row, lists + ix->list_offset, t, &offsets) || !sum_starts(ix, t) ||
        !check_aux(ix, t))
        return false;
    if (ix->has_positions &&
        !read_positions(ix, section(ix, 3, 48, &bytes) + ix->pos_offset, pos_bytes, offsets, t))
        return false;
    ix->list_offset += list_bytes;
    ix->pos_offset += pos_bytes;
    return true;
}

static bool begin_block(format_index *ix, uint64_t block)
{
    uint64_t bytes, n;
    const uint8_t *blocks = section(ix, 1, 16, &bytes);
    const uint8_t *at = blocks + u64(section(ix, 1, 17, &n) + 8 * block);
    if (ix->p && at != ix->p)
        return fail(ix, "a block of terms does not end where the next begins");
    ix->p = at;
    uint64_t list_offset = ix->unit * varint(&ix->p), pos_offset = varint(&ix->p);
    if (block > 0 && (list_offset != ix->list_offset || pos_offset != ix->pos_offset))
        return fail(ix, "the offsets of a block are not the sums so far");
    ix->list_offset = list_offset;
    ix->pos_offset = pos_offset;
    return true;
}

static bool check_prefix(format_index *ix, const format_term *t)
{
    uint64_t n, want = u64(section(ix, 1, 18, &n) + 8 * (ix->next_term / 16)), got = 0;
    for (size_t i = 0; i < 8; i++)
        got = got << 8 | (i < t->bytes ? t->term[i] : 0);
    return got == want || fail(ix, "the prefix of a block");
}

bool format_next(format_index *ix, format_term *t)
{
    if (ix->why[0] || ix->next_term == ix->terms)
        return false;
    bool is_first = ix->next_term % 16 == 0;
    if (is_first && !begin_block(ix, ix->next_term / 16))
        return false;
    size_t shared = ix->p[0], rest = ix->p[1];
    memcpy(t->term + shared, ix->p + 2, rest);
    t->bytes = shared + rest;
    ix->p += 2 + rest;
    if (is_first && (shared != 0 || !check_prefix(ix, t)))
        return fail(ix, "the first term of a block");
    uint64_t df = varint(&ix->p);
    t->is_tiny = df & 1;
    t->df = (uint32_t)(df >> 1);
    t->cf = t->df + varint(&ix->p);
    ix->next_term++;
    make_room(t);
    if (!t->is_tiny)
        return read_place(ix, t);
    uint64_t bytes = varint(&ix->p);
    ix->p += bytes;
    return read_tiny(ix, ix->p - bytes, bytes, t) && sum_starts(ix, t);
}

void format_term_free(format_term *t)
{
    free(t->docids);
    free(t->tfs);
    free(t->positions);
    free(t->starts);
    memset(t, 0, sizeof *t);
}

/* ---- Chapters 9 and 10: documents ------------------------------------------------------------------ */

static uint64_t id_begin(const format_index *ix, uint32_t docid)
{
    uint64_t n;
    return u64(section(ix, 4, 65, &n) + 8 * (docid / 4096)) +
           u32(section(ix, 4, 66, &n) + 4 * (uint64_t)docid);
}

const uint8_t *format_id(const format_index *ix, uint32_t docid, size_t *bytes)
{
    uint64_t n;
    *bytes = (size_t)(id_begin(ix, docid + 1) - id_begin(ix, docid));
    return section(ix, 4, 64, &n) + id_begin(ix, docid);
}

uint32_t format_find(const format_index *ix, const uint8_t *id, size_t bytes)
{
    uint64_t n, buckets = ix->docs / 4 + 1, bucket = (XXH3_64bits(id, bytes) >> 32) * buckets >> 32;
    const uint8_t *begins = section(ix, 4, 69, &n), *docids;
    if (!begins)
        return UINT32_MAX;
    docids = begins + 4 * (buckets + 1);
    for (uint32_t i = u32(begins + 4 * bucket); i < u32(begins + 4 * bucket + 4); i++) {
        size_t own_bytes;
        const uint8_t *own = format_id(ix, u32(docids + 4 * (uint64_t)i), &own_bytes);
        if (own_bytes == bytes && memcmp(own, id, bytes) == 0)
            return u32(docids + 4 * (uint64_t)i);
    }
    return UINT32_MAX;
}

uint32_t format_most(const format_index *ix, uint64_t i)
{
    uint64_t n;
    const uint8_t *mosts = section(ix, 1, 19, &n);
    return mosts ? u32(mosts + 4 * (i / 16)) : 0;
}

uint32_t format_length(const format_index *ix, uint32_t docid)
{
    uint64_t table_bytes, n;
    const uint8_t *table = section(ix, 4, 68, &table_bytes), *codes = section(ix, 4, 67, &n);
    size_t width = table_bytes / 4 <= 256 ? 1 : table_bytes / 4 <= 65536 ? 2 : 4;
    return u32(table + 4 * number(codes + width * docid, width));
}

char *format_text(format_index *ix, uint32_t docid, size_t *title_bytes, size_t *text_bytes)
{
    uint64_t n, bytes;
    const uint8_t *blocks = section(ix, 5, 80, &n), *e = section(ix, 5, 81, &bytes);
    while (u32(e + 16 + 8) <= docid)
        e += 16;
    uint32_t first = u32(e + 8), end = u32(e + 24), raw_bytes = u32(e + 12);
    uint8_t *raw = malloc(raw_bytes + 1);
    if (ZSTD_decompress(raw, raw_bytes, blocks + u64(e), u64(e + 16) - u64(e)) != raw_bytes) {
        fail(ix, "a block of text");
        free(raw);
        return NULL;
    }
    const uint8_t *p = raw;
    uint64_t before = 0;
    for (uint32_t d = first; d < end; d++) {
        uint64_t title = varint(&p), text = varint(&p);
        before += d < docid ? title + text : 0;
        *title_bytes = d == docid ? (size_t)title : *title_bytes;
        *text_bytes = d == docid ? (size_t)text : *text_bytes;
    }
    char *out = calloc(*title_bytes + *text_bytes + 1, 1);
    memcpy(out, p + before, *title_bytes + *text_bytes);
    free(raw);
    return out;
}
