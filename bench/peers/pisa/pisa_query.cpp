// pisa_query.cpp: PISA as a peer of the searcher: queries in, nanoseconds and match totals out.
// Usage: pisa_query DIR QUERIES WARM ROUNDS OPERATION...; arguments and output are those of
// lucene/QueryPeer.java; DIR is what pisa_index made.
// A ranked operation is answered by every algorithm that PISA has for it, with BM25 of k1 1.2 and b 0.75; the lines
// are those of the algorithm with the least mean, which standard error names. A query's time has the look-up of its
// terms in PISA's lexicon. A word that is not there leaves an AND without hits, and an OR with the other words.

#include <pisa/cursor/block_max_scored_cursor.hpp>
#include <pisa/cursor/cursor.hpp>
#include <pisa/cursor/max_scored_cursor.hpp>
#include <pisa/cursor/scored_cursor.hpp>
#include <pisa/index_types.hpp>
#include <pisa/query/algorithm/and_query.hpp>
#include <pisa/query/algorithm/block_max_maxscore_query.hpp>
#include <pisa/query/algorithm/block_max_ranked_and_query.hpp>
#include <pisa/query/algorithm/block_max_wand_query.hpp>
#include <pisa/query/algorithm/maxscore_query.hpp>
#include <pisa/query/algorithm/or_query.hpp>
#include <pisa/query/algorithm/ranked_and_query.hpp>
#include <pisa/query/algorithm/wand_query.hpp>
#include <pisa/scorer/scorer.hpp>
#include <pisa/term_map.hpp>
#include <pisa/topk_queue.hpp>
#include <pisa/wand_data.hpp>
#include <time.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using Bounds = pisa::wand_data<pisa::wand_data_raw>;

struct Engine {
    pisa::BlockInvertedIndex index;
    Bounds bounds;
    pisa::LexiconMap lexicon;
    std::unique_ptr<pisa::WandIndexScorer<Bounds>> scorer;

    explicit Engine(const std::string &dir)
        : index(pisa::MemorySource::mapped_file(dir + "/postings"),
                pisa::get_block_codec("block_simdbp")),
          bounds(pisa::MemorySource::mapped_file(dir + "/bounds")), lexicon(dir + "/lexicon")
    {
        ScorerParams bm25("bm25");
        bm25.bm25_k1 = 1.2F;
        bm25.bm25_b = 0.75F;
        scorer = pisa::scorer::from_params(bm25, bounds);
    }
    uint32_t docs() const { return static_cast<uint32_t>(index.num_docs()); }
};

// What an algorithm answers with: the number of hits of a count, -1 where only the best are known.
using Algorithm = std::function<long long(const Engine &, const pisa::Query &, size_t k)>;

struct Row {
    const char *operation, *name;
    Algorithm run;
};

static auto scored(const Engine &e, const pisa::Query &q)
{
    return pisa::make_scored_cursors(e.index, *e.scorer, q);
}
static auto bounded(const Engine &e, const pisa::Query &q)
{
    return pisa::make_max_scored_cursors(e.index, e.bounds, *e.scorer, q);
}
static auto block_bounded(const Engine &e, const pisa::Query &q)
{
    return pisa::make_block_max_scored_cursors(e.index, e.bounds, *e.scorer, q);
}

template <typename Method, typename Cursors> static Algorithm ranked(Cursors cursors)
{
    return [cursors](const Engine &e, const pisa::Query &q, size_t k) {
        pisa::topk_queue best(k);
        Method method(best);
        method(cursors(e, q), e.docs());
        best.finalize();
        return best.topk().size() > k ? 0LL : -1LL;
    };
}

static const std::vector<Row> &rows()
{
    static const std::vector<Row> all = {
        {"and", "ranked_and", ranked<pisa::ranked_and_query>(scored)},
        {"and", "block_max_ranked_and", ranked<pisa::block_max_ranked_and_query>(block_bounded)},
        {"or", "wand", ranked<pisa::wand_query>(bounded)},
        {"or", "maxscore", ranked<pisa::maxscore_query>(bounded)},
        {"or", "block_max_wand", ranked<pisa::block_max_wand_query>(block_bounded)},
        {"or", "block_max_maxscore", ranked<pisa::block_max_maxscore_query>(block_bounded)},
        {"and:count", "and",
         [](const Engine &e, const pisa::Query &q, size_t) {
             return static_cast<long long>(
                 pisa::and_query()(pisa::make_cursors(e.index, q), e.docs()).size());
         }},
        {"or:count", "or",
         [](const Engine &e, const pisa::Query &q, size_t) {
             return static_cast<long long>(
                 pisa::or_query<false>()(pisa::make_cursors(e.index, q), e.docs()));
         }},
    };
    return all;
}

struct Topic {
    std::string qid;
    std::vector<std::string> words;
};

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

static long long now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

struct Times {
    std::vector<long long> best, totals;
    double mean() const
    {
        return std::accumulate(best.begin(), best.end(), 0.0) / static_cast<double>(best.size());
    }
};

static long long answer(const Engine &engine, const Row &row, bool all_words, const Topic &topic,
                        size_t k)
{
    std::vector<uint32_t> terms;
    for (const std::string &word : topic.words) {
        if (auto term = engine.lexicon.find(word))
            terms.push_back(*term);
        else if (all_words)
            return k > 0 ? -1 : 0;
    }
    if (terms.empty())
        return k > 0 ? -1 : 0;
    return row.run(engine, pisa::Query({}, terms.begin(), terms.end()), k);
}

static void pass(const Engine &engine, const Row &row, size_t k, const std::vector<Topic> &topics,
                 size_t first, Times &times, bool counts)
{
    bool all_words = row.operation[0] == 'a';
    for (size_t j = 0; j < topics.size(); j++) {
        size_t i = (first + j) % topics.size();
        long long begin = now(CLOCK_THREAD_CPUTIME_ID);
        times.totals[i] = answer(engine, row, all_words, topics[i], k);
        long long ns = now(CLOCK_THREAD_CPUTIME_ID) - begin;
        if (counts && ns < times.best[i])
            times.best[i] = ns;
    }
}

static Times measure(const Engine &engine, const Row &row, size_t k,
                     const std::vector<Topic> &topics, double warm, size_t rounds)
{
    Times times{std::vector<long long>(topics.size(), LLONG_MAX),
                std::vector<long long>(topics.size(), -1)};
    long long end = now(CLOCK_THREAD_CPUTIME_ID) + static_cast<long long>(warm * 1e9);
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        pass(engine, row, k, topics, 0, times, false);
    for (size_t round = 0; round < rounds; round++)
        pass(engine, row, k, topics, round * topics.size() / rounds, times, true);
    return times;
}

static void operation(const Engine &engine, const std::string &name,
                      const std::vector<Topic> &topics, double warm, size_t rounds)
{
    size_t colon = name.find(':');
    std::string k = name.substr(colon + 1), kind = k == "count" ? name : name.substr(0, colon);
    size_t hits = k == "count" ? 0 : static_cast<size_t>(atoi(k.c_str()));
    const Row *row = nullptr;
    Times best;
    for (const Row &r : rows()) {
        if (kind != r.operation)
            continue;
        Times times = measure(engine, r, hits, topics, warm, rounds);
        std::cerr << "pisa: " << name << " by " << r.name << ": mean " << times.mean() / 1000
                  << " us\n";
        if (!row || times.mean() < best.mean())
            row = &r, best = times;
    }
    for (size_t i = 0; row && i < topics.size(); i++)
        std::cout << name << '\t' << topics[i].qid << '\t' << best.best[i] << '\t' << best.totals[i]
                  << '\n';
}

int main(int argc, char **argv)
{
    if (argc < 6)
        return std::cerr << "usage: pisa_query DIR QUERIES WARM ROUNDS OPERATION...\n", 2;
    std::vector<Topic> topics = read(argv[2]);
    try {
        Engine engine(argv[1]);
        for (int i = 5; i < argc; i++)
            operation(engine, argv[i], topics, atof(argv[3]), static_cast<size_t>(atoi(argv[4])));
    } catch (const std::exception &e) {
        return std::cerr << "pisa_query: " << e.what() << "\n", 1;
    }
    return std::cout.flush() ? 0 : 1;
}
