/* status.c: names and sentences of rp_status, from its one map. */
#include "riposte/status.h"

const char *rp_status_name(rp_status status)
{
    switch (status) {
#define X(code, value, exit_code, sentence)                                                        \
    case code:                                                                                     \
        return #code;
        RP_STATUS_MAP(X)
#undef X
    }
    return "unknown";
}

const char *rp_status_text(rp_status status)
{
    switch (status) {
#define X(code, value, exit_code, sentence)                                                        \
    case code:                                                                                     \
        return sentence;
        RP_STATUS_MAP(X)
#undef X
    }
    return "unknown";
}

int rp_status_exit(rp_status status)
{
    switch (status) {
#define X(code, value, exit_code, sentence)                                                        \
    case code:                                                                                     \
        return exit_code;
        RP_STATUS_MAP(X)
#undef X
    }
    return 1;
}
