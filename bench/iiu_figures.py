#!/usr/bin/env python3
"""iiu_figures.py: IIU's Table 2 and Figures 14 to 20 on one index, as Markdown tables.

usage: bench/iiu_figures.py INDEX QUERIES -o DIR [--n 20] [--lucene DIR] [--classpath PATH]

INDEX is an index in any codec, QUERIES a log with a query id and a tab before each query. From the log come N
pairs of terms whose lists have 1,000 postings or more, and their N first terms. Everything is simulated by
`riposte sim`; the CPU and Lucene 8 (--lucene: an index that bench/peers/lucene/IndexPeer made) are measured in
CPU time, so that other load changes little. Files that are in DIR are used again.
environment: RIPOSTE  the program (build/riposte)
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys

RIPOSTE = os.environ.get("RIPOSTE", "build/riposte")
CORES = (1, 2, 4, 8)
DLS = ("line", "charge4", "free")
TYPES = ("single", "and", "or")
WATTS = 140.0  # of the host, as the paper has it


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE).stdout.decode()


def read_image(path):
    """Postings, blocks and payload bits of each term."""
    with open(path, "rb") as file:
        data = file.read()
    directory, size, n = struct.unpack_from("<QQQ", data, len(data) - 64)
    names = directory + 16 * n
    lists = {}
    for i in range(n):
        at, name, length = struct.unpack_from("<QII", data, directory + 16 * i)
        postings, blocks = struct.unpack_from("<QI", data, at + 8)
        bits = struct.unpack_from("<Q", data, at + 48)[0]
        lists[data[names + name:names + name + length].decode("utf-8", "replace")] = (postings, blocks, bits)
    return lists


def ratio(lists):
    """8 bytes a posting over what the lists take, metadata and skip values included."""
    stored = sum((bits + 7) // 8 + 12 * blocks for _, blocks, bits in lists.values())
    return 8.0 * sum(p for p, _, _ in lists.values()) / stored


def export(index, out, name, *options):
    path = os.path.join(out, name + ".iiu")
    if not os.path.exists(path):
        run(RIPOSTE, "export", "-q", "iiu", index, "-o", path, *options)
    return path


def choose(lists, log, n, seed=1):
    pairs, seen = [], set()
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            words = "".join(c if c.isalnum() and c.isascii() else " " for c in line.split("\t", 1)[-1].lower()).split()
            if len(words) != 2 or words[0] == words[1] or tuple(words) in seen:
                continue
            seen.add(tuple(words))
            if all(lists.get(word, (0,))[0] >= 1000 for word in words):
                pairs.append(words)
    random.Random(seed).shuffle(pairs)
    return pairs[:n]


def write_queries(path, queries):
    with open(path, "w", encoding="utf-8") as file:
        for i, words in enumerate(queries):
            file.write("q%d\t%s\n" % (i, " ".join(words)))


def sweep(image, queries, mode, out, name, cases):
    """Runs cases, a dict of name to keys, and returns their records by name."""
    listing, result = os.path.join(out, name + ".sweep"), os.path.join(out, name + ".jsonl")
    with open(listing, "w", encoding="utf-8") as file:
        for case, keys in cases.items():
            file.write("%s %s\n" % (case, " ".join(keys)))
    run(RIPOSTE, "sim", "-q", image, queries, "--mode", mode, "--sweep", listing, "-o", result)
    with open(result, encoding="utf-8") as file:
        return {record["name"]: record for record in map(json.loads, file)}


MEMORY = {"ddr4": [], "hbm": ["standard=hbm2", "mai_accept=4", "mai_return=4"]}


def make_cases():
    cases = {}
    for memory, allocation in (("ddr4", "intra"), ("ddr4", "inter"), ("hbm", "inter")):
        for cores in CORES:
            for dl in DLS:
                keys = ["mode=" + allocation, "cores=%d" % cores, "dl=" + dl] + MEMORY[memory]
                cases["%s-%s-%d-%s" % (memory, allocation, cores, dl)] = keys
    return cases


def measure_cpu(index, out, files):
    """Mean microseconds a query by type: the default algorithm (pruning) and the exhaustive one."""
    times = {}
    for kind in TYPES:
        for algorithm in ("auto", "and" if kind == "and" else "windows"):
            path = os.path.join(out, "cpu-%s-%s.tsv" % (kind, algorithm))
            if not os.path.exists(path):
                try:
                    run(RIPOSTE, "bench", "queries", "-q", index, files[kind], "--plain", "--modes",
                        "and" if kind == "and" else "or", "--k", "10", "--rounds", "3", "--algorithms", algorithm,
                        "--per-query", path)
                except subprocess.CalledProcessError:
                    continue
            with open(path, encoding="utf-8") as file:
                ns = [float(line.split("\t")[2]) for line in file]
            if ns:
                times[kind, "auto" if algorithm == "auto" else "flat"] = sum(ns) / len(ns) * 1e-3
    return times


def measure_lucene(args, out, files):
    times = {}
    for kind in TYPES:
        path = os.path.join(out, "lucene-%s.tsv" % kind)
        if not os.path.exists(path):
            text = run("java", "-Xmx2g", "-XX:+UseSerialGC", "-cp", args.classpath, "QueryPeer", args.lucene,
                       files[kind], "4", "3", "%s:10" % ("and" if kind == "and" else "or"))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            ns = [float(line.split("\t")[2]) for line in file if line.count("\t") >= 3]
        times[kind] = sum(ns) / len(ns) * 1e-3
    return times


# ---- Tables ----------------------------------------------------------------------------------------


def table(title, head, rows):
    print("\n### %s\n" % title)
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(x) for x in row) + " |")


def micros(record):
    return record["machine_seconds"] * 1e6 / record["queries"]


def topk(record):
    """The host's part; every configuration has the same results, so the least that was measured counts."""
    return record["topk_least"] * 1e6 / record["queries"]


def bandwidth(record):
    return record["gb_a_second"]


def each(results, memory, allocation, value, form="%.2f"):
    """Rows: type and dl; columns: cores."""
    rows = []
    for kind in TYPES:
        for dl in DLS:
            rows.append([kind, dl] + [form % value(results[kind]["%s-%s-%d-%s" % (memory, allocation, c, dl)])
                                      for c in CORES])
    return rows


def print_table2(lists, sizes):
    table("Table 2: compression ratio (8 bytes a posting over stored bytes)", ["scheme", "ratio"],
          [["IIU, at most 256 postings a block", "%.2f" % ratio(lists)]] + sizes)


def print_figure14(args, out, queries):
    rows = []
    for name, options in (("16", ("--max", "16")), ("64", ("--max", "64")), ("128", ("--max", "128")),
                          ("256", ()), ("512", ("--max", "512")), ("2047", ("--max", "2047")),
                          ("fixed 128", ("--fixed", "128")), ("256, the paper's cost", ("--paper-cost",))):
        stem = "image-" + name.replace(" ", "-").replace(",", "").replace("'", "")
        image = export(args.index, out, stem, *options)
        cases = {dl: ["mode=intra", "cores=8", "dl=" + dl] for dl in DLS}
        records = sweep(image, queries, "single", out, "figure14-" + stem, cases)
        rows.append([name, "%.3f" % ratio(read_image(image))] + ["%.2f" % micros(records[dl]) for dl in DLS])
    table("Figure 14: size of blocks, ratio and microseconds a single-term query (8 cores, intra, no top-k)",
          ["postings a block", "ratio"] + ["dl=" + dl for dl in DLS], rows)


def baseline(kind, cpu, lucene):
    """What gains are over, and its microseconds a query; without Lucene the CPU that scores every document."""
    if lucene:
        return "Lucene 8", lucene.get(kind, 0)
    return "the exhaustive CPU", cpu.get((kind, "flat"), 0)


def print_latency(results, cpu, lucene):
    head = ["type", "dl"] + ["%d cores" % c for c in CORES]
    table("Figure 15: microseconds a query, intra-query, DDR4, machine and the host's measured top 10",
          head, each(results, "ddr4", "intra", lambda r: micros(r) + topk(r)))
    rows = []
    for kind in TYPES:
        row = [kind] + ["%.1f" % cpu[kind, a] if (kind, a) in cpu else "-" for a in ("auto", "flat")]
        row.append("%.1f" % lucene[kind] if kind in lucene else "-")
        for dl in DLS:
            record = results[kind]["ddr4-intra-8-" + dl]
            row.append("%.1fx" % (baseline(kind, cpu, lucene)[1] / (micros(record) + topk(record))))
        rows.append(row)
    table("Figure 15, baselines: microseconds a query on one core, and what 8 cores of IIU gain over "
          + baseline("and", cpu, lucene)[0],
          ["type", "Riposte CPU", "Riposte CPU, exhaustive", "Lucene 8"] + ["gain, dl=" + dl for dl in DLS], rows)


def print_throughput(results):
    head = ["type", "dl"] + ["%d cores" % c for c in CORES]
    table("Figure 16: thousand queries a second, inter-query, DDR4, without top-k", head,
          each(results, "ddr4", "inter", lambda r: 1e3 / micros(r)))
    table("Figure 17: share of the host's top 10 in the time of a query, percent (intra-query, DDR4)", head,
          each(results, "ddr4", "intra", lambda r: 100 * topk(r) / (micros(r) + topk(r)), "%.1f"))
    table("Figure 18: GB a second of DDR4's 76.8, inter-query", head, each(results, "ddr4", "inter", bandwidth))
    table("Figure 19: GB a second of HBM2's 256, inter-query", head, each(results, "hbm", "inter", bandwidth))
    table("Figure 19: speedup of HBM2 over DDR4, inter-query", head,
          [[a[0], a[1]] + ["%.2f" % (float(x) / float(y)) for x, y in zip(b[2:], a[2:])]
           for a, b in zip(each(results, "ddr4", "inter", lambda r: 1e3 / micros(r), "%.6f"),
                           each(results, "hbm", "inter", lambda r: 1e3 / micros(r), "%.6f"))])


def print_energy(results, cpu, lucene):
    rows = []
    for kind in TYPES:
        for dl in DLS:
            r = results[kind]["ddr4-intra-8-" + dl]
            machine = (r["joules"]["machine"] + r["joules"]["memory"]) * 1e6 / r["queries"]
            host = WATTS * topk(r)
            base = WATTS * baseline(kind, cpu, lucene)[1]
            rows.append([kind, dl, "%.2f" % machine, "%.1f" % host, "%.1f" % base,
                         "%.1fx" % (base / (machine + host))])
    table("Figure 20: microjoules a query; hosts at the paper's 140 W times the time (modelled, not measured)",
          ["type", "dl", "IIU and DRAM", "host, top 10", baseline("and", cpu, lucene)[0], "gain"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--lucene")
    parser.add_argument("--classpath", default="")
    args = parser.parse_args()
    out = args.out
    os.makedirs(out, exist_ok=True)
    image = export(args.index, out, "image")
    lists = read_image(image)
    pairs = choose(lists, args.queries, args.n)
    if not pairs:
        sys.exit("no query of the log has two terms with 1,000 postings each")
    files = {kind: os.path.join(out, "pairs.tsv") for kind in ("and", "or")}
    files["single"] = os.path.join(out, "singles.tsv")
    write_queries(files["and"], pairs)
    write_queries(files["single"], [words[:1] for words in pairs])
    shorter = sorted(min(lists[w][0] for w in words) for words in pairs)
    print("%d pairs of terms; postings of the shorter list: %d to %d, of all lists of pairs: %d" % (
        len(pairs), shorter[0], shorter[-1], sum(lists[w][0] for words in pairs for w in words)))
    results = {kind: sweep(image, files[kind], kind, out, kind, make_cases()) for kind in TYPES}
    for records in results.values():
        least = min(record["topk_seconds"] for record in records.values())
        for record in records.values():
            record["topk_least"] = least
    cpu = measure_cpu(args.index, out, files)
    lucene = measure_lucene(args, out, files) if args.lucene else {}
    print_table2(lists, [])
    print_figure14(args, out, files["single"])
    print_latency(results, cpu, lucene)
    print_throughput(results)
    print_energy(results, cpu, lucene)


if __name__ == "__main__":
    main()
