/* listener.c: the socket that the service listens on, and whether others than this machine can reach it. */
#include "serve/listener.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"

enum { BACKLOG = 1024 };

/* "127.0.0.1:7700" or "[::1]:7700" to its parts. */
static rp_status split_address(const char *listen_to, char host[256], char port[8], rp_error *err)
{
    const char *colon = strrchr(listen_to, ':');
    const char *begin = listen_to, *end = colon;
    if (colon && listen_to[0] == '[' && colon > listen_to && colon[-1] == ']') {
        begin++;
        end--;
    }
    if (!colon || end == begin || end - begin > 255 || strlen(colon + 1) > 5 || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
        strtol(colon + 1, NULL, 10) > UINT16_MAX)
        return rp__error_set(
            err, RP_USAGE, "--listen \"%.64s\" is no address; --listen 127.0.0.1:7700", listen_to);
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = 0;
    snprintf(port, 8, "%s", colon + 1);
    return RP_OK;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family != AF_INET6)
        return false;
    struct sockaddr_in6 in6;
    memcpy(&in6, address, sizeof in6);
    return memcmp(&in6.sin6_addr, &in6addr_loopback, sizeof in6addr_loopback) == 0;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t bytes = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &bytes) != 0)
        return 0;
    if (address.ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, &address, sizeof in);
        return ntohs(in.sin_port);
    }
    struct sockaddr_in6 in6;
    memcpy(&in6, &address, sizeof in6);
    return ntohs(in6.sin6_port);
}

static rp_status open_socket(const char *name, const struct addrinfo *found, int *out,
                             uint16_t *port, rp_error *err)
{
    const int yes = 1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return rp__error_set(err, RP_IO, "%.64s: %s", name, strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
        rp__error_set(err, RP_IO, "%.64s: %s; choose another --listen", name, strerror(errno));
        close(fd);
        return RP_IO;
    }
    *out = fd;
    *port = port_of(fd);
    return RP_OK;
}

rp_status rp__listener_open(const rp__serve_options *o, bool has_token, int *fd, uint16_t *port,
                            rp_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char host[256], text[8];
    rp_status status = split_address(o->listen, host, text, err);
    if (status != RP_OK)
        return status;
    if (getaddrinfo(host, text, &hints, &found) != 0)
        return rp__error_set(err, RP_USAGE,
                             "--listen \"%.64s\" is no address of this machine; "
                             "--listen 127.0.0.1:7700",
                             o->listen);
    if (!is_loopback(found->ai_addr) && !has_token && !o->insecure)
        status = rp__error_set(err, RP_USAGE,
                               "%.64s can be reached from other machines; give --token-file, or "
                               "--insecure to let everybody ask",
                               o->listen);
    else
        status = open_socket(o->listen, found, fd, port, err);
    freeaddrinfo(found);
    return status;
}
