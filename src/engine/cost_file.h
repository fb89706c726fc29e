/* engine/cost_file.h: interior of engine: files of cost rules, as riposte calibrate writes them.
 *
 * One JSON object (docs/policies.md has its members), which names the machine and the codec that
 * the rules were fitted on, and the release that fitted them. */
#ifndef RP_ENGINE_COST_FILE_H
#define RP_ENGINE_COST_FILE_H

#include "base/buf.h"
#include "plan/cost.h"
#include "riposte/executor.h"

typedef struct rp__cost_file {
    rp_costs about;
    rp__cost_model model; /* of which every tree is sound, or empty */
} rp__cost_file;

/* RP_DAMAGED: what is wrong, and at which byte; RP_INCOMPATIBLE: another release wrote it. */
rp_status rp__cost_file_read(const char *path, rp__cost_file *out, rp_error *err);
/* The same of text in memory; `name` is for messages. */
rp_status rp__cost_file_parse(const char *name, const char *text, size_t bytes, rp__cost_file *out,
                              rp_error *err);
void rp__cost_file_write(const rp__cost_file *file, rp__buf *out);

/* This machine, this release and, unless `gpu` is NULL, that card, "" is the default one; the codec
 * is the caller's. */
void rp__cost_file_here(const char *gpu, rp_costs *out);
/* RP_INCOMPATIBLE: the rules are of another machine, or of an index in another codec, and which.
 * What is "" in one of them is not compared. */
rp_status rp__cost_file_check(const char *name, const rp_costs *about, const rp_costs *here,
                              rp_error *err);

#endif
