/* search.c: opens an index and prints the ten best documents for a query.
 *   cc search.c $(pkg-config --cflags --libs riposte) -o search && ./search my.rip "two words" */
#include <stdio.h>

#include <riposte/riposte.h>

int main(int argc, char **argv)
{
    rp_index *index = NULL;
    rp_hits hits = {0};
    rp_error err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: search DIR QUERY\n");
        return 2;
    }
    rp_status status = rp_index_open(argv[1], NULL, &index, &err);
    if (status == RP_OK)
        status = rp_search(index, argv[2], 10, &hits, &err);
    if (status != RP_OK)
        fprintf(stderr, "search: %s\n", err.text);
    for (size_t i = 0; i < hits.n; i++)
        printf("%.4f  %s\n", hits.at[i].score, hits.at[i].name);
    rp_hits_free(&hits);
    rp_index_close(index);
    return rp_status_exit(status);
}
