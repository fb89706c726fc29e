/* form.c: what the form of a query is whoever answers it. */
#include "backend/backend.h"

rp_form rp__form_count(const rp__query *query)
{
    rp_form form = {.processor = NULL};
    for (size_t i = 0; i < query->n_words; i++) {
        const uint32_t n = query->words[i].term.df;
        if (n == 0)
            continue;
        form.shortest = form.lists == 0 || n < form.shortest ? n : form.shortest;
        form.postings += n;
        form.lists++;
    }
    return form;
}
