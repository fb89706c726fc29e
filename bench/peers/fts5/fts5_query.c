/* fts5_query.c: SQLite FTS5 as a peer of the searcher: queries in, nanoseconds and match totals out.
 * Usage: fts5_query DB QUERIES WARM ROUNDS OPERATION...; arguments and output are those of
 * lucene/QueryPeer.java.
 * Ranked: ORDER BY rank LIMIT K, which is BM25 with k1 1.2 and b 0.75. Kindest settings: statements are
 * prepared once, the whole file is mapped, 1 GiB of page cache. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MATCH_BYTES = 4096 };

typedef struct topic {
    char *qid, *words; /* one allocation */
} topic;

typedef struct topics {
    topic *at;
    size_t n, cap;
} topics;

typedef struct operation {
    const char *name;
    char kind; /* 'a'nd, 'o'r, 'p'hrase */
    bool is_count;
    sqlite3_stmt *statement;
    int64_t *best, *totals;
} operation;

static int64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool read_topics(const char *path, topics *out)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t got;
    FILE *in = fopen(path, "r");
    while (in && (got = getline(&line, &cap, in)) > 0) {
        if (out->n == out->cap) {
            out->cap = out->cap * 2 + 1024;
            out->at = realloc(out->at, out->cap * sizeof *out->at);
        }
        char *copy = out->at ? strdup(line) : NULL;
        char *tab = copy ? strchr(copy, '\t') : NULL;
        if (!tab)
            return false;
        *tab = 0;
        tab[strcspn(tab + 1, "\n") + 1] = 0;
        out->at[out->n++] = (topic){copy, tab + 1};
    }
    free(line);
    if (in)
        fclose(in);
    return out->n > 0;
}

/* Words to a MATCH expression: "a" "b", "a" OR "b", or "a b". */
static void match_of(char kind, const char *words, char out[MATCH_BYTES])
{
    size_t n = 0;
    const char *between = kind == 'p' ? " " : kind == 'o' ? "\" OR \"" : "\" \"";
    out[n++] = '"';
    for (; *words && n + 16 < MATCH_BYTES; words++) {
        if (*words == ' ')
            for (const char *p = between; *p; p++)
                out[n++] = *p;
        else
            out[n++] = *words;
    }
    out[n++] = '"';
    out[n] = 0;
}

static bool prepare(sqlite3 *db, operation *o, const char *name, size_t n)
{
    char sql[128] = "SELECT count(*) FROM t WHERE t MATCH ?";
    const char *k = strchr(name, ':');
    *o = (operation){.name = name, .kind = name[0]};
    o->is_count = k && strcmp(k, ":count") == 0;
    o->best = malloc(n * sizeof *o->best);
    o->totals = malloc(n * sizeof *o->totals);
    if (!k || !o->best || !o->totals)
        return false;
    for (size_t i = 0; i < n; i++)
        o->best[i] = INT64_MAX;
    if (!o->is_count)
        snprintf(sql, sizeof sql,
                 "SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank LIMIT %d", atoi(k + 1));
    return sqlite3_prepare_v2(db, sql, -1, &o->statement, NULL) == SQLITE_OK;
}

/* The total of a count; -1: there were hits instead; -2: it failed. */
static int64_t ask(const operation *o, const char *words)
{
    char match[MATCH_BYTES];
    int64_t total = -1;
    int got;
    match_of(o->kind, words, match);
    sqlite3_bind_text(o->statement, 1, match, -1, SQLITE_STATIC);
    while ((got = sqlite3_step(o->statement)) == SQLITE_ROW)
        if (o->is_count)
            total = sqlite3_column_int64(o->statement, 0);
    return sqlite3_reset(o->statement) == SQLITE_OK && got == SQLITE_DONE ? total : -2;
}

static bool pass(operation *o, const topics *t, size_t first, bool counts)
{
    for (size_t j = 0; j < t->n; j++) {
        size_t i = (first + j) % t->n;
        int64_t begin = now(CLOCK_THREAD_CPUTIME_ID);
        o->totals[i] = ask(o, t->at[i].words);
        int64_t ns = now(CLOCK_THREAD_CPUTIME_ID) - begin;
        if (o->totals[i] < -1)
            return false;
        if (counts && ns < o->best[i])
            o->best[i] = ns;
    }
    return true;
}

static bool measure(operation *o, size_t n, const topics *t, double warm, size_t rounds)
{
    int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(warm * 1e9 * (double)n);
    bool ok = true;
    while (ok && now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (size_t i = 0; i < n; i++)
            ok = ok && pass(&o[i], t, 0, false);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < n; i++)
            ok = ok && pass(&o[i], t, round * t->n / rounds, true);
    return ok;
}

int main(int argc, char **argv)
{
    topics t = {0};
    sqlite3 *db = NULL;
    operation operations[16];
    size_t n = 0;
    if (argc < 6 || argc > 5 + 16)
        return fputs("usage: fts5_query DB QUERIES WARM ROUNDS OPERATION...\n", stderr), 2;
    if (!read_topics(argv[2], &t))
        return fprintf(stderr, "fts5_query: %s: no queries\n", argv[2]), 1;
    bool ok = sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
              sqlite3_exec(db, "PRAGMA mmap_size=4294967296", NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(db, "PRAGMA cache_size=-1048576", NULL, NULL, NULL) == SQLITE_OK;
    for (; ok && n < (size_t)argc - 5; n++)
        ok = prepare(db, &operations[n], argv[5 + n], t.n);
    ok = ok && measure(operations, n, &t, atof(argv[3]), (size_t)atoi(argv[4]));
    if (!ok)
        return fprintf(stderr, "fts5_query: %s: %s\n", argv[1], sqlite3_errmsg(db)), 1;
    for (size_t o = 0; o < n; o++)
        for (size_t i = 0; i < t.n; i++)
            printf("%s\t%s\t%lld\t%lld\n", operations[o].name, t.at[i].qid,
                   (long long)operations[o].best[i], (long long)operations[o].totals[i]);
    return fflush(stdout) != 0;
}
