/* base/futex.h: sleeping until a word changes, in memory that threads or processes share.
 *
 * Who changes the word wakes; who waits looks again, since it may return for no reason. Any
 * thread. */
#ifndef RP_BASE_FUTEX_H
#define RP_BASE_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* Sleeps while *word is `value`, at most so many nanoseconds. */
void rp__futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ns);
void rp__futex_wake(_Atomic uint32_t *word); /* all that sleep */
void rp__futex_wake_one(_Atomic uint32_t *word);
/* Looks at *word again and again for so many nanoseconds while it is `value`; whether it
 * changed. */
bool rp__futex_spin(_Atomic uint32_t *word, uint32_t value, uint64_t ns);

#endif
