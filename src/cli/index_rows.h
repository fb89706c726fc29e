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
#define RP_ROW_STEM(at_, help_)                                                                    \
    {                                                                                              \
        .name = "stem", .kind = RP_OPTION_NAME, .argument = "NAME", .initial = "none",             \
        .choice_at = rp_stem_name, .at = (at_), .help = (help_)                                    \
    }
#define RP_ROW_STOP(at_, help_)                                                                    \
    {                                                                                              \
        .name = "stop", .kind = RP_OPTION_TEXT, .argument = "LIST", .initial = "none",             \
        .at = (at_), .help = (help_)                                                               \
    }
#define RP_ROW_TOKENS(at_, initial_, help_)                                                        \
    {                                                                                              \
        .name = "tokens", .kind = RP_OPTION_NAME, .argument = "RULE", .initial = (initial_),       \
        .choice_at = rp_tokens_name, .at = (at_), .help = (help_)                                  \
    }
#define RP_ROW_KEEP_POSSESSIVE(at_)                                                                \
    {                                                                                              \
        .name = "keep-possessive", .kind = RP_OPTION_FLAG, .at = (at_),                            \
        .help = "keep the 's of a word, which otherwise is dropped"                                \
    }
#define RP_ROW_NO_FOLD(at_)                                                                        \
    {                                                                                              \
        .name = "no-fold", .kind = RP_OPTION_FLAG, .at = (at_),                                    \
        .help = "keep accents, which otherwise are dropped: cafe then does not find caf\xC3\xA9"   \
    }

/* What --stop of a verb that reads text takes. */
#define RP_STOP_HELP                                                                               \
    "words to leave out: lucene (its 33 English ones), a language as english (its list), none, "   \
    "or a file with a word a line"
#define RP_TOKENS_HELP                                                                             \
    "how text is cut into words: by the Unicode rules, at all that is no letter, digit or "        \
    "apostrophe, at "                                                                              \
    "blanks, or into pairs of letters; by the first two, Chinese, Japanese and Korean go by pairs"

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
