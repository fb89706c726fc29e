/* test_damage.c: an index whose bytes were changed on disk: found, named, and never a wrong answer.
 *
 * Single bits and bytes in every part of every file, blocks zeroed, swapped and misdirected, files cut
 * and files of other indexes. With verification at open all of it must be found or do no harm; the
 * check must find every byte that changed; without verification wrong answers are counted, and nothing
 * may crash, hang or read outside (files lie in memory, so that the address sanitizer sees it).
 * Planted fault: checksums made right after the damage, which the harness must notice by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fault/memory_files.h"
#include "fault/sample.h"
#include "tempdir.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FLIPS = 250, BLOCKS = 90, RESEALED = 100 };
#else
enum { FLIPS = 1300, BLOCKS = 600, RESEALED = 300 };
#endif

enum { DOCS = 600, OTHERS = 2, REGIONS_MOST = 64, HANG_SECONDS = 900 };

static const char *const kind_names[RP_FILE_KINDS] = {"manifest",  "terms", "lists",
                                                      "positions", "docs",  "text"};

/* A stretch of a file that means one thing. */
typedef struct region {
    int kind;
    size_t begin, end;
    char name[40];
} region;

typedef struct fixture {
    tempdir dir;
    reseal_files sound, others[OTHERS];
    sample_answer answers[SAMPLE_ANSWERS];
    region regions[REGIONS_MOST];
    size_t n_regions;
    sample_random random;
} fixture;

/* One damage: the sound files but for one, which is a copy of its own. */
typedef struct harm {
    reseal_files files;
    int kind;
    char what[160];
    bool is_changed;
} harm;

typedef struct tally {
    size_t harms, unchanged;
    size_t found_at_open, missed_by_check, wrong_verified, unnamed;
    size_t refused_at_open, refused, wrong, right; /* without verification; indexes, not answers */
} tally;

/* ---- The fixture ----------------------------------------------------------------------------- */

static void build(tempdir *dir, const char *name, uint64_t seed, const char *codec,
                  reseal_files *out)
{
    char collection[600], index[600];
    rp_error err = {0};
    snprintf(collection, sizeof collection, "%s/%s.jsonl", dir->path, name);
    snprintf(index, sizeof index, "%s/%s", dir->path, name);
    sample_write(collection, DOCS, seed);
    const char *paths[] = {collection};
    rp_build_options options = {
        .codec = codec, .aux = "lr,hs16", .stop = "lucene", .stem = "porter"};
    if (rp_index_build(paths, 1, index, &options, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    assert_true(memory_files_load(index, 1, out));
}

static void add_region(fixture *f, int kind, size_t begin, size_t end, const char *name,
                       uint32_t id)
{
    assert_true(f->n_regions < REGIONS_MOST && begin <= end);
    if (begin == end)
        return;
    region *r = &f->regions[f->n_regions++];
    *r = (region){.kind = kind, .begin = begin, .end = end};
    snprintf(r->name, sizeof r->name, "%s %s %u", kind_names[kind], name, id);
}

static void find_regions(fixture *f)
{
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        size_t n = f->sound.bytes[kind], entries, at = sizeof(rp__section_header);
        const uint8_t *table = reseal_table(f->sound.at[kind], n, &entries);
        assert_true(entries > 0);
        add_region(f, kind, 0, at, "header", 0);
        for (size_t i = 0; i < entries; i++) {
            rp__section_entry e = reseal_entry(table, i);
            size_t end = (size_t)(e.offset + e.bytes);
            size_t next = i + 1 < entries ? (size_t)reseal_entry(table, i + 1).offset
                                          : (size_t)(table - f->sound.at[kind]);
            add_region(f, kind, (size_t)e.offset, end, "section", e.id);
            add_region(f, kind, end, next, "padding", e.id);
            at = next;
        }
        add_region(f, kind, at, n - sizeof(rp__section_footer), "table", 0);
        add_region(f, kind, n - sizeof(rp__section_footer), n, "footer", 0);
    }
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    rp_index *index;
    rp_error err = {0};
    assert_int_equal(tempdir_make(&f->dir), 0);
    f->random = sample_seed(sample_env_seed(1));
    build(&f->dir, "sound", 1, "bp128", &f->sound);
    build(&f->dir, "other", 2, "bp128", &f->others[0]);
    build(&f->dir, "vbyte", 1, "vbyte", &f->others[1]);
    find_regions(f);
    memory_files_serve(&f->sound);
    if (rp_index_open("sound", &(rp_index_options){.verify = true}, &index, &err) != RP_OK)
        fail_msg("%s", err.text);
    sample_ask(index, DOCS, f->answers);
    rp_index_close(index);
    for (size_t i = 0; i < SAMPLE_ANSWERS; i++)
        assert_int_equal(f->answers[i].status, RP_OK);
    assert_int_equal(rp_index_check("sound", NULL, NULL, &err), RP_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    memory_files_serve(NULL);
    memory_files_free(&f->sound);
    for (size_t i = 0; i < OTHERS; i++)
        memory_files_free(&f->others[i]);
    tempdir_remove(&f->dir);
    free(f);
    return 0;
}

/* ---- Damages --------------------------------------------------------------------------------- */

static void begin_harm(const fixture *f, int kind, harm *h)
{
    *h = (harm){.files = f->sound, .kind = kind};
    h->files.at[kind] = malloc(f->sound.bytes[kind] + 1);
    assert_non_null(h->files.at[kind]);
    memcpy(h->files.at[kind], f->sound.at[kind], f->sound.bytes[kind]);
}

static void end_harm(harm *h)
{
    free(h->files.at[h->kind]);
}

static void note_change(const fixture *f, harm *h)
{
    size_t n = h->files.bytes[h->kind];
    h->is_changed =
        n != f->sound.bytes[h->kind] || memcmp(h->files.at[h->kind], f->sound.at[h->kind], n) != 0;
}

/* Regions in turn, so that each gets its share however short it is. */
static void flip(fixture *f, size_t i, harm *h)
{
    const region *r = &f->regions[i % f->n_regions];
    begin_harm(f, r->kind, h);
    size_t at = r->begin + sample_below(&f->random, r->end - r->begin);
    uint8_t *byte = &h->files.at[r->kind][at], old = *byte;
    switch (sample_below(&f->random, 3)) {
    case 0:
        *byte = (uint8_t)sample_next(&f->random);
        break;
    case 1:
        *byte = old == 0 ? 0xFF : 0;
        break;
    default:
        *byte ^= (uint8_t)(1U << sample_below(&f->random, 8));
    }
    snprintf(h->what, sizeof h->what, "%s: byte %zu: %02x became %02x", r->name, at, old, *byte);
    note_change(f, h);
}

static size_t draw_block(fixture *f)
{
    static const size_t sizes[] = {512, 4096, 65536};
    return sizes[sample_below(&f->random, 3)];
}

/* Where a block of the file begins, and how much of it there is. */
static size_t draw_place(fixture *f, int kind, size_t block, size_t *n)
{
    size_t bytes = f->sound.bytes[kind];
    size_t at = sample_below(&f->random, (bytes + block - 1) / block) * block;
    *n = bytes - at < block ? bytes - at : block;
    return at;
}

static void zero_block(fixture *f, harm *h)
{
    int kind = (int)sample_below(&f->random, RP_FILE_KINDS);
    size_t n, block = draw_block(f), at = draw_place(f, kind, block, &n);
    begin_harm(f, kind, h);
    memset(h->files.at[kind] + at, 0, n);
    snprintf(h->what, sizeof h->what, "%s: %zu bytes at %zu zeroed", kind_names[kind], n, at);
}

static void swap_blocks(fixture *f, harm *h)
{
    int kind = (int)sample_below(&f->random, RP_FILE_KINDS);
    size_t n, m, block = draw_block(f), a = draw_place(f, kind, block, &n),
                 b = draw_place(f, kind, block, &m);
    begin_harm(f, kind, h);
    n = n < m ? n : m;
    memcpy(h->files.at[kind] + a, f->sound.at[kind] + b, n);
    memcpy(h->files.at[kind] + b, f->sound.at[kind] + a, n);
    snprintf(h->what, sizeof h->what, "%s: %zu bytes at %zu and %zu swapped", kind_names[kind], n,
             a, b);
}

/* A block that was meant for another file, of this index or of another. */
static void misdirect_block(fixture *f, harm *h)
{
    int kind = (int)sample_below(&f->random, RP_FILE_KINDS);
    int from = (int)sample_below(&f->random, RP_FILE_KINDS);
    const reseal_files *source =
        sample_below(&f->random, 2) ? &f->sound : &f->others[sample_below(&f->random, OTHERS)];
    size_t n, block = draw_block(f), at = draw_place(f, kind, block, &n);
    size_t there = sample_below(&f->random, (source->bytes[from] + block - 1) / block) * block;
    size_t m = source->bytes[from] - there;
    begin_harm(f, kind, h);
    n = n < m ? n : m;
    memcpy(h->files.at[kind] + at, source->at[from] + there, n);
    snprintf(h->what, sizeof h->what, "%s: %zu bytes at %zu are %s's from %zu", kind_names[kind], n,
             at, kind_names[from], there);
}

static void cut_file(fixture *f, harm *h)
{
    int kind = (int)sample_below(&f->random, RP_FILE_KINDS);
    size_t n = f->sound.bytes[kind];
    begin_harm(f, kind, h);
    h->files.bytes[kind] = sample_below(&f->random, 2) ? sample_below(&f->random, n)
                                                       : n - 1 - sample_below(&f->random, 70);
    snprintf(h->what, sizeof h->what, "%s: cut to %zu of %zu bytes", kind_names[kind],
             h->files.bytes[kind], n);
}

static void grow_file(fixture *f, harm *h)
{
    int kind = (int)sample_below(&f->random, RP_FILE_KINDS);
    size_t n = f->sound.bytes[kind], more = 1 + sample_below(&f->random, 100);
    begin_harm(f, kind, h);
    h->files.at[kind] = realloc(h->files.at[kind], n + more);
    assert_non_null(h->files.at[kind]);
    memset(h->files.at[kind] + n, 0, more);
    h->files.bytes[kind] = n + more;
    snprintf(h->what, sizeof h->what, "%s: %zu zero bytes more", kind_names[kind], more);
}

static void put_foreign(fixture *f, harm *h)
{
    int kind = (int)sample_below(&f->random, RP_FILE_KINDS);
    const reseal_files *other = &f->others[sample_below(&f->random, OTHERS)];
    begin_harm(f, kind, h);
    h->files.bytes[kind] = other->bytes[kind];
    h->files.at[kind] = realloc(h->files.at[kind], other->bytes[kind] + 1);
    assert_non_null(h->files.at[kind]);
    memcpy(h->files.at[kind], other->at[kind], other->bytes[kind]);
    snprintf(h->what, sizeof h->what, "%s: of another index", kind_names[kind]);
}

static void harm_block(fixture *f, size_t i, harm *h)
{
    static void (*const rows[])(fixture *, harm *) = {zero_block,      swap_blocks, misdirect_block,
                                                      misdirect_block, cut_file,    grow_file,
                                                      put_foreign,     zero_block};
    rows[i % (sizeof rows / sizeof *rows)](f, h);
    note_change(f, h);
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

static bool is_clear(rp_status status, const rp_error *err)
{
    bool is_known = status == RP_DAMAGED || status == RP_INCOMPATIBLE || status == RP_IO;
    return is_known && err->code == status && err->text[0];
}

static void judge_verified(fixture *f, const harm *h, tally *t)
{
    rp_index *index = NULL;
    rp_error err = {0};
    rp_status status = rp_index_open("folder", &(rp_index_options){.verify = true}, &index, &err);
    if (status == RP_OK) {
        sample_answer answers[SAMPLE_ANSWERS];
        sample_ask(index, DOCS, answers);
        rp_index_close(index);
        sample_verdict v = sample_compare(f->answers, answers);
        t->wrong_verified += v.wrong > 0;
        if (v.wrong)
            print_message("wrong answer %zu with verification: %s\n", v.first_wrong, h->what);
        return;
    }
    t->found_at_open++;
    if (!is_clear(status, &err) || !strstr(err.text, "folder/")) {
        t->unnamed++;
        print_message("%s: no clear message: %d %s\n", h->what, status, err.text);
    }
}

static void count_fault(void *arg, const char *where, const char *what)
{
    *(size_t *)arg += where[0] && what[0];
}

static void judge_check(const harm *h, tally *t)
{
    rp_error err = {0};
    size_t faults = 0;
    rp_status status = rp_index_check("folder", count_fault, &faults, &err);
    bool is_found = is_clear(status, &err) && (faults > 0 || status != RP_DAMAGED);
    if (is_found == h->is_changed)
        return;
    t->missed_by_check++;
    print_message("check said %s, %zu faults: %s\n", rp_status_name(status), faults, h->what);
}

/* How the answers are, where nothing is promised but that there is one or a clear refusal. */
static void judge_open(fixture *f, bool verify, tally *t)
{
    sample_answer answers[SAMPLE_ANSWERS];
    rp_index *index = NULL;
    rp_error err = {0};
    rp_status status = rp_index_open("folder", &(rp_index_options){.verify = verify}, &index, &err);
    if (status != RP_OK) {
        assert_true(is_clear(status, &err));
        t->refused_at_open++;
        return;
    }
    sample_ask(index, DOCS, answers);
    rp_index_close(index);
    sample_verdict v = sample_compare(f->answers, answers);
    t->wrong += v.wrong > 0;
    t->refused += v.wrong == 0 && v.refused > 0;
    t->right += v.wrong == 0 && v.refused == 0;
}

static void judge(fixture *f, const harm *h, tally *t)
{
    t->harms++;
    t->unchanged += !h->is_changed;
    memory_files_serve(&h->files);
    judge_verified(f, h, t);
    judge_check(h, t);
    judge_open(f, false, t);
    memory_files_serve(&f->sound);
}

static void print_tally(const char *name, const tally *t)
{
    print_message("%s: %zu damages (%zu changed nothing): with verification %zu found at open, %zu "
                  "wrong; check missed %zu; without: %zu refused at open, %zu refused by a query, "
                  "%zu wrong, %zu right\n",
                  name, t->harms, t->unchanged, t->found_at_open, t->wrong_verified,
                  t->missed_by_check, t->refused_at_open, t->refused, t->wrong, t->right);
}

static void expect_safe(const tally *t)
{
    assert_int_equal(t->wrong_verified, 0);
    assert_int_equal(t->missed_by_check, 0);
    assert_int_equal(t->unnamed, 0);
    assert_int_equal(t->found_at_open, t->harms - t->unchanged);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* `least` damages, and more for as long as a soak has time. */
static bool goes_on(size_t done, size_t least, uint64_t begun)
{
    const char *minutes = getenv("SOAK_MINUTES");
    double seconds = minutes ? atof(minutes) * 30 : 0;
    return done < least || (double)(rp__clock_now() - begun) * 1e-9 < seconds;
}

static void hold_watch(void)
{
    if (!getenv("SOAK_MINUTES"))
        alarm(HANG_SECONDS);
}

static void test_flips(void **state)
{
    fixture *f = *state;
    tally t = {0};
    hold_watch();
    uint64_t begun = rp__clock_now();
    for (size_t i = 0; goes_on(i, FLIPS, begun); i++) {
        harm h;
        flip(f, i, &h);
        judge(f, &h, &t);
        end_harm(&h);
    }
    print_tally("flips", &t);
    expect_safe(&t);
}

static void test_blocks(void **state)
{
    fixture *f = *state;
    tally t = {0};
    hold_watch();
    uint64_t begun = rp__clock_now();
    for (size_t i = 0; goes_on(i, BLOCKS, begun); i++) {
        harm h;
        harm_block(f, i, &h);
        judge(f, &h, &t);
        end_harm(&h);
    }
    print_tally("blocks", &t);
    expect_safe(&t);
}

/* A file that is not there at all. */
static void test_missing_files(void **state)
{
    fixture *f = *state;
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        reseal_files files = f->sound;
        rp_index *index = NULL;
        rp_error err = {0};
        files.at[kind] = NULL;
        memory_files_serve(&files);
        assert_int_equal(rp_index_open("folder", NULL, &index, &err), RP_DAMAGED);
        assert_non_null(strstr(err.text, "folder"));
        assert_int_equal(rp_index_check("folder", NULL, NULL, &err), RP_DAMAGED);
    }
    memory_files_serve(&f->sound);
}

/* Only sections: a header or table that is sealed again says what it says. */
static bool is_section(const region *r)
{
    return strstr(r->name, "section") && !strstr(r->name, "manifest");
}

/* Damages section bytes and seals all files again; the manifest is a copy to be freed. */
static uint8_t *harm_resealed(fixture *f, size_t i, harm *h)
{
    size_t n = f->sound.bytes[RP_FILE_MANIFEST];
    uint8_t *manifest = malloc(n);
    assert_non_null(manifest);
    memcpy(manifest, f->sound.at[RP_FILE_MANIFEST], n);
    flip(f, i, h);
    h->files.at[RP_FILE_MANIFEST] = manifest;
    reseal_all(&h->files); /* to sound files it does nothing */
    return manifest;
}

/* The planted fault: with true checksums over damaged bytes, verification finds nothing, and the
 * harness itself must see wrong answers and refusals. Nothing may crash all the same. */
static void test_planted_resealed(void **state)
{
    fixture *f = *state;
    tally t = {0};
    hold_watch();
    for (size_t i = 0; t.harms < RESEALED; i++) {
        harm h;
        if (!is_section(&f->regions[i % f->n_regions]))
            continue;
        uint8_t *manifest = harm_resealed(f, i, &h);
        memory_files_serve(&h.files);
        t.harms++;
        judge_open(f, true, &t);
        free(manifest);
        end_harm(&h);
    }
    memory_files_serve(&f->sound);
    print_message("planted: %zu damages with true checksums: %zu refused at open, %zu refused by a "
                  "query, %zu wrong, %zu right\n",
                  t.harms, t.refused_at_open, t.refused, t.wrong, t.right);
    assert_true(t.wrong > 0);
    assert_true(t.refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_planted_resealed),
    };
    return cmocka_run_group_tests_name("damage", tests, set_up, tear_down);
}
