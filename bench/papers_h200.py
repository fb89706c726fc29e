#!/usr/bin/env python3
"""papers_h200.py: figures and tables of Ao, Li, Ding and Griffin on a machine with a GPU.

usage: bench/papers_h200.py BUNDLE OUT [SET...]
       bench/papers_h200.py --summary OUT [SET...]

BUNDLE is the folder that `make gpu-bundle` fills. SETs: operators andor para queries pairs ratios comparable longest
lengths threshold (all of these); sms search share ding copies, short ones for what a claim hangs on, whose collections are
drawn when their turn comes; and sizes, which needs no GPU. Collections of the other sets are drawn first, on all cores,
into WORK, where they stay for the next call (30 GB for all sets). Each call of the program has a limit, and so has each
set; what fails is recorded, and the next one runs. OUT gets a file of JSON lines for each set (a line a call:
label, command, seconds, exit code and answer), and summary.md: tables of all sets, or of those that --summary names.

WORK: where the indexes are (riposte-papers in /dev/shm, if that has 40 GB, otherwise in /tmp). SCALE: a share of all
documents and queries (1), to try the script on an emulated device (RIPOSTE_GPU=emulated, whose times mean nothing).
LIMIT: seconds for all sets together (540). TERMS: numbers of terms of operators and andor (3,2,4,5+).
"""
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from papers_summary import summarize

SCALE = float(os.environ.get("SCALE", "1"))
LIMIT = float(os.environ.get("LIMIT", "540"))
BEGUN = time.time()
IS_SMALL = SCALE < 1
ROUNDS = "1" if IS_SMALL else "3"


def work_folder():
    room = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
    has_room = room and room.f_bavail * room.f_frsize > 40 << 30
    return ("/dev/shm" if has_room or os.path.isdir("/dev/shm/riposte-papers") else "/tmp") + "/riposte-papers"


WORK = os.environ.get("WORK") or work_folder()

# ---- Collections ----------------------------------------------------------------------------------------------------

# name: collection, documents, queries, order
COLLECTIONS = {
    "gov": ("gov", 1053372, 4000, "crawl"),
    "govpr": ("gov", 1053372, 4000, "rank"),
    "govr": ("gov", 1053372, 4000, "random"),
    "bd": ("bd", 15749656, 120, "crawl"),
    "bdr": ("bd", 15749656, 120, "random"),
    "gov2": ("gov2", 25200000, 200, "crawl"),
    "gov2x2": ("gov2", 50400000, 60, "crawl"),
}
HS = "hs16,hs32,hs64,hs128,hs256"
# name: codec, auxiliary data
FORMS = {
    "raw": ("raw", "lr,hs16,hs32"),
    "pp20": ("parapfor:segment=64,exceptions=0.2", None),
    "pp00": ("parapfor:segment=64,exceptions=0", None),
    "lrc": ("lrc:exceptions=0", "lr"),
    "lrcseg": ("lrcseg:exceptions=0", "lr"),
    "seglrc": ("seglrc:exceptions=0", "lr"),
    "hslrc256": ("hslrc256:exceptions=0", None),
    "hslrc128": ("hslrc128:exceptions=0", None),
    "bp128": ("bp128", "lr," + HS),
    "ef128": ("ef128", None),
    "qs": ("qs:c=1", None),
    "rice": ("rice", None),
    "rec": ("pfd_rec:level=1", None),
}
for codec in ("vbyte bp256 bp128t bp128v bp128d4 simple16 pfd newpfd optpfd parapfor fastpfd interpolative iiu "
              "bitmap mixed").split():
    FORMS[codec] = (codec, None)
PARA_FORMS = ["raw", "pp20", "pp00", "lrc", "lrcseg", "seglrc", "hslrc256", "hslrc128"]
OPERATOR_FORMS = ["bp128"] + [f for f in FORMS if f not in ("bp128", "pp20", "pp00")]


def index_of(collection, form):
    return f"{WORK}/{collection}.{form}.rip"


def log_of(collection, form):
    return index_of(collection, form) + ".queries.tsv"


class Program:
    """The program of a bundle, and records of its calls."""

    def __init__(self, bundle, out):
        self.path = os.path.join(bundle, "riposte")
        self.env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(bundle, "lib"))
        self.out = out
        self.set, self.until, self.file = None, 0, None

    def begin(self, name, seconds):
        self.set, self.until = name, min(time.time() + seconds, BEGUN + LIMIT)
        self.file = open(os.path.join(self.out, name + ".jsonl"), "w")

    def call(self, argv, limit):
        """Exit code, standard output and standard error; 124 after the limit."""
        try:
            done = subprocess.run([self.path] + argv, env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=limit)
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return 124, "", f"took longer than {limit:.0f} s"

    def record(self, label, argv, limit=60):
        """A call of this set, with a JSON answer."""
        left = self.until - time.time()
        if left < 2:
            rc, out, err, took = 125, "", "no time was left", 0
        else:
            begun = time.time()
            rc, out, err = self.call(argv + ["--json", "-q"], min(limit, left))
            took = time.time() - begun
        line = {"set": self.set, "label": label, "argv": argv, "s": round(took, 2), "rc": rc}
        if rc == 0:
            line["out"] = slim(json.loads(out))
        else:
            line["err"] = err[-600:]
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()
        say(f"{self.set} {label}", rc, err, took)
        return line.get("out")

    def rows(self, index, phase):
        """The rows of a phase of operators, by the program's own message."""
        _, _, err = self.call(["search", index, "ba", "--algorithm", f"operators:{phase}=none"], 60)
        return [r for r in err.strip().split("choose ")[-1].split("|") if r != "auto"]


def say(what, rc, err, took):
    done = f"{took:.1f} s" if rc == 0 else err[-200:].strip()
    print(f"{time.time() - BEGUN:6.1f} {what}: {done}", file=sys.stderr)


def slim(value):
    """Without single samples."""
    if isinstance(value, dict):
        return {k: slim(v) for k, v in value.items() if k not in ("samples", "unit", "low", "high")}
    return [slim(v) for v in value] if isinstance(value, list) else value


def draw_one(program, collection, form, threads):
    name, docs, queries, order = COLLECTIONS[collection]
    codec, aux = FORMS[form]
    path = index_of(collection, form)
    if os.path.exists(path + ".done"):
        return
    begun = time.time()
    argv = ["synth", name, "-o", path, "--docs", str(max(3000, int(docs * SCALE))), "--queries",
            str(max(60, int(queries * SCALE))), "--order", order, "--codec", codec, "--threads", str(threads), "-q"]
    rc, _, err = program.call(argv + (["--aux", aux] if aux else []), 300)
    if rc == 0:
        open(path + ".done", "w").close()
    say(f"draw {collection}.{form}", rc, err, time.time() - begun)


def draw(program, wanted):
    """All at once, the largest first."""
    os.makedirs(WORK, exist_ok=True)
    wanted = sorted(set(wanted), key=lambda w: -COLLECTIONS[w[0]][1] * COLLECTIONS[w[0]][2])
    threads = max(2, (os.cpu_count() or 2) // max(1, len(wanted)))
    with ThreadPoolExecutor(max(2, (os.cpu_count() or 2) * 3 // 4)) as pool:
        for job in [pool.submit(draw_one, program, c, f, threads) for c, f in wanted]:
            job.result()

# ---- Operators ------------------------------------------------------------------------------------------------------

TERMS = [(n, "5-64" if n == "5+" else f"{n}-{n}") for n in os.environ.get("TERMS", "3,2,4,5+").split(",")]
# rows of `intersect` that read lists as they are stored: the index that has them
STORED = {"lrc-heads": "lrc", "lrc": "lrc", "lrcseg": "lrcseg", "seglrc": "seglrc", "hslrc256": "hslrc256",
          "hslrc128": "hslrc128"}
LEVELS = [f"{row},levels={n}" for row in ("pmf", "ding") for n in (2, 3, 4)]
# rows of `decode` that take the steps of papers, by index
DECODE_STEPS = {"ef128": ["ef128-literal"], "qs": ["qs-naive", "qs-li-separate", "qs-li", "qs-words"]}
# pipelines of the papers, by index; those of Ao are rows of `intersect`
PIPELINES = {
    "rec": ["intersect=ding,levels=1,select=heap512", "intersect=ding,levels=3,select=heap512",
            "decode=pfd_rec,intersect=ding,levels=1,select=heap512"],
    "ef128": ["decode=ef128-literal,intersect=mpath,select=host", "decode=ef128-literal,intersect=mpath,select=bucket"],
    "qs": ["decode=qs-li,intersect=bs"],
}


def stepped(algorithm):
    return algorithm + (",mode=stepped" if ":" in algorithm else ":mode=stepped")


def both(algorithm):
    return [algorithm, stepped(algorithm)]


def ask(program, label, index, log, words, algorithms, modes="and", sample=80, processors="gpu", limit=90):
    return program.record(label, ["bench", "queries", index, log, "--plain", "--known", "--words", words, "--sample",
                                  str(5 if IS_SMALL else sample), "--k", "10", "--modes", modes, "--rounds", ROUNDS,
                                  "--processors", processors, "--algorithms", ",".join(algorithms),
                                  "--no-energy"], limit)


def run_operators(program):
    """Every row of every phase, chained and stepped, by number of terms. An OR has no intersection, and no look-ups."""
    base = index_of("gov", "bp128")
    intersect = program.rows(base, "intersect")
    plain = ["intersect=" + r for r in [r for r in intersect if r not in STORED] + LEVELS]
    select = ["select=" + r for r in program.rows(base, "select")]
    for terms, words in TERMS:
        for form in OPERATOR_FORMS:
            at = index_of("gov", form), log_of("gov", form)
            is_base = form == "bp128"
            decode = ["decode=" + r for r in [FORMS[form][0].split(":")[0]] + DECODE_STEPS.get(form, [])]
            own = ["intersect=" + r for r in intersect if STORED.get(r) == form] + PIPELINES.get(form, [])
            own += plain + select + ["score=lookup", "score=accumulate"] if is_base else []
            either = decode + (select + ["score=accumulate"] if is_base else [])
            calls = [("and", decode + own), ("or", either)] if own else [("and,or", decode)]
            for modes, rows in calls:
                algorithms = ["auto"] + (both("operators") if is_base else [])
                algorithms += [a for r in rows for a in both("operators:" + r)]
                ask(program, f"{form} {terms} {modes}", *at, words, algorithms, modes)


def run_andor(program):
    """AND+OR by number of terms: rows of intersection and selection, chained and stepped."""
    at = index_of("gov", "bp128"), log_of("gov", "bp128")
    rows = ["intersect=" + r for r in program.rows(at[0], "intersect") if r not in STORED]
    rows += ["select=" + r for r in program.rows(at[0], "select")]
    for terms, words in TERMS:
        algorithms = ["auto"] + [a for r in ["operators"] + ["operators:" + r for r in rows] for a in both(r)]
        ask(program, f"bp128 {terms} andor", *at, words, algorithms, "andor", 40)


def run_threshold(program):
    """Which selection suits how many candidates (threshold.tsv, a line a query)."""
    base = index_of("gov", "bp128"), log_of("gov", "bp128")
    program.record("threshold", ["bench", "queries", *base, "--plain", "--known", "--words", "2-64", "--sample",
                                 "5" if IS_SMALL else "1000", "--k", "10", "--modes", "and", "--rounds", ROUNDS,
                                 "--processors", "gpu", "--algorithms",
                                 "operators,operators:select=host,operators:select=sample", "--no-energy",
                                 "--per-query", os.path.join(program.out, "threshold.tsv")], 60)


# ---- PARA -----------------------------------------------------------------------------------------------------------

PARA_METHODS = {"raw": "is,is-8,bs,lr,lr-local,hs32,hs16", "pp20": "parapfor", "pp00": "parapfor", "lrc": "lrc",
                "lrcseg": "lrcseg", "seglrc": "seglrc", "hslrc256": "hslrc256", "hslrc128": "hslrc128"}


def bench_para(program, label, collection, form, c, methods, options=()):
    """The best of the rounds counts: more of them for the collections of most claims."""
    rounds, batches = ("1", "1") if IS_SMALL else ("7", "4") if collection in ("gov", "bd") else ("5", "3")
    program.record(label, ["bench", "para", index_of(collection, form), log_of(collection, form), "--c", c, "--methods",
                           methods, "--rounds", rounds, "--batches", batches, *options], 90)


def run_para(program):
    """One collection after the other, those of most claims first."""
    most, million = ("4K", "2K") if IS_SMALL else ("2M", "1M")
    for collection in ["gov", "bd", "govpr", "govr", "bdr"]:
        for form in PARA_FORMS:
            is_curve = collection == "gov" and form in ("raw", "hslrc256")
            bench_para(program, f"c {collection} {form}", collection, form, f"1K..{most}" if is_curve else million,
                       PARA_METHODS[form])
    run_sms(program)


CURVES = [("raw", "hs16"), ("hslrc256", "hslrc256")]


def run_sms(program):
    """Ao, figure 9a: parts of the card."""
    for sms in ["1", "2"] if IS_SMALL else ["8", "16", "32", "64", "96", "128"]:
        for form, method in CURVES:
            bench_para(program, f"sms {sms} {method}", "gov", form, "2K" if IS_SMALL else "1M", method, ["--sms", sms])


def run_search(program):
    """Ao, table 3: the literal interpolation search, in batches."""
    for collection in ["gov", "bd", "govpr", "govr", "bdr"]:
        draw(program, [(collection, "raw")])
        bench_para(program, f"c {collection} raw", collection, "raw", "2K" if IS_SMALL else "1M", "is,is-8,bs")


def run_share(program):
    """Ao, figure 9b: the share of kernels, several times in turn."""
    for repeat in range(2 if IS_SMALL else 4):
        for form, method in CURVES:
            program.record(f"share {repeat} {method}", ["bench", "para", index_of("gov", form), log_of("gov", form),
                           "--c", "1K,2K" if IS_SMALL else "64K,1M,2M", "--methods", method, "--rounds",
                           "1" if IS_SMALL else "5", "--batches", "1" if IS_SMALL else "2"], 30)

# ---- Kernels on lists of an index -----------------------------------------------------------------------------------

def bench_gpu(program, label, cases, options=(), source="gov2", size="1"):
    at = [index_of(source, "rec"), log_of(source, "rec")] if source else []
    return program.record(label, ["bench", "gpu", *at, "--cases", cases, "--size", size, "--rounds",
                                  "1" if IS_SMALL else "7", *options])


def of(area, names):
    """Cases that begin so."""
    return ";".join(f"{area} {name}" for name in names)


def run_lengths(program):
    """One list of each length, and sums over many."""
    lengths = [1 << e for e in (range(7, 11) if IS_SMALL else range(10, 23))]
    every = "decode qs;decode pfd;decode ef128;decode rice;decode newpfd"
    for c in ["0.25", "0.5", "1", "2", "4", "8", "16"]:
        bench_gpu(program, f"c {c}", "decode qs", ["--c", c, "--lengths", "100..1K" if IS_SMALL else "1M..2M"],
                  size="1" if IS_SMALL else "8000000")
    for n in [lengths[0], lengths[-1]] if IS_SMALL else [1 << e for e in (11, 13, 14, 15, 16, 18, 20, 22)]:
        for threads in ["128", "256", "512", "1024"]:
            bench_gpu(program, f"threads {threads} {n}", "decode qs, Li merged",
                      ["--threads", threads, "--lengths", f"{n}..{2 * n - 1}"])
    bench_gpu(program, "all lists", "decode rice;decode pfd;decode qs, Li merged;decode qs, merged;decode ef128",
              size="3000" if IS_SMALL else "16000000")
    for n in lengths:
        bench_gpu(program, f"length {n}", every, ["--lengths", f"{n}..{2 * n - 1}"])
    patched = ["parapfor of 64", "pfd of 64", "newpfd of 64", "lrc", "seglrc", "hslrc256"]
    for share in ["0", "0.1", "0.2", "0.4"]:
        bench_gpu(program, f"exceptions {share}", of("decode", patched), ["--exceptions", share],
                  size="3000" if IS_SMALL else "2000000")


# the paper's lists differ by less than 16 times
COMPARABLE = ["1", "4", "15"]
EQUAL = of("intersect", ["bs 1:1", "pmf 1 ", "pmf 2 ", "pmf 3 1:1", "pmf 4 ", "mpath 1:1", "tile 1:1"])


def run_longest(program):
    """GOV2 has no list above 12M docids: the longest are of a collection twice as large."""
    for n in ["512..1K"] if IS_SMALL else ["8M..12M", "12M..17M", "17M..24M"]:
        bench_gpu(program, f"equal {n}", EQUAL, ["--lengths", n, "--ratio", "1"], "gov2x2",
                  "100000" if IS_SMALL else "100000000")


def run_ratios(program):
    """Ding: a list of 200,000 docids, and one that is up to 64 times as long."""
    for ratio in [1, 2, 4, 8, 16, 32, 64]:
        lengths = f"300..{400 * ratio}" if IS_SMALL else f"160K..{250 * ratio}K"
        bench_gpu(program, f"a {ratio}", EQUAL, ["--lengths", lengths, "--ratio", str(ratio)], "gov2x2",
                  "100000" if IS_SMALL else "100000000")


def run_pairs(program):
    """Two lists: of one length (Ding, figure 6), by ratio (Griffin, 8)."""
    lengths = ["64..127", "128..255", "256..511"] if IS_SMALL else [
        "4K..8K", "16K..32K", "64K..128K", "256K..512K", "1M..2M", "4M..6M", "8M..12M"]
    for n in lengths:
        bench_gpu(program, f"equal {n}", EQUAL, ["--lengths", n, "--ratio", "1"],
                  size="100000" if IS_SMALL else "100000000")
    cases = of("intersect", ["bs 1:1", "mpath 1:1", "skip 1:10", "bp128 1:1", "tile 1:1", "hs16 1:100"])
    for ratio in ["8", "24", "48", "96", "192", "384", "768"]:
        bench_gpu(program, f"ratio {ratio}", cases, ["--ratio", ratio], None, "4000" if IS_SMALL else "1500000")
    for n in ["300"] if IS_SMALL else ["1000", "10000", "100000", "1000000", "10000000"]:
        bench_gpu(program, f"select {n}", of("select", ["bucket 10", "sort 10", "heap", "sample 10", "radix 10"]), (),
                  None, n)
    for n in ["4000"] if IS_SMALL else ["10000", "100000", "1000000"]:
        program.record(f"core {n}", ["bench", "intersections", "--codec", "bp128", "--size", n, "--ratios", "1,4,16",
                                     "--repeats", "3"])


def run_comparable(program):
    """Griffin, figure 13: lists of comparable length, on the card and, the same pairs, on a core. Shortest first: what
    the time does not suffice for is the longest."""
    size = "100000" if IS_SMALL else "60000000"
    for n in ["64..1K", "200..2K"] if IS_SMALL else ["1K..16K", "10K..160K", "100K..1600K", "600K..10M"]:
        for ratio in COMPARABLE:
            bench_gpu(program, f"card {n} {ratio}", of("intersect", ["bs 1:1", "mpath 1:1", "tile 1:1"]),
                      ["--lengths", n, "--ratio", ratio], size=size)
        program.record(f"core {n}", ["bench", "intersections", index_of("gov2", "rec"), log_of("gov2", "rec"),
                                     "--lengths", n, "--ratios", ",".join(COMPARABLE), "--size", size, "--codec",
                                     "bp128", "--repeats", ROUNDS])


def run_copies(program):
    """Griffin, figures 8 and 12, with the copies of lists to the card: kernels and copies, in one call."""
    for ratio in ["8", "24", "96", "192", "768"]:
        bench_gpu(program, f"ratio {ratio}", of("intersect", ["mpath 1:1", "bp128 1:1"]), ["--ratio", ratio], None,
                  "4000" if IS_SMALL else "1500000")
    for e in (7, 8) if IS_SMALL else (10, 13, 14, 17, 18, 20, 21, 22):
        bench_gpu(program, f"length {1 << e}", "decode ef128;decode pfd",
                  ["--lengths", f"{1 << e}..{(2 << e) - 1}"])
    # in words of 4 bytes: lists of 11 bits a docid, and docids, of these lengths
    for e in (7, 8) if IS_SMALL else range(8, 23):
        bench_gpu(program, f"copy {4 << e}", "copy upload", (), None, str(1 << e))


def run_queries(program):
    """Ding, tables 2 and 3, on 25.2 million documents. A named decode is for the shortest list of an AND alone."""
    at = index_of("gov2", "rec"), log_of("gov2", "rec")
    ding = "operators:decode=pfd_rec,intersect=ding,levels=1,select=heap512"
    of_or = ding.replace("intersect=ding,levels=1,", "")
    cached = ding.replace("decode=pfd_rec,", "")
    for mode in ("and", "or", "andor"):
        rows = ["auto"] + both(of_or if mode == "or" else ding) + (both(cached) if mode == "and" else [])
        rows += ["operators"]
        ask(program, f"gpu {mode}", *at, "1-64", rows, mode, 150, "gpu")
        ask(program, f"cpu {mode}", *at, "1-64", ["auto"], mode, 150, "cpu")


def run_ding(program):
    """Ding, table 2: OR and AND+OR, core and card in turn."""
    at = index_of("gov2", "rec"), log_of("gov2", "rec")
    ding = "operators:decode=pfd_rec,%sselect=heap512"
    for repeat in range(2 if IS_SMALL else 3):
        for mode, rows in (("or", ding % ""), ("andor", ding % "intersect=ding,levels=1,")):
            ask(program, f"turn {repeat} cpu {mode}", *at, "1-64", ["auto"], mode, 150, "cpu")
            ask(program, f"turn {repeat} gpu {mode}", *at, "1-64", [rows], mode, 150, "gpu")

# ---- Sizes, which need no card --------------------------------------------------------------------------------------

SIZES = ["raw", "pfd", "newpfd", "optpfd", "pfd:segment=64", "newpfd:segment=64", "parapfor:segment=64", "rice",
         "ef128", "lrc", "lrcseg", "seglrc", "hslrc256", "hslrc128"]
SIZES += [f"pfd_rec:level={n}" for n in range(5)] + [f"qs:c={c}" for c in ("0.25", "0.5", "1", "2", "4", "8", "16")]


def run_sizes(program):
    """Bits of a docid by codec: Ao, table 2; Li, figure 12 and table 1; Ding, figure 3; Griffin, table 1."""
    for order in ["crawl", "random"]:
        for codec in SIZES if order == "crawl" else [c for c in SIZES if "pfd" not in c or c == "pfd"]:
            path = f"{WORK}/size.rip"
            rc, _, err = program.call(["synth", "gov", "-o", path, "--docs", str(max(3000, int(1053372 * SCALE))),
                                       "--queries", "100", "--order", order, "--codec", codec, "-q"], 120)
            if rc == 0:
                program.record(f"size {order} {codec}", ["stats", path])
            else:
                say(codec, rc, err, 0)


# set: what runs it, seconds, indexes
SETS = {
    "operators": (run_operators, 250, [("gov", f) for f in OPERATOR_FORMS]),
    "andor": (run_andor, 90, [("gov", "bp128")]),
    "threshold": (run_threshold, 60, [("gov", "bp128")]),
    "para": (run_para, 260, [(c, f) for c in ("gov", "govpr", "govr", "bd", "bdr") for f in PARA_FORMS]),
    "queries": (run_queries, 100, [("gov2", "rec")]),
    "pairs": (run_pairs, 70, [("gov2", "rec")]),
    "comparable": (run_comparable, 120, [("gov2", "rec")]),
    "ratios": (run_ratios, 60, [("gov2x2", "rec")]),
    "longest": (run_longest, 30, [("gov2x2", "rec")]),
    "lengths": (run_lengths, 170, [("gov2", "rec")]),
    "sizes": (run_sizes, 1800, []),
    "sms": (run_sms, 60, [("gov", form) for form, _ in CURVES]),
    "share": (run_share, 60, [("gov", form) for form, _ in CURVES]),
    "ding": (run_ding, 60, [("gov2", "rec")]),
    "search": (run_search, 120, []),
    "copies": (run_copies, 90, [("gov2", "rec")]),
}
SHORT = ["sms", "share", "ding", "search", "copies"]
DEFAULT = [name for name in SETS if name not in SHORT + ["sizes"]]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--summary":
        print(summarize(sys.argv[2], sys.argv[3:]))
        return
    bundle, out, names = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:] or DEFAULT
    unknown = [n for n in names if n not in SETS]
    if unknown:
        sys.exit(f"no set {' '.join(unknown)}: choose {' '.join(SETS)}")
    os.makedirs(out, exist_ok=True)
    program = Program(bundle, out)
    draw(program, [w for n in names if n not in SHORT for w in SETS[n][2]])
    for name in names:
        draw(program, SETS[name][2])
        program.begin(name, SETS[name][1])
        SETS[name][0](program)
        program.file.close()
    text = summarize(out, [])
    with open(os.path.join(out, "summary.md"), "w") as f:
        f.write(text + "\n")
    print(text[:9800])


if __name__ == "__main__":
    main()
