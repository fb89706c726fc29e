/* gpu_case_lists.c: lists for cases: drawn, encoded, laid out in device memory, and compared.
 *
 * More postings than are drawn are copies at other addresses: a device does not see the difference, and the host
 * need not encode a quarter of a billion of them. */
#include "lab/gpu/gpu_case_lists.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"

enum {
    ALIGN = 32,          /* docids of a list begin at a multiple of it */
    LIST_MOST = 1 << 20, /* postings of a drawn list */
    FEW = 1 << 13,       /* so many are cut into short lists */
    SHORT_MOST = 600,
};

uint64_t rp__gpu_case_lists_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint32_t rp__gpu_case_lists_rank(const uint32_t *docids, uint32_t n, uint32_t docid)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (docids[middle] < docid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && docids[low] == docid ? low : UINT32_MAX;
}

/* ---- Adding a list ------------------------------------------------------------------------------- */

/* What encoding needs beside the list. */
typedef struct workshop {
    uint32_t *tfs, *scratch, *ends;
    uint8_t *bounds;
} workshop;

static void close_workshop(workshop *w)
{
    rp__free(w->tfs);
    rp__free(w->scratch);
    rp__free(w->ends);
    rp__free(w->bounds);
}

static rp_status open_workshop(workshop *w, const rp__codec *codec, size_t n)
{
    size_t blocks = rp__list_blocks_bound(codec, n);
    *w = (workshop){.tfs = rp__alloc_array(n, sizeof(uint32_t)),
                    .scratch = rp__alloc_array(rp__list_scratch(codec, n) + 1, sizeof(uint32_t)),
                    .ends = rp__alloc_array(blocks, sizeof(uint32_t)),
                    .bounds = rp__alloc_zero(blocks, 1)};
    return w->tfs && w->scratch && w->ends && w->bounds ? RP_OK : RP_NO_MEMORY;
}

/* Frequencies of which most are 1, as those of words are. */
static void draw_tfs(uint32_t *tfs, size_t n)
{
    uint64_t state = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = rp__gpu_case_lists_random(&state) | 1ULL << 20;
        tfs[i] = 1 + rp__bits_lowest64(r) / 2;
    }
}

static rp_status grow(rp__gpu_case_lists *set, const rp__codec *codec, uint32_t n)
{
    size_t start = set->n_lists ? set->starts[set->n_lists] : 0;
    bool fits =
        rp__alloc_grow(&set->lists, &set->lists_cap, set->n_lists + 1, sizeof *set->lists) &&
        rp__alloc_grow(&set->starts, &set->starts_cap, set->n_lists + 2, sizeof *set->starts) &&
        rp__alloc_grow(&set->docids, &set->docids_cap, start + n + ALIGN, sizeof *set->docids) &&
        rp__alloc_grow(&set->bytes, &set->bytes_cap, set->used + rp__list_bound(codec, n) + RP_PAD,
                       1) &&
        rp__alloc_grow(&set->begins, &set->begins_cap, set->n_lists + 2, sizeof *set->begins);
    return fits ? RP_OK : RP_NO_MEMORY;
}

static void note_docids(rp__gpu_case_lists *set, const uint32_t *docids, uint32_t n)
{
    uint64_t start = set->n_lists ? set->starts[set->n_lists] : 0;
    uint64_t end = rp__bits_align(start + n, ALIGN);
    memcpy(set->docids + start, docids, n * sizeof *docids);
    memset(set->docids + start + n, 0xFF, (end - start - n) * sizeof *docids);
    set->starts[set->n_lists] = start;
    set->starts[set->n_lists + 1] = end;
}

/* Where `part` lies in the bytes, plus 1; 0: nowhere. */
static uint64_t place(const rp__gpu_case_lists *set, const void *part)
{
    return part ? (uint64_t)((const unsigned char *)part - set->bytes) + 1 : 0;
}

static void note_list(rp__gpu_case_lists *set, const rp__list *list)
{
    const rp__codec *freqs = list->freq_code ? rp__codec_find(list->freq_code->name, 0) : NULL;
    set->lists[set->n_lists] = (karg_list){
        .docs = place(set, list->docs),
        .freqs = place(set, list->freqs),
        .last = place(set, list->last),
        .last_far = place(set, list->last_far),
        .offsets = place(set, list->offsets),
        .freq_offsets = place(set, list->freq_offsets),
        .first = place(set, list->first),
        .bounds = place(set, list->bounds),
        .n = list->n,
        .n_blocks = list->n_blocks,
        .universe = list->universe,
        .docs_bytes = (uint32_t)list->docs_bytes,
        .freqs_bytes = (uint32_t)list->freqs_bytes,
        .codec = list->codec->id,
        .freq_code = freqs ? freqs->id : 0,
    };
}

static rp_status encode(rp__gpu_case_lists *set, const rp__codec *codec, workshop *w,
                        const uint32_t *docids, const uint32_t *tfs, uint32_t n, uint32_t universe)
{
    rp__list list;
    size_t used = 0;
    rp__list_parts parts = {.ends = w->ends, .bounds = w->bounds, .options = set->options};
    parts.n_blocks = rp__list_cut(codec, set->options, docids, tfs, n, w->scratch, w->ends);
    rp_status status =
        rp__list_encode(codec, docids, tfs, n, &parts, w->scratch, set->bytes + set->used, &used);
    if (status == RP_OK)
        status = rp__list_open(codec, set->bytes + set->used, used, n, universe, false, &list);
    if (status != RP_OK)
        return status;
    note_docids(set, docids, n);
    note_list(set, &list);
    set->begins[set->n_lists] = set->used;
    set->used += used;
    set->n_lists++;
    set->begins[set->n_lists] = set->used;
    set->n += n;
    return RP_OK;
}

rp_status rp__gpu_case_lists_add(rp__gpu_case_lists *set, const rp__codec *codec,
                                 const uint32_t *docids, const uint32_t *tfs, uint32_t n,
                                 uint32_t universe)
{
    workshop w;
    rp_status status = open_workshop(&w, codec, n);
    if (status == RP_OK && !tfs)
        draw_tfs(w.tfs, n);
    if (status == RP_OK)
        status = grow(set, codec, n);
    if (status == RP_OK)
        status = encode(set, codec, &w, docids, tfs ? tfs : w.tfs, n, universe);
    close_workshop(&w);
    return status;
}

/* ---- Drawing ------------------------------------------------------------------------------------- */

/* Rising docids below the limit, at most n of them; returns how many. */
static uint32_t draw_docids(rp__gpu_case_gaps gaps, uint64_t *state, uint32_t limit, uint32_t n,
                            uint32_t *out)
{
    uint64_t next = 0;
    uint32_t bound = gaps.most, run = gaps.is_varied ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < n; i++, run--) {
        uint64_t r = rp__gpu_case_lists_random(state);
        if (run == 0) {
            run = 1 + (uint32_t)(r >> 32) % 300;
            bound = gaps.most >> r % rp__bits_width(gaps.most | 1);
        }
        next += (uint32_t)((r & UINT32_MAX) * bound >> 32);
        if (next >= limit)
            return i;
        out[i] = (uint32_t)next++;
    }
    return n;
}

rp_status rp__gpu_case_lists_draw(rp__gpu_case_lists *set, const rp__codec *codec,
                                  rp__gpu_case_gaps gaps, uint64_t n, uint64_t seed)
{
    uint64_t state = seed * 2 + n, left = n < RP_GPU_CASE_DISTINCT ? n : RP_GPU_CASE_DISTINCT;
    uint32_t limit = codec->limit ? codec->limit : RP_NO_DOC;
    bool is_short = n <= FEW && seed % 2 == 1;
    uint32_t *docids = rp__alloc_array(left < LIST_MOST ? left : LIST_MOST, sizeof *docids);
    rp_status status = docids ? RP_OK : RP_NO_MEMORY;
    while (left > 0 && status == RP_OK) {
        uint32_t most =
            is_short ? 1 + (uint32_t)rp__gpu_case_lists_random(&state) % SHORT_MOST : LIST_MOST;
        most = left < most ? (uint32_t)left : most;
        uint32_t got = draw_docids(gaps, &state, limit, most, docids);
        if (got > 0)
            status = rp__gpu_case_lists_add(set, codec, docids, NULL, got, docids[got - 1] + 1);
        left -= got;
    }
    rp__free(docids);
    return status;
}

rp_status rp__gpu_case_lists_take(rp__gpu_case_lists *set, const rp__codec *codec,
                                  const rp__gpu_source *source, uint64_t n)
{
    const uint32_t limit = codec->limit ? codec->limit : RP_NO_DOC;
    rp_status status = RP_OK;
    for (size_t i = 0; i < source->n_lists && set->n < n && status == RP_OK; i++) {
        const rp__gpu_source_list *l = &source->lists[i];
        if (l->docids[l->n - 1] < limit)
            status = rp__gpu_case_lists_add(set, codec, l->docids, l->tfs, l->n, source->universe);
    }
    return status == RP_OK && set->n == 0 ? RP_NOT_FOUND : status;
}

void rp__gpu_case_lists_damage(rp__gpu_case_lists *set, uint64_t seed)
{
    uint64_t state = seed;
    set->is_damaged = true;
    for (size_t i = 0; i < set->used / 16 + 1 && set->used > 0; i++) {
        uint64_t r = rp__gpu_case_lists_random(&state);
        set->bytes[(r >> 8) % set->used] ^= (unsigned char)r;
    }
}

/* ---- To the device ------------------------------------------------------------------------------- */

static uint64_t distance(const rp__gpu_case_lists *set) /* of two copies of the bytes */
{
    return set->used + RP_PAD; /* and no more, so that a sanitizer sees who reads past it */
}

static uint64_t moved(uint64_t place, rp__cu_ptr to)
{
    return place ? place - 1 + to : 0;
}

static karg_list list_at(const karg_list *list, rp__cu_ptr to)
{
    karg_list at = *list;
    at.docs = moved(list->docs, to);
    at.freqs = moved(list->freqs, to);
    at.last = moved(list->last, to);
    at.last_far = moved(list->last_far, to);
    at.offsets = moved(list->offsets, to);
    at.freq_offsets = moved(list->freq_offsets, to);
    at.first = moved(list->first, to);
    at.bounds = moved(list->bounds, to);
    return at;
}

/* Rank of the first posting of a block, held within the list whatever the bytes say. */
static uint32_t first_of(const rp__gpu_case_lists *set, const karg_list *list, uint32_t block)
{
    if (block >= list->n_blocks)
        return list->n;
    uint32_t rank = list->first ? rp__load32(set->bytes + list->first - 1 + 4 * (uint64_t)block)
                                : block * KARG_BLOCK;
    return rank < list->n ? rank : list->n;
}

static uint32_t tiles_of(const rp__gpu_case_lists *set, uint32_t i, uint32_t tile, uint64_t out,
                         uint32_t number, karg_tile *tiles)
{
    const karg_list *list = &set->lists[i];
    uint32_t n = 0;
    for (uint32_t b = 0; b < list->n_blocks; b += tile, n++) {
        uint32_t end = list->n_blocks - b < tile ? list->n_blocks : b + tile;
        uint32_t first = first_of(set, list, b), last = first_of(set, list, end);
        if (tiles)
            tiles[n] = (karg_tile){.list = number,
                                   .block = b,
                                   .n = end - b,
                                   .capacity = first < last ? last - first : 0,
                                   .out = out + first};
    }
    return n;
}

static rp_status send_array(rp__device *device, const void *from, size_t bytes, rp__cu_ptr *to)
{
    rp_status status = rp__device_alloc(device, bytes + 16, to);
    if (status == RP_OK && bytes > 0)
        status = rp__device_copy_in(device, *to, from, bytes);
    return status;
}

static rp_status send_bytes(rp__gpu_case_lists *set, rp__device *device)
{
    rp_status status = rp__device_alloc(device, set->copies * distance(set), &set->at_bytes);
    for (uint32_t c = 0; c < set->copies && status == RP_OK && set->used > 0; c++)
        status =
            rp__device_copy_in(device, set->at_bytes + c * distance(set), set->bytes, set->used);
    return status;
}

static rp_status send_records(rp__gpu_case_lists *set, rp__device *device, uint32_t tile)
{
    uint64_t n = (uint64_t)set->copies * set->n_lists, at = 0, room = 0, n_tiles = 0;
    for (uint32_t i = 0; i < set->n_lists; i++)
        n_tiles += tiles_of(set, i, tile, 0, 0, NULL);
    karg_list *lists = rp__alloc_array(n + 1, sizeof *lists);
    karg_tile *tiles = rp__alloc_array(set->copies * n_tiles + 1, sizeof *tiles);
    rp_status status = lists && tiles ? RP_OK : RP_NO_MEMORY;
    room = set->n_lists ? set->starts[set->n_lists] : 0;
    for (uint64_t k = 0; k < n && status == RP_OK; k++) {
        uint64_t c = k / set->n_lists, i = k % set->n_lists;
        lists[k] = list_at(&set->lists[i], set->at_bytes + c * distance(set));
        at += tiles_of(set, (uint32_t)i, tile, c * room + set->starts[i], (uint32_t)k, tiles + at);
    }
    set->n_tiles = (uint32_t)at;
    if (status == RP_OK)
        status = send_array(device, lists, n * sizeof *lists, &set->at_lists);
    if (status == RP_OK)
        status = send_array(device, tiles, at * sizeof *tiles, &set->at_tiles);
    if (status == RP_OK)
        status = rp__device_wait(device);
    rp__free(lists);
    rp__free(tiles);
    return status;
}

rp_status rp__gpu_case_lists_send(rp__gpu_case_lists *set, rp__device *device, uint64_t n,
                                  uint32_t tile)
{
    set->copies = set->n > 0 && n > set->n ? (uint32_t)((n + set->n - 1) / set->n) : 1;
    rp_status status = send_bytes(set, device);
    return status == RP_OK ? send_records(set, device, tile) : status;
}

void rp__gpu_case_lists_free(rp__gpu_case_lists *set, rp__device *device)
{
    rp__device_free(device, set->at_bytes);
    rp__device_free(device, set->at_lists);
    rp__device_free(device, set->at_tiles);
    rp__free(set->starts);
    rp__free(set->docids);
    rp__free(set->lists);
    rp__free(set->bytes);
    rp__free(set->begins);
    rp__free(set->here);
    *set = (rp__gpu_case_lists){0};
}

/* ---- Figures and answers -------------------------------------------------------------------------- */

uint64_t rp__gpu_case_lists_postings(const rp__gpu_case_lists *set)
{
    return set->copies * set->n;
}

uint64_t rp__gpu_case_lists_payload(const rp__gpu_case_lists *set)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < set->n_lists; i++)
        bytes += set->lists[i].docs_bytes;
    return set->copies * bytes;
}

uint64_t rp__gpu_case_lists_directory(const rp__gpu_case_lists *set)
{
    uint64_t words = 0;
    for (uint32_t i = 0; i < set->n_lists; i++) {
        const karg_list *list = &set->lists[i];
        uint32_t parts = (list->last ? 1U : 0) + (list->offsets ? 1U : 0) + (list->first ? 1U : 0);
        words += (uint64_t)parts * list->n_blocks;
    }
    return set->copies * words * sizeof(uint32_t);
}

uint32_t rp__gpu_case_lists_sum(const rp__gpu_case_lists *set)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < set->n_lists; i++)
        for (uint32_t k = 0; k < set->lists[i].n; k++)
            sum += set->docids[set->starts[i] + k];
    return sum * set->copies;
}

static uint64_t room_of(const rp__gpu_case_lists *set)
{
    return set->n_lists ? set->starts[set->n_lists] : 0;
}

rp_status rp__gpu_case_lists_room(const rp__gpu_case_lists *set, rp__device *device,
                                  rp__cu_ptr *out)
{
    uint64_t words = set->copies * room_of(set) + ALIGN;
    rp_status status = rp__device_alloc(device, words * sizeof(uint32_t), out);
    if (status == RP_OK)
        status = rp__device_fill(device, *out, UINT32_MAX, words);
    return status == RP_OK ? rp__device_wait(device) : status;
}

static rp_status decode_freqs(const rp__list *list, uint32_t *out)
{
    rp_status status = RP_OK;
    for (uint32_t f = 0; f * RP_BLOCK < list->n && status == RP_OK; f++)
        status = rp__list_freqs(list, f, out + f * RP_BLOCK);
    return status;
}

static rp_status decode_list(const rp__gpu_case_lists *set, uint32_t i, uint32_t parts)
{
    const uint32_t features = rp__cpu_features();
    const karg_list *from = &set->lists[i];
    const rp__codec *freqs = from->freq_code ? rp__codec_by_id((uint8_t)from->freq_code, 0) : NULL;
    rp__codec codec = *rp__codec_by_id((uint8_t)from->codec, features);
    rp__list list;
    uint32_t *docids = set->here + set->starts[i];
    uint32_t *tfs = docids + room_of(set) + RP_BLOCK_CAPACITY;
    if (freqs)
        codec = rp__codec_with_freqs(&codec, rp__block_code_find(freqs->name, features));
    rp_status status =
        rp__list_open(&codec, set->bytes + set->begins[i], set->begins[i + 1] - set->begins[i],
                      from->n, from->universe, false, &list);
    if (status != RP_OK || parts == RP_GPU_CASE_FREQS)
        return status == RP_OK ? decode_freqs(&list, tfs) : status;
    return rp__list_decode(&list, docids, parts & RP_GPU_CASE_FREQS ? tfs : NULL);
}

rp_status rp__gpu_case_lists_decode(rp__gpu_case_lists *set, uint32_t parts)
{
    rp_status status = RP_OK;
    if (!set->here)
        set->here = rp__alloc_array(2 * (room_of(set) + RP_BLOCK_CAPACITY), sizeof *set->here);
    if (!set->here)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < set->n_lists && status == RP_OK; i++)
        status = decode_list(set, i, parts);
    return status;
}

static rp_status outside(const rp__gpu_case_lists *set, const uint32_t *got, rp_error *what)
{
    for (uint32_t i = 0; i < set->n_lists; i++)
        for (uint64_t k = set->starts[i] + set->lists[i].n; k < set->starts[i + 1]; k++)
            if (got[k] != UINT32_MAX)
                return rp__error_set(what, RP_DAMAGED, "list %u: a docid behind its last", i);
    return RP_OK;
}

static rp_status compare(const rp__gpu_case_lists *set, const uint32_t *got, uint32_t copy,
                         rp_error *what)
{
    uint64_t room = room_of(set), i = 0;
    if (set->is_damaged)
        return outside(set, got, what);
    if (memcmp(got, set->docids, room * sizeof *got) == 0)
        return RP_OK;
    while (got[i] == set->docids[i])
        i++;
    uint32_t list = 0;
    while (set->starts[list + 1] <= i)
        list++;
    return rp__error_set(what, RP_DAMAGED,
                         "copy %u, list %u of %u, of %u docids: docid %llu is %u, not %u", copy,
                         list, set->n_lists, set->lists[list].n,
                         (unsigned long long)(i - set->starts[list]), got[i], set->docids[i]);
}

rp_status rp__gpu_case_lists_check(const rp__gpu_case_lists *set, rp__device *device, rp__cu_ptr at,
                                   rp_error *what)
{
    uint64_t bytes = room_of(set) * sizeof(uint32_t);
    uint32_t *got = rp__alloc(bytes);
    rp_status status = got ? RP_OK : RP_NO_MEMORY;
    for (uint32_t c = 0; c < set->copies && status == RP_OK && bytes > 0; c++) {
        status = rp__device_copy_out(device, got, at + c * bytes, bytes);
        if (status == RP_OK)
            status = rp__device_wait(device);
        if (status == RP_OK)
            status = compare(set, got, c, what);
    }
    rp__free(got);
    return status;
}

rp_status rp__gpu_case_lists_bits(rp__device *device, const karg_term *word, rp__cu_ptr bits,
                                  rp__cu_ptr tfs, karg_term *out)
{
    rp__transcode_list made = rp__transcode_term_bits(&word->list, bits, tfs, out);
    rp__transcode_sizes needs = rp__transcode_needs(&made, 1);
    rp__transcode to = {.device = device, .stream = device->stream};
    uint32_t damaged = 0;
    rp_status status = rp__device_pin(device, needs.host, 0, &to.host);
    if (status == RP_OK)
        status = rp__device_alloc(device, needs.device + sizeof damaged, &to.scratch);
    to.damaged = to.scratch + needs.device;
    if (status == RP_OK)
        status = rp__device_fill(device, bits, 0,
                                 rp__transcode_term_bits_bytes(&word->list) / sizeof(uint32_t));
    if (status == RP_OK)
        status = rp__transcode_run(&to, &made, 1);
    if (status == RP_OK)
        status = rp__device_copy_out(device, &damaged, to.damaged, sizeof damaged);
    if (status == RP_OK)
        status = rp__device_wait(device);
    rp__device_free(device, to.scratch);
    if (to.host)
        device->driver->host_free(to.host);
    return status == RP_OK && damaged ? RP_DAMAGED : status;
}
