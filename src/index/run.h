/* index/run.h: interior of index: sorted runs, on disk or still in memory, read term by term.
 *
 * On disk a term is: u8 bytes, the term, varint bytes of its stream, the stream. */
#ifndef RP_INDEX_RUN_H
#define RP_INDEX_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "index/inverter.h"
#include "riposte/status.h"
#include "store/store.h"

/* Where a run lies: in a file, or in an inverter that is sorted. */
typedef struct rp__run {
    const rp__inverter *inverter; /* NULL: in a file */
    char file[32];
    uint32_t worker; /* a posting may go on in the next run of the same worker */
    uint64_t begin, terms;
    uint64_t open;     /* number of the term, from 1, whose list goes on in the next run; 0: none */
    uint64_t checksum; /* XXH3 of its bytes in the file */
} rp__run;

/* Appends a run to the file that `out` writes: terms in order, each followed by the bytes of its
 * stream. */
typedef struct rp__run_writer {
    rp__out *out;
    struct XXH3_state_s *hash;
    rp__run run;
} rp__run_writer;

rp_status rp__run_writer_begin(rp__run_writer *w, rp__out *out, const char *file);
void rp__run_writer_term(rp__run_writer *w, const char *term, uint32_t bytes,
                         uint64_t stream_bytes);
void rp__run_writer_bytes(rp__run_writer *w, const uint8_t *stream, size_t bytes);
void rp__run_writer_end(rp__run_writer *w, rp__run *run);

/* Appends a sorted inverter. */
rp_status rp__run_write(const rp__inverter *inv, rp__out *out, const char *file, rp__run *run);

typedef struct rp__run_reader {
    const rp__run *run;
    rp__in *in;
    uint64_t next;  /* term to read next */
    char term[256]; /* current one */
    uint32_t term_bytes;
    uint64_t prefix; /* rp__term_sort_prefix of it */
    bool is_at_end;
    /* The stream of the current term, a piece at a time. */
    const uint8_t *p, *end;
    uint64_t left;        /* bytes of the stream after this piece */
    const uint8_t *slice; /* next piece in memory */
    uint32_t level;
    size_t viewed;             /* bytes of the piece in the file's window, not yet passed over */
    struct XXH3_state_s *hash; /* of what was read of the file; the end of the run compares it */
    uint32_t docid; /* of the posting that stands next; RP_NO_DOC: stream is at its end */
    size_t buffer;
} rp__run_reader;

rp_status rp__run_reader_open(rp__run_reader *r, const rp__run *run, const rp__folder *folder,
                              size_t buffer, rp_error *err);
void rp__run_reader_close(rp__run_reader *r);
/* Goes to the next term, whose stream must have been read to its end; sets is_at_end. */
rp_status rp__run_reader_next(rp__run_reader *r, rp_error *err);
/* One number of the stream. RP_DAMAGED: it has no more. */
rp_status rp__run_reader_number(rp__run_reader *r, uint32_t *out, rp_error *err);

/* The same; most numbers are one byte. */
static inline rp_status rp__run_reader_get(rp__run_reader *r, uint32_t *out, rp_error *err)
{
    if (r->p == r->end || *r->p >= 0x80)
        return rp__run_reader_number(r, out, err);
    *out = *r->p++;
    return RP_OK;
}

static inline bool rp__run_reader_has_more(const rp__run_reader *r)
{
    return r->p != r->end || r->left > 0;
}

#endif
