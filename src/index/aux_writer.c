/* aux_writer.c: fits the kinds of auxiliary data that were asked for to one list after another. */
#include "index/aux_writer.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "index/format.h"

enum { WINDOW = 64 * 1024, ALIGN = 16 };

/* One kind, on its way. */
typedef struct stream {
    const rp__aux_kind *kind;
    char file[16];
    bool has_file; /* it is closed and there */
    rp__out *out;
    XXH3_state_t *hash;
    rp__buf ends; /* u64 a list: where its bytes end in the file */
    uint64_t bytes;
} stream;

struct rp__aux_writer {
    const rp__folder *folder;
    uint32_t universe;
    stream streams[RP_AUX_KINDS];
    size_t n_streams;
    rp__buf lists; /* u64 a list */
    uint8_t *room;
    size_t cap;
};

static rp_status unknown_name(const char *name, size_t bytes, rp_error *err)
{
    char names[160];
    size_t n = 0;
    for (size_t i = 0; i < RP_AUX_KINDS && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                              rp__aux_kind_at(i)->name);
    return rp__error_set(err, RP_USAGE, "aux \"%.*s\" is not known; there are: %s",
                         (int)(bytes < 40 ? bytes : 40), name, names);
}

rp_status rp__aux_writer_parse(const char *names, uint32_t *kinds, rp_error *err)
{
    *kinds = 0;
    if (!names || !*names)
        return RP_OK;
    for (;;) {
        size_t n = strcspn(names, ",");
        const rp__aux_kind *kind = rp__aux_kind_find(names, n);
        if (!kind)
            return unknown_name(names, n, err);
        *kinds |= 1U << kind->id;
        if (!names[n])
            return RP_OK;
        names += n + 1;
    }
}

static rp_status open_stream(const rp__aux_writer *w, stream *s, rp_error *err)
{
    snprintf(s->file, sizeof s->file, "aux.%u.tmp", s->kind->id);
    rp__buf_init(&s->ends);
    s->hash = XXH3_createState();
    if (!s->hash)
        return rp__error_no_memory(err);
    XXH3_64bits_reset(s->hash);
    return rp__out_create(w->folder, s->file, WINDOW, &s->out, err);
}

rp_status rp__aux_writer_new(const rp__folder *folder, uint32_t kinds, uint32_t universe,
                             rp__aux_writer **out, rp_error *err)
{
    rp__aux_writer *w = rp__alloc_zero(1, sizeof *w);
    rp_status status = RP_OK;
    if (!w)
        return rp__error_no_memory(err);
    w->folder = folder;
    w->universe = universe;
    rp__buf_init(&w->lists);
    for (size_t i = 0; i < RP_AUX_KINDS && status == RP_OK; i++)
        if (kinds >> i & 1) {
            stream *s = &w->streams[w->n_streams++];
            s->kind = rp__aux_kind_at(i);
            status = open_stream(w, s, err);
        }
    if (status != RP_OK) {
        rp__aux_writer_free(w);
        return status;
    }
    *out = w;
    return RP_OK;
}

rp_status rp__aux_writer_add(rp__aux_writer *w, uint64_t list_offset, const uint32_t *docids,
                             uint32_t n)
{
    rp__buf_put_u64(&w->lists, list_offset);
    for (size_t i = 0; i < w->n_streams; i++) {
        stream *s = &w->streams[i];
        if (!rp__alloc_grow(&w->room, &w->cap, s->kind->bound(s->kind, n), 1))
            return RP_NO_MEMORY;
        size_t used = s->kind->fit(s->kind, docids, n, w->universe, w->room);
        XXH3_64bits_update(s->hash, w->room, used);
        rp__out_write(s->out, w->room, used);
        s->bytes += used;
        rp__buf_put_u64(&s->ends, s->bytes);
        if (s->ends.failed)
            return RP_NO_MEMORY;
    }
    return w->lists.failed ? RP_NO_MEMORY : RP_OK;
}

/* What was written may have changed on the disk: it is told from what was meant. */
static rp_status copy_file(const rp__aux_writer *w, stream *s, rp__section_writer *to,
                           rp_error *err)
{
    rp__in *in;
    size_t got = 1;
    uint64_t want = XXH3_64bits_digest(s->hash);
    XXH3_64bits_reset(s->hash);
    rp_status status = rp__in_open(w->folder, s->file, 0, WINDOW, &in, err);
    if (status != RP_OK)
        return status;
    while (got > 0 && status == RP_OK) {
        const uint8_t *at;
        status = rp__in_view(in, WINDOW, &at, &got, err);
        if (status == RP_OK && got > 0) {
            XXH3_64bits_update(s->hash, at, got);
            rp__section_writer_put(to, at, got);
            rp__in_skip(in, got);
        }
    }
    rp__in_close(in);
    if (status == RP_OK && XXH3_64bits_digest(s->hash) != want)
        status = rp__error_set(err, RP_IO, "%s/%s: cannot be read back; check the disk",
                               w->folder->path, s->file);
    return status;
}

static rp_status close_file(stream *s, rp_error *err)
{
    rp_status status = rp__out_finish(s->out, false, err);
    s->out = NULL;
    s->has_file = status == RP_OK;
    return status;
}

/* Offsets count from the start of the section: of each list's bytes, and of the end. */
static rp_status write_section(const rp__aux_writer *w, stream *s, rp__section_writer *to,
                               rp_error *err)
{
    size_t n = s->ends.n / sizeof(uint64_t);
    uint64_t begin = rp__bits_align((n + 1) * sizeof(uint64_t), ALIGN);
    rp_status status = close_file(s, err);
    if (status != RP_OK)
        return status;
    rp__section_writer_begin(to, RP_SECTION_AUX + s->kind->id);
    rp__section_writer_put(to, &begin, sizeof begin);
    for (size_t i = 0; i < n; i++) {
        uint64_t end = begin + rp__load64(s->ends.at + i * sizeof end);
        rp__section_writer_put(to, &end, sizeof end);
    }
    rp__section_writer_align(to, ALIGN);
    status = copy_file(w, s, to, err);
    rp__section_writer_end(to);
    return status;
}

rp_status rp__aux_writer_finish(rp__aux_writer *w, rp__section_writer *lists, rp_error *err)
{
    rp_status status = RP_OK;
    rp__section_writer_begin(lists, RP_SECTION_AUX_LISTS);
    rp__section_writer_put(lists, w->lists.at, w->lists.n);
    rp__section_writer_end(lists);
    for (size_t i = 0; i < w->n_streams && status == RP_OK; i++)
        status = write_section(w, &w->streams[i], lists, err);
    return status;
}

void rp__aux_writer_free(rp__aux_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n_streams; i++) {
        stream *s = &w->streams[i];
        rp__out_abandon(s->out);
        if (s->has_file)
            rp__folder_remove(w->folder, s->file);
        XXH3_freeState(s->hash);
        rp__buf_free(&s->ends);
    }
    rp__buf_free(&w->lists);
    rp__free(w->room);
    rp__free(w);
}
