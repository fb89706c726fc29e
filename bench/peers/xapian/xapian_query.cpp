// xapian_query.cpp: Xapian as a peer of the searcher: queries in, nanoseconds and match totals out.
// Usage: xapian_query DIR QUERIES WARM ROUNDS OPERATION...; arguments and output are those of
// lucene/QueryPeer.java.
// Ranked: BM25 with k1 1.2 and b 0.75, only as many documents checked as the K best need. Counted: no
// weights, every match checked, and the total refused unless Xapian says that it is exact.

#include <time.h>
#include <xapian.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Operation {
    std::string name;
    Xapian::Query::op op;
    Xapian::doccount k; // 0: count
    std::vector<long long> best, totals;
};

struct Topic {
    std::string qid;
    std::vector<std::string> words;
};

static long long now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static std::vector<Topic> read(const char *path)
{
    std::ifstream in(path);
    std::vector<Topic> topics;
    std::string line, word;
    while (std::getline(in, line)) {
        size_t tab = line.find('\t');
        Topic topic{line.substr(0, tab), {}};
        std::istringstream words(line.substr(tab + 1));
        while (words >> word)
            topic.words.push_back(word);
        topics.push_back(topic);
    }
    return topics;
}

static Operation parse(const std::string &name, size_t n)
{
    size_t colon = name.find(':');
    std::string kind = name.substr(0, colon), k = name.substr(colon + 1);
    Xapian::Query::op op = kind == "and"      ? Xapian::Query::OP_AND
                           : kind == "phrase" ? Xapian::Query::OP_PHRASE
                                              : Xapian::Query::OP_OR;
    Xapian::doccount most = k == "count" ? 0 : static_cast<Xapian::doccount>(atoi(k.c_str()));
    return {name, op, most, std::vector<long long>(n, LLONG_MAX), std::vector<long long>(n, -1)};
}

static long long total(Xapian::Enquire &enquire, const Operation &o, const Topic &topic,
                       Xapian::doccount docs)
{
    Xapian::termcount window = static_cast<Xapian::termcount>(topic.words.size());
    enquire.set_query(Xapian::Query(o.op, topic.words.begin(), topic.words.end(),
                                    o.op == Xapian::Query::OP_PHRASE ? window : 0));
    if (o.k > 0)
        return enquire.get_mset(0, o.k).size() > o.k ? 0 : -1;
    Xapian::MSet set = enquire.get_mset(0, 0, docs);
    if (set.get_matches_lower_bound() != set.get_matches_upper_bound())
        throw Xapian::InternalError("the total of " + topic.qid + " is not exact");
    return set.get_matches_lower_bound();
}

static void pass(Xapian::Database &db, Operation &o, const std::vector<Topic> &topics, size_t first,
                 bool counts)
{
    Xapian::Enquire enquire(db);
    if (o.k > 0)
        enquire.set_weighting_scheme(Xapian::BM25Weight(1.2, 0, 1, 0.75, 0.5));
    else
        enquire.set_weighting_scheme(Xapian::BoolWeight());
    for (size_t j = 0; j < topics.size(); j++) {
        size_t i = (first + j) % topics.size();
        long long begin = now(CLOCK_THREAD_CPUTIME_ID);
        o.totals[i] = total(enquire, o, topics[i], db.get_doccount());
        long long ns = now(CLOCK_THREAD_CPUTIME_ID) - begin;
        if (counts && ns < o.best[i])
            o.best[i] = ns;
    }
}

static void measure(const char *dir, std::vector<Operation> &operations,
                    const std::vector<Topic> &topics, double warm, size_t rounds)
{
    Xapian::Database db(dir);
    long long end = now(CLOCK_THREAD_CPUTIME_ID) + static_cast<long long>(warm * 1e9) *
                                               static_cast<long long>(operations.size());
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (Operation &o : operations)
            pass(db, o, topics, 0, false);
    for (size_t round = 0; round < rounds; round++)
        for (Operation &o : operations)
            pass(db, o, topics, round * topics.size() / rounds, true);
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return std::cerr << "usage: xapian_query DIR QUERIES WARM ROUNDS OPERATION...\n", 2;
    std::vector<Topic> topics = read(argv[2]);
    std::vector<Operation> operations;
    for (int i = 5; i < argc; i++)
        operations.push_back(parse(argv[i], topics.size()));
    try {
        measure(argv[1], operations, topics, atof(argv[3]), static_cast<size_t>(atoi(argv[4])));
    } catch (const Xapian::Error &e) {
        return std::cerr << "xapian_query: " << e.get_description() << "\n", 1;
    }
    for (const Operation &o : operations)
        for (size_t i = 0; i < topics.size(); i++)
            std::cout << o.name << '\t' << topics[i].qid << '\t' << o.best[i] << '\t' << o.totals[i]
                      << '\n';
    return std::cout.flush() ? 0 : 1;
}
