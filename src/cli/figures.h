/* cli/figures.h: numbers for people. Each writes into the caller's buffer and returns it. */
#ifndef RP_CLI_FIGURES_H
#define RP_CLI_FIGURES_H

#include <stdint.h>

enum { RP_FIGURE_BYTES = 48 };

char *rp__figures_count(char out[RP_FIGURE_BYTES], uint64_t v); /* 1,234,567 */
/* "1 document", "1,234 documents"; `noun` has at most 20 letters and an s as its plural. */
char *rp__figures_of(char out[RP_FIGURE_BYTES], uint64_t v, const char *noun);
char *rp__figures_size(char out[RP_FIGURE_BYTES], uint64_t bytes); /* 1.2 MiB */
char *rp__figures_time(char out[RP_FIGURE_BYTES], double seconds); /* 0.12 ms, 3.4 s, 2:05 */

#endif
