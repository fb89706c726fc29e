/* ciff_file.h: for tests: CIFF files made by hand, field by field. */
#ifndef RP_TESTS_CIFF_FILE_H
#define RP_TESTS_CIFF_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static inline void ciff_number(rp__buf *b, unsigned field, uint64_t v)
{
    if (v == 0)
        return;
    rp__buf_put_byte(b, (uint8_t)(field << 3));
    rp__buf_put_varint(b, v);
}

static inline void ciff_bytes(rp__buf *b, unsigned field, const void *at, size_t n)
{
    rp__buf_put_byte(b, (uint8_t)(field << 3 | 2));
    rp__buf_put_varint(b, n);
    rp__buf_put(b, at, n);
}

static inline void ciff_double(rp__buf *b, unsigned field, double v)
{
    rp__buf_put_byte(b, (uint8_t)(field << 3 | 1));
    rp__buf_put(b, &v, sizeof v);
}

/* Puts a message behind its length, and empties it. */
static inline void ciff_end(rp__buf *file, rp__buf *message)
{
    rp__buf_put_varint(file, message->n);
    rp__buf_put(file, message->at, message->n);
    message->n = 0;
}

static inline void ciff_header(rp__buf *file, uint64_t lists, uint64_t docs, uint64_t all_lists,
                               uint64_t all_docs, uint64_t tokens, double average)
{
    rp__buf m = {0};
    ciff_number(&m, 1, 1);
    ciff_number(&m, 2, lists);
    ciff_number(&m, 3, docs);
    ciff_number(&m, 4, all_lists);
    ciff_number(&m, 5, all_docs);
    ciff_number(&m, 6, tokens);
    ciff_double(&m, 7, average);
    ciff_bytes(&m, 8, "by hand", 7);
    ciff_end(file, &m);
    rp__buf_free(&m);
}

static inline void ciff_posting(rp__buf *list, uint64_t gap, uint64_t tf)
{
    rp__buf m = {0};
    ciff_number(&m, 1, gap);
    ciff_number(&m, 2, tf);
    ciff_bytes(list, 4, m.at ? m.at : (const uint8_t *)"", m.n);
    rp__buf_free(&m);
}

/* "gap:tf gap:tf ..." */
static inline void ciff_list(rp__buf *file, const char *term, const char *postings)
{
    rp__buf m = {0};
    uint64_t df = 0, cf = 0;
    char *end;
    for (const char *p = postings; *p; df++) {
        strtoull(p, &end, 10);
        cf += strtoull(end + 1, &end, 10);
        p = *end ? end + 1 : end;
    }
    ciff_bytes(&m, 1, term, strlen(term));
    ciff_number(&m, 2, df);
    ciff_number(&m, 3, cf);
    for (const char *p = postings; *p;) {
        uint64_t gap = strtoull(p, &end, 10), tf = strtoull(end + 1, &end, 10);
        ciff_posting(&m, gap, tf);
        p = *end ? end + 1 : end;
    }
    ciff_end(file, &m);
    rp__buf_free(&m);
}

static inline void ciff_doc(rp__buf *file, uint64_t docid, const char *id, uint64_t length)
{
    rp__buf m = {0};
    ciff_number(&m, 1, docid);
    ciff_bytes(&m, 2, id, strlen(id));
    ciff_number(&m, 3, length);
    ciff_end(file, &m);
    rp__buf_free(&m);
}

/* Two lists, three documents, ten tokens. */
static inline void ciff_small(rp__buf *file)
{
    ciff_header(file, 2, 3, 2, 3, 10, 10.0 / 3);
    ciff_list(file, "ant", "0:2 2:1");
    ciff_list(file, "bee", "1:7");
    ciff_doc(file, 0, "x", 2);
    ciff_doc(file, 1, "y", 7);
    ciff_doc(file, 2, "z", 1);
}

#endif
