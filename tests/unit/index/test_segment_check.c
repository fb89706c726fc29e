/* test_segment_check.c: a sound segment has no fault; each kind of fault is found and named, though all
 * checksums be right. */
#include "base/bits.h"
#include "index/segment.h"
#include "unit/index/patch.h"

#include <sys/stat.h>

enum { DOCS = 500 };

static tempdir dir;
static patch p;
static rp__segment *sound;
static uint8_t *blocks; /* of the dictionary, in the file being changed */

/* ---- The index ------------------------------------------------------------------------------- */

/* "common" is in all documents, "every3" in a third, "rare<d>" in one. */
static void build(void)
{
    rp_builder *b;
    rp_error err;
    rp_build_options o = {.aux = "lr,hs16", .freqs = "optpfd", .threads = 1};
    if (rp_builder_new(dir.path, &o, &b, &err) != RP_OK)
        fail_msg("%s", err.text);
    for (uint32_t d = 0; d < DOCS; d++) {
        char id[16], text[700] = {0};
        int id_bytes = snprintf(id, sizeof id, "doc-%u", d);
        size_t n = (size_t)snprintf(text, sizeof text, "common rare%u", d);
        for (uint32_t i = 0; i < d % 40; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, " filler%u", i % 7);
        if (d % 3 == 0)
            n += (size_t)snprintf(text + n, sizeof text - n, " every3 common");
        if (rp_builder_add(b, id, (size_t)id_bytes, "Title", 5, text, n, &err) != RP_OK)
            fail_msg("%s", err.text);
    }
    if (rp_builder_finish(b, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    rp_builder_free(b);
}

static rp__term find(const char *term)
{
    rp__term t;
    assert_int_equal(rp__segment_find(sound, term, strlen(term), &t), RP_OK);
    return t;
}

/* Where a tiny list's bytes lie in the file being changed. */
static uint8_t *tiny_at(const char *term)
{
    rp__term t = find(term);
    assert_non_null(t.tiny);
    return blocks + (t.tiny - sound->dictionary.blocks);
}

/* The block that holds a term, behind its two offsets or at them. */
static uint8_t *block_at(const char *term, bool at_entries)
{
    size_t block;
    uint64_t skipped;
    assert_int_equal(rp__dictionary_find_block(&sound->dictionary, term, strlen(term), &block),
                     RP_OK);
    assert_true(block > 0);
    const uint8_t *at = sound->dictionary.blocks + sound->dictionary.offsets[block];
    for (int i = 0; at_entries && i < 2; i++)
        assert_true(rp__bits_varint(&at, at + 10, &skipped));
    return blocks + (at - sound->dictionary.blocks);
}

static uint8_t *list_at(const char *term)
{
    return patch_section(&p, RP_FILE_LISTS, RP_SECTION_LISTS, NULL) + find(term).list_offset;
}

static uint8_t *docs_at(uint32_t id)
{
    return patch_section(&p, RP_FILE_DOCS, id, NULL);
}

static rp__meta *meta_at(void)
{
    return (rp__meta *)(void *)patch_section(&p, RP_FILE_MANIFEST, RP_SECTION_META, NULL);
}

static rp__text_block *text_at(size_t *n)
{
    size_t bytes;
    uint8_t *at = patch_section(&p, RP_FILE_TEXT, RP_SECTION_TEXT_INDEX, &bytes);
    *n = bytes / sizeof(rp__text_block);
    assert_true(*n > 3);
    return (rp__text_block *)(void *)at;
}

/* The auxiliary data of a term, in the file being changed. */
static uint8_t *aux_at(const char *name, const char *term)
{
    const rp__aux_kind *kind = rp__aux_kind_find(name, strlen(name));
    rp__term t = find(term);
    uint64_t *offsets =
        (uint64_t *)(void *)patch_section(&p, RP_FILE_LISTS, RP_SECTION_AUX + kind->id, NULL);
    size_t i = 0;
    while (sound->aux_lists[i] != t.list_offset)
        i++;
    return (uint8_t *)offsets + offsets[i];
}

static uint64_t *aux_lists_at(size_t *n)
{
    size_t bytes = 0;
    uint8_t *at = patch_section(&p, RP_FILE_LISTS, RP_SECTION_AUX_LISTS, &bytes);
    *n = bytes / sizeof(uint64_t);
    return (uint64_t *)(void *)at;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void order_of_terms(void)
{
    block_at("rare300", true)[2]++; /* first letter of a block's first term */
}
static void prefix_of_block(void)
{
    uint8_t *at = patch_section(&p, RP_FILE_TERMS, RP_SECTION_TERM_PREFIXES, NULL);
    at[3 * 8] ^= 1; /* the eighth byte of it: too small or too large by one */
}
static void place_of_block(void)
{
    uint8_t *at = block_at("title", false);
    at[0] ^= 1; /* its lists begin 16 bytes off */
}
static void cut_block(void)
{
    uint8_t *at = patch_section(&p, RP_FILE_TERMS, RP_SECTION_TERM_OFFSETS, NULL);
    at[2 * 8] -= 3;
}
static void shared_bytes(void)
{
    block_at("rare300", true)[0] = 9; /* a first term shares nothing */
}
static void occurrences(void)
{
    tiny_at("rare7")[-2]++; /* cf - df stands before the length of the list */
}
static void tiny_docid(void)
{
    uint8_t *at = tiny_at("rare300"); /* nine bits: 300 of DOCS */
    at[0] = 0xFF;
    at[1] |= 1;
}
static void tiny_cut(void)
{
    tiny_at("rare7")[-1] = 1;
}
static void list_head(void)
{
    list_at("common")[4]++; /* the bytes of its docids */
}
static void list_gap(void)
{
    uint8_t *at = list_at("every3");
    for (size_t i = 16; i < 24; i++)
        at[i] ^= 0xFF; /* a block's last docid */
}
static void frequency(void)
{
    rp__list list;
    rp__term t = find("common");
    assert_int_equal(rp__segment_list(sound, &t, NULL, &list), RP_OK);
    size_t at = (size_t)(list.freqs - sound->lists) - t.list_offset;
    list_at("common")[at + 1] ^= 1; /* one of 1 and 2 becomes the other */
}
static void block_bound(void)
{
    rp__list list;
    rp__arena arena;
    rp__term t = find("common");
    rp__arena_init(&arena, 1 << 20);
    assert_int_equal(rp__segment_list(sound, &t, &arena, &list), RP_OK);
    patch_section(&p, RP_FILE_LISTS, RP_SECTION_LISTS, NULL)[list.bounds - sound->lists + 1]--;
    rp__arena_reset(&arena);
}
static void kth(size_t i)
{
    rp__list list;
    rp__term t = find("common");
    assert_int_equal(rp__segment_list(sound, &t, NULL, &list), RP_OK);
    patch_section(&p, RP_FILE_LISTS, RP_SECTION_LISTS, NULL)[list.kths + i - sound->lists]++;
}
static void tenth_best(void)
{
    kth(0);
}
static void thousandth_best(void)
{
    kth(2);
}
static void lr_left(void)
{
    aux_at("lr", "filler6")[12]--;
}
static void lr_right(void)
{
    aux_at("lr", "filler6")[16]--;
}
static void lr_segment(void)
{
    uint8_t *at = aux_at("lr", "filler6"); /* two segments: 24 bytes, t, s, heads, left */
    assert_true(at[24 + 2 * 16 + 1] > 0);
    at[24 + 2 * 16 + 1]--;
}
static void lr_head(void)
{
    aux_at("lr", "filler6")[24 + 2 * 12]++;
}
static void lr_slope(void)
{
    aux_at("lr", "every3")[11] ^= 0x80;
}
static void hs_start(void)
{
    aux_at("hs16", "common")[8 + 4 * 3]++;
}
static void hs_shift(void)
{
    aux_at("hs16", "common")[0]++;
}
static void aux_offset(void)
{
    uint64_t *at = (uint64_t *)(void *)patch_section(&p, RP_FILE_LISTS, RP_SECTION_AUX, NULL);
    at[1] += 16;
}
static void aux_begins_late(void)
{
    uint64_t *at = (uint64_t *)(void *)patch_section(&p, RP_FILE_LISTS, RP_SECTION_AUX, NULL);
    at[0] += 16;
}
static void aux_list(void)
{
    size_t n;
    aux_lists_at(&n)[1] += 16;
}
static void aux_of_none(void)
{
    size_t n;
    uint64_t *at = aux_lists_at(&n);
    at[n - 1] = at[n - 2];
}
static void position_width(void)
{
    uint8_t *at = patch_section(&p, RP_FILE_POSITIONS, RP_SECTION_POSITIONS, NULL);
    at[find("common").pos_offset] = 33;
}
static void position_wraps(void)
{
    rp__term t = find("common");
    uint8_t *at = patch_section(&p, RP_FILE_POSITIONS, RP_SECTION_POSITIONS, NULL) + t.pos_offset;
    memset(at + 1, 0xFF, 40);
    at[0] = 32;
}
static void id_offset(void)
{
    docs_at(RP_SECTION_DOC_ID_OFFSETS)[4 * 77 + 3] = 0xFF;
}
static void id_empty(void)
{
    uint32_t *at = (uint32_t *)(void *)docs_at(RP_SECTION_DOC_ID_OFFSETS);
    at[78] = at[77];
}
static void lengths_exchanged(void)
{
    uint8_t *at = docs_at(RP_SECTION_DOC_LENGTH_CODES), keep = at[3];
    assert_int_not_equal(at[3], at[4]);
    at[3] = at[4];
    at[4] = keep;
}
static void length_table(void)
{
    ((uint32_t *)(void *)docs_at(RP_SECTION_DOC_LENGTHS))[2]++;
}
static void longest(void)
{
    meta_at()->max_length++;
}
static void tokens(void)
{
    meta_at()->tokens++;
}
static void terms(void)
{
    meta_at()->terms--;
}
static void postings(void)
{
    meta_at()->postings++;
}
static void text_raw(void)
{
    size_t n;
    text_at(&n)[1].raw_bytes++;
}
static void text_packed(void)
{
    size_t n;
    patch_section(&p, RP_FILE_TEXT, RP_SECTION_TEXT_BLOCKS, NULL)[text_at(&n)[1].offset] ^= 0x55;
}
static void text_first(void)
{
    size_t n;
    text_at(&n)[0].first_docid = 1;
}
static void text_last(void)
{
    size_t n;
    rp__text_block *at = text_at(&n);
    at[n - 1].first_docid--;
}
static void text_gap(void)
{
    size_t n;
    text_at(&n)[2].first_docid++;
}
static void text_end(void)
{
    size_t n;
    rp__text_block *at = text_at(&n);
    at[n - 1].offset--;
}

/* Each is found, and among the faults told is one that says this. */
static const struct {
    const char *name;
    void (*make)(void);
    const char *what;
} faults[] = {
    {"order of terms", order_of_terms, "out of order"},
    {"prefix of a block", prefix_of_block, "prefix"},
    {"place of a block's lists", place_of_block, "where the one before ends"},
    {"cut block", cut_block, "cannot be read on"},
    {"shared bytes of a first term", shared_bytes, "cannot be read on"},
    {"occurrences of a term", occurrences, "positions cannot be read"},
    {"docid of a tiny list", tiny_docid, "list cannot be read"},
    {"tiny list cut", tiny_cut, ""},
    {"head of a list", list_head, "list cannot be read"},
    {"directory of a list", list_gap, "list cannot be read"},
    {"frequency", frequency, "sum of its frequencies"},
    {"bound of a block", block_bound, "bound"},
    {"what ten postings reach", tenth_best, "\"common\": what its best postings reach"},
    {"what more postings reach than there are", thousandth_best, "\"common\": what its best"},
    {"left deviation of a list", lr_left, "\"filler6\": a range of its auxiliary"},
    {"right deviation of a list", lr_right, "\"filler6\": a range of its auxiliary"},
    {"deviation of a segment", lr_segment, "\"filler6\": a range of its auxiliary"},
    {"first docid of a segment", lr_head, "\"filler6\": a range of its auxiliary"},
    {"slope of a line", lr_slope, "\"every3\": a range of its auxiliary"},
    {"start of a bucket", hs_start, "\"common\": a range of its auxiliary"},
    {"width of buckets", hs_shift, "\"common\": a range of its auxiliary"},
    {"offset of auxiliary data", aux_offset, "a range of its auxiliary"},
    {"first offset of auxiliary data", aux_begins_late, "do not fill their section"},
    {"list of auxiliary data", aux_list, "auxiliary data are not where"},
    {"auxiliary data of no list", aux_of_none, "auxiliary data are not where"},
    {"width of positions", position_width, "positions cannot be read"},
    {"positions past 32 bits", position_wraps, "positions cannot be read"},
    {"offset of an id", id_offset, "id cannot be read"},
    {"empty id", id_empty, "id cannot be read"},
    {"lengths exchanged", lengths_exchanged, "length"},
    {"table of lengths", length_table, "do not add up"},
    {"longest document", longest, "longest"},
    {"tokens of the manifest", tokens, "manifest's figures"},
    {"terms of the manifest", terms, "manifest's figures"},
    {"postings of the manifest", postings, "manifest's figures"},
    {"raw bytes of a text block", text_raw, "text cannot be read"},
    {"packed text", text_packed, "text cannot be read"},
    {"first document of the text", text_first, "every document"},
    {"last document of the text", text_last, "every document"},
    {"first document of a text block", text_gap, "text cannot be read"},
    {"end of the text", text_end, ""},
};

typedef struct told {
    size_t n;
    char all[20000];
} told;

static void note_fault(void *arg, const char *where, const char *what)
{
    told *t = arg;
    size_t n = strlen(t->all);
    assert_true(where[0] != 0 && what[0] != 0);
    snprintf(t->all + n, sizeof t->all - n, "%s: %s\n", where, what);
    t->n++;
}

static rp_status check(told *t, rp_error *err)
{
    memset(t, 0, sizeof *t);
    return rp_index_check(dir.path, note_fault, t, err);
}

static void test_sound(void **state)
{
    (void)state;
    static told t;
    rp_error err = {0};
    patch_undo(&p);
    patch_apply(&p);
    assert_int_equal(check(&t, &err), RP_OK);
    assert_int_equal(t.n, 0);
    assert_int_equal(rp_index_check(dir.path, NULL, NULL, NULL), RP_OK);
}

static void test_faults(void **state)
{
    (void)state;
    static told t;
    size_t missed = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        rp_error err = {0};
        patch_undo(&p);
        faults[i].make();
        patch_apply(&p);
        rp_status status = check(&t, &err);
        bool is_found = status == RP_DAMAGED && t.n > 0 && strstr(t.all, faults[i].what);
        if (!is_found)
            print_error("%s: status %d, told: %s\n", faults[i].name, status, t.all);
        else
            assert_true(err.code == RP_DAMAGED && err.text[0]);
        missed += !is_found;
    }
    assert_int_equal(missed, 0);
}

/* Without a new seal it is the checksum that tells, with the file and the section. */
static void test_checksums(void **state)
{
    (void)state;
    static told t;
    for (int kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        static const uint32_t ids[] = {0,
                                       RP_SECTION_TERM_PREFIXES,
                                       RP_SECTION_LISTS,
                                       RP_SECTION_POSITIONS,
                                       RP_SECTION_DOC_LENGTHS,
                                       RP_SECTION_TEXT_INDEX};
        size_t n = 0;
        char want[40];
        patch_undo(&p);
        uint8_t *at = patch_section(&p, kind, ids[kind], &n);
        at[n] ^= 1; /* padding: no other check looks at it */
        patch_write(&p);
        assert_int_equal(check(&t, NULL), RP_DAMAGED);
        assert_int_equal(t.n, 1);
        snprintf(want, sizeof want, "section %u: checksum differs", ids[kind]);
        assert_non_null(strstr(t.all, want));
    }
}

/* Goes on after a fault: two of them, far apart, are both told. */
static void test_goes_on(void **state)
{
    (void)state;
    static told t;
    patch_undo(&p);
    occurrences();
    position_width();
    id_offset();
    text_raw();
    patch_apply(&p);
    assert_int_equal(check(&t, NULL), RP_DAMAGED);
    assert_non_null(strstr(t.all, "\"rare7\": its positions"));
    assert_non_null(strstr(t.all, "\"common\": its positions"));
    assert_non_null(strstr(t.all, "document 76"));
    assert_non_null(strstr(t.all, "its text"));
}

static void test_cannot_open(void **state)
{
    (void)state;
    static told t;
    rp_error err = {0};
    char path[400];
    patch_undo(&p);
    patch_apply(&p);
    patch_path(&p, RP_FILE_LISTS, path);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(check(&t, &err), RP_DAMAGED);
    assert_int_equal(t.n, 1);
    assert_non_null(strstr(err.text, "lists."));
    assert_int_equal(rp_index_check("/nowhere/at/all", note_fault, &t, &err), RP_IO);
}

static int make(void **state)
{
    (void)state;
    if (tempdir_make(&dir) != 0)
        return -1;
    build();
    patch_open(&p, dir.path, 1);
    if (rp__segment_open(dir.path, true, &sound, NULL) != RP_OK)
        return -1;
    blocks = patch_section(&p, RP_FILE_TERMS, RP_SECTION_TERM_BLOCKS, NULL);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    rp__segment_close(sound);
    patch_close(&p);
    tempdir_remove(&dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),       cmocka_unit_test(test_faults),
        cmocka_unit_test(test_checksums),   cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_cannot_open),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
