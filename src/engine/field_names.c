/* field_names.c: the names of fields, as collections usually have them. */
#include "engine/field_names.h"

#include <string.h>
#include <strings.h>

static const rp__field_names usual = {
    .at =
        {
            [RP_FIELD_ID] = {"id", "_id", "docno", "docid"},
            [RP_FIELD_TITLE] = {"title"},
            [RP_FIELD_TEXT] = {"text", "contents", "content", "body"},
        },
};

void rp__field_names_init(rp__field_names *names, const rp_build_options *options)
{
    static const rp_build_options defaults;
    const rp_build_options *o = options ? options : &defaults;
    const char *const given[RP_FIELDS] = {o->id_field, o->title_field, o->text_field};
    *names = usual;
    for (size_t f = 0; f < RP_FIELDS; f++)
        if (given[f]) {
            names->at[f][0] = given[f];
            names->at[f][1] = NULL;
            names->is_given[f] = true;
        }
}

size_t rp__field_names_find(const rp__field_names *names, const char *name, size_t bytes,
                            uint8_t *rank)
{
    for (size_t f = 0; f < RP_FIELDS; f++)
        for (uint8_t k = 0; names->at[f][k]; k++)
            if (strlen(names->at[f][k]) == bytes && memcmp(names->at[f][k], name, bytes) == 0) {
                *rank = k;
                return f;
            }
    return RP_FIELDS;
}

size_t rp__field_names_find_folded(const rp__field_names *names, const char *name, size_t bytes,
                                   uint8_t *rank)
{
    for (size_t f = 0; f < RP_FIELDS; f++)
        for (uint8_t k = 0; names->at[f][k]; k++)
            if (strlen(names->at[f][k]) == bytes &&
                strncasecmp(names->at[f][k], name, bytes) == 0) {
                *rank = k;
                return f;
            }
    return RP_FIELDS;
}
