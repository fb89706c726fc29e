/* cli/index_rows.h: options of every verb that writes an index, each where the verb keeps its
 * value. */
#ifndef RP_CLI_INDEX_ROWS_H
#define RP_CLI_INDEX_ROWS_H

#include "cli/options.h"
#include "riposte/index.h"

#define RP_ROW_OUTPUT(at_, help_)                                                                  \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = RP_OPTION_TEXT, .argument = "DIR",                \
        .is_required = true, .at = (at_), .help = (help_)                                          \
    }
#define RP_ROW_CODEC(at_, initial_, help_)                                                         \
    {                                                                                              \
        .name = "codec", .kind = RP_OPTION_SPEC, .argument = "NAME[:KEY=N,...]",                   \
        .initial = (initial_), .choice_at = rp_codec_name, .at = (at_), .help = (help_)            \
    }
#define RP_ROW_FREQS(at_)                                                                          \
    {                                                                                              \
        .name = "freqs", .kind = RP_OPTION_NAME, .argument = "NAME", .choice_at = rp_freqs_name,   \
        .at = (at_), .help = "how frequencies are coded, otherwise as the codec does it"           \
    }
#define RP_ROW_AUX(at_, help_)                                                                     \
    {                                                                                              \
        .name = "aux", .kind = RP_OPTION_TEXT, .argument = "LIST", .at = (at_), .help = (help_)    \
    }
#define RP_ROW_MEMORY(at_, help_)                                                                  \
    {                                                                                              \
        .name = "memory", .kind = RP_OPTION_SIZE, .argument = "SIZE", .initial = "1G", .least = 1, \
        .at = (at_), .help = (help_)                                                               \
    }
#define RP_ROW_THREADS(at_)                                                                        \
    {                                                                                              \
        .name = "threads", .kind = RP_OPTION_COUNT32, .argument = "N", .initial = "1", .least = 1, \
        .most = 1024, .at = (at_), .help = "threads; the index is the same for any number"         \
    }

#endif
