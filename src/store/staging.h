/* store/staging.h: interior of store: a file or folder under a temporary name until it is whole. */
#ifndef RP_STORE_STAGING_H
#define RP_STORE_STAGING_H

#include "store/store.h"

enum { RP_STAGING_PATH_BYTES = 4096 };

/* Lies beside `path` and is locked while its process lives. */
typedef struct rp__staging {
    int fd; /* -1: none */
    bool is_folder;
    char path[RP_STAGING_PATH_BYTES], temp[RP_STAGING_PATH_BYTES + 32];
} rp__staging;

/* Removes what killed processes left of the same path, then makes an empty file or folder. */
rp_status rp__staging_create(rp__staging *s, const char *path, bool is_folder, rp_error *err);
/* Makes it durable and gives it its name, in one step even where a file or a folder has the name.
 * What a folder replaces is removed. 0, or the errno of the failure. */
int rp__staging_publish(rp__staging *s);
void rp__staging_abandon(rp__staging *s); /* removes it; after a publish does nothing */

#endif
