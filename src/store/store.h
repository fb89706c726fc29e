/* store/store.h: the door of store: bytes to and from disk.
 *
 * Chapters: 1 the table of system calls; 2 writing files; 3 section files, the form of every file
 * of an index; 4 guarded access to mapped memory; 5 reading input; 6 compressed blocks; 7 writing
 * for others.
 * Nothing above store calls the system about files. */
#ifndef RP_STORE_STORE_H
#define RP_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bits.h"
#include "base/buf.h"
#include "riposte/status.h"

/* ---- 1. The table of system calls ------------------------------------------------------------ */

/* Each call behaves as the system call of its name: -1 and errno on failure. All of store goes
 * through the current table, so that tests can log, fail, shorten or stop at any call. */
typedef struct rp__store_ops {
    int (*open)(int dirfd, const char *path, int flags, unsigned mode); /* openat */
    int (*close)(int fd);
    ssize_t (*read)(int fd, void *buf, size_t n);
    ssize_t (*pread)(int fd, void *buf, size_t n, off_t at);
    off_t (*size)(int fd); /* of an open file */
    ssize_t (*write)(int fd, const void *buf, size_t n);
    int (*fsync)(int fd);
    int (*rename)(int dirfd, const char *from, const char *to);
    /* each gets the other's name, in one step */
    int (*exchange)(int dirfd, const char *a, const char *b);
    int (*unlink)(int dirfd, const char *path, int flags);
    int (*mkdir)(int dirfd, const char *path, unsigned mode);
    int (*lock)(int fd);                /* against other writers, without waiting */
    void *(*map)(int fd, size_t bytes); /* read only, shared; NULL and errno on failure */
    int (*unmap)(void *at, size_t bytes);
} rp__store_ops;

extern const rp__store_ops rp__store_system; /* the real ones */
const rp__store_ops *rp__store_get_ops(void);
/* for tests, before any thread runs; NULL: the real ones */
void rp__store_set_ops(const rp__store_ops *ops);
/* The table's calls, made again where a signal interrupts them. */
int rp__store_open(int dirfd, const char *path, int flags, unsigned mode);
int rp__store_fsync(int fd);
/* A FIFO or a device to write to, as it is. ENXIO, at once, for a FIFO that no program reads. */
int rp__store_open_sink(const char *path);
const char *rp__store_kind(mode_t mode); /* "a FIFO": what a file is, for messages */

/* ---- 2. Writing files ------------------------------------------------------------------------ */

/* A folder in which an index lives, held open and locked against a second writer. */
typedef struct rp__folder {
    int fd;          /* -1: closed */
    bool is_new;     /* this process made it and nothing in it is published yet */
    bool has_tried;  /* publish has come to the rename, whatever became of it */
    char path[4096]; /* as the user gave it, for messages */
} rp__folder;

rp_status rp__folder_open(rp__folder *folder, const char *path, rp_error *err); /* to read */
/* to write: make, lock */
rp_status rp__folder_create(rp__folder *folder, const char *path, rp_error *err);
/* Opens a file of the folder to read, without waiting: RP_IO, with what it is, for anything but a
 * regular file, because a FIFO or a device in its place could block for ever. `missing`: there is
 * no such file. */
rp_status rp__folder_open_file(const rp__folder *folder, const char *name, rp_status missing,
                               int *fd, rp_error *err);
void rp__folder_close(rp__folder *folder); /* a folder that is_new is removed, if empty */
/* Makes all files in the folder durable under their names, then `from` becomes `to`, durably. */
rp_status rp__folder_publish(rp__folder *folder, const char *from, const char *to, rp_error *err);
/* failures are of no consequence */
void rp__folder_remove(const rp__folder *folder, const char *name);
/* Calls fn for each entry but . and ..; fn may remove it. */
rp_status rp__folder_list(rp__folder *folder, void (*fn)(void *arg, const char *name), void *arg,
                          rp_error *err);

/* A file written from front to back through one buffer. The first failure sticks and comes out of
 * finish. One thread at a time. */
typedef struct rp__out rp__out;
rp_status rp__out_create(const rp__folder *folder, const char *name, size_t buffer, rp__out **out,
                         rp_error *err);
void rp__out_write(rp__out *out, const void *bytes, size_t n);
uint64_t rp__out_offset(const rp__out *out);
rp_status rp__out_finish(rp__out *out, bool sync, rp_error *err); /* flush, sync, close; frees */
/* close and remove; NULL is fine */
void rp__out_abandon(rp__out *out);

/* A file read from front to back, or parts of it at once. One thread at a time. */
typedef struct rp__in rp__in;
rp_status rp__in_open(const rp__folder *folder, const char *name, uint64_t at, size_t buffer,
                      rp__in **out, rp_error *err);
/* Up to n bytes, fewer only at the end. The view is valid until the next call; n <= buffer. */
rp_status rp__in_view(rp__in *in, size_t n, const uint8_t **at, size_t *got, rp_error *err);
void rp__in_skip(rp__in *in, size_t n); /* at most what the last view gave */
void rp__in_close(rp__in *in);

/* ---- 3. Section files ------------------------------------------------------------------------ */

/* Bits of a header's required features; docs/format.md, chapter 11. */
enum {
    RP_FEATURE_FREQS = 1,
    RP_FEATURE_STATS = 2,
    RP_FEATURE_KTHS = 4,
    RP_FEATURE_ANALYSIS = 8,
    RP_FEATURE_TINY_BITS = 16,
    RP_FEATURE_CLOSE = 32,
    RP_FEATURES_KNOWN = 63,
};
/* Bits of its optional features, which a reader may pass over. */
enum { RP_OPTIONAL_ID_TABLE = 1, RP_OPTIONAL_TERM_MOST = 2 };

/* header | sections, each 64-byte aligned, followed by RP_PAD zero bytes | table | footer.
 * docs/format.md has the bytes. `kind` and section ids are the index room's numbers. */
typedef struct rp__section_writer rp__section_writer;
rp_status rp__section_writer_new(const rp__folder *folder, const char *name, uint32_t kind,
                                 rp__section_writer **out, rp_error *err);
/* Features that a reader of this file must know; before the first section. */
void rp__section_writer_require(rp__section_writer *w, uint64_t features);
/* Features that a reader may pass over; likewise. */
void rp__section_writer_offer(rp__section_writer *w, uint64_t features);
void rp__section_writer_begin(rp__section_writer *w, uint32_t id);
void rp__section_writer_put(rp__section_writer *w, const void *bytes, size_t n);
/* zeros up to a multiple within the section */
void rp__section_writer_align(rp__section_writer *w, size_t to);
/* bytes in this section so far */
uint64_t rp__section_writer_offset(const rp__section_writer *w);
void rp__section_writer_end(rp__section_writer *w);
/* Writes table and footer, syncs, closes. The manifest keeps `bytes` and `checksum`, which stands
 * for the whole contents: it is made from the checksums of all sections. */
rp_status rp__section_writer_finish(rp__section_writer *w, uint64_t *bytes, uint64_t *checksum,
                                    rp_error *err);
void rp__section_writer_abandon(rp__section_writer *w); /* NULL is fine */

typedef struct rp__section_file rp__section_file; /* any thread, read only */
/* Maps it; checks header, footer, table and their checksums. 0 for bytes and checksum: any. */
rp_status rp__section_file_open(const rp__folder *folder, const char *name, uint32_t kind,
                                uint64_t bytes, uint64_t checksum, rp__section_file **out,
                                rp_error *err);
void rp__section_file_close(rp__section_file *file);
/* RP_DAMAGED if the section is not there. RP_PAD readable bytes follow it. */
rp_status rp__section_file_get(const rp__section_file *file, uint32_t id, const uint8_t **at,
                               size_t *bytes, rp_error *err);
bool rp__section_file_has(const rp__section_file *file, uint32_t id);
rp_status rp__section_file_verify(const rp__section_file *file, uint32_t id, rp_error *err);
/* False: it was cut short after it was opened, and what was read since may be zeros that are not in
 * it. Reads mapped memory: call it under the guard. */
bool rp__section_file_is_whole(const rp__section_file *file);
size_t rp__section_file_count(const rp__section_file *file);
uint32_t rp__section_file_id(const rp__section_file *file, size_t i);
uint64_t rp__section_file_bytes(const rp__section_file *file);
uint64_t rp__section_file_required(const rp__section_file *file); /* features, all of them known */
const char *rp__section_file_name(const rp__section_file *file);
/* The same bytes as a new file, durable; RP_DAMAGED where a section is not what its checksum says.
 * goes_on is told of bytes as they are copied; false: RP_INTERRUPTED. */
typedef bool rp__copied_fn(void *arg, uint64_t bytes);
rp_status rp__section_file_copy(const rp__section_file *file, const rp__folder *folder,
                                const char *name, rp__copied_fn *goes_on, void *arg, rp_error *err);

uint64_t rp__checksum(const void *bytes, size_t n); /* XXH3, 64 bits */
const char *rp__checksum_version(void);             /* of the library that computes it */

/* ---- 4. Guarded access to mapped memory ------------------------------------------------------ */

/* Runs fn(arg). If a mapped file was cut short under it, so that touching it raises SIGBUS, fn is
 * left at that point and RP_DAMAGED comes back; otherwise what fn returned. fn must own nothing but
 * what its caller can still free. Nesting is not allowed. */
rp_status rp__mapping_guard(rp_status (*fn)(void *arg), void *arg);
/* memcpy under the guard: RP_OK, or RP_DAMAGED where the file was cut short. */
rp_status rp__mapping_copy(void *to, const void *from, size_t bytes);

/* ---- 5. Reading input ------------------------------------------------------------------------ */

/* A file or standard input ("-"), plain, gzip (all members) or zstd (all frames), told by its first
 * bytes. One thread at a time. */
typedef struct rp__input rp__input;

typedef bool rp__goes_on_fn(void *arg);

/* All zero or NULL: the default named beside each field. */
typedef struct rp__input_options {
    uint64_t max_expand;   /* bytes out for a byte in, after 64 MiB out: 1000 */
    bool waits_for_writer; /* of a FIFO; otherwise a FIFO that no program writes to is RP_IO */
    /* asked by the reading thread before every read, and ten times a second while */
    rp__goes_on_fn *goes_on;
    /* nothing comes; false: RP_INTERRUPTED. NULL: the input waits for ever */
    void *goes_on_arg;
} rp__input_options;

/* `options` may be NULL. */
rp_status rp__input_open(const char *path, const rp__input_options *options, rp__input **out,
                         rp_error *err);
/* A regular file of any bytes, never unpacked. RP_NOT_FOUND: there is no such file. */
rp_status rp__input_open_plain(const char *path, rp__input **out, rp_error *err);
/* The input is text: passes over the byte order mark of UTF-8 before the first read. RP_INPUT: the
 * mark is that of UTF-16 or UTF-32; a read still gives all bytes. */
rp_status rp__input_as_text(rp__input *input, rp_error *err);
rp_status rp__input_open_text(const char *path, const rp__input_options *options, rp__input **out,
                              rp_error *err);
/* Fills buf; *got is less than cap only at the end. RP_INPUT: damaged; RP_LIMIT: expands too
 * far. */
rp_status rp__input_read(rp__input *input, void *buf, size_t cap, size_t *got, rp_error *err);
uint64_t rp__input_consumed(const rp__input *input); /* bytes of the file itself */
uint64_t rp__input_size(const rp__input *input);     /* of the file itself; 0: not known */
void rp__input_close(rp__input *input);
const char *rp__input_zlib_version(void);
/* All of a text behind what `text` has, and a NUL behind that, which does not count. Bytes that
 * hold a NUL are no text: nothing is read behind them, so that a device without end is refused by
 * whoever looks. RP_NO_MEMORY: `text` would have more than max_bytes. */
rp_status rp__input_read_all(const char *path, const rp__input_options *options, uint64_t max_bytes,
                             rp__buf *text, rp_error *err);

/* Files below a folder (or the file itself), sorted by path so that the order is the same
 * everywhere. Symbolic links, dot files, what is no file and what cannot be looked at or listed are
 * skipped, each with its reason. A call returns false to stop. RP_IO: the path itself cannot be
 * opened. */
typedef struct rp__walk_calls {
    bool (*file)(void *arg, const char *path, uint64_t bytes);
    bool (*skip)(void *arg, const char *path, const char *reason);
    const char *own[2]; /* files or folders of the caller's own, which are skipped; NULL: none */
} rp__walk_calls;
rp_status rp__walk(const char *path, const rp__walk_calls *calls, void *arg, rp_error *err);

/* ---- 6. Compressed blocks -------------------------------------------------------------------- */

/* One thread's zstd contexts. */
typedef struct rp__zblock rp__zblock;
rp_status rp__zblock_new(rp__zblock **out);
const char *rp__zblock_version(void); /* of zstd */
void rp__zblock_free(rp__zblock *z);
rp_status rp__zblock_pack(rp__zblock *z, const void *bytes, size_t n, rp__buf *out);
/* Unpacking a block: begin, then pieces. *in_bytes and *out_bytes are what there is and what was
 * taken and made; a block that is given whole, with room for all of it, is done by one call. Memory
 * beside that: 3 MiB. */
void rp__zblock_begin(rp__zblock *z);
rp_status rp__zblock_unpack(rp__zblock *z, const void *in, size_t *in_bytes, void *out,
                            size_t *out_bytes, bool *is_at_end);

/* ---- 7. Writing for others ------------------------------------------------------------------- */

/* A file of a form that is not ours, which appears under its name whole or not at all; packed by
 * gzip if the name ends in .gz; "-" is standard output. The first failure sticks and comes out of
 * finish. What a killed process left of the same file is removed by the next create. One thread at
 * a time. */
typedef struct rp__output rp__output;
rp_status rp__output_create(const char *path, rp__output **out, rp_error *err);
void rp__output_write(rp__output *out, const void *bytes, size_t n);
bool rp__output_has_failed(const rp__output *out);           /* a long work may stop */
rp_status rp__output_finish(rp__output *out, rp_error *err); /* frees */
void rp__output_abandon(rp__output *out); /* removes what was begun; NULL is fine */

/* Files that belong together, as a folder that appears under its name whole or not at all. A
 * folder that is there is replaced in one step; RP_USAGE where it holds anything but files of
 * these names. */
typedef struct rp__output_folder rp__output_folder;
rp_status rp__output_folder_create(const char *path, const char *const *names, size_t n,
                                   rp__output_folder **out, rp_error *err);
/* To write to; never to finish or abandon. */
rp__output *rp__output_folder_file(rp__output_folder *folder, size_t i);
bool rp__output_folder_has_failed(const rp__output_folder *folder);
rp_status rp__output_folder_finish(rp__output_folder *folder, rp_error *err); /* frees */
void rp__output_folder_abandon(rp__output_folder *folder);                    /* NULL is fine */

#endif
