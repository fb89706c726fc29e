/* engine/docnos.h: interior of engine: ids of documents as a run has them. */
#ifndef RP_ENGINE_DOCNOS_H
#define RP_ENGINE_DOCNOS_H

#include "engine/engine.h"

/* A run is cut at blanks: they and control characters become '_'. */
static inline char rp__docnos_byte(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F ? '_' : c;
}

/* RP_INPUT where two documents of the index have one docno; both ids are named. */
rp_status rp__docnos_check(const rp_index *index, rp_error *err);

#endif
