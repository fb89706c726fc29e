/* serve/notify.h: tells the service manager that started this process how far it is. */
#ifndef RP_SERVE_NOTIFY_H
#define RP_SERVE_NOTIFY_H

/* "READY=1" and the like, to the socket that NOTIFY_SOCKET names (sd_notify(3)). Without that
 * variable, and where the manager does not listen, nothing happens. */
void rp__notify_send(const char *state);

#endif
