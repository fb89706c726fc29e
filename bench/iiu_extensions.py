#!/usr/bin/env python3
"""iiu_extensions.py: what each extension of IIU gains on one index, as a Markdown table.

usage: bench/iiu_extensions.py INDEX QUERIES -o DIR [--n 24]

INDEX, QUERIES and the choice of queries are those of iiu_figures.py. Each row has an extension off and on, with all
else the same: 8 cores, one query at a time, DDR4. Cycles are the machine's. "End to end" adds the host's top 10, which
is measured in CPU time: it does not depend on dl, and the least of 9 runs counts. Files that are in DIR are used again.
environment: RIPOSTE  the program (build/riposte)
"""
import argparse
import os
import sys

from iiu_figures import DLS, choose, export, read_image, sweep, table, write_queries

ROUNDS = 3
# image, options of riposte export iiu
IMAGES = {
    "bounds": ["--bounds"],
    "paired": ["--bounds", "--paired"],
    "fixed": ["--bounds", "--fixed", "128"],
    "bp128": ["--bounds", "--bp128"],
}
# name, type of query, image and keys before, image and keys after
EXTENSIONS = tuple(("`topk=%d`" % k, kind, ("bounds", []), ("bounds", ["topk=%d" % k]))
                   for k in (10, 100, 1000) for kind in ("single", "and", "or")) + tuple(
    (name, kind, ("bounds", before), ("bounds", after)) for name, kind, before, after in (
    ("`threshold=on`, with `topk=10`", "single", ["topk=10"], ["topk=10", "threshold=on"]),
    ("`ranges=8`", "or", [], ["ranges=8"]),
    ("`ranges=8`, with `topk=10`", "or", ["topk=10"], ["topk=10", "ranges=8"]),
    ("`bsu_line=on`", "and", [], ["bsu_line=on"]),
    ("`skips=stream`", "and", [], ["skips=stream"]),
    ("`skips=stream`, with `topk=10`", "and", ["topk=10"], ["topk=10", "skips=stream"]),
)) + tuple((name, kind, ("bounds", before), ("paired", before + ["paired=on"])) for name, kind, before in (
    ("`paired=on`", "and", []),
    ("`paired=on`, with `topk=10`", "and", ["topk=10"]),
    ("`paired=on`, with `skips=stream`, `topk=10`", "and", ["topk=10", "skips=stream"]),
    ("`paired=on`", "single", []),
    ("`paired=on`", "or", []),
)) + tuple(("`bp128=8`, against blocks of 128 of IIU", kind, ("fixed", []), ("bp128", ["bp128=8"]))
           for kind in ("single", "and", "or"))


def name_of(keys, dl, number):
    return "-".join([key.replace("=", "") for key in keys] + [dl, str(number)])


def make_cases(kind, image):
    """Every configuration that a row of this type needs of an image."""
    cases = {}
    for _, row_kind, before, after in EXTENSIONS:
        for of, keys in (before, after) if row_kind == kind else ():
            for dl in DLS if of == image else ():
                for number in range(ROUNDS):
                    cases[name_of(keys, dl, number)] = ["mode=intra", "cores=8", "dl=" + dl] + keys
    return cases


def cost(records, keys, dl):
    """Cycles of all queries, and microseconds a query with the host's part."""
    record = records[name_of(keys, dl, 0)]
    least = min(records[name_of(keys, any_dl, number)]["topk_seconds"] for any_dl in DLS for number in range(ROUNDS))
    if record["failed"]:
        sys.exit("%s: %d queries failed" % (record["name"], record["failed"]))
    return record["cycles"], (record["machine_seconds"] + least) * 1e6 / record["queries"]


def make_rows(results):
    rows = []
    for name, kind, before, after in EXTENSIONS:
        for dl in DLS:
            a, a_us = cost(results[kind, before[0]], before[1], dl)
            b, b_us = cost(results[kind, after[0]], after[1], dl)
            rows.append([name if dl == DLS[0] else "", kind, dl, format(a, ","), format(b, ","), "%.2fx" % (a / b),
                         "%.1f" % a_us, "%.1f" % b_us, "%.2fx" % (a_us / b_us)])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--n", type=int, default=24)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    images = {name: export(args.index, args.out, "image-" + name, *options) for name, options in IMAGES.items()}
    pairs = choose(read_image(images["bounds"]), args.queries, args.n)
    if not pairs:
        sys.exit("no query of the log has two terms with 1,000 postings each")
    files = {kind: os.path.join(args.out, "pairs.tsv") for kind in ("and", "or")}
    files["single"] = os.path.join(args.out, "singles.tsv")
    write_queries(files["and"], pairs)
    write_queries(files["single"], [words[:1] for words in pairs])
    results = {(kind, name): sweep(images[name], files[kind], kind, args.out, "extensions-%s-%s" % (kind, name),
                                   make_cases(kind, name))
               for kind in files for name in images if make_cases(kind, name)}
    table("Extensions: before and after",
          ["extension", "query", "dl", "cycles before", "after", "gain", "end to end before, us a query", "after",
           "gain"], make_rows(results))


if __name__ == "__main__":
    main()
