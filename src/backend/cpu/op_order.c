/* op_order.c: a program whose groups have their children in the order that narrows soonest.
 *
 * First what must match, then what must not, then what is optional; the first two from few documents to
 * many, phrases late, as it takes time to look into them. Which documents match, and what they score, is not
 * changed by it. */
#include "backend/cpu/cpu_run.h"

typedef struct frame {
    const rp__op **children;
    size_t n, next;
    uint32_t open; /* where the group opens, in one program or the other */
    uint64_t most; /* documents that its children so far allow */
    bool has_must;
} frame;

typedef struct order {
    const rp__query *query;
    rp__arena *arena;
    frame *frames;   /* one more than groups can be open */
    uint64_t *sizes; /* by op: documents it matches, at most */
    rp__op *out;
    uint32_t n;
} order;

/* ---- Sizes ----------------------------------------------------------------------------------- */

static uint64_t size_of_leaf(const rp__query *query, const rp__leaf *leaf)
{
    uint32_t df = UINT32_MAX;
    for (uint32_t i = 0; i < leaf->n_words; i++) {
        uint32_t other = query->words[leaf->word + i].term.df;
        df = other < df ? other : df;
    }
    return df;
}

/* All MUST children hold a match, or one of the SHOULD children does. */
static void fold_size(frame *f, uint8_t role, uint64_t size)
{
    if (role == RP_MUST) {
        f->most = f->has_must && f->most < size ? f->most : size;
        f->has_must = true;
    } else if (role == RP_SHOULD && !f->has_must) {
        f->most += size;
    }
}

static void find_sizes(order *o)
{
    frame *f = o->frames;
    *f = (frame){.open = 0};
    for (uint32_t i = 0; i < o->query->n_ops; i++) {
        const rp__op *op = &o->query->ops[i];
        if (op->kind == RP_OP_OPEN) {
            *++f = (frame){.open = i};
        } else if (op->kind == RP_OP_CLOSE) {
            o->sizes[f->open] = f->most;
            f--;
            fold_size(f, op->role, f[1].most);
        } else {
            o->sizes[i] = size_of_leaf(o->query, &o->query->leaves[op->leaf]);
            fold_size(f, op->role, o->sizes[i]);
        }
    }
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Looking into a document costs as much as scanning so many. */
enum { DOCUMENTS_A_LOOK = 16 };

static uint64_t key_of(const order *o, const rp__op *op)
{
    uint64_t size = o->sizes[op - o->query->ops];
    if (op->kind == RP_OP_PHRASE)
        size *= DOCUMENTS_A_LOOK;
    if (op->role == RP_SHOULD)
        return UINT64_MAX; /* these stay as they are */
    return op->role == RP_NOT ? size | UINT64_C(1) << 63 : size;
}

/* Opens the group of `open`, whose children are sorted. */
static bool enter(order *o, frame *f, const rp__op *open)
{
    const rp__op *ops = o->query->ops, *close = &ops[open->leaf];
    *f = (frame){.open = o->n};
    f->children = rp__arena_array(o->arena, (size_t)(close - open), sizeof *f->children);
    if (!f->children)
        return false;
    for (const rp__op *op = open + 1; op < close; op++) {
        uint64_t key = key_of(o, op);
        size_t j = f->n++;
        for (; j > 0 && key_of(o, f->children[j - 1]) > key; j--)
            f->children[j] = f->children[j - 1];
        f->children[j] = op;
        if (op->kind == RP_OP_OPEN)
            op = &ops[op->leaf];
    }
    o->out[o->n++] = *open;
    return true;
}

static void leave(order *o, const frame *f)
{
    o->out[f->open].leaf = o->n;
    o->out[o->n++] = (rp__op){RP_OP_CLOSE, o->out[f->open].role, f->open};
}

const rp__op *rp__op_order(const rp__query *query, rp__arena *arena)
{
    order o = {.query = query, .arena = arena};
    o.frames = rp__arena_array(arena, (size_t)query->depth + 1, sizeof *o.frames);
    o.sizes = rp__arena_array(arena, query->n_ops, sizeof *o.sizes);
    o.out = rp__arena_array(arena, query->n_ops, sizeof *o.out);
    if (!o.frames || !o.sizes || !o.out)
        return NULL;
    find_sizes(&o);
    frame *f = o.frames;
    if (!enter(&o, f, &query->ops[0]))
        return NULL;
    for (;;) {
        if (f->next < f->n) {
            const rp__op *child = f->children[f->next++];
            if (child->kind != RP_OP_OPEN)
                o.out[o.n++] = *child;
            else if (!enter(&o, ++f, child))
                return NULL;
            continue;
        }
        leave(&o, f);
        if (f == o.frames)
            return o.out;
        f--;
    }
}
