/* codec_peers.cpp: codecs of other libraries beside Riposte's, in one process, on one list, in turn.
 *
 * usage: codec_peers [ROUNDS]      (15 unless told; Riposte's side is lab/lab.h)
 *
 * 1 select: the docid at a rank, at random; 2 next_geq: the first docid not below a target, at random;
 * 3 decode: all docids into an array, prefix sum included. A round runs every contestant once, in an
 * order that turns; time is CPU time of this thread; a sample is about 2 ms after one pass that is not
 * counted. Every pass leaves a sum that must be the one of the plain array, so no work can be left out
 * by a compiler or by a mistake. A ratio is taken within each round; its interval is that of the median
 * by ranks (19 times of 20). Peers whose headers are not there are left out by name.
 * Exit: 0 ran, 1 a sum was wrong or Riposte's side failed. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <time.h>
#include <vector>

extern "C" {
#include "base/random.h"
#include "lab/lab.h"
}

#if __has_include(<sdsl/sd_vector.hpp>)
#include <sdsl/sd_vector.hpp>
#define HAS_SDSL 1
#endif
#if __has_include(<streamvbytedelta.h>)
#include <streamvbyte.h>
#include <streamvbytedelta.h>
#define HAS_STREAMVBYTE 1
#endif
#if __has_include(<roaring/roaring.h>)
#include <roaring/roaring.h>
#define HAS_ROARING 1
#endif

namespace {

const double SAMPLE_NS = 2e6;
const uint32_t STEPS = 1 << 16; /* lookups of a pass */

/* ---- Contestants ----------------------------------------------------------------------------- */

struct contestant {
    std::string name;
    bool is_peer;
    double bits;                     /* a docid, all that the operation needs */
    std::function<uint64_t()> pass;
    uint32_t passes = 1;             /* in a sample */
    std::vector<double> ns = {};     /* a step, by round */
};

struct contest {
    std::string name, data;
    double steps;                    /* of a pass */
    bool is_rate;                    /* shown as steps a nanosecond */
    uint64_t sum;                    /* that every pass must give */
    std::vector<contestant> all = {};
};

[[noreturn]] void fail(const std::string &why)
{
    fprintf(stderr, "codec_peers: %s\n", why.c_str());
    exit(1);
}

double thread_ns()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void run_pass(const contest &c, const contestant &who)
{
    if (who.pass() != c.sum)
        fail(c.name + " on " + c.data + ": " + who.name + " gave another sum than the plain array");
}

double time_passes(const contest &c, const contestant &who, uint32_t passes)
{
    double begin = thread_ns();
    for (uint32_t i = 0; i < passes; i++)
        run_pass(c, who);
    return thread_ns() - begin;
}

void run_contest(contest &c, uint32_t rounds)
{
    for (contestant &who : c.all) {
        run_pass(c, who);
        who.passes = 1 + (uint32_t)(SAMPLE_NS / std::max(1.0, time_passes(c, who, 1)));
    }
    for (uint32_t r = 0; r < rounds; r++)
        for (size_t i = 0; i < c.all.size(); i++) {
            contestant &who = c.all[(i + r) % c.all.size()];
            run_pass(c, who);
            who.ns.push_back(time_passes(c, who, who.passes) / who.passes / c.steps);
        }
}

/* ---- Report ---------------------------------------------------------------------------------- */

struct summary {
    double median, low, high, least;
};

summary sum_up(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    size_t n = v.size();
    double below = ((double)n - 1.96 * std::sqrt((double)n)) / 2;
    size_t k = below > 0 ? (size_t)below : 0;
    double median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
    return {median, v[k], v[n - 1 - k], v[0]};
}

void print_contest(const contest &c)
{
    printf("\n%s on %s\n  %-24s %8s  %10s  %10s\n", c.name.c_str(), c.data.c_str(), "", "bits",
           c.is_rate ? "Gint/s" : "ns", "best");
    for (const contestant &who : c.all) {
        summary s = sum_up(who.ns);
        printf("  %-24s %8.2f  %10.2f  %10.2f\n", who.name.c_str(), who.bits,
               c.is_rate ? 1 / s.median : s.median, c.is_rate ? 1 / s.least : s.least);
    }
    for (const contestant &peer : c.all) {
        if (!peer.is_peer)
            continue;
        for (const contestant &own : c.all) {
            if (own.is_peer)
                continue;
            std::vector<double> ratios;
            for (size_t r = 0; r < own.ns.size(); r++)
                ratios.push_back(peer.ns[r] / own.ns[r]);
            summary s = sum_up(ratios);
            printf("  time of %s / %s: %.2f (%.2f-%.2f)%s\n", peer.name.c_str(), own.name.c_str(),
                   s.median, s.low, s.high,
                   s.low <= 1 && s.high >= 1 ? "; no difference seen" : "");
        }
    }
}

/* ---- Riposte's side -------------------------------------------------------------------------- */

struct own_list {
    rp__lab_list *list = nullptr;
    rp__lab_sizes sizes = {};
    std::string name;

    own_list(const char *codec, const rp__lab_postings &p) : name(std::string("riposte ") + codec)
    {
        rp_error err;
        size_t row;
        rp__lab_row about;
        if (rp__lab_row_find(codec, nullptr, &row, &err) != RP_OK ||
            rp__lab_list_new(row, nullptr, p.docids, nullptr, p.n, &list, &err) != RP_OK)
            fail(err.text);
        rp__lab_row_get(row, &about);
        name += std::string(" ") + about.isa;
        rp__lab_list_get_sizes(list, &sizes);
    }
    own_list(const own_list &) = delete;
    own_list &operator=(const own_list &) = delete;
    ~own_list() { rp__lab_list_free(list); }
    double bits() const { return 8.0 * (double)(sizes.docids + sizes.directory) / sizes.n; }
};

uint64_t must(rp_status status, uint64_t sum)
{
    if (status != RP_OK)
        fail(rp_status_text(status));
    return sum;
}

uint64_t three(const uint32_t *v, uint32_t n)
{
    return (uint64_t)v[0] + v[n / 2] + v[n - 1];
}

/* ---- Contests -------------------------------------------------------------------------------- */

/* What random lookups ask of a list. */
struct questions {
    std::vector<uint32_t> ranks, targets;
    uint64_t sum_at = 0, sum_find = 0;

    explicit questions(const rp__lab_postings &p)
    {
        rp__random random;
        rp__random_init(&random, 42);
        for (uint32_t i = 0; i < STEPS; i++) {
            uint32_t rank = rp__random_below(&random, p.n);
            ranks.push_back(rank);
            sum_at += p.docids[rank];
            rank = rp__random_below(&random, p.n);
            uint32_t gap = rank ? p.docids[rank] - p.docids[rank - 1] : 1;
            targets.push_back(p.docids[rank] - rp__random_below(&random, gap));
            sum_find += p.docids[rank];
        }
    }
};

#ifdef HAS_SDSL
struct sdsl_list {
    sdsl::sd_vector<> vector;
    sdsl::select_support_sd<1> select;
    sdsl::rank_support_sd<1> rank;
    uint32_t n;

    explicit sdsl_list(const std::vector<uint32_t> &docids)
        : vector(docids.begin(), docids.end()), n((uint32_t)docids.size())
    {
        select.set_vector(&vector);
        rank.set_vector(&vector);
    }
    double bits() const { return 8.0 * (double)sdsl::size_in_bytes(vector) / n; }
    uint64_t at(const std::vector<uint32_t> &ranks) const
    {
        uint64_t sum = 0;
        for (uint32_t r : ranks)
            sum += select(r + 1);
        return sum;
    }
    uint64_t find(const std::vector<uint32_t> &targets) const
    {
        uint64_t sum = 0;
        for (uint32_t t : targets) {
            uint64_t before = rank(t); /* docids below t */
            sum += before < n ? select(before + 1) : UINT32_MAX;
        }
        return sum;
    }
};
#endif

void contest_lookups(const char *data, const rp__lab_postings &p, uint32_t rounds)
{
    questions q(p);
    own_list qs("qs", p), ef128("ef128", p);
    contest at = {"select", data, STEPS, false, q.sum_at};
    contest find = {"next_geq", data, STEPS, false, q.sum_find};
#ifdef HAS_SDSL
    sdsl_list sd(std::vector<uint32_t>(p.docids, p.docids + p.n));
    at.all.push_back({"sdsl sd_vector", true, sd.bits(), [&] { return sd.at(q.ranks); }});
    find.all.push_back({"sdsl rank+select", true, sd.bits(), [&] { return sd.find(q.targets); }});
#endif
    for (const own_list *own : {&qs, &ef128}) {
        at.all.push_back({own->name, false, own->bits(), [&q, own] {
                              uint64_t sum = 0;
                              rp_status s = rp__lab_at(own->list, q.ranks.data(), STEPS, &sum);
                              return must(s, sum);
                          }});
        find.all.push_back({own->name, false, own->bits(), [&q, own] {
                                uint64_t sum = 0;
                                rp_status s =
                                    rp__lab_find(own->list, q.targets.data(), STEPS, &sum);
                                return must(s, sum);
                            }});
    }
    for (contest *c : {&at, &find}) {
        run_contest(*c, rounds);
        print_contest(*c);
    }
}

/* Peers of decoding write to `out` and are checked by three of its places, as rp__lab_decode is. */
void add_decode_peers(contest &c, const rp__lab_postings &p, std::vector<uint32_t> &out,
                      std::vector<uint8_t> &bytes)
{
#ifdef HAS_STREAMVBYTE
    bytes.resize(streamvbyte_max_compressedbytes(p.n) + 64);
    double used = (double)streamvbyte_delta_encode(p.docids, p.n, bytes.data(), 0);
    c.all.push_back({"streamvbyte delta", true, 8 * used / p.n, [&p, &out, &bytes] {
                         streamvbyte_delta_decode(bytes.data(), out.data(), p.n, 0);
                         return three(out.data(), p.n);
                     }});
#else
    (void)bytes;
#endif
    c.all.push_back({"memcpy", true, 32, [&p, &out] {
                         memcpy(out.data(), p.docids, p.n * sizeof(uint32_t));
                         __asm__ volatile("" : : "r"(out.data()) : "memory");
                         return three(out.data(), p.n);
                     }});
}

void contest_decode(const char *data, const rp__lab_postings &p, uint32_t rounds)
{
    std::vector<uint32_t> out(p.n + RP_LAB_ROOM);
    std::vector<uint8_t> bytes;
    own_list bp128("bp128", p), vbyte("vbyte", p), ef128("ef128", p);
    contest c = {"decode", data, (double)p.n, true, three(p.docids, p.n)};
    add_decode_peers(c, p, out, bytes);
#ifdef HAS_ROARING
    roaring_bitmap_t *roaring = roaring_bitmap_of_ptr(p.n, p.docids);
    roaring_bitmap_run_optimize(roaring);
    double roaring_bytes = (double)roaring_bitmap_portable_size_in_bytes(roaring);
    c.all.push_back({"CRoaring to_array", true, 8 * roaring_bytes / p.n, [&] {
                         roaring_bitmap_to_uint32_array(roaring, out.data());
                         return three(out.data(), p.n);
                     }});
#endif
    for (const own_list *own : {&bp128, &vbyte, &ef128})
        c.all.push_back({own->name, false, own->bits(), [&out, own] {
                             uint64_t sum = 0;
                             rp_status s = rp__lab_decode(own->list, out.data(), nullptr, &sum);
                             return must(s, sum);
                         }});
    run_contest(c, rounds);
    print_contest(c);
#ifdef HAS_ROARING
    roaring_bitmap_free(roaring);
#endif
}

void say_what_is_left_out()
{
#ifndef HAS_SDSL
    puts("SKIP sdsl: no headers; apt install libsdsl-dev");
#endif
#ifndef HAS_STREAMVBYTE
    puts("SKIP streamvbyte: no headers; apt install libstreamvbyte-dev");
#endif
#ifndef HAS_ROARING
    puts("SKIP CRoaring: no headers; apt install libroaring-dev");
#endif
}

} // namespace

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    if (rounds < 1 || rounds > 10000)
        fail("ROUNDS is a number from 1 to 10000");
    say_what_is_left_out();
    for (const char *data : {"U100K", "U1M"}) {
        rp__lab_set set;
        rp_error err;
        if (rp__lab_set_make(data, 1, &set, &err) != RP_OK)
            fail(err.text);
        if (set.n_lists == 1)
            contest_lookups(data, set.lists[0], (uint32_t)rounds);
        contest_decode(data, set.lists[0], (uint32_t)rounds);
        rp__lab_set_free(&set);
    }
    return 0;
}
