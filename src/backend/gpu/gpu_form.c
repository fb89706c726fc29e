/* gpu_form.c: what a device would do for a query: by which row of the launch table, and what of its lists is there.
 *
 * Lists are opened, and looked up among what is resident. Nothing is asked of the device. */
#include "backend/gpu/gpu_form.h"

#include "backend/gpu/exec/exec.h"
#include "backend/gpu/gpu_list.h"
#include "backend/gpu/residency/stored_lists.h"

bool rp__gpu_form_is_and(const rp__query *query)
{
    return rp__launch_policy_is_flat(query, RP_MUST) ||
           (query->n_ops == 3 && rp__launch_policy_is_flat(query, RP_SHOULD));
}

rp_fallback rp__gpu_form_check(const rp__gpu_index *index, const rp__query *query)
{
    rp_fallback why = rp__launch_policy_check(query);
    bool has_lengths = rp__gpu_index_at(index, query->lengths.codes) != 0;
    return why || has_lengths ? why : RP_FALLBACK_LENGTHS;
}

/* ---- Lists --------------------------------------------------------------------------------------- */

typedef struct look {
    const rp__lease *lease;
    const rp__query *query;
    rp__arena *arena;
    uint32_t reads;  /* the representations that its row reads: */
    uint32_t serial; /* tiles with these norms in them; UINT32_MAX: they are not there */
    rp_form *out;
} look;

static const rp__resident *find(const look *l, const rp__term *term, rp__repr_use use)
{
    return rp__residency_find(l->lease->residency, rp__residency_key(term, use),
                              use == RP_USE_TILED ? l->serial : 0);
}

/* As the index stores it. */
static void count_stored(const look *l, const rp__term *term)
{
    if (!l->lease->residency->is_whole && !find(l, term, RP_USE_STORED))
        l->out->upload_bytes += rp__stored_lists_bytes(term);
    else
        l->out->resident_bytes += term->list_bytes;
}

/* A list that has to be there in another form. Whether it is. */
static bool count_made(const look *l, const rp__term *term, rp__repr_use use)
{
    const rp__resident *made = find(l, term, use);
    const karg_list numbers = {.n = term->df};
    if (!made) {
        l->out->transcode_postings += term->df;
        return false;
    }
    const karg_list *list = use == RP_USE_TILED ? &numbers : &made->list.word.list;
    l->out->resident_bytes += rp__reprs[made->repr].bytes(list, l->lease->residency->n_docs);
    return true;
}

/* Tiny lists are in the dictionary, and go with the query. Of what is made of others the source is not counted as
 * resident, since nothing else reads it. */
static rp_status count_list(const look *l, const rp__term *term)
{
    const uint64_t resident = l->out->resident_bytes;
    const bool is_tiled = l->reads & RP_LAUNCH_READS_TILED;
    rp__list list;
    if ((is_tiled && count_made(l, term, RP_USE_TILED)) || term->tiny)
        return RP_OK;
    rp_status status = rp__segment_list(l->query->segment, term, l->arena, &list);
    if (status != RP_OK)
        return status;
    bool is_read = (is_tiled || l->reads & RP_LAUNCH_READS_STORED) &&
                   rp__gpu_list_has_docids(&list) &&
                   (l->query->k == 0 || rp__gpu_list_has_tfs(&list));
    bool is_made =
        !is_read &&
        count_made(l, term, l->reads & RP_LAUNCH_READS_PLAIN ? RP_USE_PLAIN : RP_USE_LOOKUP);
    if (!is_made)
        count_stored(l, term);
    if (is_tiled || !(is_read || is_made))
        l->out->resident_bytes = resident;
    return RP_OK;
}

static rp_status count_lists(const look *l)
{
    rp_status status = RP_OK;
    for (size_t i = 0; i < l->query->n_words && status == RP_OK; i++)
        if (l->query->words[i].term.df > 0)
            status = count_list(l, &l->query->words[i].term);
    return status;
}

/* ---- The whole ----------------------------------------------------------------------------------- */

rp_status rp__gpu_form_find(const rp__gpu_index *index, rp__lease *lease, rp__device_norms *norms,
                            const rp__query *query, rp__arena *arena, rp_form *out)
{
    karg_norms there;
    rp_fallback why;
    rp__launch_request request =
        rp__launch_policy_request(query, index->residency->is_whole, false);
    request.max_ranked = rp__launch_policy_max_ranked(index->device->shared_max);
    const rp__launch_row *row = rp__launch_policy_choose(&request, &why);
    *out = rp__form_count(query);
    out->fallback = why ? why : rp__gpu_form_check(index, query);
    if (out->fallback)
        return RP_OK;
    out->can_step = rp__gpu_form_is_and(query);
    out->row = row ? row->name : "none";
    if (!row)
        return RP_OK;
    look l = {.lease = lease, .query = query, .arena = arena, .reads = row->reads, .out = out};
    rp__lease_begin(lease);
    if (!rp__device_norms_find(norms, lease, index, query, &there, &l.serial)) {
        l.serial = UINT32_MAX;
        out->upload_bytes += query->lengths.n_table * sizeof(float);
    }
    rp_status status = count_lists(&l);
    rp__lease_end(lease);
    if (status != RP_DAMAGED)
        return status;
    out->row = NULL;
    out->fallback = RP_FALLBACK_DAMAGED;
    return RP_OK;
}
