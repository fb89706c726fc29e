/* lab/energy.h: what the processor has used. */
#ifndef RP_LAB_ENERGY_H
#define RP_LAB_ENERGY_H

#include <stdbool.h>

/* Joules of all packages since some moment, by the kernel's counters (RAPL). False: they cannot be
 * read here. They start anew after a quarter of a day or so of work: a difference below 0 means
 * nothing. */
bool rp__energy_read(double *joules);

#endif
