/* cli/size_range.h: numbers of an option, and ranges of them: 500, 64K, 1K..2M. */
#ifndef RP_CLI_SIZE_RANGE_H
#define RP_CLI_SIZE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

enum { RP_SIZE_RANGE_MAX = 1 << 30 };

/* One number, or two with ".." between, the second not less: 1 to RP_SIZE_RANGE_MAX, K and M being
 * 2^10 and 2^20. False: it is none. */
bool rp__size_range_read(const char *text, uint64_t *from, uint64_t *to);

#endif
