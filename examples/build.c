/* build.c: builds an index from documents in memory: here, the lines of standard input.
 *   cc build.c $(pkg-config --cflags --libs riposte) -o build && ./build my.rip < lines.txt */
#include <stdio.h>
#include <string.h>

#include <riposte/riposte.h>

int main(int argc, char **argv)
{
    rp_builder *builder = NULL;
    rp_build_options options = {.stem = "english"};
    rp_build_stats stats = {0};
    rp_error err = {0};
    char line[4096], id[32];
    if (argc != 2) {
        fprintf(stderr, "usage: build DIR < LINES\n");
        return 2;
    }
    rp_status status = rp_builder_new(argv[1], &options, &builder, &err);
    for (int n = 1; status == RP_OK && fgets(line, sizeof line, stdin); n++) {
        int id_bytes = snprintf(id, sizeof id, "line %d", n);
        status = rp_builder_add(builder, id, (size_t)id_bytes, "", 0, line, strlen(line), &err);
    }
    if (status == RP_OK)
        status = rp_builder_finish(builder, &stats, &err);
    if (status == RP_OK)
        printf("%llu documents, %llu terms\n", (unsigned long long)stats.docs,
               (unsigned long long)stats.terms);
    else
        fprintf(stderr, "build: %s\n", err.text);
    rp_builder_free(builder);
    return rp_status_exit(status);
}
