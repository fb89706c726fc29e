/* test_identity.c: an index is the same bytes whatever the threads, the memory budget and the
 * instruction set it was built with.
 *
 * Each choice is one build, compared with the plainest one (one thread, 1 GiB). Instruction sets are
 * chosen by the environment when a process begins, so those builds run in processes of their own: this
 * program called again with the word "build". */
#include "riposte/riposte.h"

#include <spawn.h>
#include <sys/wait.h>

#include "base/cpu.h"
#include "store/store.h"
#include "tempdir.h"
#include "unit/files.h"
#include "unit/index/plain_index.h"

extern char **environ;

typedef struct choice {
    const char *codec, *simd; /* simd NULL: as the machine has it, in this process */
    unsigned threads, memory; /* memory in MiB */
    bool no_positions, no_store;
    const char *aux; /* NULL: none */
} choice;

enum { PLENTY = 1024, LEAST = 16, ALONE = 18 }; /* LEAST: for each of several threads */
enum { MOST_WORDS = 8 };                        /* of RUNNER */

static tempdir dir;
static char plain_ix[2100], other_ix[2100], program[4096];

/* ---- Building -------------------------------------------------------------------------------- */

static rp_status build(const char *input, const char *ix, const choice *c, rp_build_stats *stats,
                       rp_error *err)
{
    rp_build_options o = {.codec = c->codec,
                          .aux = c->aux,
                          .threads = c->threads,
                          .memory = (uint64_t)c->memory << 20,
                          .no_positions = c->no_positions,
                          .no_store = c->no_store};
    return rp_index_build(&input, 1, ix, &o, stats, err);
}

/* Fills the first of `arguments` with the words of RUNNER, the emulator of a program for another
 * machine (tools/run_tests); returns how many. */
static size_t put_runner(char **arguments, size_t most)
{
    static char words[4096];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", getenv("RUNNER") ? getenv("RUNNER") : "");
    for (char *at = strtok(words, " "); at && n < most; at = strtok(NULL, " "))
        arguments[n++] = at;
    return n;
}

/* The same in a process of its own; arguments as main reads them. */
static void build_apart(const char *input, const char *ix, const choice *c)
{
    char threads[16], memory[16], left_out[8], *arguments[MOST_WORDS + 10];
    char *const own[] = {program,
                         (char[]){"build"},
                         (char *)(uintptr_t)input,
                         (char *)(uintptr_t)ix,
                         (char *)(uintptr_t)c->codec,
                         threads,
                         memory,
                         left_out,
                         (char *)(uintptr_t)(c->aux ? c->aux : ""),
                         NULL};
    memcpy(arguments + put_runner(arguments, MOST_WORDS), own, sizeof own);
    pid_t child;
    int status = -1;
    snprintf(threads, sizeof threads, "%u", c->threads);
    snprintf(memory, sizeof memory, "%u", c->memory);
    snprintf(left_out, sizeof left_out, "%d%d", c->no_positions, c->no_store);
    assert_int_equal(setenv("RIPOSTE_SIMD", c->simd, 1), 0);
    assert_int_equal(posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    unsetenv("RIPOSTE_SIMD");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the build with RIPOSTE_SIMD=%s failed: status %d", c->simd, status);
}

/* Called as: build INPUT IX CODEC THREADS MEMORY FLAGS AUX. */
static int run_apart(char **a)
{
    rp_error err;
    choice c = {.codec = a[4],
                .threads = (unsigned)atoi(a[5]),
                .memory = (unsigned)atoi(a[6]),
                .no_positions = a[7][0] == '1',
                .no_store = a[7][1] == '1',
                .aux = a[8]};
    const char *level = getenv("RIPOSTE_SIMD");
    if (!level || rp__cpu_features() != rp__cpu_features_of(level)) {
        fprintf(stderr, "RIPOSTE_SIMD is not heeded\n");
        return 2;
    }
    if (build(a[2], a[3], &c, NULL, &err) == RP_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return 1;
}

static void must_build(const char *input, const char *ix, const choice *c, uint64_t *runs)
{
    rp_error err;
    rp_build_stats stats = {0};
    if (c->simd)
        build_apart(input, ix, c);
    else if (build(input, ix, c, &stats, &err) != RP_OK)
        fail_msg("%u threads, %u MiB, %s: %s", c->threads, c->memory, c->codec, err.text);
    if (runs)
        *runs = stats.runs;
}

static void remove_folder(const char *path)
{
    tempdir t = {0};
    snprintf(t.path, sizeof t.path, "%.250s", path);
    tempdir_remove(&t);
}

/* Builds plainly, then in each way, and compares all files; how many of them spilled. */
static size_t expect_same(const char *input, const choice *plain, const choice *ways, size_t n)
{
    size_t spilled = 0;
    uint64_t runs;
    must_build(input, plain_ix, plain, &runs);
    assert_int_equal(runs, 0);
    for (size_t i = 0; i < n; i++) {
        choice c = ways[i];
        c.codec = plain->codec;
        c.aux = plain->aux;
        c.no_positions = plain->no_positions;
        c.no_store = plain->no_store;
        must_build(input, other_ix, &c, &runs);
        spilled += runs > 0;
        files_expect_equal_folders(plain_ix, other_ix);
        remove_folder(other_ix);
    }
    remove_folder(plain_ix);
    return spilled;
}

/* ---- Collections ------------------------------------------------------------------------------ */

/* Words by skewed chance over a vocabulary, some of them long, some not ASCII. */
static void write_word(FILE *f, uint64_t *seed, uint32_t vocabulary)
{
    bool is_rare = vocabulary > 100000 && chance_below(seed, 2);
    uint32_t w = is_rare ? chance_below(seed, vocabulary) : chance_skewed(seed, 60000);
    const char *start = w % 3 ? "w" : "K";
    if (w % 97 == 3)
        fprintf(f, "%s\xC3\xA9%x ", start, w * 2654435761U);
    else if (w % 89 == 5)
        fprintf(f, "%s-a-longer-word-than-most-%x ", start, w * 2654435761U);
    else
        fprintf(f, "%s%x ", start, w * 2654435761U);
}

/* Documents of all lengths, empty ones too. Free what this returns. */
static char *write_collection(const char *name, uint32_t docs, uint32_t vocabulary)
{
    uint64_t seed = docs;
    FILE *f = fopen(tempdir_path(&dir, name), "w");
    assert_non_null(f);
    for (uint32_t d = 0; d < docs; d++) {
        uint32_t words = d % 50 == 0 ? 0 : d % 61 == 0 ? 2000 : chance_below(&seed, 120);
        fprintf(f, "{\"id\": \"made-%u\", \"title\": \"", d);
        for (uint32_t i = 0; i < d % 5; i++)
            write_word(f, &seed, vocabulary);
        fprintf(f, "\", \"text\": \"");
        for (uint32_t i = 0; i < words; i++)
            write_word(f, &seed, vocabulary);
        fprintf(f, "\"}\n");
    }
    assert_int_equal(fclose(f), 0);
    return strdup(tempdir_path(&dir, name));
}

/* ---- Tests ------------------------------------------------------------------------------------ */

static char *made;

static void test_threads_and_memory(void **state)
{
    (void)state;
    static const choice ways[] = {
        {.threads = 1, .memory = ALONE},     {.threads = 2, .memory = PLENTY},
        {.threads = 2, .memory = 2 * LEAST}, {.threads = 3, .memory = 3 * LEAST},
        {.threads = 4, .memory = PLENTY},    {.threads = 4, .memory = 4 * LEAST},
        {.threads = 8, .memory = PLENTY},    {.threads = 8, .memory = 8 * LEAST},
        {.threads = 1, .memory = ALONE + 3}, {.threads = 3, .memory = 100},
    };
    choice plain = {.codec = "bp128", .threads = 1, .memory = PLENTY};
    char *wide = write_collection("wide.jsonl", 9000, 4000000); /* most words once: much memory */
    assert_true(expect_same(wide, &plain, ways, sizeof ways / sizeof *ways) >= 5);
    free(wide);
}

static void test_parts_left_out(void **state)
{
    (void)state;
    static const choice ways[] = {{.threads = 1, .memory = ALONE},
                                  {.threads = 3, .memory = PLENTY},
                                  {.threads = 4, .memory = 4 * LEAST},
                                  {.threads = 2, .memory = PLENTY, .simd = "scalar"}};
    for (int parts = 1; parts < 4; parts++) {
        choice plain = {.codec = "bp128",
                        .threads = 1,
                        .memory = PLENTY,
                        .no_positions = parts & 1,
                        .no_store = parts & 2};
        assert_true(expect_same(made, &plain, ways, sizeof ways / sizeof *ways) >= 1);
    }
}

static void test_codecs_and_instruction_sets(void **state)
{
    (void)state;
    static const choice ways[] = {{.threads = 1, .memory = PLENTY, .simd = "scalar"},
                                  {.threads = 2, .memory = PLENTY, .simd = "avx2"},
                                  {.threads = 1, .memory = PLENTY, .simd = "avx512"},
                                  {.threads = 4, .memory = 4 * LEAST}};
    for (size_t i = 0; rp_codec_name(i); i++) {
        choice plain = {
            .codec = rp_codec_name(i), .threads = 1, .memory = PLENTY, .no_store = true};
        expect_same(made, &plain, ways, sizeof ways / sizeof *ways);
    }
}

/* The order of the names and the codec are of no account to auxiliary data. */
static void test_aux(void **state)
{
    (void)state;
    static const choice ways[] = {{.threads = 1, .memory = ALONE},
                                  {.threads = 2, .memory = PLENTY, .simd = "scalar"},
                                  {.threads = 3, .memory = PLENTY},
                                  {.threads = 5, .memory = 5 * LEAST},
                                  {.threads = 8, .memory = PLENTY}};
    static const char *const codecs[] = {"bp128", "iiu", "qs"};
    for (size_t i = 0; i < 3; i++) {
        choice plain = {.codec = codecs[i],
                        .threads = 1,
                        .memory = PLENTY,
                        .no_store = true,
                        .aux = "lr,hs8,hs1024,hs16"};
        expect_same(made, &plain, ways, sizeof ways / sizeof *ways);
    }
    choice one = {.codec = "raw", .threads = 1, .memory = PLENTY, .aux = "hs32,lr"};
    choice same = {.codec = "raw", .threads = 1, .memory = PLENTY, .aux = "lr,hs32,lr"};
    must_build(made, plain_ix, &one, NULL);
    must_build(made, other_ix, &same, NULL);
    files_expect_equal_folders(plain_ix, other_ix);
    remove_folder(other_ix);
    remove_folder(plain_ix);
}

/* The first lines of a packed collection, in a file of their own. Free what this returns. */
static char *cut_collection(const char *path, size_t lines)
{
    enum { MOST = 32 << 20 };
    rp__input *input;
    size_t got = 0, end = 0;
    char *text = malloc(MOST);
    assert_int_equal(rp__input_open(path, NULL, &input, NULL), RP_OK);
    assert_int_equal(rp__input_read(input, text, MOST, &got, NULL), RP_OK);
    rp__input_close(input);
    for (size_t n = 0; end < got && n < lines; end++)
        n += text[end] == '\n';
    char *out = strdup(tempdir_write(&dir, "cut.jsonl", text, end));
    free(text);
    return out;
}

static void test_real_collection(void **state)
{
    (void)state;
    static const choice ways[] = {{.threads = 1, .memory = 24},
                                  {.threads = 3, .memory = 64},
                                  {.threads = 8, .memory = PLENTY},
                                  {.threads = 2, .memory = PLENTY, .simd = "scalar"}};
    const char *data = getenv("RIPOSTE_DATA");
    char path[4200];
    snprintf(path, sizeof path, "%s/debian-packages/docs.jsonl.zst",
             data ? data : "../shared/data");
    char *input = files_exist(path) ? cut_collection(path, 20000) : NULL;
    if (!input)
        skip();
    choice plain = {.codec = "bp128", .threads = 1, .memory = PLENTY};
    assert_true(expect_same(input, &plain, ways, sizeof ways / sizeof *ways) >= 1);
    free(input);
}

static int make(void **state)
{
    (void)state;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0 || tempdir_make(&dir) != 0)
        return -1;
    snprintf(plain_ix, sizeof plain_ix, "%s/plain", dir.path);
    snprintf(other_ix, sizeof other_ix, "%s/other", dir.path);
    made = write_collection("made.jsonl", 2500, 60000);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    free(made);
    tempdir_remove(&dir);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 9 && strcmp(argv[1], "build") == 0)
        return run_apart(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_memory),
        cmocka_unit_test(test_parts_left_out),
        cmocka_unit_test(test_codecs_and_instruction_sets),
        cmocka_unit_test(test_aux),
        cmocka_unit_test(test_real_collection),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
