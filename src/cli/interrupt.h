/* cli/interrupt.h: Ctrl-C as a wish to stop in good order. */
#ifndef RP_CLI_INTERRUPT_H
#define RP_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT or SIGTERM is only remembered; the second one ends the process. */
void rp__interrupt_watch(void);
bool rp__interrupt_seen(void);

#endif
