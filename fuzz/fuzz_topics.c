/* fuzz_topics.c: any bytes as a file of topics, in the form they seem to have and in every other.
 *
 * Checked: the file ends; a topic has an id of one word, and a query as long as it says; a fault has a
 * text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "riposte/topics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_topics.c: %s\n", what);
    abort();
}

static void read_all(const char *path, const char *format, size_t size)
{
    rp_topics *topics = NULL;
    rp_topic topic;
    rp_error err = {0};
    bool has = true;
    rp_status s = rp_topics_open(path, format, &topics, &err);
    must(s == RP_OK || (err.text[0] && !topics), "a file is refused without a word");
    for (size_t n = 0; s == RP_OK && has; n++) {
        must(n <= size + 1, "it does not end");
        err.text[0] = 0;
        rp_status one = rp_topics_next(topics, &topic, &has, &err);
        must(one == RP_OK || (one == RP_INPUT && err.text[0]), "a topic is refused without a word");
        if (one != RP_OK || !has)
            continue;
        must(*topic.qid && !strpbrk(topic.qid, " \t\n"), "an id is no word");
        must(strlen(topic.query) == topic.query_bytes, "a query has another length");
        must(topic.line >= 1 && topic.line <= size + 1, "a line that there is not");
    }
    rp_topics_close(topics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("topics", 0);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "no memory for a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_all(path, NULL, size);
    for (size_t i = 0; rp_topics_format_name(i); i++)
        read_all(path, rp_topics_format_name(i), size);
    close(fd);
    return 0;
}
