/* iiu_eval.c: turns a query into operations on two lists: AND of the shortest two, OR of the shortest
 * two, single terms where there is nothing to combine. An explicit stack stands for the tree.
 *
 * The machine scores lists of the index. Documents that an operation found become an uncompressed list
 * that scores nothing, and the host adds their scores again. What the machine has no unit for is the
 * host's: positions of phrases, documents of NOT, scores of SHOULD beside MUST. */
#include "backend/iiu/iiu_eval.h"

#include "base/error.h"

/* A group that is open, or a phrase. */
struct rp__iiu_frame {
    size_t first;           /* of its operands */
    size_t op;              /* OPEN, or PHRASE */
    const rp__leaf *phrase; /* NULL: a group */
};

static const uint32_t idf_limit = 1U << 22; /* UQ6.16 */

/* ---- Weights --------------------------------------------------------------------------------- */

/* Under other rankings the machine scores as well, and nobody looks at it. */
static uint32_t weigh(const rp__iiu_eval *e, const rp__leaf *leaf)
{
    const rp__term *term = &e->query->words[leaf->word].term;
    const float scale = rp__rank_scale(RP_IIU_SCORE_BITS);
    if (e->has_own_scores)
        return rp__rank_fix(leaf->weight.weight, scale);
    return rp__rank_fix(rp__rank_weight(&e->rank, &term->df, &term->cf, 1, 1.0).weight, scale);
}

static rp_status check_weights(const rp__iiu_eval *e, rp_error *err)
{
    const rp__query *q = e->query;
    for (size_t i = 0; i < q->n_ops; i++) {
        const rp__op *op = &q->ops[i];
        if (op->kind != RP_OP_TERM || q->words[q->leaves[op->leaf].word].term.df == 0)
            continue;
        if (weigh(e, &q->leaves[op->leaf]) >= idf_limit || q->fraction_bits != RP_IIU_SCORE_BITS)
            return rp__error_set(err, RP_USAGE,
                                 "a boost makes the weight of a term %g; the scoring unit of iiu "
                                 "takes weights below 64: lower it, or use --processor cpu",
                                 (double)q->leaves[op->leaf].weight.weight);
    }
    return RP_OK;
}

rp_status rp__iiu_eval_begin(rp__iiu_eval *e, const rp__query *query, rp__arena *arena,
                             rp_error *err)
{
    const rp__ranking *row = rp__ranking_find("iiu");
    const size_t max_operands = query->n_ops + query->n_words + 1;
    *e = (rp__iiu_eval){.query = query, .arena = arena, .rank = *query->rank};
    e->has_own_scores = query->rank->ranking->kind == RP_RANK_IIU;
    if (!e->has_own_scores)
        e->rank = (rp__rank){row, row->k1, row->b, row->mu, query->rank->stats};
    rp_status status = e->has_own_scores ? check_weights(e, err) : RP_OK;
    if (status != RP_OK)
        return status;
    e->operands = rp__arena_array(arena, max_operands, sizeof *e->operands);
    e->frames = rp__arena_array(arena, query->depth + 2U, sizeof *e->frames);
    return e->operands && e->frames ? RP_OK : rp__error_no_memory(err);
}

const rp__iiu_operand *rp__iiu_eval_result(const rp__iiu_eval *e)
{
    return &e->operands[0];
}

/* ---- Operands -------------------------------------------------------------------------------- */

static void push_word(rp__iiu_eval *e, const rp__word *word, uint8_t role, uint32_t idf_bar)
{
    e->operands[e->n_operands++] = (rp__iiu_operand){.role = role,
                                                     .is_set = word->term.df == 0,
                                                     .n = word->term.df,
                                                     .term = &word->term,
                                                     .idf_bar = idf_bar};
}

static void open_frame(rp__iiu_eval *e, const rp__leaf *phrase)
{
    e->frames[e->n_frames++] = (rp__iiu_frame){e->n_operands, e->next_op, phrase};
}

static bool is_same(const rp__term *a, const rp__term *b)
{
    return a->tiny == b->tiny && a->list_offset == b->list_offset && a->df == b->df;
}

/* Each word once. */
static void open_phrase(rp__iiu_eval *e, const rp__leaf *leaf)
{
    const rp__word *words = &e->query->words[leaf->word];
    open_frame(e, leaf);
    for (uint32_t i = 0; i < leaf->n_words; i++) {
        uint32_t k = 0;
        while (k < i && !is_same(&words[k].term, &words[i].term))
            k++;
        if (k == i)
            push_word(e, &words[i], RP_MUST, 0);
    }
}

static void drop(rp__iiu_eval *e, size_t i)
{
    e->operands[i] = e->operands[--e->n_operands];
}

/* The smallest operands of a role, of the frame at hand; how many there are. */
static size_t find_smallest(const rp__iiu_eval *e, uint8_t role, size_t *first, size_t *second)
{
    size_t n = 0;
    for (size_t i = e->frames[e->n_frames - 1].first; i < e->n_operands; i++) {
        if (e->operands[i].role != role)
            continue;
        if (n == 0 || e->operands[i].n < e->operands[*first].n) {
            *second = *first;
            *first = i;
        } else if (n == 1 || e->operands[i].n < e->operands[*second].n) {
            *second = i;
        }
        n++;
    }
    return n;
}

/* ---- Sets on the host ------------------------------------------------------------------------ */

/* Adds scores of the set to those of its documents in at[0..n). */
static void add_scores(rp__result_slot *at, uint32_t n, const rp__iiu_operand *set)
{
    for (uint32_t i = 0, k = 0; i < n && k < set->n;) {
        if (at[i].doc == set->at[k].doc)
            at[i++].score += set->at[k++].score;
        else if (at[i].doc < set->at[k].doc)
            i++;
        else
            k++;
    }
}

static uint32_t take_away(rp__result_slot *at, uint32_t n, const rp__iiu_operand *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, k = 0; i < n; i++) {
        while (k < set->n && set->at[k].doc < at[i].doc)
            k++;
        if (k == set->n || set->at[k].doc != at[i].doc)
            at[kept++] = at[i];
    }
    return kept;
}

/* All operands are sets: at most one MUST, one SHOULD, any number of NOT. */
static rp_status combine(rp__iiu_eval *e, rp__iiu_operand *out)
{
    size_t must = 0, should = 0, other = 0;
    const bool has_must = find_smallest(e, RP_MUST, &must, &other) > 0;
    const bool has_should = find_smallest(e, RP_SHOULD, &should, &other) > 0;
    *out = (rp__iiu_operand){.is_set = true};
    if (!has_must && !has_should)
        return RP_OK;
    const rp__iiu_operand *from = &e->operands[has_must ? must : should];
    rp__result_slot *at = rp__arena_array(e->arena, from->n + 1U, sizeof *at);
    if (!at)
        return RP_NO_MEMORY;
    for (uint32_t i = 0; i < from->n; i++)
        at[i] = from->at[i];
    uint32_t n = from->n;
    if (has_must && has_should)
        add_scores(at, n, &e->operands[should]);
    for (size_t i = e->frames[e->n_frames - 1].first; i < e->n_operands; i++)
        if (e->operands[i].role == RP_NOT)
            n = take_away(at, n, &e->operands[i]);
    out->at = at;
    out->n = n;
    return RP_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* True: there is an operation for the machine. */
static bool choose_pair(rp__iiu_eval *e, uint8_t role, uint8_t type)
{
    while (find_smallest(e, role, &e->left, &e->right) > 1) {
        if (e->operands[e->left].n > 0) {
            e->type = type;
            return true;
        }
        drop(e, type == RP_SIM_AND ? e->right : e->left); /* nothing and x; nothing or x */
    }
    return false;
}

static bool choose_single(rp__iiu_eval *e)
{
    for (size_t i = e->frames[e->n_frames - 1].first; i < e->n_operands; i++)
        if (!e->operands[i].is_set) {
            e->left = e->right = i;
            e->type = RP_SIM_SINGLE;
            return true;
        }
    return false;
}

static bool choose_operation(rp__iiu_eval *e)
{
    return choose_pair(e, RP_MUST, RP_SIM_AND) || choose_pair(e, RP_SHOULD, RP_SIM_OR) ||
           choose_single(e);
}

/* The group or phrase at hand becomes one operand of the one around it. */
static rp_status close_frame(rp__iiu_eval *e)
{
    const rp__iiu_frame *frame = &e->frames[e->n_frames - 1];
    rp__iiu_operand result;
    rp_status status = RP_OK;
    if (frame->phrase)
        status = rp__iiu_phrase_find(e->query, frame->phrase, &e->operands[frame->first], e->arena,
                                     &result);
    else
        status = combine(e, &result);
    if (status != RP_OK)
        return status;
    result.role = e->query->ops[frame->op].role;
    e->n_operands = frame->first;
    e->operands[e->n_operands++] = result;
    e->n_frames--;
    e->next_op++;
    return RP_OK;
}

static bool is_open_phrase(const rp__iiu_eval *e)
{
    const rp__iiu_frame *frame = &e->frames[e->n_frames - 1];
    return frame->phrase && frame->op == e->next_op;
}

rp_status rp__iiu_eval_step(rp__iiu_eval *e, bool *is_done)
{
    const rp__query *q = e->query;
    rp_status status = RP_OK;
    *is_done = false;
    while (e->next_op < q->n_ops && status == RP_OK) {
        const rp__op *op = &q->ops[e->next_op];
        if (op->kind == RP_OP_OPEN) {
            open_frame(e, NULL);
            e->next_op++;
        } else if (op->kind == RP_OP_TERM) {
            const rp__leaf *leaf = &q->leaves[op->leaf];
            push_word(e, &q->words[leaf->word], op->role, weigh(e, leaf));
            e->next_op++;
        } else {
            if (op->kind == RP_OP_PHRASE && !is_open_phrase(e))
                open_phrase(e, &q->leaves[op->leaf]);
            if (choose_operation(e))
                return RP_OK;
            status = close_frame(e);
        }
    }
    *is_done = status == RP_OK;
    return status;
}

void rp__iiu_eval_put(rp__iiu_eval *e, rp__result_slot *found, uint32_t n)
{
    rp__iiu_operand *left = &e->operands[e->left], *right = &e->operands[e->right];
    e->postings += left->is_set ? 0 : left->n;
    if (left->is_set)
        add_scores(found, n, left);
    if (e->left != e->right) {
        e->postings += right->is_set ? 0 : right->n;
        if (right->is_set)
            add_scores(found, n, right);
    }
    const rp__iiu_operand result = {.role = left->role, .is_set = true, .n = n, .at = found};
    *left = result;
    if (e->left != e->right)
        drop(e, e->right);
}
