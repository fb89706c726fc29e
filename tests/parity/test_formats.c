/* test_formats.c: the same documents in every format that can hold them are the same documents; and every
 * format is read in little memory, however large the file. */
#include "unit/engine/collect.h"

#include "riposte/riposte.h"

enum { DOCS = 300 };

typedef struct sample {
    char title[DOCS][24], text[DOCS][64];
} sample;

static void draw(char *out, size_t cap)
{
    static const char *const pieces[] = {"a",  "fox ", "\"", ",", "\xC3\xA9", "\xE2\x82\xAC",
                                         "<b", "&",    "x"};
    size_t n = 0, pick = (size_t)rand() % 12;
    strcpy(out, "t");
    for (size_t i = 0; i < pick && n + 8 < cap; i++) {
        strcat(out, pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)]);
        n = strlen(out);
    }
    strcat(out, "."); /* blanks at an end, or two together, are not kept by all formats */
}

/* `quote` is put before every quote. */
static void put_quoted(FILE *f, const char *text, char quote)
{
    for (; *text; text++) {
        if (*text == '"')
            putc(quote, f);
        putc(*text, f);
    }
}

static void put_escaped(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", f);
        else if (*text == '&')
            fputs("&amp;", f);
        else
            putc(*text, f);
}

static void put_json(FILE *f, const sample *s, int i, const char *blank)
{
    fprintf(f, "{%s\"id\":%s%d,\"title\":\"", blank, blank, i);
    put_quoted(f, s->title[i], '\\');
    fprintf(f, "\",%s\"text\":[\"", blank);
    put_quoted(f, s->text[i], '\\');
    fprintf(f, "\"]%s}", blank);
}

static void put_csv(FILE *f, const sample *s, int i)
{
    fprintf(f, "%d,\"", i);
    put_quoted(f, s->title[i], '"');
    fputs("\",\"", f);
    put_quoted(f, s->text[i], '"');
    fputs("\"\r\n", f);
}

static void put_trec(FILE *f, const sample *s, int i)
{
    fprintf(f, "<DOC><DOCNO>%d</DOCNO><TITLE>", i);
    put_escaped(f, s->title[i]);
    fputs("</TITLE>", f);
    put_escaped(f, s->text[i]);
    fputs("</DOC>\n", f);
}

static void put_mail(FILE *f, const sample *s, int i)
{
    fprintf(f, "From a@b Mon Jan  1 10:00:00 2024\nMessage-ID: <%d>\nSubject: %s\n\n%s\n\n", i,
            s->title[i], s->text[i]);
}

static void write_form(const char *path, const sample *s, int form)
{
    FILE *f = fopen(path, "w");
    fputs(form == 1   ? "["
          : form == 3 ? "id,title,text\r\n"
          : form == 4 ? "id\ttitle\ttext\n"
                      : "",
          f);
    for (int i = 0; i < DOCS; i++) {
        if (form <= 2)
            put_json(f, s, i, form == 0 ? "" : "\n ");
        if (form <= 2)
            fputs(form == 1 && i + 1 < DOCS ? "," : form == 2 ? " " : "\n", f);
        if (form == 3)
            put_csv(f, s, i);
        if (form == 4)
            fprintf(f, "%d\t%s\t%s\n", i, s->title[i], s->text[i]);
        if (form == 5)
            put_trec(f, s, i);
        if (form == 6)
            put_mail(f, s, i);
    }
    fputs(form == 1 ? "]" : "", f);
    fclose(f);
}

static void test_same_documents(void **state)
{
    tempdir *t = *state;
    static const char *const names[] = {"a.jsonl", "b.json", "c.json", "d.csv",
                                        "e.tsv",   "f.trec", "g.mbox"};
    static sample s;
    rp__buf first, other;
    rp_error err;
    srand(18);
    for (int i = 0; i < DOCS; i++) {
        draw(s.title[i], sizeof s.title[i]);
        draw(s.text[i], sizeof s.text[i]);
    }
    rp__buf_init(&first);
    for (int form = 0; form < 7; form++) {
        const char *path = tempdir_path(t, names[form]);
        write_form(path, &s, form);
        rp__buf_init(&other);
        rp_status status = collect(&path, 1, NULL, form ? &other : &first, &err);
        if (status != RP_OK)
            fail_msg("%s: %s", names[form], err.text);
        if (form > 0 && (first.n != other.n || memcmp(first.at, other.at, first.n) != 0)) {
            size_t i = 0;
            while (i < first.n && i < other.n && first.at[i] == other.at[i])
                i++;
            fail_msg("%s: %.*s, not %.*s", names[form], 40, other.at + (i > 20 ? i - 20 : 0), 40,
                     first.at + (i > 20 ? i - 20 : 0));
        }
        rp__buf_free(&other);
    }
    rp__buf_free(&first);
}

/* Files of several times the budget. */
static void test_little_memory(void **state)
{
    tempdir *t = *state;
    static const char *const names[] = {"a.jsonl", "b.json", "c.json", "d.csv",
                                        "e.tsv",   "f.trec", "g.mbox"};
    static const char *const forms[] = {"{\"text\":\"%s\"}\n",
                                        "{\n\"text\":\"%s\"},",
                                        "{\n\"text\":\"%s\"}",
                                        "%s\n",
                                        "1\t%s\n",
                                        "<DOC>%s</DOC>",
                                        "From a Mon 10:00:00\nSubject: x\n\n%s\n\n"};
    char words[2000], index[300];
    rp_error err;
    for (size_t i = 0; i < sizeof words - 1; i++)
        words[i] = i % 7 == 6 ? ' ' : (char)('a' + i % 26);
    words[sizeof words - 1] = 0;
    snprintf(index, sizeof index, "%s/ix", t->path);
    for (size_t form = 0; form < sizeof names / sizeof *names; form++) {
        FILE *f = fopen(tempdir_path(t, names[form]), "w");
        for (int i = 0; i < 10000; i++)
            fprintf(f, forms[form], words);
        fclose(f);
        const char *path = tempdir_path(t, names[form]);
        rp_build_stats stats;
        rp_build_options o = {.memory = 16 << 20, .ids = "number"};
        if (rp_index_build(&path, 1, index, &o, &stats, &err) != RP_OK)
            fail_msg("%s: %s", names[form], err.text);
        assert_int_equal(stats.docs, 10000);
        assert_true(stats.memory_peak <= 16 << 20);
        remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_documents, collect_make, collect_clean),
        cmocka_unit_test_setup_teardown(test_little_memory, collect_make, collect_clean),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
