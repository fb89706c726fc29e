/* base/record.h: option records of callers that were compiled against another release. */
#ifndef RP_BASE_RECORD_H
#define RP_BASE_RECORD_H

#include <stddef.h>

#include "riposte/status.h"

/* Copies the record `given`, which begins with its size_t size, into *own of own_bytes, this
 * release's layout. NULL gives zeros. Size 0 means own_bytes. Of a shorter record the later fields
 * are zero; a longer one is RP_USAGE if a byte behind own_bytes is not zero. */
rp_status rp__record_take(void *own, size_t own_bytes, const void *given, rp_error *err);

/* The same for a record whose type tells its size. */
#define RP_TAKE(own, given, err) rp__record_take((own), sizeof *(own), (given), (err))

#endif
