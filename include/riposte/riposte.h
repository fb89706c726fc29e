/* riposte/riposte.h: all that a program needs to use Riposte. See index.h, then search.h. */
#ifndef RIPOSTE_RIPOSTE_H
#define RIPOSTE_RIPOSTE_H

#include "riposte/eval.h"
#include "riposte/index.h"
#include "riposte/search.h"
#include "riposte/status.h"
#include "riposte/topics.h"

#define RP_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as RP_VERSION is of the header. */
const char *rp_version(void);

#ifdef __cplusplus
}
#endif
#endif
