/* fuzz_ciff.c: any bytes as a CIFF file, plain or packed. What the reader refuses is not imported: the reader
 * alone is many times faster. */
#include "engine/ciff_reader.h"

#include "exchange_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rp_status read_lists(rp__ciff_reader *r, rp_error *err)
{
    const rp__ciff_header *h = rp__ciff_reader_header(r);
    rp_status s = RP_OK;
    for (uint64_t i = 0; i < h->lists && s == RP_OK; i++) {
        rp__ciff_list list;
        uint32_t docids[7], tfs[7];
        uint64_t next = 0;
        size_t n = 1;
        for (s = rp__ciff_reader_list(r, &list, err); s == RP_OK && n > 0;) {
            s = rp__ciff_reader_postings(r, docids, tfs, 7, &n, err);
            for (size_t k = 0; k < n && s == RP_OK; k++) {
                exchange_expect(docids[k] >= next && docids[k] < h->docs && tfs[k] > 0,
                                "a posting that cannot be");
                next = (uint64_t)docids[k] + 1;
            }
        }
    }
    return s;
}

static rp_status read_all(const char *path)
{
    rp__ciff_reader *r;
    rp_error err = {0};
    rp_status s = rp__ciff_reader_open(path, NULL, NULL, &r, &err);
    if (s != RP_OK)
        return s;
    uint64_t docs = rp__ciff_reader_header(r)->docs;
    s = read_lists(r, &err);
    for (uint64_t i = 0; i < docs && s == RP_OK; i++) {
        rp__ciff_doc doc;
        s = rp__ciff_reader_doc(r, &doc, &err);
    }
    if (s == RP_OK)
        s = rp__ciff_reader_end(r, &err);
    exchange_expect(s == RP_OK || (err.code == s && err.text[0]), "no text");
    rp__ciff_reader_close(r);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    exchange_begin();
    exchange_write("in", data, size);
    if (read_all(tempdir_path(&exchange_dir, "in")) != RP_OK ||
        exchange_import("ciff", "in", "first") != RP_OK)
        return 0;
    exchange_expect(exchange_export("ciff", "first", "one.ciff") == RP_OK, "it does not go out");
    exchange_expect(exchange_import("ciff", "one.ciff", "second") == RP_OK,
                    "it does not come back");
    exchange_expect(exchange_export("ciff", "second", "two.ciff") == RP_OK, "not a second time");
    exchange_expect(exchange_is_same("one.ciff", "two.ciff"), "it comes back as another");
    exchange_forget("first");
    exchange_forget("second");
    return 0;
}
