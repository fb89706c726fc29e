/* para_launch.c: one launch of PARA: its lists, its memory, its kernels, and answers.
 *
 * What goes in is one copy: queries, their lists, lists as they are stored, and auxiliary data where the device does not
 * have all sections of the index. What comes out is one copy: where the docids of a query begin, and the k best pairs of
 * each. */
#include "backend/gpu/operators/para_launch.h"

#include <string.h>

#include "backend/gpu/exec/exec.h"
#include "backend/gpu/operators/para_layout.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"

enum { LR_HEAD = 24 }; /* bytes of auxiliary data lr before its segments */

typedef rp__flight flight;
typedef rp__para_layout layout;

/* A list of a query. */
typedef struct word {
    const rp__term *term;
    float weight;
    rp__list list;            /* of methods that read it as it is stored */
    rp__stored_list *stored;  /* NULL: it is not read so */
    const rp__resident *made; /* as docids */
    rp__para_aux aux;
    uint32_t check; /* of its auxiliary data, from 1 on; 0: none is needed */
} word;

/* Whether auxiliary data lead a method's search to all docids of their list. */
typedef struct check {
    const rp__term *term;
    uint32_t word, n; /* one of the list's that is launched, and its postings; n 0: none is */
    bool is_damaged;
} check;

/* A launch, in the arena. */
typedef struct run {
    const rp__para_method *method;
    const rp__aux_kind *kind; /* of the auxiliary data; NULL: none */
    word *words;              /* of all queries, the shortest list of each first: n_words */
    uint32_t n_words;
    rp__batch_item **items; /* those that are launched, and their queries: n */
    karg_para_query *queries;
    uint32_t n;
    uint32_t elements;
    check *checks;     /* one a list: n_checks */
    uint32_t *by_list; /* checks, from 1 on, by a hash of their lists: `slots`, a power of 2 */
    uint32_t n_checks, slots;
    uint32_t checked; /* postings of their lists; of those that are launched, once that is known */
    layout at;
    uint64_t begun;       /* when the host began */
    uint64_t launched;    /* when the device did, if the first query is traced */
    rp__kernel_id search; /* the kernel that was launched to search */
} run;

static run *run_of(const flight *f)
{
    return f->own;
}

static rp__para_launch *para_of(const flight *f)
{
    return &f->exec->para;
}

/* ---- Opening ------------------------------------------------------------------------------------ */

void rp__para_launch_open(rp__para_launch *p, rp__device *device)
{
    *p = (rp__para_launch){.device = device};
}

void rp__para_launch_close(rp__para_launch *p, rp__residency *residency)
{
    if (!p->device)
        return;
    for (size_t i = 0; i < sizeof p->marks / sizeof p->marks[0]; i++)
        if (p->marks[i])
            p->device->driver->event_destroy(p->marks[i]);
    rp__scratch_free(&p->scratch, residency, p->device);
    if (p->host)
        p->device->driver->host_free(p->host);
    if (p->pinned)
        p->device->driver->host_free(p->pinned);
    rp__free(p->sound);
    *p = (rp__para_launch){0};
}

/* ---- Checks of auxiliary data ------------------------------------------------------------------- */

/* Ranges that are wrong would lose documents, so the method's kernel looks for each docid of a list in that list, before
 * the first answer that depends on its auxiliary data. */

static uint64_t sound_key(const run *r, const rp__term *term)
{
    return term->list_offset << 8 | (uint64_t)(r->method - rp__para_method_at(0) + 1);
}

static uint32_t hash_of(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* The key's place, or a free one. */
static rp__para_sound *sound_place(rp__para_sound *sound, size_t slots, uint64_t key)
{
    size_t slot = hash_of(key) & (slots - 1);
    while (sound[slot].key && sound[slot].key != key)
        slot = (slot + 1) & (slots - 1);
    return &sound[slot];
}

/* NULL: it was not found to be sound yet. */
static const rp__para_aux *find_sound(const rp__para_launch *p, uint64_t key)
{
    const rp__para_sound *s =
        p->sound_slots > 0 ? sound_place(p->sound, p->sound_slots, key) : NULL;
    return s && s->key == key ? &s->aux : NULL;
}

/* At most half of the places are taken. Without memory it is forgotten, and checked again. */
static void keep_sound(rp__para_launch *p, uint64_t key, const rp__para_aux *aux)
{
    if (2 * (p->n_sound + 1) > p->sound_slots) {
        const size_t slots = p->sound_slots ? 2 * p->sound_slots : RP_PARA_SOUND;
        rp__para_sound *more = rp__alloc_zero(slots, sizeof *more);
        if (!more)
            return;
        for (size_t i = 0; i < p->sound_slots; i++)
            if (p->sound[i].key)
                *sound_place(more, slots, p->sound[i].key) = p->sound[i];
        rp__free(p->sound);
        p->sound = more;
        p->sound_slots = slots;
    }
    rp__para_sound *at = sound_place(p->sound, p->sound_slots, key);
    p->n_sound += at->key == 0;
    *at = (rp__para_sound){.key = key, .aux = *aux};
}

/* Where checks of this run are looked up. */
static rp_status take_checks(flight *f, run *r, size_t n_words)
{
    if (!r->kind)
        return RP_OK;
    for (r->slots = 1; r->slots < 2 * n_words;)
        r->slots *= 2;
    r->checks = rp__arena_array(f->exec->arena, n_words, sizeof *r->checks);
    r->by_list = rp__arena_zero(f->exec->arena, r->slots, sizeof *r->by_list);
    return r->checks && r->by_list ? RP_OK : rp__exec_no_memory(f);
}

/* The word's check, which another word of its list may have, too. False: the launch is full. */
static bool add_check(run *r, word *w)
{
    uint32_t slot = hash_of(sound_key(r, w->term)) & (r->slots - 1);
    while (r->by_list[slot] &&
           r->checks[r->by_list[slot] - 1].term->list_offset != w->term->list_offset)
        slot = (slot + 1) & (r->slots - 1);
    w->check = r->by_list[slot];
    if (w->check)
        return true;
    if (w->term->df > RP_PARA_CHECKED - r->checked)
        return false;
    r->checks[r->n_checks++] = (check){.term = w->term};
    r->by_list[slot] = w->check = r->n_checks;
    r->checked += w->term->df;
    return true;
}

/* Records of the lists, each as one to search and as one that is searched. */
static void put_checks(const flight *f)
{
    run *r = run_of(f);
    uint8_t *host = para_of(f)->host;
    const karg_para_list *from = (const karg_para_list *)(const void *)(host + r->at.lists);
    const karg_list *stored = (const karg_list *)(const void *)(host + r->at.stored);
    karg_para_query *queries = (karg_para_query *)(void *)(host + r->at.check_queries);
    karg_para_list *to = (karg_para_list *)(void *)(host + r->at.check_lists);
    karg_list *to_stored = (karg_list *)(void *)(host + r->at.check_stored);
    r->checked = 0;
    for (uint32_t i = 0; i < r->n_checks; i++) {
        const check *c = &r->checks[i];
        queries[i] = (karg_para_query){.first = r->checked, .list = 2 * i, .n_lists = 2};
        r->checked += c->n;
        for (uint32_t k = 2 * i; c->n > 0 && k < 2 * i + 2; k++) {
            to[k] = from[c->word];
            if (r->method->codec)
                to_stored[k] = stored[c->word];
        }
    }
    queries[r->n_checks] = (karg_para_query){.first = r->checked};
}

static rp_status search(rp__para_launch *p, const rp__para_method *method, const karg_para *args)
{
    const rp__launch how = {args->tiles, KARG_PARA_THREADS,
                            method->shared * (KARG_PARA_THREADS / 32)};
    return rp__device_launch(p->device, method->kernel, how, args);
}

static rp_status run_checks(const flight *f, const karg_para *args)
{
    const run *r = run_of(f);
    const rp__cu_ptr at = para_of(f)->scratch.at;
    karg_para own = *args;
    if (r->checked == 0)
        return RP_OK;
    own.lists = at + r->at.check_lists;
    own.stored = r->method->codec ? at + r->at.check_stored : 0;
    own.queries = at + r->at.check_queries;
    own.marks = at + r->at.check_marks;
    own.n = r->checked;
    own.n_queries = r->n_checks;
    own.begin = 0;
    own.end = UINT32_MAX;
    own.tiles = (r->checked + KARG_PARA_THREADS - 1) / KARG_PARA_THREADS;
    return search(para_of(f), r->method, &own);
}

/* Whether bits from `from` on are set, n of them. */
static bool are_set(const uint32_t *words, uint32_t from, uint32_t n)
{
    uint32_t unset = 0;
    for (uint32_t i = from, end = from + n, bits; i < end; i += bits) {
        bits = 32 - i % 32 < end - i ? 32 - i % 32 : end - i;
        unset |= ~words[i / 32] >> i % 32 << (32 - bits);
    }
    return unset == 0;
}

static void end_checks(const flight *f)
{
    rp__para_launch *p = para_of(f);
    run *r = run_of(f);
    const uint32_t *marks = (const uint32_t *)(const void *)(p->host + r->at.check_marks);
    for (uint32_t i = 0, first = 0; i < r->n_checks; first += r->checks[i++].n) {
        check *c = &r->checks[i];
        const uint64_t key = sound_key(r, c->term);
        c->is_damaged = !are_set(marks, first, c->n);
        if (c->n > 0 && !c->is_damaged)
            keep_sound(p, key, &r->words[c->word].aux);
    }
}

static bool is_aux_damaged(const run *r, const karg_para_query *query)
{
    bool is_damaged = false;
    for (uint32_t i = 0; i < query->n_lists; i++) {
        const word *w = &r->words[query->list + i];
        is_damaged = is_damaged || (w->check && r->checks[w->check - 1].is_damaged);
    }
    return is_damaged;
}

/* ---- Lists -------------------------------------------------------------------------------------- */

static size_t count_words(const flight *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += f->items[i]->query.n_ops - 2;
    return n;
}

static rp_status take_arrays(flight *f, run *r)
{
    rp__launch_lists *l = &f->lists;
    rp__arena *arena = f->exec->arena;
    size_t n = count_words(f);
    const size_t n_stored = r->method->codec ? n : 1;
    r->words = rp__arena_array(arena, n, sizeof *r->words);
    r->items = rp__arena_array(arena, f->n, sizeof(rp__batch_item *));
    r->queries = rp__arena_zero(arena, f->n + 1, sizeof *r->queries);
    l->names = rp__arena_array(arena, n, sizeof *l->names);
    l->stored = rp__arena_array(arena, n_stored, sizeof *l->stored);
    bool has_all = r->words && r->items && r->queries && l->names && l->stored;
    return has_all ? take_checks(f, r, n) : rp__exec_no_memory(f);
}

/* Puts the leaves of a query behind those of others, the shortest list first. */
static void put_leaves(run *r, const rp__query *query)
{
    const float scale = rp__rank_scale(query->fraction_bits);
    word *words = &r->words[r->n_words];
    for (uint32_t i = 0; i < query->n_ops - 2; i++) {
        const rp__leaf *leaf = &query->leaves[query->ops[i + 1].leaf];
        const rp__term *term = &query->words[leaf->word].term;
        uint32_t j = i;
        for (; j > 0 && words[j - 1].term->df > term->df; j--)
            words[j] = words[j - 1];
        words[j] = (word){.term = term, .weight = leaf->weight.weight * scale};
    }
}

/* Of lr all bytes, of hs the starts. */
static rp__para_aux aux_of(const rp__aux_kind *kind, const rp__aux *aux)
{
    const bool is_lr = aux->t != NULL;
    return (rp__para_aux){.at = is_lr ? (const uint8_t *)aux->t - LR_HEAD
                                      : (const uint8_t *)aux->starts,
                          .bytes = is_lr ? kind->bound(kind, aux->n)
                                         : (aux->n_buckets + (size_t)1) * sizeof(uint32_t),
                          .n = aux->n,
                          .shift = aux->shift,
                          .n_buckets = aux->n_buckets};
}

/* Those of a list that was checked are not looked for in the index again. RP_LIMIT: the launch checks no more. */
static rp_status open_aux(const flight *f, run *r, word *w)
{
    rp__aux aux;
    const rp__para_aux *sound =
        w->term->tiny ? NULL : find_sound(para_of(f), sound_key(r, w->term));
    if (sound && sound->n == w->term->df) {
        w->aux = *sound;
        return RP_OK;
    }
    rp_status status = rp__segment_aux(f->exec->prototype->segment, r->kind, w->term, &aux);
    if (status != RP_OK)
        return status == RP_NOT_FOUND ? RP_OK : status;
    w->aux = aux_of(r->kind, &aux);
    return add_check(r, w) ? RP_OK : RP_LIMIT;
}

/* A list that is not in the method's codec, as one in the dictionary, is read as docids. */
static rp_status open_stored(flight *f, const run *r, word *w)
{
    rp__launch_lists *l = &f->lists;
    rp_status status =
        rp__segment_list(f->exec->prototype->segment, w->term, f->exec->arena, &w->list);
    if (status != RP_OK || !w->list.codec || w->list.codec->id != r->method->codec_id)
        return status;
    w->stored = &l->stored[l->n_stored++];
    *w->stored = (rp__stored_list){.list = &w->list, .term = w->term, .whole = true};
    return RP_OK;
}

/* All but the shortest list are searched. */
static rp_status open_words(flight *f, run *r, uint32_t n)
{
    rp_status status = RP_OK;
    for (uint32_t i = 1; i < n && status == RP_OK; i++) {
        word *w = &r->words[r->n_words + i];
        if (r->kind)
            status = open_aux(f, r, w);
        if (status == RP_OK && r->method->codec)
            status = open_stored(f, r, w);
    }
    return status;
}

/* A query whose lists cannot be opened is left out. */
static rp_status add_query(flight *f, rp__batch_item *item)
{
    run *r = run_of(f);
    const uint32_t n = (uint32_t)item->query.n_ops - 2;
    const size_t n_stored = f->lists.n_stored;
    put_leaves(r, &item->query);
    const uint64_t elements = (uint64_t)r->elements + r->words[r->n_words].term->df;
    rp_status status = elements < INT32_MAX ? open_words(f, r, n) : RP_NO_MEMORY;
    if (status == RP_DAMAGED || status == RP_LIMIT) {
        f->lists.n_stored = n_stored;
        rp__exec_refuse(item, status == RP_LIMIT ? RP_FALLBACK_BATCH : RP_FALLBACK_DAMAGED);
        return RP_OK;
    }
    if (status != RP_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        f->lists.names[f->lists.n_names++] = r->words[r->n_words + i].term;
    r->queries[r->n] = (karg_para_query){.first = r->elements, .list = r->n_words, .n_lists = n};
    r->items[r->n++] = item;
    r->n_words += n;
    r->elements = (uint32_t)elements;
    return RP_OK;
}

static size_t count_aux(const run *r)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < r->n_words; i++)
        bytes += rp__bits_align(r->words[i].aux.bytes, RP_PARA_ALIGN);
    return bytes;
}

rp_status rp__para_launch_begin(flight *f)
{
    const rp__query *query = f->exec->prototype;
    run *r = rp__arena_zero(f->exec->arena, 1, sizeof *r);
    f->own = r;
    if (!r)
        return rp__exec_no_memory(f);
    r->begun = rp__clock_now();
    r->method = rp__para_method_of(query->algorithm);
    if (r->method->aux)
        r->kind = rp__aux_kind_find(r->method->aux, strlen(r->method->aux));
    rp_status status = take_arrays(f, r);
    for (size_t i = 0; i < f->n && status == RP_OK; i++)
        status = add_query(f, f->items[i]);
    r->queries[r->n].first = r->elements;
    r->at = rp__para_layout_of(
        &(rp__para_sizes){.queries = r->n,
                          .lists = r->n_words,
                          .elements = r->elements,
                          .k = (uint32_t)query->k,
                          .aux = f->exec->index->residency->is_whole ? 0 : count_aux(r),
                          .checks = r->n_checks,
                          .checked = r->checked,
                          .has_stored = r->method->codec != NULL});
    return status;
}

rp_status rp__para_launch_hold(flight *f)
{
    rp__para_launch *p = para_of(f);
    return rp__scratch_hold(&p->scratch, &f->lease, p->device, run_of(f)->at.bytes);
}

/* ---- What goes in ------------------------------------------------------------------------------- */

/* What was there is lost. */
static rp_status grow(rp__device *device, uint8_t **at, size_t *have, size_t bytes)
{
    void *host = NULL;
    if (bytes <= *have)
        return RP_OK;
    if (*at)
        device->driver->host_free(*at);
    *at = NULL;
    *have = 0;
    rp_status status = rp__device_pin(device, bytes, 0, &host);
    *at = host;
    *have = status == RP_OK ? bytes : 0;
    return status;
}

/* Where the device finds the auxiliary data of a list; those of an index that comes and goes travel along, from *used
 * on. */
static rp_status put_aux(const flight *f, const word *w, size_t *used, uint64_t *at)
{
    const run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    *at = 0;
    if (!w->aux.at)
        return RP_OK;
    if (f->exec->index->residency->is_whole) {
        *at = rp__gpu_index_at(f->exec->index, w->aux.at);
        return *at ? RP_OK : RP_DAMAGED;
    }
    memcpy(p->host + r->at.aux + *used, w->aux.at, w->aux.bytes);
    *at = p->scratch.at + r->at.aux + *used;
    *used += rp__bits_align(w->aux.bytes, RP_PARA_ALIGN);
    return RP_OK;
}

static rp_status put_word(const flight *f, uint32_t i, size_t *used)
{
    run *r = run_of(f);
    const word *w = &r->words[i];
    if (w->check) {
        r->checks[w->check - 1].word = i;
        r->checks[w->check - 1].n = w->made->n;
    }
    uint8_t *host = para_of(f)->host;
    karg_para_list *list = (karg_para_list *)(void *)(host + r->at.lists) + i;
    karg_list *stored = (karg_list *)(void *)(host + r->at.stored) + i;
    *list = (karg_para_list){.docids = w->made->list.word.list.docs,
                             .tfs = w->made->list.word.list.freqs,
                             .n = w->made->n,
                             .shift = w->aux.shift,
                             .n_buckets = w->aux.n_buckets,
                             .weight = w->weight};
    if (r->method->codec)
        *stored = w->stored ? w->stored->at : (karg_list){0};
    return put_aux(f, w, used, &list->aux);
}

/* RP_DAMAGED: kernels cannot have one of its lists. */
static rp_status put_query(const flight *f, const karg_para_query *query, size_t *used)
{
    rp_status status = RP_OK;
    for (uint32_t i = 0; i < query->n_lists && status == RP_OK; i++)
        status = run_of(f)->words[query->list + i].made->at ? put_word(f, query->list + i, used)
                                                            : RP_DAMAGED;
    return status;
}

/* Queries with a damaged list are refused, and those after them move up. */
static void put_queries(const flight *f)
{
    run *r = run_of(f);
    uint32_t n = 0, elements = 0;
    size_t used = 0;
    for (uint32_t q = 0; q < r->n; q++) {
        if (put_query(f, &r->queries[q], &used) != RP_OK) {
            rp__exec_refuse(r->items[q], RP_FALLBACK_DAMAGED);
            continue;
        }
        r->items[n] = r->items[q];
        r->queries[n] = r->queries[q];
        r->queries[n++].first = elements;
        elements += r->words[r->queries[q].list].term->df;
    }
    r->queries[n].first = elements;
    r->n = n;
    r->elements = elements;
    memcpy(para_of(f)->host + r->at.queries, r->queries, (n + (size_t)1) * sizeof *r->queries);
}

rp_status rp__para_launch_find(flight *f)
{
    const run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    rp__launch_lists *l = &f->lists;
    rp_status status = RP_OK;
    if (l->n_stored > 0 && (!l->is_brought || f->exec->index->residency->is_whole))
        status = rp__stored_lists_find(f->exec->index, &f->lease, l->stored, l->n_stored);
    for (uint32_t i = 0; i < r->n_words && status == RP_OK; i++) {
        r->words[i].made = rp__lookup_lists_find(&l->lookup, r->words[i].term);
        status = r->words[i].made ? RP_OK : RP_NOT_FOUND;
    }
    if (status == RP_OK)
        status = grow(p->device, &p->host, &p->host_bytes, r->at.host);
    for (uint32_t i = 0; i < r->n_checks; i++)
        r->checks[i].n = 0;
    if (status == RP_OK) {
        put_queries(f);
        put_checks(f);
    }
    return status;
}

/* ---- The launch --------------------------------------------------------------------------------- */

static rp_status mark(rp__para_launch *p, size_t i)
{
    const rp__driver *driver = p->device->driver;
    rp_status status = RP_OK;
    if (!p->is_measured)
        return RP_OK;
    if (!p->marks[i])
        status = rp__device_check(p->device, driver->event_create(&p->marks[i], 0));
    return status == RP_OK
               ? rp__device_check(p->device, driver->event_record(p->marks[i], p->device->stream))
               : status;
}

static karg_para args_of(const flight *f)
{
    const run *r = run_of(f);
    const rp__query *query = f->exec->prototype;
    const rp__cu_ptr at = para_of(f)->scratch.at;
    const uint32_t n_docs = query->lengths.n_docs;
    return (karg_para){.lists = at + r->at.lists,
                       .stored = r->method->codec ? at + r->at.stored : 0,
                       .queries = at + r->at.queries,
                       .marks = at + r->at.marks,
                       .docids = at + r->at.docids,
                       .scores = at + r->at.scores,
                       .begins = at + r->at.begins,
                       .state = at + r->at.state,
                       .norms = f->lists.norms,
                       .n = r->elements,
                       .n_queries = r->n,
                       .begin = query->begin,
                       .end = query->end < n_docs ? query->end : n_docs,
                       .tiles = (r->elements + KARG_PARA_THREADS - 1) / KARG_PARA_THREADS};
}

static rp_status intersect(rp__para_launch *p, run *r, const karg_para *args)
{
    const rp__launch compact = {args->tiles, KARG_PARA_THREADS, KARG_SCRATCH * sizeof(uint32_t)};
    r->search = r->method->kernel;
    rp_status status = search(p, r->method, args);
    if (status == RP_OK)
        status = mark(p, 2);
    return status == RP_OK
               ? rp__device_launch(p->device, RP_KERNEL_para_compact_kernel, compact, args)
               : status;
}

/* Scores, and the k best of each query. */
static rp_status rank(const flight *f, const karg_para *args)
{
    const run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    const uint32_t k = (uint32_t)f->exec->prototype->k;
    uint32_t keys = 2;
    if (k == 0)
        return RP_OK;
    while (keys < k)
        keys *= 2;
    const karg_select select = {.scores = args->scores,
                                .docids = args->docids,
                                .begins = args->begins,
                                .out = p->scratch.at + r->at.pairs,
                                .counts = p->scratch.at + r->at.counts,
                                .n = r->elements,
                                .k = k,
                                .n_queries = r->n};
    rp_status status =
        rp__device_launch(p->device, rp__launch_lists_kernel(f, RP_KERNEL_para_score_kernel),
                          (rp__launch){args->tiles, KARG_PARA_THREADS, 0}, args);
    return status == RP_OK
               ? rp__device_launch(
                     p->device, RP_KERNEL_select_block_kernel,
                     (rp__launch){r->n, TUNE_SELECT_BLOCK, KARG_TOPK_SHARED + 8 * keys}, &select)
               : status;
}

static rp_status run_kernels(const flight *f)
{
    run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    const karg_para args = args_of(f);
    rp_status status = rp__device_fill(p->device, args.state, 0, r->at.state_words);
    if (status == RP_OK)
        status = run_checks(f, &args);
    if (status == RP_OK)
        status = mark(p, 1);
    if (status == RP_OK)
        status = intersect(p, r, &args);
    if (status == RP_OK)
        status = rank(f, &args);
    return status == RP_OK ? mark(p, 3) : status;
}

rp_status rp__para_launch_start(flight *f)
{
    run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    if (r->elements == 0)
        return RP_OK;
    rp__persistent_kernel_dismiss(&f->exec->single.stage.kernel);
    r->launched = rp__trace_begin(r->items[0]->query.trace);
    rp_status status = mark(p, 0);
    if (status == RP_OK)
        status = rp__device_copy_in(p->device, p->scratch.at, p->host, r->at.in);
    if (status == RP_OK)
        status = run_kernels(f);
    if (status == RP_OK)
        status = rp__device_copy_out(p->device, p->host + r->at.begins,
                                     p->scratch.at + r->at.begins, r->at.out);
    if (status == RP_OK)
        status = mark(p, 4);
    p->times.host += p->is_measured ? rp__clock_now() - r->begun : 0;
    return status;
}

/* ---- Answers ------------------------------------------------------------------------------------ */

bool rp__para_launch_is_done(const flight *f)
{
    const rp__device *d = para_of(f)->device;
    return d->driver->stream_query(d->stream) != RP_CU_NOT_READY;
}

/* The docids of all queries, too. */
static rp_status copy_docids(flight *f)
{
    const run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    p->begins = (const uint32_t *)(const void *)(p->host + r->at.begins);
    const size_t bytes = p->begins[r->n] * sizeof(uint32_t);
    rp_status status = grow(p->device, &p->pinned, &p->pinned_bytes, bytes);
    if (status == RP_OK)
        status = mark(p, 5);
    if (status == RP_OK && bytes > 0)
        status = rp__device_copy_out(p->device, p->pinned, p->scratch.at + r->at.docids, bytes);
    if (status == RP_OK)
        status = mark(p, 6);
    p->docids = (const uint32_t *)(const void *)p->pinned;
    return status == RP_OK ? rp__device_wait(p->device) : status;
}

static uint64_t time_between(const rp__para_launch *p, size_t from)
{
    float ms = 0;
    (void)p->device->driver->event_elapsed(&ms, p->marks[from], p->marks[from + 1]);
    return (uint64_t)((double)ms * 1e6);
}

static void add_times(rp__para_launch *p, uint32_t elements)
{
    const uint64_t search = time_between(p, 1);
    p->times.launches++;
    p->times.elements += elements;
    p->times.transfer += time_between(p, 0) + time_between(p, 3) + time_between(p, 5);
    p->times.search += search;
    p->times.kernels += search + time_between(p, 2);
}

/* The launch is one stage, by the name of the kernel that searches. */
static void trace(const run *r)
{
    rp__trace_end(r->items[0]->query.trace,
                  &(rp__trace_event){.stage = rp__kernel_table_at(r->search)->name,
                                     .processor = "gpu",
                                     .begin = r->launched,
                                     .elements = r->elements});
}

rp_status rp__para_launch_wait(flight *f)
{
    rp__para_launch *p = para_of(f);
    run *r = run_of(f);
    const bool is_measured = p->is_measured && r->elements > 0;
    rp_status status = rp__device_wait(p->device);
    if (status == RP_OK && r->elements > 0)
        trace(r);
    if (status == RP_OK && is_measured)
        status = copy_docids(f);
    if (status == RP_OK && is_measured)
        add_times(p, r->elements);
    r->begun = rp__clock_now();
    return status;
}

/* Pairs are copied: the next launch writes over them. */
static rp_fallback take_one(const flight *f, uint32_t q, rp__answer *answer)
{
    const run *r = run_of(f);
    const uint8_t *host = para_of(f)->host;
    const size_t k = f->exec->prototype->k;
    const uint32_t *begins = (const uint32_t *)(const void *)(host + r->at.begins);
    const uint32_t *counts = (const uint32_t *)(const void *)(host + r->at.counts);
    const rp__scored *pairs = (const rp__scored *)(const void *)(host + r->at.pairs) + q * k;
    _Static_assert(sizeof(karg_pair) == sizeof(rp__scored), "one is the other");
    answer->total = begins[q + 1] - begins[q];
    answer->n = k > 0 ? counts[q] : 0;
    for (uint32_t i = 0; i < r->queries[q].n_lists; i++)
        answer->postings += r->words[r->queries[q].list + i].term->df;
    if (answer->n == 0)
        return RP_FALLBACK_NONE;
    answer->at = rp__arena_array(f->exec->arena, answer->n, sizeof *answer->at);
    if (!answer->at)
        return RP_FALLBACK_HOST_MEMORY;
    memcpy(answer->at, pairs, answer->n * sizeof *answer->at);
    return RP_FALLBACK_NONE;
}

rp_status rp__para_launch_take(flight *f)
{
    const run *r = run_of(f);
    rp__para_launch *p = para_of(f);
    if (r->checked > 0)
        end_checks(f);
    for (uint32_t q = 0; q < r->n; q++)
        if (r->items[q]->status == RP_OK)
            rp__exec_refuse(r->items[q], is_aux_damaged(r, &r->queries[q])
                                             ? RP_FALLBACK_DAMAGED
                                             : take_one(f, q, &r->items[q]->answer));
    p->times.host += p->is_measured ? rp__clock_now() - r->begun : 0;
    return RP_OK;
}

rp_status rp__para_launch_settle(flight *f)
{
    return rp__device_wait(para_of(f)->device);
}
