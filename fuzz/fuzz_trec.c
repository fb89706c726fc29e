/* fuzz_trec.c: any bytes through the TREC row. They are cut twice, whole and as if they came in two
 * reads (the first byte says where they part); the records must be the same, lie inside and not
 * overlap. Each is then parsed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "engine/corpus_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(int is_true)
{
    if (!is_true)
        abort();
}

/* Cuts text of which only `first` bytes are there until they do not suffice. */
static size_t cut(const char *text, size_t bytes, size_t first, rp__record *records, size_t cap)
{
    rp__split s = {0};
    size_t done = 0, there = first, n = 0;
    while (n < cap && done < bytes) {
        s.at = text + done;
        s.n = there - done;
        s.is_end = there == bytes;
        s.used = 0;
        if (s.n > 0 && rp__corpus_trec.split(&s)) {
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

static void parse_all(const rp__batch *batch)
{
    rp__doc_parser *parser = NULL;
    check(rp__doc_parser_new(NULL, &parser) == RP_OK);
    for (size_t i = 0; i < batch->n; i++) {
        rp__doc doc;
        rp_error err;
        rp_status status = rp__doc_parser_parse(parser, batch, i, &doc, &err);
        check(status == RP_OK || (status == RP_INPUT && strncmp(err.text, "fuzz:", 5) == 0));
        if (status == RP_OK) {
            check(rp__utf8_check(doc.id, doc.id_bytes) == doc.id_bytes);
            check(rp__utf8_check(doc.text, doc.text_bytes) == doc.text_bytes);
            check(rp__utf8_check(doc.title, doc.title_bytes) == doc.title_bytes);
            check(doc.text_bytes + doc.title_bytes <= batch->records[i].bytes);
        }
    }
    rp__doc_parser_free(parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < 2)
        return 0;
    size_t n = bytes - 1;
    char *text = malloc(n);
    memcpy(text, data + 1, n);
    rp__batch batch;
    rp__record *records = calloc(RP_BATCH_RECORDS, sizeof *records);
    check(rp__batch_init(&batch) == RP_OK);
    memset(batch.records, 0, RP_BATCH_RECORDS * sizeof *batch.records);
    batch.format = &rp__corpus_trec;
    strcpy(batch.path, "fuzz");
    rp__buf_put(&batch.bytes, text, n);
    batch.n = cut(text, n, n, batch.records, RP_BATCH_RECORDS);
    check(cut(text, n, n * data[0] / 255, records, RP_BATCH_RECORDS) == batch.n);
    for (size_t i = 0; i < batch.n; i++) /* a gap dropped early may hide where the line began */
        check(records[i].offset >= batch.records[i].offset &&
              records[i].offset + records[i].bytes ==
                  batch.records[i].offset + batch.records[i].bytes);
    parse_all(&batch);
    rp__batch_free(&batch);
    free(records);
    free(text);
    return 0;
}
