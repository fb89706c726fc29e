/* collect.h: for the corpus tests: writes files, reads them back as one line a document. */
#ifndef RP_TESTS_COLLECT_H
#define RP_TESTS_COLLECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "engine/corpus.h"
#include "tempdir.h"

/* "id|title|text" of every document, each ended by a newline, an id that is a number as "*"; what cannot
 * be parsed as "!message" without the temporary folder's name; at the end, a line a reason, "~2 reason" of
 * files that were skipped, "-2 reason" of records left out and "%2 reason" of files read otherwise. The status is that of the corpus. */
static inline rp_status collect(const char *const *paths, size_t n, const rp_build_options *options,
                                rp__buf *out, rp_error *err)
{
    rp__corpus *corpus = NULL;
    rp__doc_parser *parser = NULL;
    rp__batch batch;
    rp__skip_list skips;
    rp__skip_list_init(&skips, NULL);
    assert_int_equal(rp__batch_init(&batch), RP_OK);
    assert_int_equal(rp__doc_parser_new(options, &parser), RP_OK);
    rp_status status = rp__corpus_open(paths, n, options, &skips, &corpus, err);
    while (status == RP_OK) {
        status = rp__corpus_next(corpus, &batch, err);
        if (status != RP_OK || batch.n == 0)
            break;
        for (size_t i = 0; i < batch.n; i++) {
            rp__doc doc;
            rp_error fault;
            if (rp__doc_parser_parse(parser, &batch, i, &doc, &fault) != RP_OK) {
                const char *name = strrchr(batch.path, '/');
                size_t folder = name ? (size_t)(name + 1 - batch.path) : 0;
                bool is_whole = strncmp(fault.text, batch.path, folder) == 0;
                rp__buf_printf(out, "!%s\n", fault.text + (is_whole ? folder : 0));
                continue;
            }
            rp__buf_put(out, doc.is_numbered ? "*" : doc.id, doc.is_numbered ? 1 : doc.id_bytes);
            rp__buf_put_byte(out, '|');
            rp__buf_put(out, doc.title, doc.title_bytes);
            rp__buf_put_byte(out, '|');
            rp__buf_put(out, doc.text, doc.text_bytes);
            rp__buf_put_byte(out, '\n');
        }
    }
    for (size_t i = 0; i < skips.n; i++)
        rp__buf_printf(out, "%c%d %s\n", "~-%"[skips.reasons[i].kind], (int)skips.reasons[i].count,
                       skips.reasons[i].text);
    rp__corpus_close(corpus);
    rp__skip_list_free(&skips);
    rp__doc_parser_free(parser);
    rp__batch_free(&batch);
    return status;
}

/* A file of these bytes gives these documents. */
static inline void expect_docs_of(tempdir *t, const char *name, const void *bytes, size_t n,
                                  const rp_build_options *options, const char *docs)
{
    rp__buf out;
    rp_error err = {0};
    rp__buf_init(&out);
    const char *path = tempdir_write(t, name, bytes, n);
    if (collect(&path, 1, options, &out, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp__buf_put_byte(&out, 0);
    assert_string_equal((const char *)out.at, docs);
    rp__buf_free(&out);
}

static inline void expect_docs(tempdir *t, const char *name, const char *text,
                               const rp_build_options *options, const char *docs)
{
    expect_docs_of(t, name, text, strlen(text), options, docs);
}

static inline int collect_make(void **state)
{
    static tempdir t;
    *state = &t;
    return tempdir_make(&t);
}

static inline int collect_clean(void **state)
{
    tempdir_remove(*state);
    return 0;
}

#endif
