/* replay_main.c: runs a fuzz target over kept inputs, without libFuzzer.
 *
 * Arguments are files, or folders of files (one level). Every input is handed over in a block of its
 * own size, so that a sanitizer sees the first byte read past its end. Prints how many ran; the exit
 * status is 0 when all came back. No input at all is a failure: an empty corpus tests nothing. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/* libFuzzer's own mutator, which a target's custom mutator may name; nothing mutates here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    (void)max_size;
    return size;
}

static _Noreturn void fail(const char *what, const char *path)
{
    fprintf(stderr, "replay: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

static void run_file(const char *path, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(bytes ? bytes : 1);
    if (!file || !data || fread(data, 1, bytes, file) != bytes)
        fail("cannot read", path);
    fclose(file);
    LLVMFuzzerTestOneInput(data, bytes);
    free(data);
}

/* Files of one folder, or the file itself; returns how many. */
static size_t run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        fail("cannot find", path);
    if (!S_ISDIR(st.st_mode)) {
        run_file(path, (size_t)st.st_size);
        return 1;
    }
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    if (n < 0)
        fail("cannot list", path);
    size_t ran = 0;
    for (int i = 0; i < n; i++) {
        char full[4096];
        int len = snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
        free(entries[i]);
        if (len < 0 || (size_t)len >= sizeof full || stat(full, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        run_file(full, (size_t)st.st_size);
        ran++;
    }
    free(entries);
    return ran;
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    size_t ran = 0;
    for (int i = 1; i < argc; i++)
        ran += run_path(argv[i]);
    printf("%zu inputs\n", ran);
    return ran > 0 ? 0 : 1;
}
