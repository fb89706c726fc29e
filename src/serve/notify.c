/* notify.c: systemd's protocol of one datagram a message. It is so small that no library of systemd is needed. */
#include "serve/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path, or '@' and a name without a file, which begins with a NUL. */
void rp__notify_send(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const size_t bytes = name ? strlen(name) : 0;
    if (bytes < 2 || bytes >= sizeof to.sun_path || (name[0] != '/' && name[0] != '@'))
        return;
    memcpy(to.sun_path, name, bytes);
    if (name[0] == '@')
        to.sun_path[0] = 0;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes));
    close(fd);
}
