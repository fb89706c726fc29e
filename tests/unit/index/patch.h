/* patch.h: for tests: all files of an index in memory, to be changed, sealed again and put back. */
#ifndef RP_TESTS_PATCH_H
#define RP_TESTS_PATCH_H

#include "fault/reseal.h"
#include "index/manifest.h"
#include "tempdir.h"
#include "unit/files.h"

typedef struct patch {
    char dir[256];
    uint64_t generation;
    reseal_files sound, f; /* as it was; as it is being changed */
} patch;

static inline void patch_path(const patch *p, int kind, char out[400])
{
    char name[RP_FILE_NAME_MAX] = RP_MANIFEST_NAME;
    if (kind != RP_FILE_MANIFEST)
        rp__manifest_file_name((rp__file_kind)kind, p->generation, name);
    snprintf(out, 400, "%s/%s", p->dir, name);
}

static inline void patch_open(patch *p, const char *dir, uint64_t generation)
{
    memset(p, 0, sizeof *p);
    snprintf(p->dir, sizeof p->dir, "%s", dir);
    p->generation = generation;
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        char path[400];
        patch_path(p, kind, path);
        if (!files_exist(path))
            continue;
        p->sound.at[kind] = files_read(path, &p->sound.bytes[kind]);
        p->f.bytes[kind] = p->sound.bytes[kind];
        p->f.at[kind] = malloc(p->f.bytes[kind]);
        memcpy(p->f.at[kind], p->sound.at[kind], p->f.bytes[kind]);
    }
}

static inline void patch_close(patch *p)
{
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        free(p->sound.at[kind]);
        free(p->f.at[kind]);
    }
}

/* Forgets the changes. */
static inline void patch_undo(patch *p)
{
    for (int kind = 0; kind < RP_FILE_KINDS; kind++)
        if (p->f.at[kind])
            memcpy(p->f.at[kind], p->sound.at[kind], p->f.bytes[kind]);
}

/* The bytes of a section, to be changed. */
static inline uint8_t *patch_section(patch *p, int kind, uint32_t id, size_t *n)
{
    size_t bytes;
    uint8_t *at = reseal_section(p->f.at[kind], p->f.bytes[kind], id, n ? n : &bytes);
    assert_non_null(at);
    return at;
}

static inline void patch_write(patch *p)
{
    for (int kind = 0; kind < RP_FILE_KINDS; kind++) {
        char path[400];
        patch_path(p, kind, path);
        if (p->f.at[kind])
            files_write(path, p->f.at[kind], p->f.bytes[kind]);
    }
}

/* Puts the changes in place with all checksums right. */
static inline void patch_apply(patch *p)
{
    reseal_all(&p->f);
    patch_write(p);
}

#endif
