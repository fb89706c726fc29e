/* fts5_index.c: SQLite FTS5 as a peer of the indexer: token file in, contentless FTS5 table out.
 * Usage: fts5_index TOKENS DB [--optimize] [--hash-mb N] [--count].
 * Equal work: positions and document sizes are kept, no text is; external ids are kept in a plain
 * table. Kindest settings: one transaction, no journal, no sync, 1 GiB of page cache; --hash-mb is
 * the memory that FTS5 gathers terms in before it writes a level-0 segment (its default is 1 MiB).
 * --count reads terms and tokens back after the timing, to show that the work was the same. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct options {
    const char *tokens, *db;
    bool optimize, count;
    int hash_mb; /* 0: as FTS5 has it */
} options;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool run(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK)
        return true;
    fprintf(stderr, "fts5_index: %s: %s\n", sql, why ? why : sqlite3_errmsg(db));
    sqlite3_free(why);
    return false;
}

static bool prepare(sqlite3 *db, const options *o)
{
    char hash[128];
    snprintf(hash, sizeof hash, "INSERT INTO t(t, rank) VALUES('hashsize', %d)", o->hash_mb << 20);
    return run(db, "PRAGMA page_size=65536") && run(db, "PRAGMA journal_mode=OFF") &&
           run(db, "PRAGMA synchronous=OFF") && run(db, "PRAGMA locking_mode=EXCLUSIVE") &&
           run(db, "PRAGMA cache_size=-1048576") &&
           run(db, "CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize='ascii')") &&
           run(db, "CREATE TABLE ids(docid INTEGER PRIMARY KEY, id TEXT)") &&
           (o->hash_mb == 0 || run(db, hash)) && run(db, "BEGIN");
}

static bool insert(sqlite3_stmt *s, sqlite3_int64 docid, const char *text, size_t bytes)
{
    sqlite3_bind_int64(s, 1, docid);
    sqlite3_bind_text(s, 2, text, (int)bytes, SQLITE_STATIC);
    bool done = sqlite3_step(s) == SQLITE_DONE;
    return sqlite3_reset(s) == SQLITE_OK && done;
}

static bool fill(sqlite3 *db, FILE *in, sqlite3_int64 *docs)
{
    sqlite3_stmt *text = NULL, *ids = NULL;
    char *line = NULL;
    size_t cap = 0;
    ssize_t got;
    bool ok =
        sqlite3_prepare_v2(db, "INSERT INTO t(rowid, x) VALUES(?, ?)", -1, &text, NULL) == 0 &&
        sqlite3_prepare_v2(db, "INSERT INTO ids(docid, id) VALUES(?, ?)", -1, &ids, NULL) == 0;
    while (ok && (got = getline(&line, &cap, in)) > 0) {
        const char *tab = memchr(line, '\t', (size_t)got);
        size_t bytes = tab ? (size_t)(line + got - tab) - 2 : 0; /* less the tab and the newline */
        ++*docs;
        ok = tab && insert(text, *docs, tab + 1, bytes) &&
             insert(ids, *docs, line, (size_t)(tab - line));
    }
    if (!ok)
        fprintf(stderr, "fts5_index: document %lld: %s\n", (long long)*docs, sqlite3_errmsg(db));
    sqlite3_finalize(text);
    sqlite3_finalize(ids);
    free(line);
    return ok && !ferror(in);
}

static bool count(sqlite3 *db)
{
    sqlite3_stmt *s = NULL;
    if (!run(db, "CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, t, row)") ||
        sqlite3_prepare_v2(db, "SELECT count(*), sum(doc), sum(cnt) FROM v", -1, &s, NULL) != 0 ||
        sqlite3_step(s) != SQLITE_ROW)
        return false;
    printf("fts5 terms=%lld postings=%lld tokens=%lld\n", (long long)sqlite3_column_int64(s, 0),
           (long long)sqlite3_column_int64(s, 1), (long long)sqlite3_column_int64(s, 2));
    return sqlite3_finalize(s) == SQLITE_OK;
}

static bool parse(int argc, char **argv, options *o)
{
    if (argc < 3)
        return false;
    *o = (options){.tokens = argv[1], .db = argv[2]};
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--optimize") == 0)
            o->optimize = true;
        else if (strcmp(argv[i], "--count") == 0)
            o->count = true;
        else if (strcmp(argv[i], "--hash-mb") == 0 && i + 1 < argc)
            o->hash_mb = atoi(argv[++i]);
        else
            return false;
    }
    return o->hash_mb >= 0 && o->hash_mb < 2048;
}

int main(int argc, char **argv)
{
    options o;
    sqlite3 *db = NULL;
    sqlite3_int64 docs = 0;
    if (!parse(argc, argv, &o))
        return fputs("usage: fts5_index TOKENS DB [--optimize] [--hash-mb N] [--count]\n", stderr),
               2;
    FILE *in = fopen(o.tokens, "r");
    if (!in)
        return perror(o.tokens), 1;
    unlink(o.db);
    double wall = seconds(CLOCK_MONOTONIC);
    bool ok = sqlite3_open(o.db, &db) == SQLITE_OK && prepare(db, &o) && fill(db, in, &docs) &&
              (!o.optimize || run(db, "INSERT INTO t(t) VALUES('optimize')")) && run(db, "COMMIT");
    wall = seconds(CLOCK_MONOTONIC) - wall;
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (ok)
        printf("fts5 %s docs=%lld wall=%.3f cpu=%.3f docs/s wall=%.0f cpu=%.0f\n",
               sqlite3_libversion(), (long long)docs, wall, cpu, (double)docs / wall,
               (double)docs / cpu);
    ok = ok && (!o.count || count(db));
    fclose(in);
    return sqlite3_close(db) == SQLITE_OK && ok ? 0 : 1;
}
