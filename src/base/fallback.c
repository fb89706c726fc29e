/* fallback.c: names and reasons of rp_fallback, from its one map. */
#include "riposte/processor.h"

const char *rp_fallback_name(rp_fallback fallback)
{
    static const char *const names[] = {
#define X(code, name, reason) name,
        RP_FALLBACK_MAP(X)
#undef X
    };
    return (unsigned)fallback < RP_FALLBACKS ? names[fallback] : "unknown";
}

const char *rp_fallback_text(rp_fallback fallback)
{
    static const char *const reasons[] = {
#define X(code, name, reason) reason,
        RP_FALLBACK_MAP(X)
#undef X
    };
    return (unsigned)fallback < RP_FALLBACKS ? reasons[fallback] : "unknown";
}
