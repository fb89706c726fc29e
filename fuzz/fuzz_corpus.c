/* fuzz_corpus.c: any bytes as standard input through decompression, splitting and parsing. The first
 * byte picks the format (or none), a small line limit and skipping. All text that comes out is UTF-8. The bytes are read twice, at once
 * and a few at a time: the status, and if it is good the documents, must be the same. A damaged zstd
 * frame is an exception: libzstd 1.5.4 finds a content size that an empty last block contradicts only
 * when it has the whole frame at once. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "engine/corpus.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const uint8_t *input;
static size_t input_bytes, input_at, most;

static void check(int is_true)
{
    if (!is_true)
        abort();
}

static ssize_t read_input(int fd, void *buf, size_t n)
{
    (void)fd;
    size_t left = input_bytes - input_at;
    if (most == 1 && input_at % 3 == 1 && errno != EINTR) {
        errno = EINTR;
        return -1;
    }
    errno = 0;
    n = n < left ? n : left;
    n = n < most ? n : most;
    memcpy(buf, input + input_at, n);
    input_at += n;
    return (ssize_t)n;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001B3U;
    return (hash ^ n) * 0x100000001B3U;
}

static rp_status read_all(const rp_build_options *options, uint64_t *hash)
{
    static const char *const paths[] = {"-"};
    rp__corpus *corpus = NULL;
    rp__doc_parser *parser = NULL;
    rp__batch batch;
    rp__skip_list skips;
    rp_error err = {0};
    input_at = 0;
    *hash = 0;
    rp__skip_list_init(&skips, NULL);
    check(rp__batch_init(&batch) == RP_OK);
    check(rp__doc_parser_new(options, &parser) == RP_OK);
    check(rp__corpus_open(paths, 1, options, &skips, &corpus, &err) == RP_OK);
    rp_status status;
    while ((status = rp__corpus_next(corpus, &batch, &err)) == RP_OK && batch.n)
        for (size_t i = 0; i < batch.n; i++) {
            rp__doc doc;
            rp_error fault = {0};
            if (rp__doc_parser_parse(parser, &batch, i, &doc, &fault) != RP_OK) {
                check(strncmp(fault.text, "stdin:", 6) == 0);
                *hash = mix(*hash, fault.text, strlen(fault.text));
                continue;
            }
            check(rp__utf8_check(doc.id, doc.id_bytes) == doc.id_bytes);
            check(rp__utf8_check(doc.title, doc.title_bytes) == doc.title_bytes);
            check(rp__utf8_check(doc.text, doc.text_bytes) == doc.text_bytes);
            *hash = mix(*hash, doc.id, doc.id_bytes);
            *hash = mix(*hash, doc.title, doc.title_bytes);
            *hash = mix(*hash, doc.text, doc.text_bytes);
        }
    for (size_t i = 0; i < skips.n; i++)
        *hash = mix(*hash, skips.reasons[i].text, strlen(skips.reasons[i].text));
    rp__corpus_close(corpus);
    rp__skip_list_free(&skips);
    rp__doc_parser_free(parser);
    rp__batch_free(&batch);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const formats[] = {NULL,   "jsonl", "tsv",    "trec",
                                          "text", "json",  "gitlog", NULL};
    if (bytes == 0)
        return 0;
    rp_build_options options = {.format = formats[data[0] & 7]};
    options.max_line = data[0] & 8 ? 40 : 0;
    options.on_error = data[0] & 16 ? RP_ON_ERROR_SKIP : RP_ON_ERROR_STOP;
    rp__store_ops ops = rp__store_system;
    ops.read = read_input;
    rp__store_set_ops(&ops);
    input = data + 1;
    input_bytes = bytes - 1;
    uint64_t before = rp__alloc_in_use(), hash, again;
    most = SIZE_MAX;
    rp_status status = read_all(&options, &hash);
    most = 1 + (data[0] >> 5);
    rp_status by_pieces = read_all(&options, &again);
    bool is_zstd = bytes > 4 && memcmp(data + 1, "\x28\xb5\x2f\xfd", 4) == 0;
    check(by_pieces == status || (is_zstd && status == RP_INPUT));
    check(status != RP_OK || hash == again); /* how far a damaged stream is understood may differ */
    check(rp__alloc_in_use() == before);
    rp__store_set_ops(NULL);
    return 0;
}
