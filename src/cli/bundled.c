/* bundled.c: finds files that come with the program. RP_DATADIR is the Makefile's. */
#include "cli/bundled.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* Whether the file can be read; `folder` is "" or ends with a slash. */
static bool is_at(const char *folder, const char *file, char out[RP_BUNDLED_BYTES])
{
    snprintf(out, RP_BUNDLED_BYTES, "%s%s", folder, file);
    return access(out, R_OK) == 0;
}

/* The program's folder, with its slash; "" where the system does not say. */
static void find_program(char out[RP_BUNDLED_BYTES / 2])
{
    const ssize_t n = readlink("/proc/self/exe", out, RP_BUNDLED_BYTES / 2 - 1);
    out[n > 0 ? n : 0] = 0;
    char *slash = strrchr(out, '/');
    if (slash)
        slash[1] = 0;
    else
        out[0] = 0;
}

static bool is_beside(const char *installed, const char *in_tree, char out[RP_BUNDLED_BYTES])
{
    /* bin/, build/, and build/asan/ and the like */
    const struct {
        const char *folder, *file;
    } places[] = {{"../share/riposte/", installed}, {"../", in_tree}, {"../../", in_tree}};
    char program[RP_BUNDLED_BYTES / 2], folder[RP_BUNDLED_BYTES];
    find_program(program);
    for (size_t i = 0; program[0] && i < sizeof places / sizeof *places; i++) {
        snprintf(folder, sizeof folder, "%s%s", program, places[i].folder);
        if (is_at(folder, places[i].file, out))
            return true;
    }
    return false;
}

rp_status rp__bundled_find(const char *installed, const char *in_tree, char out[RP_BUNDLED_BYTES],
                           rp_error *err)
{
    if (is_beside(installed, in_tree, out) || is_at(RP_DATADIR "/", installed, out) ||
        is_at("", in_tree, out))
        return RP_OK;
    return rp__error_set(err, RP_IO, "%s is neither beside the program nor in %s nor here as %s",
                         installed, RP_DATADIR, in_tree);
}
