/* fault_world.c: collections, folders and verdicts for the crash and I/O tests. */
#include "fault_world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "index/manifest.h"
#include "store/store.h"

/* ---- Numbers ----------------------------------------------------------------------------------- */

uint64_t fault_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

uint64_t fault_below(uint64_t *state, uint64_t n)
{
    return fault_random(state) % n;
}

uint64_t fault_count(const char *name, uint64_t otherwise)
{
    const char *s = getenv(name);
    return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

uint64_t fault_seed(void)
{
    return fault_count("RIPOSTE_SEED", fault_count("SEED", 1));
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool fault_goes_on(uint64_t done, uint64_t least, double share)
{
    static double begun;
    if (done == 0)
        begun = seconds();
    double minutes = (double)fault_count("SOAK_MINUTES", 0);
    return done < least || seconds() - begun < minutes * 60 * share;
}

/* ---- Files ------------------------------------------------------------------------------------- */

static void must(bool is_fine, const char *what, const char *path)
{
    if (!is_fine)
        fail_msg("%s %s: %s", what, path, strerror(errno));
}

void fault_write(const char *path, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0, "cannot write", path);
}

uint8_t *fault_read(const char *path, size_t *n)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return NULL;
    uint8_t *bytes = malloc((size_t)st.st_size + 1);
    must(bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size, "cannot read", path);
    close(fd);
    bytes[st.st_size] = 0;
    *n = (size_t)st.st_size;
    return bytes;
}

typedef void each_fn(void *arg, const char *dir, const char *name);

static void each_file(const char *dir, each_fn *fn, void *arg)
{
    DIR *d = opendir(dir);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.')
            fn(arg, dir, e->d_name);
    closedir(d);
}

static void join(char *out, size_t cap, const char *dir, const char *name)
{
    must((size_t)snprintf(out, cap, "%s/%s", dir, name) < cap, "too long", dir);
}

static void remove_one(void *arg, const char *dir, const char *name)
{
    char path[600];
    (void)arg;
    join(path, sizeof path, dir, name);
    unlink(path);
}

void fault_remove(const char *dir)
{
    each_file(dir, remove_one, NULL);
    rmdir(dir);
}

static void copy_one(void *to, const char *dir, const char *name)
{
    char path[600];
    size_t n = 0;
    join(path, sizeof path, dir, name);
    uint8_t *bytes = fault_read(path, &n);
    must(bytes, "cannot read", path);
    join(path, sizeof path, to, name);
    fault_write(path, bytes, n);
    free(bytes);
}

void fault_copy(const char *from, const char *to)
{
    must(mkdir(to, 0777) == 0 || errno == EEXIST, "cannot make", to);
    each_file(from, copy_one, (void *)(uintptr_t)to);
}

size_t fault_open_files(void)
{
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

/* ---- Collections ------------------------------------------------------------------------------- */

const fault_recipe fault_tiny = {0};
const fault_recipe fault_spills = {
    .docs = 4, .words = 24000, .word_bytes = 6, .no_store = true, .aux = "lr", .memory = 16 << 20};
const fault_recipe fault_wide = {.docs = 16, .words = 2150, .word_bytes = 34, .aux = "lr,hs16"};

static const char *const old_lines =
    "{\"id\":\"o1\",\"title\":\"old one\",\"text\":\"the common lazy dog sleeps\"}\n"
    "{\"id\":\"o2\",\"title\":\"old two\",\"text\":\"a common quick fox jumps over the lazy "
    "dog\"}\n"
    "{\"id\":\"o3\",\"title\":\"old three\",\"text\":\"dog dog dog, common lazy words\"}\n";
static const char *const new_lines =
    "{\"id\":\"n1\",\"title\":\"new one\",\"text\":\"the lazy dog is common\"}\n"
    "{\"id\":\"n2\",\"title\":\"new two\",\"text\":\"quick quick common foxes, lazy dog\"}\n"
    "{\"id\":\"n3\",\"title\":\"new three\",\"text\":\"something else, and common words\"}\n";

static void write_new(const fault_world *w)
{
    const fault_recipe *r = &w->recipe;
    if (r->words == 0) {
        fault_write(w->new_input, new_lines, strlen(new_lines));
        return;
    }
    uint64_t state = 7;
    FILE *f = fopen(w->new_input, "w");
    must(f, "cannot write", w->new_input);
    for (uint32_t i = 0; i < r->docs; i++) {
        fprintf(f, "{\"id\":\"n%u\",\"title\":\"new\",\"text\":\"common lazy dog", i);
        for (uint32_t j = 0; j < r->words; j++) {
            char word[64];
            for (uint32_t c = 0; c < r->word_bytes; c++)
                word[c] = (char)('a' + fault_below(&state, 26));
            fprintf(f, " %.*s", (int)r->word_bytes, word);
        }
        fputs("\"}\n", f);
    }
    must(fclose(f) == 0, "cannot write", w->new_input);
}

static rp_status build(const fault_world *w, const char *input, const char *dir,
                       rp_build_stats *stats, rp_error *err)
{
    const char *paths[] = {input};
    rp_build_options o = {.aux = w->recipe.aux,
                          .memory = w->recipe.memory,
                          .no_store = w->recipe.no_store,
                          .threads = w->recipe.threads};
    return rp_index_build(paths, 1, dir, &o, stats, err);
}

rp_status fault_build_old(const fault_world *w, const char *dir, rp_error *err)
{
    return build(w, w->old_input, dir, NULL, err);
}

rp_status fault_build_new(const fault_world *w, const char *dir, rp_error *err)
{
    return build(w, w->new_input, dir, NULL, err);
}

rp_status fault_recode_new(const fault_world *w, const char *dir, rp_error *err)
{
    return rp_index_recode(w->source, dir, &(rp_recode_options){.codec = rp_codec_name(0)}, NULL,
                           err);
}

static uint64_t must_print(const char *dir)
{
    uint64_t print = 0;
    rp_error err = {0};
    if (fault_print(dir, &print, &err) != RP_OK)
        fail_msg("%s", err.text);
    return print;
}

void fault_world_make(fault_world *w, const fault_recipe *recipe)
{
    rp_error err = {0};
    rp_build_stats stats;
    *w = (fault_world){.recipe = *recipe};
    if (!getenv("TMPDIR") && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    assert_int_equal(tempdir_make(&w->dir), 0);
    join(w->old_input, sizeof w->old_input, w->dir.path, "old.jsonl");
    join(w->new_input, sizeof w->new_input, w->dir.path, "new.jsonl");
    join(w->pristine, sizeof w->pristine, w->dir.path, "pristine");
    join(w->index, sizeof w->index, w->dir.path, "index");
    join(w->source, sizeof w->source, w->dir.path, "source");
    fault_write(w->old_input, old_lines, strlen(old_lines));
    write_new(w);
    rp_recode_options other = {.codec = "vbyte"};
    if (fault_build_old(w, w->pristine, &err) != RP_OK ||
        build(w, w->new_input, w->index, &stats, &err) != RP_OK ||
        rp_index_recode(w->index, w->source, &other, NULL, &err) != RP_OK)
        fail_msg("%s", err.text);
    w->runs = stats.runs;
    w->old_print = must_print(w->pristine);
    w->new_print = must_print(w->index);
    assert_true(w->old_print != w->new_print);
    fault_remove(w->index);
}

void fault_world_free(fault_world *w)
{
    tempdir_remove(&w->dir);
}

void fault_world_reset(const fault_world *w, bool with_old)
{
    fault_remove(w->index);
    if (with_old)
        fault_copy(w->pristine, w->index);
}

/* ---- Verdicts ---------------------------------------------------------------------------------- */

const char *const fault_found_names[] = {"no index", "the old index", "the new index", "BAD"};

static void mix(uint64_t *print, const void *bytes, size_t n)
{
    uint64_t parts[2] = {*print, n ? rp__checksum(bytes, n) : 0};
    *print = rp__checksum(parts, sizeof parts);
}

static rp_status print_files(const char *dir, uint64_t generation, bool has_positions,
                             uint64_t *print, rp_error *err)
{
    for (int kind = RP_FILE_TERMS; kind < RP_FILE_KINDS; kind++) {
        char name[RP_FILE_NAME_MAX], path[600];
        size_t n = 0;
        rp__manifest_file_name((rp__file_kind)kind, generation, name);
        join(path, sizeof path, dir, name);
        uint8_t *bytes = fault_read(path, &n);
        bool is_needed = kind != RP_FILE_TEXT && (kind != RP_FILE_POSITIONS || has_positions);
        if (!bytes && is_needed) {
            snprintf(err->text, sizeof err->text, "%s is not there", name);
            return RP_DAMAGED;
        }
        mix(print, bytes, n);
        free(bytes);
    }
    return RP_OK;
}

static rp_status print_answers(const rp_index *index, uint64_t *print, rp_error *err)
{
    static const char *const queries[] = {"common",     "lazy AND dog", "\"lazy dog\"",
                                          "old OR new", "com* -quick",  "dog^2.5 words"};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        rp_hits hits = {0};
        rp_status status = rp_search(index, queries[i], 10, &hits, err);
        if (status != RP_OK)
            return status;
        for (size_t j = 0; j < hits.n; j++) {
            mix(print, &hits.at[j].docid, sizeof hits.at[j].docid);
            mix(print, &hits.at[j].fixed, sizeof hits.at[j].fixed);
            mix(print, hits.at[j].name, strlen(hits.at[j].name));
        }
        rp_hits_free(&hits);
    }
    for (uint32_t docid = 0; docid < 3; docid++) {
        rp_document d;
        rp_status status = rp_index_get_document(index, docid, &d, err);
        if (status != RP_OK)
            return status;
        mix(print, d.id, strlen(d.id));
        mix(print, d.text, d.text_bytes);
        rp_document_free(&d);
    }
    return RP_OK;
}

static rp_status print_index(const char *dir, bool has_answers, uint64_t *print, rp_error *err)
{
    rp_index *index = NULL;
    rp_index_info info;
    *print = 0;
    rp_status status = rp_index_open(dir, &(rp_index_options){.verify = true}, &index, err);
    if (status != RP_OK)
        return status;
    rp_index_get_info(index, &info);
    status = rp_index_check(dir, NULL, NULL, err);
    if (status == RP_OK)
        status = print_files(dir, info.generation, has_answers, print, err);
    if (status == RP_OK && has_answers)
        status = print_answers(index, print, err);
    rp_index_close(index);
    return status;
}

rp_status fault_print(const char *dir, uint64_t *print, rp_error *err)
{
    return print_index(dir, true, print, err);
}

rp_status fault_print_files(const char *dir, uint64_t *print, rp_error *err)
{
    return print_index(dir, false, print, err);
}

static fault_found bad(char *why, const char *what)
{
    snprintf(why, 256, "%.250s", what);
    return FAULT_BAD;
}

fault_found fault_look(const fault_world *w, const char *dir, char *why)
{
    char path[600];
    uint64_t print;
    rp_error err = {0};
    why[0] = 0;
    join(path, sizeof path, dir, RP_MANIFEST_NAME);
    rp_status status = fault_print(dir, &print, &err);
    if (access(path, F_OK) != 0) {
        if (status == RP_OK || err.text[0] == 0)
            return bad(why, "no manifest, and no word about it");
        return FAULT_NONE;
    }
    if (status != RP_OK)
        return bad(why, err.text);
    if (print == w->old_print)
        return FAULT_OLD;
    return print == w->new_print ? FAULT_NEW : bad(why, "sound, but neither the old nor the new");
}

typedef struct count_job {
    uint64_t generation;
    size_t n;
    char *names;
} count_job;

static void count_one(void *arg, const char *dir, const char *name)
{
    (void)dir;
    count_job *job = arg;
    uint64_t generation;
    bool is_ours =
        strcmp(name, RP_MANIFEST_NAME) == 0 || (rp__manifest_owns_name(name, &generation) &&
                                                generation != 0 && generation == job->generation);
    if (job->generation && is_ours)
        return;
    job->n++;
    size_t used = strlen(job->names);
    snprintf(job->names + used, 256 - used, " %s", name);
}

size_t fault_leftovers(const char *dir, char *names)
{
    rp_index *index = NULL;
    rp_index_info info = {0};
    if (rp_index_open(dir, NULL, &index, NULL) == RP_OK)
        rp_index_get_info(index, &info);
    rp_index_close(index);
    names[0] = 0;
    count_job job = {.generation = info.generation, .names = names};
    each_file(dir, count_one, &job);
    return job.n;
}

bool fault_recovers(const fault_world *w, const char *dir, char *why)
{
    rp_error err = {0};
    char text[256];
    if (fault_build_new(w, dir, &err) != RP_OK)
        snprintf(why, 256, "the next build fails: %.200s", err.text);
    else if (fault_look(w, dir, text) != FAULT_NEW)
        snprintf(why, 256, "the next build is not the new index: %.200s", text);
    else if (fault_leftovers(dir, text) != 0)
        snprintf(why, 256, "the next build leaves%.200s", text);
    else
        return true;
    return false;
}

int fault_in_child(int (*fn)(void *arg), void *arg)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failed assertion ends the child, not the test */
        _exit(fn(arg));
    }
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}
