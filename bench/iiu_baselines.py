#!/usr/bin/env python3
"""iiu_baselines.py: what IIU is compared with, on the queries of bench/iiu_figures.py: one core, all cores, a GPU.

usage: bench/iiu_baselines.py INDEX QUERIES -o DIR [--n 24] [--processors cpu,gpu] [--bundle BUNDLE] [--rounds 9]
           [--copies 100]
       bench/iiu_baselines.py --draw-ccnews [the same options]

The pairs of terms and single terms are those that bench/iiu_figures.py chooses from the same index and log. For each
type: microseconds of one query at a time (one thread, all threads for a query, GPU; wall time, the median of the
rounds' means), and of a query in `riposte batch` over the queries many times: COPIES times on one thread, as often for
each of all threads, 100 times as often on the GPU (the best of three runs).
--draw-ccnews draws the collection of bench/results/iiu.md in DIR first. BUNDLE is a folder that `make gpu-bundle`
fills. Everything that is measured goes to DIR/baselines.json too.
environment: RIPOSTE  the program (build/riposte)
"""
import argparse
import json
import os
import subprocess
import sys

import iiu_figures as figures

CCNEWS = ("ccnews", "--docs", "1000000", "--queries", "400")
CORES = os.cpu_count()


def answer(*args):
    """The JSON object that the program prints; None: it failed, and said why."""
    done = subprocess.run((figures.RIPOSTE,) + args + ("-q", "--json"), stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def draw_ccnews(out):
    index = os.path.join(out, "ccnews.rip")
    if not os.path.isdir(index):
        figures.run(figures.RIPOSTE, "synth", "-q", *CCNEWS, "--threads", str(CORES), "-o", index)
    return index, index + ".queries.tsv"


def write_many(path, queries, copies):
    figures.write_queries(path, queries * copies)
    return len(queries) * copies


def alone(args, path, mode):
    """Microseconds of one query at a time, by processor and threads of a query."""
    threads = "1,%d" % CORES if CORES > 1 else "1"
    found = answer("bench", "queries", args.index, path, "--plain", "--modes", mode, "--k", "10", "--no-energy",
                   "--rounds", str(args.rounds), "--processors", args.processors, "--query-threads", threads,
                   "--strict-processor")
    times = {}
    for row in found["operations"] if found else []:
        name = "gpu" if row["processor"] == "gpu" else "cpu-%d" % row["query_threads"]
        mean = row["mean"]
        times[name] = {"mean": mean["median"], "low": mean["low"], "high": mean["high"], "best": mean["best"],
                       "p50": row["p50"]["median"], "on_gpu": row["on_gpu"], "elsewhere": row["elsewhere"]}
    return times


def rate(args, path, mode, processor, threads):
    """Queries a second of a batch: the best of three; reading queries and writing hits are left out."""
    best = None
    for _ in range(3):
        found = answer("batch", args.index, path, "--plain", "--mode", mode, "--k", "10", "--processor", processor,
                       "--threads", str(threads), "-o", os.path.join(args.out, "run.txt"), "--strict-processor")
        if found:
            best = max(best or 0, found["queries"] / found["spent_seconds"]["answering"])
    return best


def rates(args, queries, kind, mode):
    result = {}
    for processor, threads in (("cpu", 1), ("cpu", CORES), ("gpu", CORES)):
        if processor not in args.processors.split(","):
            continue
        name = processor if processor == "gpu" else "cpu-%d" % threads
        path = os.path.join(args.out, "many-%s-%s.tsv" % (kind, name))
        n = write_many(path, queries, args.copies * (threads if processor == "cpu" else 100))
        result[name] = {"queries": n, "rate": rate(args, path, mode, processor, threads)}
    return result


def show(args, results):
    names = ["cpu-1"] + (["cpu-%d" % CORES] if CORES > 1 else []) + (["gpu"] if "gpu" in args.processors else [])
    head = ["type"] + [n + what for what in (", us alone", ", us a query in a batch") for n in names]
    rows = []
    for kind in figures.TYPES:
        one, many = results[kind]["alone"], results[kind]["batch"]
        row = [kind] + ["%.2f" % one[n]["mean"] if n in one else "-" for n in names]
        row += ["%.3f" % (1e6 / many[n]["rate"]) if many.get(n, {}).get("rate") else "-" for n in names]
        rows.append(row)
    figures.table("Baselines on %d pairs: Riposte, %d cores" % (results["pairs"], CORES), head, rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="?")
    parser.add_argument("queries", nargs="?")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--draw-ccnews", action="store_true")
    parser.add_argument("--n", type=int, default=24)
    parser.add_argument("--processors", default="cpu")
    parser.add_argument("--bundle")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--copies", type=int, default=100)
    args = parser.parse_args()
    if not args.draw_ccnews and not args.queries:
        parser.error("INDEX and QUERIES, or --draw-ccnews")
    return args


def main():
    args = parse()
    os.makedirs(args.out, exist_ok=True)
    if args.bundle:
        bundle = os.path.abspath(args.bundle)
        figures.RIPOSTE = os.path.join(bundle, "riposte")
        os.environ["LD_LIBRARY_PATH"] = os.path.join(bundle, "lib")
    if args.draw_ccnews:
        args.index, args.queries = draw_ccnews(args.out)
    lists = figures.read_image(figures.export(args.index, args.out, "image"))
    pairs = figures.choose(lists, args.queries, args.n)
    if not pairs:
        sys.exit("no query of the log has two terms with 1,000 postings each")
    queries = {"and": pairs, "or": pairs, "single": [words[:1] for words in pairs]}
    results = {"pairs": len(pairs), "cores": CORES, "postings": sum(lists[w][0] for words in pairs for w in words)}
    print("%d pairs, %d postings" % (len(pairs), results["postings"]))
    for kind in figures.TYPES:
        path, mode = os.path.join(args.out, "baseline-%s.tsv" % kind), "and" if kind == "and" else "or"
        figures.write_queries(path, queries[kind])
        results[kind] = {"alone": alone(args, path, mode), "batch": rates(args, queries[kind], kind, mode)}
        with open(os.path.join(args.out, "baselines.json"), "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    show(args, results)


if __name__ == "__main__":
    main()
