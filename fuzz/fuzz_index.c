/* fuzz_index.c: any bytes as the files of an index, with checksums made right, and any query to it:
 * errors with a text or answers that hold together; never a crash, a hang, a read outside a file or more
 * memory than the limit.
 *
 * An input is a byte of options, six lengths (u32), the files in the order of rp__file_kind, and the
 * query. The mutator knows that: it changes sections, numbers in them, stored text before it is packed,
 * metadata or the query, and keeps the rest of a file whole. RIPOSTE_SEEDS=DIR fuzz_index writes seeds: small indexes of every codec. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tests/fault/memory_files.h"
#include "../tests/tempdir.h"
#include "base/alloc.h"
#include "riposte/riposte.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void expect(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "fuzz_index: %s\n", what);
    abort();
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

enum {
    OPTION_MODE = 3,
    OPTION_VARIANT = 4,
    OPTION_UNSEALED = 8, /* leave the checksums as they are */
    HEAD = 1 + 4 * RP_FILE_KINDS,
    MOST = 1 << 20,
    TEXT_MOST = 1 << 18, /* bytes of a block of stored text that is changed */
    SHOWN = 1 << 20,     /* bytes of a document that are read */
    QUERY_MEMORY = 72 << 20,
    CHECK_MEMORY = 136 << 20,
};

/* Views of an input's bytes. */
typedef struct input {
    uint8_t options;
    reseal_files files;
    uint8_t *query;
    size_t query_bytes;
} input;

static bool read_input(uint8_t *data, size_t size, input *in)
{
    *in = (input){0};
    if (size < HEAD || size > MOST)
        return false;
    size_t at = HEAD;
    in->options = data[0];
    for (size_t kind = 0; kind < RP_FILE_KINDS; kind++) {
        uint32_t n;
        memcpy(&n, data + 1 + 4 * kind, sizeof n);
        if (n > size - at)
            return false;
        in->files.at[kind] = n ? data + at : NULL;
        in->files.bytes[kind] = n;
        at += n;
    }
    in->query = data + at;
    in->query_bytes = size - at;
    return true;
}

/* `out` must not be where the input's views point. 0: no room. */
static size_t write_input(const input *in, uint8_t *out, size_t cap)
{
    size_t need = HEAD + in->query_bytes, at = HEAD;
    for (size_t kind = 0; kind < RP_FILE_KINDS; kind++)
        need += in->files.bytes[kind];
    if (need > cap)
        return 0;
    out[0] = in->options;
    for (size_t kind = 0; kind < RP_FILE_KINDS; kind++) {
        uint32_t n = (uint32_t)in->files.bytes[kind];
        memcpy(out + 1 + 4 * kind, &n, sizeof n);
        if (n)
            memcpy(out + at, in->files.at[kind], n);
        at += n;
    }
    if (in->query_bytes)
        memcpy(out + at, in->query, in->query_bytes);
    return need;
}

/* ---- The target ------------------------------------------------------------------------------ */

static void expect_status(rp_status status, const rp_error *err)
{
    expect(status == RP_OK || (err->text[0] && err->code == status), "a failure without a text");
    expect(status != RP_IO && status != RP_UNAVAILABLE && status != RP_INTERRUPTED,
           "an odd status");
}

static void expect_hits(const rp_index_info *info, const rp_hits *hits)
{
    expect(hits->n <= hits->total && hits->total <= info->docs, "a total below the hits");
    for (size_t i = 0; i < hits->n; i++) {
        const rp_hit *hit = &hits->at[i], *before = i ? hit - 1 : NULL;
        expect(hit->docid < info->docs, "a docid outside");
        expect(!before || before->fixed > hit->fixed ||
                   (before->fixed == hit->fixed && before->docid < hit->docid),
               "hits out of order");
        expect(strlen(hit->name) < MOST, "a name without an end");
    }
}

static void search(rp_searcher *s, const rp_index *index, const char *query, size_t bytes)
{
    rp_index_info info;
    rp_hits hits;
    rp_error err = {0};
    rp_index_get_info(index, &info);
    rp_status status = rp_searcher_search(s, query, bytes, &hits, &err);
    expect_status(status, &err);
    if (status == RP_OK)
        expect_hits(&info, &hits);
    for (size_t i = 0; status == RP_OK && i < hits.n && i < 2; i++) {
        rp_explanation e;
        err = (rp_error){0};
        expect_status(rp_searcher_explain(s, query, bytes, hits.at[i].docid, &e, &err), &err);
        rp_explanation_free(&e);
    }
    rp_hits_free(&hits);
}

static void read_document(rp_searcher *s, const rp_index *index, uint32_t docid, const char *query,
                          size_t bytes)
{
    rp_document document;
    rp_snippet snippet;
    rp_error err = {0};
    rp_status status = rp_index_get_document_start(index, docid, SHOWN, &document, &err);
    expect_status(status, &err);
    if (status != RP_OK)
        return;
    expect_status(rp_searcher_snippet(s, query, bytes, &document, 0, &snippet, &err), &err);
    rp_snippet_free(&snippet);
    rp_document_free(&document);
}

/* What stats and dump show. */
static void look_at_lists(const rp_index *index)
{
    rp_error err = {0};
    rp_term_info term;
    rp_list_info list;
    rp_index_costs costs;
    expect_status(rp_index_get_term(index, "b", &term, &err), &err);
    err = (rp_error){0};
    expect_status(rp_index_get_list(index, "a", &list, &err), &err);
    rp_suggestions suggestions;
    uint32_t docid;
    err = (rp_error){0};
    expect_status(rp_index_suggest(index, "", 5, &suggestions, &err), &err);
    rp_suggestions_free(&suggestions);
    err = (rp_error){0};
    expect_status(rp_index_find(index, "1", &docid, &err), &err);
    err = (rp_error){0};
    if (rp_index_get_costs(index, 3, &costs, &err) == RP_OK)
        rp_index_costs_free(&costs);
    else
        expect(err.text[0] != 0, "no costs and no reason");
}

static void use_index(const rp_index *index, const input *in)
{
    static const char *const queries[] = {
        "a", "a b", "\"a b\"", "\"b c\"~9", "a* -b", "+a +(b OR c)", "ab~2", "a?*", "c*b b~1"};
    static const char *const variants[] = {"lucene", "dirichlet"};
    rp_search_options options = {.mode = (rp_mode)((in->options & OPTION_MODE) % 3),
                                 .variant = variants[(in->options & OPTION_VARIANT) != 0],
                                 .k = 5};
    rp_searcher *s = NULL;
    rp_error err = {0};
    rp_index_info info;
    rp_status status = rp_searcher_new(index, &options, &s, &err);
    expect_status(status, &err);
    if (status != RP_OK)
        return;
    rp_index_get_info(index, &info);
    const char *query = (const char *)in->query;
    search(s, index, query, in->query_bytes);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        search(s, index, queries[i], strlen(queries[i]));
    read_document(s, index, 0, query, in->query_bytes);
    read_document(s, index, (uint32_t)info.docs / 2, query, in->query_bytes);
    read_document(s, index, (uint32_t)info.docs - 1, "a b", 3);
    rp_corrections corrections;
    err = (rp_error){0};
    expect_status(rp_searcher_correct(s, query, in->query_bytes, &corrections, &err), &err);
    rp_corrections_free(&corrections);
    rp_searcher_free(s);
    look_at_lists(index);
}

/* With the checksums all right, verifying changes nothing but the way in: one search is enough. */
static void open_index(const input *in, bool verify)
{
    rp_index *index = NULL;
    rp_error err = {0};
    rp_status status = rp_index_open("folder", &(rp_index_options){.verify = verify}, &index, &err);
    expect_status(status, &err);
    if (status != RP_OK)
        return;
    if (verify) {
        rp_hits hits;
        expect_status(rp_search(index, "a \"b c\"", 5, &hits, &err), &err);
        rp_hits_free(&hits);
    } else {
        use_index(index, in);
    }
    rp_index_close(index);
}

/* Whatever the index claims. */
static void expect_memory(uint64_t before, uint64_t most)
{
    expect(rp__alloc_peak() - before <= most, "more memory than the limit");
    rp__alloc_reset_peak();
}

static void count_fault(void *arg, const char *where, const char *what)
{
    *(size_t *)arg += where[0] && what[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in;
    rp_error err = {0};
    size_t faults = 0;
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (read_input(copy, size, &in)) {
        if (!(in.options & OPTION_UNSEALED))
            reseal_all(&in.files);
        memory_files_serve(&in.files);
        uint64_t before = rp__alloc_in_use();
        rp__alloc_reset_peak();
        open_index(&in, false);
        open_index(&in, true);
        expect_memory(before, QUERY_MEMORY);
        rp_status status = rp_index_check("folder", count_fault, &faults, &err);
        expect_status(status, &err);
        expect((status == RP_DAMAGED) == (faults > 0), "check and its faults disagree");
        expect_memory(before, CHECK_MEMORY);
        expect(rp__alloc_in_use() == before, "memory that was not given back");
        memory_files_serve(NULL);
    }
    free(copy);
    return 0;
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

typedef struct seed_row {
    const char *codec, *stem;
    size_t docs;
    bool no_positions, no_store;
    const char *query, *aux;
    size_t blanks; /* that the last document begins with: its text takes more than one piece */
} seed_row;

/* Shapes of an index; one list of more than a block wants more than 128 documents. */
static const seed_row seed_rows[] = {
    {"bp128", "none", 3, false, false, "a \"b c\"~2", NULL, 0},
    {"bp128", "none", 150, false, false, "(a OR c*) AND NOT \"b d\"", NULL, 0},
    {"vbyte", "none", 140, false, true, "\"a a\" b^2", NULL, 0},
    {"raw", "none", 135, false, false, "+a -c b*", NULL, 0},
    {"bp128", "porter", 2, true, true, "running", NULL, 0},
    {"bp128", "none", 0, false, false, "a", NULL, 0},
    {"bp128", "none", 300, true, true, "a b c", NULL, 0},
    {"bp128", "none", 290, true, true, "a AND c", "lr,hs8", 0},
    {"bp128", "none", 260, false, false, "\"a b\" AND c", "lr,hs8", 0},
    {"bp128", "none", 4, false, false, "a b", NULL, 150000},
    {"raw", "none", 290, true, true, "running AND a", "lr,hs8", 0},
};

enum { SHAPES = sizeof seed_rows / sizeof *seed_rows, SEEDS_MOST = 64 };

/* The shapes, then one small index of every codec. */
static bool find_seed(size_t i, seed_row *row)
{
    if (i < SHAPES) {
        *row = seed_rows[i];
        return true;
    }
    *row = (seed_row){.codec = rp_codec_name(i - SHAPES),
                      .stem = "none",
                      .docs = 131,
                      .no_positions = true,
                      .no_store = true,
                      .query = "a AND b OR c"};
    return row->codec && i < SEEDS_MOST;
}

static void add_document(rp_builder *b, size_t i, size_t blanks)
{
    static const char *const words[] = {"a", "b", "c", "a b", "b c", "bc", "ca", "running"};
    static char text[MOST];
    char id[16];
    int id_bytes = snprintf(id, sizeof id, "%zu", i);
    int bytes =
        snprintf(text, sizeof text, "%*sa %s %s", (int)blanks, "", words[i % 8], words[i / 3 % 7]);
    expect(rp_builder_add(b, id, (size_t)id_bytes, "c", i % 5 == 0, text, (size_t)bytes, NULL) ==
               RP_OK,
           "cannot add a document");
}

static size_t make_seed(const seed_row *row, uint8_t options_byte, uint8_t *out, size_t cap)
{
    tempdir dir;
    rp_builder *b = NULL;
    expect(tempdir_make(&dir) == 0, "no folder for a seed");
    rp_build_options options = {.codec = row->codec,
                                .aux = row->aux,
                                .stem = row->stem,
                                .no_positions = row->no_positions,
                                .no_store = row->no_store};
    expect(rp_builder_new(dir.path, &options, &b, NULL) == RP_OK, "cannot build a seed");
    for (size_t d = 0; d < row->docs; d++)
        add_document(b, d, d + 1 == row->docs ? row->blanks : 0);
    expect(rp_builder_finish(b, NULL, NULL) == RP_OK, "cannot build a seed");
    rp_builder_free(b);
    input in = {.options = options_byte};
    expect(memory_files_load(dir.path, 1, &in.files), "a seed is not there");
    tempdir_remove(&dir);
    char query[128];
    in.query = (uint8_t *)query;
    in.query_bytes = (size_t)snprintf(query, sizeof query, "%s", row->query);
    size_t n = write_input(&in, out, cap);
    memory_files_free(&in.files);
    return n;
}

static uint8_t *seed_bytes[SEEDS_MOST];
static size_t seed_sizes[SEEDS_MOST], n_seeds;

static void make_seeds(void)
{
    static uint8_t room[MOST];
    seed_row row;
    if (n_seeds > 0)
        return;
    for (; find_seed(n_seeds, &row); n_seeds++) {
        size_t n = make_seed(&row, (uint8_t)(n_seeds % 3), room, sizeof room);
        seed_bytes[n_seeds] = malloc(n);
        expect(seed_bytes[n_seeds] != NULL, "no memory");
        memcpy(seed_bytes[n_seeds], room, n);
        seed_sizes[n_seeds] = n;
    }
}

static void write_seeds(const char *folder)
{
    make_seeds();
    for (size_t i = 0; i < n_seeds; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%02zu", folder, i);
        FILE *f = fopen(path, "wb");
        expect(f && fwrite(seed_bytes[i], 1, seed_sizes[i], f) == seed_sizes[i] && !fclose(f),
               "cannot write a seed");
    }
}

/* libFuzzer reads its flags after this. Its entropic schedule takes five sixths of the time here; a
 * replay has no flags. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char flag[] = "-entropic=0", *args[64];
    const char *folder = getenv("RIPOSTE_SEEDS");
    if (folder) {
        write_seeds(folder);
        exit(0);
    }
    if (*argc < 2 || *argc > 60 || (*argv)[1][0] != '-')
        return 0;
    memcpy(args, *argv, (size_t)*argc * sizeof *args);
    args[(*argc)++] = flag;
    *argv = args;
    return 0;
}

/* ---- The mutator ----------------------------------------------------------------------------- */

static uint64_t dice;

static size_t draw(size_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return n ? (size_t)(dice % n) : 0;
}

static uint64_t draw_number(void)
{
    static const uint64_t odd[] = {0,   1,   2,   7,   8,    15,   16,   127,
                                   128, 129, 255, 256, 4095, 4096, 65535};
    uint64_t v = odd[draw(sizeof odd / sizeof *odd)];
    switch (draw(6)) {
    case 0:
        return UINT32_MAX - v;
    case 1:
        return UINT64_MAX - v;
    case 2:
        return (UINT64_C(1) << draw(64)) + v;
    case 3:
        return draw(SIZE_MAX);
    default:
        return v;
    }
}

/* A section of the input; false: it has none. */
static bool draw_section(const input *in, int *kind, size_t *entry, uint8_t **at, size_t *bytes)
{
    size_t entries;
    *kind = (int)draw(RP_FILE_KINDS);
    size_t n = in->files.bytes[*kind];
    const uint8_t *table = reseal_table(in->files.at[*kind], n, &entries);
    if (!table || entries == 0)
        return false;
    *entry = draw(entries);
    rp__section_entry e = reseal_entry(table, *entry);
    if (e.offset > n || e.bytes > n - e.offset)
        return false;
    *at = in->files.at[*kind] + e.offset;
    *bytes = (size_t)e.bytes;
    return true;
}

/* The file anew with other bytes for one section: everything behind it moves, as a writer would put it.
 * 0: the file makes no sense or there is no room. */
static size_t put_section(const uint8_t *file, size_t n, size_t entry, const uint8_t *section,
                          size_t bytes, uint8_t *out, size_t cap)
{
    size_t entries, at = sizeof(rp__section_header);
    rp__section_entry table[RP_SECTION_MOST];
    rp__section_footer footer;
    const uint8_t *old = reseal_table(file, n, &entries);
    if (!old)
        return 0;
    memcpy(table, old, entries * sizeof *table);
    memcpy(&footer, file + n - sizeof footer, sizeof footer);
    memcpy(out, file, at);
    for (size_t i = 0; i < entries; i++) {
        rp__section_entry *e = &table[i];
        if (e->offset > n || e->bytes > n - e->offset)
            return 0;
        const uint8_t *from = i == entry ? section : file + e->offset;
        size_t m = i == entry ? bytes : (size_t)e->bytes;
        size_t padded = (size_t)rp__bits_align(m + RP_PAD, RP_SECTION_ALIGN);
        if (padded > cap - at)
            return 0;
        if (m)
            memcpy(out + at, from, m);
        memset(out + at + m, 0, padded - m);
        e->offset = at;
        e->bytes = m;
        at += padded;
    }
    footer.table_offset = at;
    if (entries * sizeof *table + sizeof footer > cap - at)
        return 0;
    memcpy(out + at, table, entries * sizeof *table);
    at += entries * sizeof *table;
    footer.file_bytes = at + sizeof footer;
    memcpy(out + at, &footer, sizeof footer);
    return at + sizeof footer;
}

static uint8_t scratch[MOST], result[MOST], file_rooms[RP_FILE_KINDS][MOST];

static void mutate_section(input *in)
{
    int kind;
    size_t entry, bytes;
    uint8_t *at;
    if (!draw_section(in, &kind, &entry, &at, &bytes))
        return;
    size_t cap = bytes + (draw(4) ? 0 : 48);
    if (cap == 0 || cap > sizeof scratch)
        return;
    memcpy(scratch, at, bytes);
    size_t n = LLVMFuzzerMutate(scratch, bytes, cap);
    if (n == bytes) {
        memcpy(at, scratch, n);
        return;
    }
    n = put_section(in->files.at[kind], in->files.bytes[kind], entry, scratch, n, result,
                    sizeof result);
    if (n == 0)
        return;
    in->files.at[kind] = memcpy(file_rooms[kind], result, n);
    in->files.bytes[kind] = n;
}

/* The number of a section in its file's table; false: it has none. */
static bool find_entry(const uint8_t *file, size_t n, uint32_t id, size_t *entry)
{
    size_t entries;
    const uint8_t *table = reseal_table(file, n, &entries);
    for (*entry = 0; *entry < entries; ++*entry)
        if (reseal_entry(table, *entry).id == id)
            return true;
    return false;
}

/* A block of stored text in the file, and its entry in the index of blocks. */
typedef struct text_view {
    uint8_t *blocks, *index;
    size_t blocks_bytes, n_blocks, b;
    rp__text_block block, next;
} text_view;

static bool draw_text(const input *in, text_view *v)
{
    uint8_t *file = in->files.at[RP_FILE_TEXT];
    size_t n = in->files.bytes[RP_FILE_TEXT], index_bytes = 0;
    v->blocks = reseal_section(file, n, RP_SECTION_TEXT_BLOCKS, &v->blocks_bytes);
    v->index = reseal_section(file, n, RP_SECTION_TEXT_INDEX, &index_bytes);
    v->n_blocks = index_bytes / sizeof v->block;
    if (!v->blocks || !v->index || v->n_blocks < 2)
        return false;
    v->b = draw(--v->n_blocks);
    memcpy(&v->block, v->index + v->b * sizeof v->block, sizeof v->block);
    memcpy(&v->next, v->index + (v->b + 1) * sizeof v->block, sizeof v->next);
    return v->block.offset <= v->next.offset && v->next.offset <= v->blocks_bytes &&
           v->block.raw_bytes > 0 && v->block.raw_bytes < TEXT_MOST;
}

/* The entry has the new size, and all blocks behind this one begin elsewhere. */
static void move_blocks(const text_view *v, uint32_t raw_bytes, size_t packed)
{
    for (size_t i = v->b; i <= v->n_blocks; i++) {
        rp__text_block block;
        memcpy(&block, v->index + i * sizeof block, sizeof block);
        if (i == v->b)
            block.raw_bytes = raw_bytes;
        else
            block.offset += packed - (v->next.offset - v->block.offset);
        memcpy(v->index + i * sizeof block, &block, sizeof block);
    }
}

/* Unpacks a block of stored text, changes it and packs it again: what lies behind zstd is reached. */
static void mutate_text(input *in)
{
    static rp__zblock *z;
    static uint8_t raw[TEXT_MOST + 48];
    text_view v = {0};
    rp__buf packed;
    size_t entry, n = 0;
    if (!draw_text(in, &v) || (!z && rp__zblock_new(&z) != RP_OK))
        return;
    size_t in_bytes = (size_t)(v.next.offset - v.block.offset), out_bytes = TEXT_MOST;
    bool is_at_end;
    rp__zblock_begin(z);
    if (rp__zblock_unpack(z, v.blocks + v.block.offset, &in_bytes, raw, &out_bytes, &is_at_end) !=
            RP_OK ||
        out_bytes != v.block.raw_bytes)
        return;
    /* The sizes stand first and are few. */
    size_t head = draw(2) && v.block.raw_bytes > 8 ? 8 : v.block.raw_bytes;
    size_t bytes = head < v.block.raw_bytes ? (LLVMFuzzerMutate(raw, head, head), v.block.raw_bytes)
                                            : LLVMFuzzerMutate(raw, head, head + 48);
    rp__buf_init(&packed);
    rp__buf_put(&packed, v.blocks, (size_t)v.block.offset);
    if (rp__zblock_pack(z, raw, bytes, &packed) == RP_OK) {
        size_t own = packed.n - (size_t)v.block.offset;
        rp__buf_put(&packed, v.blocks + v.next.offset, v.blocks_bytes - (size_t)v.next.offset);
        move_blocks(&v, (uint32_t)bytes, own);
        if (find_entry(in->files.at[RP_FILE_TEXT], in->files.bytes[RP_FILE_TEXT],
                       RP_SECTION_TEXT_BLOCKS, &entry) &&
            !packed.failed)
            n = put_section(in->files.at[RP_FILE_TEXT], in->files.bytes[RP_FILE_TEXT], entry,
                            packed.at, packed.n, result, sizeof result);
    }
    rp__buf_free(&packed);
    if (n == 0)
        return;
    in->files.at[RP_FILE_TEXT] = memcpy(file_rooms[RP_FILE_TEXT], result, n);
    in->files.bytes[RP_FILE_TEXT] = n;
}

/* A number of 1, 2, 4 or 8 bytes where one may stand. */
static void poke_number(input *in)
{
    int kind;
    size_t entry, bytes, width = (size_t)1 << draw(4);
    uint8_t *at;
    if (!draw_section(in, &kind, &entry, &at, &bytes) || bytes < width)
        return;
    uint64_t v = draw_number(), old = 0;
    size_t offset = draw(bytes / width) * width;
    memcpy(&old, at + offset, width);
    if (draw(2))
        v = old + (draw(2) ? v : 0 - v);
    memcpy(at + offset, &v, width);
}

/* Bytes of one section over those of another, or of the same. */
static void copy_stretch(input *in)
{
    int kind, from_kind;
    size_t entry, bytes, from_bytes;
    uint8_t *at, *from;
    if (!draw_section(in, &kind, &entry, &at, &bytes) ||
        !draw_section(in, &from_kind, &entry, &from, &from_bytes) || !bytes || !from_bytes)
        return;
    size_t most = bytes < from_bytes ? bytes : from_bytes, n = 1 + draw(most < 32 ? most : 32);
    memmove(at + draw(bytes - n + 1), from + draw(from_bytes - n + 1), n);
}

static void mutate_metadata(input *in)
{
    int kind = (int)draw(RP_FILE_KINDS);
    size_t n = in->files.bytes[kind], tail = 64 + 32 * 5;
    if (n == 0)
        return;
    size_t at = draw(3) && n > tail ? n - tail : 0;
    size_t bytes = at ? tail : n < 64 ? n : 64;
    LLVMFuzzerMutate(in->files.at[kind] + at, bytes, bytes);
}

static void drop_file(input *in)
{
    in->files.bytes[draw(RP_FILE_KINDS)] = 0;
}

static uint8_t query_room[512];

static void mutate_query(input *in)
{
    size_t n = in->query_bytes < sizeof query_room ? in->query_bytes : sizeof query_room;
    memcpy(query_room, in->query, n);
    in->query = query_room;
    in->query_bytes = LLVMFuzzerMutate(query_room, n, sizeof query_room);
}

static void change_options(input *in)
{
    in->options ^= (uint8_t)(1U << draw(4));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static void (*const rows[])(input *) = {
        mutate_section, mutate_section, mutate_section, mutate_section, poke_number,
        poke_number,    poke_number,    copy_stretch,   mutate_query,   mutate_query,
        mutate_query,   mutate_section, poke_number,    change_options, mutate_metadata,
        mutate_text,    mutate_text,
    };
    input in;
    dice = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    draw(1);
    if (!read_input(data, size, &in)) {
        make_seeds();
        size_t i = draw(n_seeds);
        size_t n = seed_sizes[i] < max_size ? seed_sizes[i] : max_size;
        memcpy(data, seed_bytes[i], n);
        return n;
    }
    for (size_t n = 1 + draw(3); n > 0; n--)
        rows[draw(sizeof rows / sizeof *rows)](&in);
    if (draw(200) == 0)
        drop_file(&in);
    size_t n = write_input(&in, result, max_size < sizeof result ? max_size : sizeof result);
    if (n == 0)
        return size;
    memcpy(data, result, n);
    return n;
}

/* A whole file, or the query, of the other input. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    input x, y;
    dice = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    draw(1);
    if (a_size > sizeof scratch || b_size > sizeof result)
        return 0;
    memcpy(scratch, a, a_size);
    memcpy(result, b, b_size);
    if (!read_input(scratch, a_size, &x) || !read_input(result, b_size, &y))
        return 0;
    size_t kind = draw(RP_FILE_KINDS + 1);
    if (kind == RP_FILE_KINDS) {
        x.query = y.query;
        x.query_bytes = y.query_bytes;
    } else {
        x.files.at[kind] = y.files.at[kind];
        x.files.bytes[kind] = y.files.bytes[kind];
    }
    return write_input(&x, out, max_size);
}
