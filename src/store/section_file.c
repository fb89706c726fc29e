/* section_file.c: opens a section file and vouches for its header, table and footer.
 *
 * Metadata are read with pread and checked before anything is mapped; what the sections hold is
 * checked only by verify. Nothing here trusts a number before it is compared with the file's size. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/error.h"
#include "store/section.h"
#include "store/store.h"

struct rp__section_file {
    uint8_t *at;
    uint64_t bytes, required;
    size_t n;
    rp__section_entry table[RP_SECTION_MOST];
    char name[4096 + 80]; /* folder and file, for messages */
};

static rp_status damaged(const rp__section_file *f, const char *what, rp_error *err)
{
    return rp__error_set(err, RP_DAMAGED, "%s: %s; restore the file or build the index again",
                         f->name, what);
}

static rp_status read_at(const rp__section_file *f, int fd, void *to, size_t n, uint64_t offset,
                         rp_error *err)
{
    for (size_t have = 0; have < n;) {
        ssize_t got =
            rp__store_get_ops()->pread(fd, (uint8_t *)to + have, n - have, (off_t)(offset + have));
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got < 0)
            return rp__error_set(err, RP_IO, "%s: cannot read: %s", f->name, strerror(errno));
        if (got == 0)
            return damaged(f, "the file is cut short", err);
        have += (size_t)got;
    }
    return RP_OK;
}

static rp_status check_header(const rp__section_file *f, const rp__section_header *header,
                              uint32_t kind, rp_error *err)
{
    uint64_t unknown = header->required & ~(uint64_t)RP_FEATURES_KNOWN;
    if (memcmp(header->magic, RP_SECTION_MAGIC, sizeof header->magic) != 0)
        return damaged(f, "this is no file of a Riposte index", err);
    if (header->version != RP_SECTION_VERSION)
        return rp__error_set(err, RP_INCOMPATIBLE,
                             "%s: format version %u, this program reads version %d; "
                             "use the Riposte that wrote it or build the index again",
                             f->name, header->version, RP_SECTION_VERSION);
    if (unknown != 0)
        return rp__error_set(err, RP_INCOMPATIBLE,
                             "%s: needs features 0x%llx that this program does not know; "
                             "use a newer Riposte",
                             f->name, (unsigned long long)unknown);
    if (header->kind != kind)
        return damaged(f, "this is another kind of file than its name says", err);
    return RP_OK;
}

static rp_status check_entries(const rp__section_file *f, uint64_t table_offset, rp_error *err)
{
    uint64_t at = sizeof(rp__section_header);
    for (size_t i = 0; i < f->n; i++) {
        const rp__section_entry *e = &f->table[i];
        if (e->offset != at || e->bytes > table_offset - at ||
            rp__bits_align(e->bytes + RP_PAD, RP_SECTION_ALIGN) > table_offset - at)
            return damaged(f, "its sections do not fit", err);
        at += rp__bits_align(e->bytes + RP_PAD, RP_SECTION_ALIGN);
    }
    return at == table_offset ? RP_OK : damaged(f, "its sections do not fill it", err);
}

static rp_status read_metadata(rp__section_file *f, int fd, uint32_t kind, uint64_t checksum,
                               rp_error *err)
{
    rp__section_header header;
    rp__section_footer footer;
    if (f->bytes < sizeof header + sizeof footer)
        return damaged(f, "the file is cut short", err);
    rp_status status = read_at(f, fd, &header, sizeof header, 0, err);
    if (status == RP_OK)
        status = check_header(f, &header, kind, err);
    f->required = header.required;
    if (status == RP_OK)
        status = read_at(f, fd, &footer, sizeof footer, f->bytes - sizeof footer, err);
    if (status != RP_OK)
        return status;
    if (memcmp(footer.magic, RP_SECTION_MAGIC_END, sizeof footer.magic) != 0 ||
        footer.file_bytes != f->bytes)
        return damaged(f, "the file is cut short or its end is damaged", err);
    if (footer.checksum != rp__checksum(&footer, offsetof(rp__section_footer, checksum)) ||
        footer.header_checksum != rp__checksum(&header, sizeof header) ||
        (checksum && checksum != footer.checksum))
        return damaged(f, "checksum of header or footer differs, or it is a file of another index",
                       err);
    if (footer.n_sections > RP_SECTION_MOST ||
        footer.table_offset + footer.n_sections * sizeof(rp__section_entry) + sizeof footer !=
            f->bytes)
        return damaged(f, "its table does not fit", err);
    f->n = (size_t)footer.n_sections;
    status = read_at(f, fd, f->table, f->n * sizeof *f->table, footer.table_offset, err);
    if (status != RP_OK)
        return status;
    if (footer.table_checksum != rp__checksum(f->table, f->n * sizeof *f->table))
        return damaged(f, "checksum of the table differs", err);
    return check_entries(f, footer.table_offset, err);
}

static rp_status open_file(rp__section_file *f, const rp__folder *folder, const char *name, int *fd,
                           rp_error *err)
{
    rp_status status = rp__folder_open_file(folder, name, RP_NOT_FOUND, fd, err);
    if (status != RP_OK)
        return status;
    off_t end = rp__store_get_ops()->size(*fd);
    if (end < 0)
        return rp__error_set(err, RP_IO, "%s: cannot read its size: %s", f->name, strerror(errno));
    f->bytes = (uint64_t)end;
    return RP_OK;
}

rp_status rp__section_file_open(const rp__folder *folder, const char *name, uint32_t kind,
                                uint64_t bytes, uint64_t checksum, rp__section_file **out,
                                rp_error *err)
{
    int fd = -1;
    rp__section_file *f = rp__alloc_zero(1, sizeof *f);
    if (!f)
        return rp__error_no_memory(err);
    snprintf(f->name, sizeof f->name, "%s/%s", folder->path, name);
    rp_status status = open_file(f, folder, name, &fd, err);
    if (status == RP_OK && bytes && bytes != f->bytes)
        status = damaged(f, "its size is not what the manifest says", err);
    if (status == RP_OK)
        status = read_metadata(f, fd, kind, checksum, err);
    if (status == RP_OK && !(f->at = rp__store_get_ops()->map(fd, (size_t)f->bytes)))
        status = rp__error_set(err, errno == ENOMEM ? RP_NO_MEMORY : RP_IO, "%s: cannot map: %s",
                               f->name, strerror(errno));
    if (fd >= 0)
        rp__store_get_ops()->close(fd);
    if (status != RP_OK) {
        rp__section_file_close(f);
        return status;
    }
    *out = f;
    return RP_OK;
}

void rp__section_file_close(rp__section_file *f)
{
    if (!f)
        return;
    if (f->at)
        rp__store_get_ops()->unmap(f->at, (size_t)f->bytes);
    rp__free(f);
}

static const rp__section_entry *find(const rp__section_file *f, uint32_t id)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->table[i].id == id)
            return &f->table[i];
    return NULL;
}

rp_status rp__section_file_get(const rp__section_file *f, uint32_t id, const uint8_t **at,
                               size_t *bytes, rp_error *err)
{
    const rp__section_entry *e = find(f, id);
    if (!e)
        return damaged(f, "a section is missing", err);
    *at = f->at + e->offset;
    *bytes = (size_t)e->bytes;
    return RP_OK;
}

bool rp__section_file_has(const rp__section_file *f, uint32_t id)
{
    return find(f, id) != NULL;
}

static rp_status wrong_checksum(const rp__section_file *f, uint32_t id, rp_error *err)
{
    return rp__error_set(
        err, RP_DAMAGED,
        "%s: section %u: checksum differs; restore the file or build the index again", f->name, id);
}

typedef struct verify_job {
    const uint8_t *at;
    size_t bytes, padded;
    uint64_t checksum;
    bool is_padding_zero;
} verify_job;

static rp_status run_verify(void *arg)
{
    verify_job *job = arg;
    uint8_t all = 0;
    job->checksum = rp__checksum(job->at, job->bytes);
    for (size_t i = job->bytes; i < job->padded; i++)
        all |= job->at[i];
    job->is_padding_zero = all == 0;
    return RP_OK;
}

rp_status rp__section_file_verify(const rp__section_file *f, uint32_t id, rp_error *err)
{
    const rp__section_entry *e = find(f, id);
    if (!e)
        return damaged(f, "a section is missing", err);
    verify_job job = {.at = f->at + e->offset, .bytes = (size_t)e->bytes};
    job.padded = (size_t)rp__bits_align(e->bytes + RP_PAD, RP_SECTION_ALIGN);
    rp_status status = rp__mapping_guard(run_verify, &job);
    if (status != RP_OK)
        return damaged(f, "the file was cut short while it was read", err);
    if (job.checksum == e->checksum && job.is_padding_zero)
        return RP_OK;
    return wrong_checksum(f, id, err);
}

/* ---- Copying --------------------------------------------------------------------------------- */

enum { CHUNK = 256 * 1024 };

typedef struct copy {
    const rp__section_file *f;
    rp__out *out;
    uint8_t *chunk;
    XXH3_state_t *hash;
    rp__copied_fn *goes_on;
    void *arg;
} copy;

/* Bytes pass through memory of our own, so that what is hashed is what is written. */
static rp_status copy_bytes(const copy *c, uint64_t offset, uint64_t bytes, rp_error *err)
{
    XXH3_64bits_reset(c->hash);
    for (uint64_t done = 0; done < bytes; done += CHUNK) {
        size_t n = bytes - done < CHUNK ? (size_t)(bytes - done) : CHUNK;
        if (rp__mapping_copy(c->chunk, c->f->at + offset + done, n) != RP_OK)
            return damaged(c->f, "the file was cut short while it was read", err);
        XXH3_64bits_update(c->hash, c->chunk, n);
        rp__out_write(c->out, c->chunk, n);
        if (c->goes_on && !c->goes_on(c->arg, n))
            return rp__error_set(err, RP_INTERRUPTED, "interrupted; nothing was changed");
    }
    return RP_OK;
}

/* Header, sections with their padding, then table and footer, which open has seen to be sound. */
static rp_status copy_file(const copy *c, rp_error *err)
{
    static const uint8_t zeros[RP_PAD + RP_SECTION_ALIGN];
    const rp__section_file *f = c->f;
    rp_status status = copy_bytes(c, 0, sizeof(rp__section_header), err);
    for (size_t i = 0; i < f->n && status == RP_OK; i++) {
        const rp__section_entry *e = &f->table[i];
        status = copy_bytes(c, e->offset, e->bytes, err);
        if (status == RP_OK && XXH3_64bits_digest(c->hash) != e->checksum)
            status = wrong_checksum(f, e->id, err);
        uint64_t end = rp__out_offset(c->out);
        rp__out_write(c->out, zeros,
                      (size_t)(rp__bits_align(end + RP_PAD, RP_SECTION_ALIGN) - end));
    }
    uint64_t table = rp__out_offset(c->out);
    return status == RP_OK ? copy_bytes(c, table, f->bytes - table, err) : status;
}

rp_status rp__section_file_copy(const rp__section_file *f, const rp__folder *folder,
                                const char *name, rp__copied_fn *goes_on, void *arg, rp_error *err)
{
    copy c = {.f = f, .goes_on = goes_on, .arg = arg};
    rp_status status = RP_OK;
    c.chunk = rp__alloc(CHUNK);
    c.hash = XXH3_createState();
    if (!c.chunk || !c.hash)
        status = rp__error_no_memory(err);
    if (status == RP_OK)
        status = rp__out_create(folder, name, CHUNK, &c.out, err);
    if (status == RP_OK)
        status = copy_file(&c, err);
    if (status != RP_OK)
        rp__out_abandon(c.out);
    else
        status = rp__out_finish(c.out, true, err);
    XXH3_freeState(c.hash);
    rp__free(c.chunk);
    return status;
}

/* Cutting a file takes away the pages behind its new end, whose touch is a SIGBUS, and zeroes the rest of
 * the page where it ends, whose touch is none. The system takes pages away before it zeroes, so the last byte
 * tells of every cut but one inside the last page, and of that page the process has its own copy (store.c). */
bool rp__section_file_is_whole(const rp__section_file *f)
{
    atomic_thread_fence(memory_order_acquire);
    const volatile char *end = (const char *)f->at + f->bytes;
    return end[-1] == RP_SECTION_MAGIC_END[sizeof(RP_SECTION_MAGIC_END) - 2];
}

size_t rp__section_file_count(const rp__section_file *f)
{
    return f->n;
}
uint32_t rp__section_file_id(const rp__section_file *f, size_t i)
{
    return f->table[i].id;
}
uint64_t rp__section_file_bytes(const rp__section_file *f)
{
    return f->bytes;
}
uint64_t rp__section_file_required(const rp__section_file *f)
{
    return f->required;
}
const char *rp__section_file_name(const rp__section_file *f)
{
    return f->name;
}
