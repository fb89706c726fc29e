/* store/output.h: interior of store: a file of a folder of outputs. */
#ifndef RP_STORE_OUTPUT_H
#define RP_STORE_OUTPUT_H

#include "store/staging.h"

/* A new file in an open folder, made durable when it is finished; `path` is for messages. */
rp_status rp__output_create_in(int folder, const char *name, const char *path, rp__output **out,
                               rp_error *err);

#endif
