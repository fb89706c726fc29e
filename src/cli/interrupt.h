/* cli/interrupt.h: SIGINT and SIGTERM end every verb with exit code 128 and their number.
 *
 * They do so at once, from the handler, whatever the threads of the program wait for. A verb whose
 * work leaves something to put away holds them for that long and asks now and then whether one has
 * come. */
#ifndef RP_CLI_INTERRUPT_H
#define RP_CLI_INTERRUPT_H

#include <stdbool.h>

void rp__interrupt_init(void);
/* Until it is released the first signal is only remembered; the second one ends the process. */
void rp__interrupt_hold(void);
/* The same while a file or a folder is written under another name. A stream is written in place,
 * and there is nothing to put away; NULL and "-" are standard output. */
void rp__interrupt_hold_for(const char *path);
void rp__interrupt_release(void);
bool rp__interrupt_seen(void);
/* A file that the handler removes before it ends the process. The path must live until it is kept;
 * at most four at a time, and no more are removed. */
void rp__interrupt_unlink(const char *path);
void rp__interrupt_keep(const char *path);
int rp__interrupt_exit(void); /* the exit code: of the signal that was seen, 130 if none */

#endif
