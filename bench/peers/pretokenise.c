/* pretokenise.c: JSON lines to a token file that every engine reads alike.
 * In: lines on standard input, each a flat object with "id", "title" and "text". Out: a line for
 * each, "id<TAB>token token ...", a token being a run of [A-Za-z0-9] in title and text, lower-cased
 * and cut at 255 bytes as all engines here do. Counts go to standard error.
 * The point is equal work: on such text a white-space splitter, FTS5's ascii tokenizer and UAX #29
 * word breaks give the same tokens. Not a JSON validator: a line it cannot follow ends the run. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_MAX = 255 };

typedef struct writer {
    char *line; /* the tokens of one document; room for as many bytes as its source has */
    size_t n;
    size_t run; /* bytes of the token being written; 0: between tokens */
    uint64_t docs, tokens;
} writer;

static void put(writer *w, unsigned c)
{
    bool upper = c >= 'A' && c <= 'Z';
    if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
        w->run = 0;
        return;
    }
    if (w->run >= TOKEN_MAX)
        return;
    if (w->run++ == 0) {
        w->tokens++;
        if (w->n > 0)
            w->line[w->n++] = ' ';
    }
    w->line[w->n++] = (char)(upper ? c + ('a' - 'A') : c);
}

/* The escape whose letter is at p[0]: its character into `c`; returns its last byte, or NULL. Only
 * \u can stand for a letter or a digit. */
static const char *escape(const char *p, unsigned *c)
{
    if (*p != 'u') {
        *c = ' ';
        return *p == '\0' ? NULL : p;
    }
    char digits[5] = {0};
    for (size_t i = 0; i < 4; i++)
        if ((digits[i] = *++p) == '\0')
            return NULL;
    *c = (unsigned)strtoul(digits, NULL, 16);
    return p;
}

/* The string that opens at p[0]; returns what follows its closing quote, or NULL. Its characters go
 * to `w` if there is one. */
static const char *string(const char *p, writer *w)
{
    for (p++; *p != '"'; p++) {
        unsigned c = (unsigned char)*p;
        if (c == '\0' || (c == '\\' && !(p = escape(p + 1, &c))))
            return NULL;
        if (w)
            put(w, c);
    }
    if (w)
        w->run = 0;
    return p + 1;
}

static const char *skip(const char *p, const char *set)
{
    return p ? p + strspn(p, set) : NULL;
}

static bool is_key(const char *p, const char *end, const char *name)
{
    size_t n = strlen(name);
    return (size_t)(end - p) == n + 2 && memcmp(p + 1, name, n) == 0;
}

/* One line. `id` gets the id, which has no escapes in the collections used. */
static bool document(const char *p, writer *w, const char **id, size_t *id_bytes)
{
    p = skip(p, " {");
    while (*p == '"') {
        const char *key = p, *key_end = string(p, NULL);
        p = skip(key_end, " :");
        if (!p || *p != '"')
            return false;
        const char *value = p;
        bool is_text = is_key(key, key_end, "title") || is_key(key, key_end, "text");
        if (!(p = string(p, is_text ? w : NULL)))
            return false;
        if (is_key(key, key_end, "id")) {
            *id = value + 1;
            *id_bytes = (size_t)(p - value) - 2;
        }
        p = skip(p, " ,");
    }
    return *p == '}' && *id_bytes > 0;
}

int main(void)
{
    static char out[1 << 20];
    setvbuf(stdout, out, _IOFBF, sizeof out);
    char *line = NULL;
    size_t cap = 0, line_cap = 0;
    writer w = {0};
    ssize_t got;
    while ((got = getline(&line, &cap, stdin)) > 0) {
        const char *id = NULL;
        size_t id_bytes = 0;
        if (line_cap < cap && !(w.line = realloc(w.line, line_cap = cap)))
            return fputs("pretokenise: no memory\n", stderr), 1;
        w.n = w.run = 0;
        if (!document(line, &w, &id, &id_bytes)) {
            fprintf(stderr, "pretokenise: line %llu: not a flat object with an id\n",
                    (unsigned long long)w.docs + 1);
            return 1;
        }
        w.docs++;
        fwrite(id, 1, id_bytes, stdout);
        putchar('\t');
        fwrite(w.line, 1, w.n, stdout);
        putchar('\n');
    }
    fprintf(stderr, "docs=%llu tokens=%llu\n", (unsigned long long)w.docs,
            (unsigned long long)w.tokens);
    free(line);
    free(w.line);
    return fflush(stdout) != 0 || ferror(stdin) ? 1 : 0;
}
