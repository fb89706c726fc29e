/* records.c: how long the records are that callers lay out themselves. */
#include <string.h>

#include "base/error.h"
#include "riposte/riposte.h"

#define ROW(record)                                                                                \
    {                                                                                              \
#record, sizeof(record)                                                                    \
    }

static const struct {
    const char *name;
    size_t bytes;
} rows[] = {
    ROW(rp_error),
    ROW(rp_index_options),
    ROW(rp_index_info),
    ROW(rp_document),
    ROW(rp_suggestion),
    ROW(rp_suggestions),
    ROW(rp_progress),
    ROW(rp_build_options),
    ROW(rp_build_stats),
    ROW(rp_import_options),
    ROW(rp_export_options),
    ROW(rp_gpu_counters),
    ROW(rp_iiu_counters),
    ROW(rp_query_step),
    ROW(rp_list_read),
    ROW(rp_hit),
    ROW(rp_hits),
    ROW(rp_search_options),
    ROW(rp_batch_query),
    ROW(rp_batch_options),
    ROW(rp_explain_node),
    ROW(rp_explanation),
    ROW(rp_snippet),
    ROW(rp_correction),
    ROW(rp_corrections),
    ROW(rp_gpu_state),
    {"rp_mark", sizeof(struct rp_mark)},
};

size_t rp_record_bytes(const char *name)
{
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].bytes;
    return 0;
}
