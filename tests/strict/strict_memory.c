/* strict_memory.c: records of words, in pages beside each piece of memory that are touched only where it is written. */
#include "strict/strict_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct piece {
    uintptr_t from, to;
    strict_word *words;
} piece;

static piece *pieces; /* in no order: there are few, and the one found last is looked at first */
static size_t n_pieces, room, last;

static size_t words_bytes(const piece *p)
{
    return (p->to - p->from + 7) / 4 * sizeof(strict_word);
}

static void drop(uintptr_t from)
{
    for (size_t i = 0; i < n_pieces; i++)
        if (pieces[i].from == from) {
            munmap(pieces[i].words, words_bytes(&pieces[i]));
            pieces[i] = pieces[--n_pieces];
            last = 0;
            return;
        }
}

void strict_memory_add(void *at, size_t bytes)
{
    piece new = {.from = (uintptr_t)at, .to = (uintptr_t)at + bytes};
    drop(new.from);
    if (bytes == 0)
        return;
    if (n_pieces == room) {
        room = room ? 2 * room : 16;
        pieces = realloc(pieces, room * sizeof *pieces);
    }
    void *words = mmap(NULL, words_bytes(&new), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!pieces || words == MAP_FAILED)
        abort();
    new.words = words;
    pieces[n_pieces++] = new;
}

strict_word *strict_memory_words(const void *at, size_t bytes, size_t *n)
{
    uintptr_t from = (uintptr_t)at;
    for (size_t k = 0, i = last; k < n_pieces; k++, i = i + 1 < n_pieces ? i + 1 : 0)
        if (from >= pieces[i].from && from < pieces[i].to) {
            size_t first = (from - pieces[i].from) / 4;
            last = i;
            *n = (from - pieces[i].from + bytes + 3) / 4 - first;
            return pieces[i].words + first;
        }
    return NULL;
}
