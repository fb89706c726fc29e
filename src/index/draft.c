/* draft.c: the folder before, while and after a new index is written into it.
 *
 * Invariants: 1 nothing that a reader can see changes before the manifest is renamed; 2 a draft that is
 * not published is removed with every file of its generation; 3 the old files go only after the new
 * manifest is durable. */
#include "index/draft.h"

#include <string.h>

#include "base/error.h"

typedef struct sweep {
    rp__folder *folder;
    bool clears_temporary; /* files: no reader knows them */
    bool clears_data;      /* files of other generations than `keep` */
    uint64_t keep, most;   /* most: largest generation seen */
    bool has_others;       /* files that no build makes */
} sweep;

static void sweep_name(void *arg, const char *name)
{
    sweep *s = arg;
    uint64_t generation;
    if (strcmp(name, RP_MANIFEST_NAME) == 0)
        return;
    if (!rp__manifest_owns_name(name, &generation)) {
        s->has_others = true;
        return;
    }
    if (generation > s->most)
        s->most = generation;
    if (generation == 0 ? s->clears_temporary : s->clears_data && generation != s->keep)
        rp__folder_remove(s->folder, name);
}

/* Clears what a killed build left, and finds the next generation. Looks before it removes: in a folder
 * that is not ours nothing is touched; beside a manifest that cannot be read, no data. */
static rp_status prepare_folder(rp__draft *d, rp_error *err)
{
    rp__manifest old;
    rp_status found = rp__manifest_read(&d->folder, &old, err);
    uint64_t generation = found == RP_OK ? old.meta.generation : 0;
    rp__manifest_reset(&old);
    if (found == RP_NO_MEMORY || found == RP_IO)
        return found;
    sweep s = {.folder = &d->folder, .keep = generation, .most = generation};
    rp_status status = rp__folder_list(&d->folder, sweep_name, &s, err);
    if (status != RP_OK)
        return status;
    if (found == RP_NOT_FOUND && s.has_others)
        return rp__error_set(err, RP_USAGE,
                             "%s: the folder is not empty and holds no index; give a new one",
                             d->folder.path);
    d->manifest.meta.generation = s.most + 1;
    d->replaced = generation;
    s.clears_temporary = true;
    s.clears_data = found == RP_OK || found == RP_NOT_FOUND;
    return rp__folder_list(&d->folder, sweep_name, &s, err);
}

rp_status rp__draft_begin(rp__draft *d, const char *dir, rp_error *err)
{
    *d = (rp__draft){.folder = {.fd = -1}};
    rp_status status = rp__folder_create(&d->folder, dir, err);
    return status == RP_OK ? prepare_folder(d, err) : status;
}

void rp__draft_name(const rp__draft *d, rp__file_kind kind, char out[RP_FILE_NAME_MAX])
{
    rp__manifest_file_name(kind, d->manifest.meta.generation, out);
}

static void remove_generation(rp__draft *d, uint64_t generation)
{
    for (int kind = RP_FILE_TERMS; generation && kind < RP_FILE_KINDS; kind++) {
        char name[RP_FILE_NAME_MAX];
        rp__manifest_file_name((rp__file_kind)kind, generation, name);
        rp__folder_remove(&d->folder, name);
    }
}

/* The old index's files go by their names, which needs nothing that could fail; the listing finds
 * what lies beside a manifest that could not be read. */
static void remove_replaced(rp__draft *d)
{
    sweep s = {.folder = &d->folder,
               .clears_temporary = true,
               .clears_data = true,
               .keep = d->manifest.meta.generation};
    remove_generation(d, d->replaced);
    rp__folder_list(&d->folder, sweep_name, &s, NULL);
}

/* A failure after the rename leaves the new index in place: then its files must stay, and so they do
 * where it cannot be told whether the rename took place. */
rp_status rp__draft_publish(rp__draft *d, rp_error *err)
{
    rp_status status = rp__manifest_publish(&d->folder, &d->manifest, err);
    if (status == RP_OK) {
        d->is_published = true;
        remove_replaced(d);
        return RP_OK;
    }
    if (!d->folder.has_tried)
        return status;
    rp__manifest now;
    rp_status seen = rp__manifest_read(&d->folder, &now, NULL);
    d->is_published =
        seen == RP_OK ? now.meta.generation == d->manifest.meta.generation : seen != RP_NOT_FOUND;
    rp__manifest_reset(&now);
    return status;
}

uint64_t rp__draft_bytes(const rp__draft *d)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < RP_FILE_KINDS; i++)
        sum += d->manifest.meta.files[i].bytes;
    return sum;
}

void rp__draft_end(rp__draft *d)
{
    if (!d->is_published)
        remove_generation(d, d->manifest.meta.generation);
    rp__manifest_reset(&d->manifest);
    rp__folder_close(&d->folder);
}
