"""papers_summary.py: what papers_h200.py has recorded, as tables of text."""
import json
import os


class Records:
    """Calls of a folder, by set and label; a label may have several answers."""

    def __init__(self, folder):
        self.at, self.failed = {}, []
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".jsonl"):
                continue
            with open(os.path.join(folder, name)) as f:
                for line in map(json.loads, f):
                    if line["rc"] == 0:
                        self.at.setdefault((line["set"], line["label"]), []).append(line["out"])
                    else:
                        self.failed.append(f"{line['set']} {line['label']}: {line['rc']} {line['err'].strip()[-90:]}")

    def of(self, name, begin):
        """(rest of the label, answer) of a set's labels that begin so."""
        return [(label[len(begin):].strip(), out) for (s, label), answers in self.at.items()
                if s == name and label.startswith(begin + " ") for out in answers]


def table(title, head, rows):
    rows = [head] + [[r if isinstance(r, str) else fit(r) for r in row] for row in rows]
    if len(rows) == 1:
        return ""
    wide = [max(len(row[i]) for row in rows) for i in range(len(head))]
    line = lambda row: " ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, wide)))
    lines = [line(row).rstrip() for row in rows]
    return "\n".join(["## " + title] + lines) + "\n"


def fit(x):
    if x is None:
        return "-"
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}" if abs(x) >= 1 else f"{x:.3f}"


# ---- Operators ------------------------------------------------------------------------------------------------------

TERMS = ["2", "3", "4", "5+"]
STAGES = ["decode", "intersect", "score", "select"]


def split(algorithm):
    """The row's name, and whether its steps were timed."""
    name = algorithm.replace("operators:mode=stepped", "operators").replace(",mode=stepped", "")
    return name.removeprefix("operators:"), "mode=stepped" in algorithm


def steps_of(operation):
    return {s["stage"]: s["us"] for s in operation.get("steps", [])}


def operators(records, kind, operation="and:10", terms=TERMS):
    """{(index, row): {terms: (chained mean, p50, steps)}}"""
    out = {}
    for label, answer in records.of("operators", kind) + records.of("steps", kind):
        form, n = label.split()[:2]
        for o in answer["operations"]:
            if o["operation"] != operation or n not in terms:
                continue
            name, is_stepped = split(o["algorithm"])
            at = out.setdefault((form, "fused" if name == "auto" else name), {}).setdefault(n, {})
            if is_stepped:
                at["steps"] = steps_of(o)
            else:
                at["mean"], at["p50"] = o["mean"]["median"], o["p50"]["median"]
    return out


def by_terms(title, rows, stages=STAGES, terms=TERMS):
    lines = []
    for (form, name), at in sorted(rows.items(), key=lambda r: r[1].get("3", {}).get("mean", 1e9)):
        steps = at.get("3", {}).get("steps", {})
        lines.append([f"{form} {name}"] + [at.get(n, {}).get("mean") for n in terms] + [at.get("3", {}).get("p50")] +
                     [steps.get(s) for s in stages])
    return table(title, ["us"] + terms + ["p50"] + stages, lines)


def operator_tables(records):
    yield by_terms("intersect rows, AND, chained mean by terms; of 3 terms p50 and stepped",
                   operators(records, "intersect"))
    yield by_terms("pipelines of Ding, Griffin and Li, AND", operators(records, "pipeline"))
    yield by_terms("select rows, AND", operators(records, "selectand"), STAGES, ["3"])
    stages = ["decode", "clear", "score", "select"]
    yield by_terms("select rows, OR", operators(records, "selector", "or:10"), stages, ["3"])
    yield by_terms("decode rows, AND", operators(records, "decode"), STAGES, ["3"])
    yield by_terms("decode rows, OR", operators(records, "decode", "or:10"), stages, ["3"])


# ---- PARA -----------------------------------------------------------------------------------------------------------

SETS = ["gov", "govpr", "govr", "bd", "bdr"]
FORM_NAMES = {"pp20": "parapfor 0.2", "pp00": "parapfor 0.0"}


def total(row):
    return row["host"] + row["transfer"] + row["kernels"]


def para_rows(records, c):
    """{method: {collection: row}} at one c, the largest where it is None."""
    out = {}
    for label, answer in records.of("para", "c"):
        collection, form = label.split()
        for row in answer["rows"]:
            if row["c"] == c or (c is None and row["c"] == max(r["c"] for r in answer["rows"])):
                out.setdefault(FORM_NAMES.get(form, row["method"]), {})[collection] = row
    return out


def para_tables(records):
    rows = para_rows(records, 1 << 20) or para_rows(records, None)
    core = rows.get("bs", {})

    def by_set(title, figure):
        return table(title, ["method"] + SETS, [[m] + [figure(at, s) if s in at else None for s in SETS]
                                                for m, at in rows.items()])

    yield by_set("Ao table 3, c = 1M: over the core on docids",
                 lambda at, s: core[s]["core"] / total(at[s]) if s in core else None)
    yield by_set("the same, over the core on the same index", lambda at, s: at[s]["speed_up"])
    yield by_set("Ao table 7: thousand queries/s", lambda at, s: at[s]["queries"] / total(at[s]) / 1e3)
    yield by_set("Ao table 7: us a batch", lambda at, s: total(at[s]) * 1e6)
    yield from para_curves(records)
    yield sms_table(records)


def para_curves(records):
    curve, methods = {}, ["is", "bs", "lr", "lr-local", "hs32", "hs16", "hslrc256"]
    for label in ("gov raw", "gov hslrc256"):
        for row in [r for a in records.at.get(("para", "c " + label), []) for r in a["rows"]]:
            curve.setdefault(row["c"], {})[row["method"]] = row

    def by_c(title, figure):
        return table(title, ["c"] + methods, [[str(c)] + [figure(at[m]) if m in at else None for m in methods]
                                              for c, at in sorted(curve.items())])

    yield by_c("Ao figure 5: thousand queries/s on gov by c", lambda r: r["queries"] / total(r) / 1e3)
    yield by_c("Ao figure 6: us a batch", lambda r: total(r) * 1e6)
    yield by_c("Ao figure 9b: share of kernels", lambda r: r["kernels"] / total(r))


def sms_table(records):
    sms, methods = {}, ("hs16", "hslrc256")
    for label, answer in records.of("para", "sms"):
        n, method = label.split()
        row = answer["rows"][0]
        sms.setdefault(int(n), {"SMs": str(answer["processors"])})[method] = [row["speed_up"], row["kernels"] * 1e6]
    head = ["asked", "SMs"] + [x for m in methods for x in (m, "kernels")]
    return table("Ao figure 9a: SMs, speed-up, us of kernels", head,
                 [[str(n), at["SMs"]] + [x for m in methods for x in at.get(m, [None, None])]
                  for n, at in sorted(sms.items())])


# ---- Kernels --------------------------------------------------------------------------------------------------------

def cases_of(answer):
    """By the names that --cases takes: `name` has the parameters that were given, too."""
    return {f"{c['area']} {c['case']}": c for c in answer["cases"]}


def rate(case):
    """Thousand millions a second."""
    return case["elements"] / case["median"] / 1e9 if case else None


def core_rate(case):
    return case["elements"] / case["cpu"] / 1e9 if case and case.get("cpu") else None


ROWS = {"naive": "decode qs, naive", "separate": "decode qs, Li separate", "merged": "decode qs, Li merged",
        "lows": "decode qs, low bits", "ours": "decode qs, merged, 2 blocks", "rec": "decode pfd_rec",
        "gaps": "decode pfd_rec, gaps", "EF literal": "decode ef128 literal l4", "EF": "decode ef128 l4",
        "rice": "decode rice"}
QS = list(ROWS)[:5]
THREADS = ["128", "256", "512", "1024"]


def length_tables(records):
    rows = sorted((int(label), cases_of(a)) for label, a in records.of("lengths", "length"))
    yield table("decoding one list, G/s by length (Li 6 8 10 11, Ding 4, Griffin 12); cores",
                ["from"] + list(ROWS) + ["pfd core", "rec core"],
                [[str(n)] + [rate(at.get(c)) for c in ROWS.values()] +
                 [core_rate(at.get("decode pfd")), core_rate(at.get("decode pfd_rec"))] for n, at in rows])
    us = lambda case: " ".join(fit(1e6 * x) for x in case["launches"]) if case else "-"
    steps = ["naive", "separate", "merged"]
    yield table("launches of qs, us", ["from"] + steps, [[str(n)] + [us(at.get(ROWS[k])) for k in steps]
                                                        for n, at in rows[2::5]])
    yield table("Li figures 6 and 13: G/s by c", ["c"] + QS, [
        [c] + [rate(cases_of(a).get(ROWS[k])) for k in QS] for c, a in records.of("lengths", "c")])
    threads = {}
    for label, a in records.of("lengths", "threads"):
        t, n = label.split()
        threads.setdefault(int(n), {})[t] = rate(cases_of(a).get(ROWS["merged"]))
    yield table("Li figure 14: G/s of merged by threads", ["from"] + THREADS,
                [[str(n)] + [at.get(t) for t in THREADS] for n, at in sorted(threads.items())])
    for label, a in records.of("lengths", "all"):
        yield table("all lists, G/s (Ding table 1)", ["row", "gpu", "core"],
                    [[n, rate(c), core_rate(c)] for n, c in cases_of(a).items()])
    yield table("G/s by share of exceptions (Ao figure 8)", ["row"] + SHARES, exception_rows(records))


SHARES = ["0", "0.1", "0.2", "0.4"]


def exception_rows(records):
    shares = {s: cases_of(a) for s, a in records.of("lengths", "exceptions")}
    names = [n for n in shares.get("0", {}) if n.startswith("decode") and "tenth" not in n and "summed" not in n]
    return [[n] + [rate(shares.get(s, {}).get(n)) for s in SHARES] for n in names]


PAIRS = ["bs 1:1", "pmf 1 1:1", "pmf 2 1:1", "pmf 3 1:1", "pmf 4 1:1", "mpath 1:1", "tile 1:1"]
RATIOS = ["bs 1:1", "mpath 1:1", "skip 1:10", "bp128 1:1", "tile 1:1", "hs16 1:100"]
SELECTS = ["bucket 10", "sort 10", "heap512 10", "heap 10", "sample 10", "radix 10"]


def first(at):
    """Any of the intersections: lists and core are the same for all."""
    return next((c for n, c in at.items() if n.startswith("intersect")), None)


def by_docid(title, answers, names):
    ns = lambda case, what: 1e9 * case[what] / case["elements"] if case else None
    rows = [(label, cases_of(answer)) for label, answer in answers]
    return table(title, ["lengths", "A"] + names + ["core"], [
        [label, str(first(at)["elements"])] + [ns(at.get("intersect " + n), "median") for n in names] +
        [ns(first(at), "cpu")] for label, at in rows if first(at)])


def core_table(answers):
    rows, methods = [], ["merge", "gallop", "skip"]
    for size, answer in answers:
        for result in answer["results"]:
            at = {(r["form"], r["method"], r["isa"]): r["time"]["median"] for r in result["rows"]}
            rows.append([size, str(result["ratio"])] + [at.get(("arrays", m, "scalar")) for m in methods] +
                        [min(at.values())])
    return table("one core, ns for each docid of A", ["B", "ratio"] + methods + ["best"], rows)


def by_number(title, answers, area, names):
    us = lambda case, what: 1e6 * case[what] if case else None
    rows = sorted((int(n), cases_of(answer)) for n, answer in answers)
    return table(title, ["n"] + names + ["core"], [
        [str(n)] + [us(at.get(f"{area} {name}"), "median") for name in names] +
        [us(at.get(f"{area} {names[0]}"), "cpu")] for n, at in rows])


def pair_tables(records):
    equal = records.of("pairs", "equal") + records.of("longest", "equal")
    yield by_docid("Ding figure 6: ns for each docid of A, two lists of a length", equal, PAIRS)
    yield by_docid("Griffin figure 13: ns for each docid of A", records.of("pairs", "comparable"),
                   [PAIRS[0], PAIRS[5], PAIRS[6]])
    yield core_table(records.of("pairs", "core"))
    yield by_number("Griffin figure 8: us by ratio, B of 1.5M", records.of("pairs", "ratio"), "intersect", RATIOS)
    yield by_number("selection of drawn scores, us (Griffin figure 7)", records.of("pairs", "select"), "select",
                    SELECTS)


def query_tables(records):
    rows, stages = [], ["decode", "intersect", "clear", "score", "select"]
    for processor in ("gpu", "cpu"):
        for o in [o for _, answer in records.of("queries", processor) for o in answer["operations"]]:
            name, is_stepped = split(o["algorithm"])
            name = name.replace("intersect=ding,levels=1,select=heap512", "ding").replace("decode=", "")
            steps = steps_of(o)
            rows.append([f"{processor} {o['operation'][:-3]} {name}{' stepped' if is_stepped else ''}",
                         o["mean"]["median"], o["p50"]["median"]] + [steps.get(s) for s in stages])
    yield table("Ding tables 2 and 3: us a query, 25.2M documents", ["", "mean", "p50"] + stages, rows)


def size_tables(records):
    sizes = {}
    for label, answer in records.of("sizes", "size"):
        order, codec = label.split()
        at = answer["bytes"]
        sizes.setdefault(codec, {})[order] = 8 * (at["lists_docids"] + at["lists_directory"]) / answer["postings"]
        sizes[codec][order + " docids"] = 8 * at["lists_docids"] / answer["postings"]
    orders = ["crawl docids", "crawl", "random docids", "random"]
    yield table("bits of a docid, without and with the directory", ["codec"] + orders,
                [[codec] + [at.get(o) for o in orders] for codec, at in sizes.items()])


def summarize(folder):
    records = Records(folder)
    kinds = (para_tables, query_tables, pair_tables, length_tables, operator_tables, size_tables)
    parts = [t for tables in kinds for t in tables(records)]
    if records.failed:
        parts.insert(0, f"## {len(records.failed)} calls failed\n" + "\n".join(records.failed[:12]) + "\n")
    return "\n".join(p for p in parts if p)
