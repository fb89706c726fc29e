/* test_index_handle.c: opening an index and asking what is in it, by the public door. */
#include "riposte/riposte.h"
#include "unit/index/patch.h"

enum { DOCS = 600 };

static tempdir dir;
static rp_index *ix;

/* Every second document has a title. */
static int title_of(unsigned docid, char out[32])
{
    out[0] = 0;
    return docid % 2 ? 0 : snprintf(out, 32, "Title of %u", docid);
}

static void make_index(void)
{
    rp_builder *b;
    rp_build_options o = {.stem = "porter", .stop = "lucene", .codec = "vbyte"};
    assert_int_equal(rp_builder_new(dir.path, &o, &b, NULL), RP_OK);
    for (unsigned d = 0; d < DOCS; d++) {
        char id[16], title[32], text[80];
        int id_bytes = snprintf(id, sizeof id, "doc-%u", d);
        int title_bytes = title_of(d, title);
        int text_bytes = snprintf(text, sizeof text, "the running dogs%s",
                                  d < 5    ? " rarely seen"
                                  : d % 10 ? ""
                                           : " and dogs");
        assert_int_equal(rp_builder_add(b, id, (size_t)id_bytes, title, (size_t)title_bytes, text,
                                        (size_t)text_bytes, NULL),
                         RP_OK);
    }
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
}

static void test_version(void **state)
{
    (void)state;
    assert_string_equal(rp_version(), RP_VERSION);
}

static void test_find(void **state)
{
    (void)state;
    uint32_t docid;
    rp_error err;
    for (unsigned d = 0; d < DOCS; d++) {
        char id[16];
        snprintf(id, sizeof id, "doc-%u", d);
        assert_int_equal(rp_index_find(ix, id, &docid, &err), RP_OK);
        assert_int_equal(docid, d);
    }
    docid = 77;
    assert_int_equal(rp_index_find(ix, "doc-600", &docid, &err), RP_NOT_FOUND);
    assert_string_equal(err.text, "document \"doc-600\": there is none with this id");
    assert_int_equal(rp_index_find(ix, "", &docid, NULL), RP_NOT_FOUND);
    assert_int_equal(docid, 77);
}

static void test_suggest(void **state)
{
    (void)state;
    rp_suggestions s;
    rp_error err;
    assert_int_equal(rp_index_suggest(ix, "", 4, &s, NULL), RP_OK);
    assert_int_equal(s.n, 4);
    assert_string_equal(s.at[0].term, "dog");
    assert_int_equal(s.at[0].df, DOCS);
    assert_string_equal(s.at[1].term, "run");
    assert_string_equal(s.at[2].term, "titl");
    assert_int_equal(s.at[2].df, DOCS / 2);
    rp_suggestions_free(&s);
    assert_int_equal(rp_index_suggest(ix, "RA", 10, &s, NULL), RP_OK);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.at[0].term, "rare");
    assert_int_equal(s.at[0].df, 5);
    rp_suggestions_free(&s);
    assert_int_equal(rp_index_suggest(ix, "zz", 10, &s, NULL), RP_OK);
    assert_int_equal(s.n, 0);
    rp_suggestions_free(&s);
    assert_int_equal(rp_index_suggest(ix, "a", 0, &s, NULL), RP_OK);
    assert_int_equal(s.n, 0);
    rp_suggestions_free(&s);
    assert_int_equal(rp_index_suggest(ix, "a", 1000, &s, NULL), RP_OK);
    rp_suggestions_free(&s);
    assert_int_equal(rp_index_suggest(ix, "a", 1001, &s, &err), RP_LIMIT);
    assert_string_equal(err.text, "1001 suggestions; at most 1000");
    rp_suggestions_free(NULL);
}

static void test_info(void **state)
{
    (void)state;
    rp_index_info i;
    rp_index_get_info(ix, &i);
    assert_int_equal(i.docs, DOCS);
    assert_int_equal(i.generation, 1);
    assert_int_equal(i.format_version, 1);
    assert_string_equal(i.codec, "vbyte");
    assert_string_equal(i.stem, "porter");
    assert_string_equal(i.stop, "lucene");
    assert_true(i.has_positions && i.has_text);
    assert_int_equal(i.bytes_total, i.bytes_terms + i.bytes_lists + i.bytes_positions +
                                        i.bytes_docs + i.bytes_text);
    assert_true(i.average_length * DOCS > (double)i.tokens - 0.5 &&
                i.average_length * DOCS < (double)i.tokens + 0.5);
}

static void test_documents(void **state)
{
    (void)state;
    rp_document doc;
    rp_error err;
    for (uint32_t d = 0; d < DOCS; d += 7) {
        char id[16], title[32];
        snprintf(id, sizeof id, "doc-%u", d);
        title_of(d, title);
        assert_int_equal(rp_index_get_document(ix, d, &doc, NULL), RP_OK);
        assert_int_equal(doc.docid, d);
        assert_string_equal(doc.id, id);
        assert_string_equal(doc.title, title);
        assert_int_equal(doc.title_bytes, strlen(title));
        assert_int_equal(doc.text_bytes, strlen(doc.text));
        assert_int_equal(strncmp(doc.text, "the running dogs", 16), 0);
        rp_document_free(&doc);
        assert_null(doc.id);
    }
    assert_int_equal(rp_index_get_document(ix, DOCS, &doc, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "document 600: there is none"));
    assert_int_equal(rp_index_get_document(ix, UINT32_MAX, &doc, NULL), RP_NOT_FOUND);
    rp_document_free(&doc); /* all zero after a failure */
    rp_document_free(NULL);
}

static void test_terms(void **state)
{
    (void)state;
    rp_term_info t;
    rp_error err;
    assert_int_equal(rp_index_get_term(ix, "Dogs", &t, NULL), RP_OK); /* folded and stemmed */
    assert_int_equal(t.df, DOCS);
    assert_int_equal(t.cf, DOCS + 59);
    assert_int_equal(t.blocks, 5);
    assert_true(t.bytes > 100);
    assert_int_equal(rp_index_get_term(ix, "rarely", &t, NULL), RP_OK);
    assert_int_equal(t.df, 5);
    assert_int_equal(t.blocks, 0); /* inside the dictionary */
    assert_true(t.bytes > 0 && t.bytes < 40);
    assert_int_equal(rp_index_get_term(ix, "the", &t, &err), RP_NOT_FOUND);
    assert_int_equal(rp_index_get_term(ix, "zebra", &t, &err), RP_NOT_FOUND);
    assert_non_null(strstr(err.text, "\"zebra\": not in this index"));
    assert_int_equal(rp_index_get_term(ix, "", &t, &err), RP_NOT_FOUND);
    assert_int_equal(rp_index_get_term(ix, "?!", &t, NULL), RP_NOT_FOUND);
}

static void test_open(void **state)
{
    (void)state;
    rp_index *other;
    rp_error err;
    rp_index_options verify = {.verify = true};
    assert_int_equal(rp_index_open(dir.path, &verify, &other, NULL), RP_OK);
    rp_index_close(other);
    rp_index_close(NULL);
    assert_int_equal(rp_index_open("/no/such/folder", NULL, &other, &err), RP_IO);
    assert_int_equal(rp_index_open("", NULL, &other, &err), RP_USAGE);
}

static void test_unknown_stemmer(void **state)
{
    (void)state;
    patch p;
    rp_index *other;
    rp_error err;
    patch_open(&p, dir.path, 1);
    uint8_t *meta = patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, NULL);
    memcpy(meta + offsetof(rp__meta, stem), "elvish", 7);
    patch_apply(&p);
    assert_int_equal(rp_index_open(dir.path, NULL, &other, &err), RP_INCOMPATIBLE);
    assert_non_null(strstr(err.text, "stemmer \"elvish\""));
    patch_undo(&p);
    patch_apply(&p);
    patch_close(&p);
}

/* A new index in the same folder: the open one stays as it is, the next open sees the new one. */
static void test_replaced(void **state)
{
    (void)state;
    rp_index *now;
    rp_index_info i;
    rp_document doc;
    rp_builder *b;
    assert_int_equal(rp_builder_new(dir.path, NULL, &b, NULL), RP_OK);
    assert_int_equal(rp_builder_add(b, "new", 3, "", 0, "new", 3, NULL), RP_OK);
    assert_int_equal(rp_builder_finish(b, NULL, NULL), RP_OK);
    rp_builder_free(b);
    assert_int_equal(rp_index_open(dir.path, NULL, &now, NULL), RP_OK);
    rp_index_get_info(now, &i);
    assert_int_equal(i.docs, 1);
    assert_int_equal(i.generation, 2);
    rp_index_close(now);
    assert_int_equal(rp_index_get_document(ix, DOCS - 1, &doc, NULL), RP_OK);
    assert_string_equal(doc.id, "doc-599");
    rp_document_free(&doc);
}

static void test_damage(void **state)
{
    (void)state;
    patch p;
    rp_index *bad;
    rp_document doc;
    rp_error err;
    patch_open(&p, dir.path, 2);
    patch_section(&p, RP_FILE_TEXT, RP_SECTION_TEXT_BLOCKS, NULL)[0] ^= 0xFF;
    patch_write(&p);
    assert_int_equal(rp_index_open(dir.path, NULL, &bad, NULL), RP_OK);
    assert_int_equal(rp_index_get_document(bad, 0, &doc, &err), RP_DAMAGED);
    assert_non_null(strstr(err.text, "riposte check"));
    rp_index_close(bad);
    rp_index_options verify = {.verify = true};
    assert_int_equal(rp_index_open(dir.path, &verify, &bad, &err), RP_DAMAGED);
    patch_close(&p);
}

static int make(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    make_index();
    return rp_index_open(dir.path, NULL, &ix, NULL) == RP_OK ? 0 : -1;
}

static int clean(void **state)
{
    (void)state;
    rp_index_close(ix);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),   cmocka_unit_test(test_info),
        cmocka_unit_test(test_find),      cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_documents), cmocka_unit_test(test_terms),
        cmocka_unit_test(test_open),      cmocka_unit_test(test_unknown_stemmer),
        cmocka_unit_test(test_replaced), /* from here on the folder holds another index */
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
