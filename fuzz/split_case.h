/* split_case.h: any bytes through one row of the formats. They are made UTF-8, as corpus.c does, then cut
 * twice, whole and as if they came in two reads (the first byte says where they part); the records must
 * be the same, lie inside and not overlap. Each is then parsed, and what comes out is UTF-8. */
#ifndef RP_FUZZ_SPLIT_CASE_H
#define RP_FUZZ_SPLIT_CASE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/charset.h"
#include "base/utf8.h"
#include "engine/corpus_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

/* Cuts text of which only `first` bytes are there until they do not suffice. */
static size_t cut(const rp__corpus_format *row, const char *text, size_t bytes, size_t first,
                  rp__record *records, size_t cap)
{
    rp__split s = {0};
    size_t done = 0, there = first, n = 0;
    while (n < cap && done < bytes) {
        s.at = text + done;
        s.n = there - done;
        s.is_end = there == bytes;
        s.used = 0;
        if (s.n > 0 && row->split(&s)) {
            check(s.begin <= s.end && s.end <= s.used && s.used <= s.n && s.used > 0);
            records[n++] =
                (rp__record){.offset = done + s.begin, .bytes = s.end - s.begin, .line = 1};
            done += s.used;
            continue;
        }
        check(s.used <= s.n && (!s.is_end || s.used == s.n));
        done += s.used;
        there = bytes;
    }
    return n;
}

/* Passing over a record needs no more than its bytes, in pieces, and comes to its end. */
static void pass_over(const rp__corpus_format *row, const char *text, size_t bytes, size_t first)
{
    rp__split s = {.is_passing = true};
    size_t done = 0, there = first;
    while (done < bytes) {
        s.at = text + done;
        s.n = there - done;
        s.is_end = there == bytes;
        s.used = 0;
        if (s.n > 0 && row->split(&s)) {
            check(s.used <= s.n && s.used > 0);
            return;
        }
        check(s.used <= s.n);
        done += s.used;
        there = bytes;
        if (s.is_end)
            return;
    }
}

static void parse_all(const rp__batch *batch)
{
    rp__doc_parser *parser = NULL;
    check(rp__doc_parser_new(NULL, &parser) == RP_OK);
    for (size_t i = 0; i < batch->n; i++) {
        rp__doc doc;
        rp_error err;
        rp_status status = rp__doc_parser_parse(parser, batch, i, &doc, &err);
        check(status == RP_OK || (status == RP_INPUT && strncmp(err.text, "fuzz:", 5) == 0));
        if (status != RP_OK)
            continue;
        check(rp__utf8_check(doc.id, doc.id_bytes) == doc.id_bytes);
        check(rp__utf8_check(doc.text, doc.text_bytes) == doc.text_bytes);
        check(rp__utf8_check(doc.title, doc.title_bytes) == doc.title_bytes);
        check(doc.text_bytes + doc.title_bytes <= 3 * batch->records[i].bytes + 1);
    }
    rp__doc_parser_free(parser);
}

static void split_case(const rp__corpus_format *row, const uint8_t *data, size_t bytes)
{
    if (bytes < 2)
        return;
    rp__charset charset = {.kind = RP_CHARSET_BYTES};
    rp__batch batch;
    check(rp__batch_init(&batch) == RP_OK);
    memset(batch.records, 0, RP_BATCH_RECORDS * sizeof *batch.records);
    rp__charset_put(&charset, data + 1, bytes - 1, true, &batch.bytes);
    size_t n = batch.bytes.n, first = n * data[0] / 255;
    char *text = malloc(n);
    memcpy(text, batch.bytes.at, n);
    batch.format = row;
    strcpy(batch.path, "fuzz");
    if (row->begin) {
        rp__field_names names;
        rp__dropped dropped = {0};
        rp__field_names_init(&names, NULL);
        rp__sniff sniff = {.names = &names, .head = text, .n = n, .is_whole = true};
        row->sniff(&sniff);
        check(row->begin(&sniff, &batch.columns, &dropped) <= n);
    }
    rp__record *records = calloc(RP_BATCH_RECORDS, sizeof *records);
    batch.n = cut(row, text, n, n, batch.records, RP_BATCH_RECORDS);
    check(cut(row, text, n, first, records, RP_BATCH_RECORDS) == batch.n);
    for (size_t i = 0; i < batch.n; i++) /* a gap dropped early may hide where the line began */
        check(records[i].offset >= batch.records[i].offset &&
              records[i].offset + records[i].bytes ==
                  batch.records[i].offset + batch.records[i].bytes);
    pass_over(row, text, n, first);
    parse_all(&batch);
    rp__batch_free(&batch);
    free(records);
    free(text);
}

#endif
