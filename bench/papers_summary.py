"""papers_summary.py: what papers_h200.py has recorded, as tables of text."""
import json
import os


class Records:
    """Calls of a folder, by set and label."""

    def __init__(self, folder):
        self.at, self.failed = {}, []
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".jsonl"):
                continue
            with open(os.path.join(folder, name)) as f:
                for line in map(json.loads, f):
                    if line["rc"] == 0:
                        self.at[line["set"], line["label"]] = line["out"]
                    else:
                        self.failed.append(f"{line['set']} {line['label']}: {line['rc']} {line['err'].strip()[-90:]}")

    def of(self, name, begin):
        """(rest of the label, answer) of a set's labels that begin so."""
        return [(label[len(begin):].strip(), out) for (s, label), out in self.at.items()
                if s == name and label.startswith(begin + " ")]


def table(title, head, rows):
    rows = [head] + [[r if isinstance(r, str) else fit(r) for r in row] for row in rows]
    if len(rows) == 1:
        return ""
    wide = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = [" ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, wide))).rstrip() for row in rows]
    return "\n".join(["## " + title] + lines) + "\n"


def fit(x):
    if x is None:
        return "-"
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}"


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
    for label, answer in records.of("operators", kind):
        form, n = label.split()
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
    yield by_terms("intersect rows, AND, chained mean by terms; of 3 terms p50 and stepped", operators(records, "intersect"))
    yield by_terms("pipelines of Ding, Griffin and Li, AND", operators(records, "pipeline"))
    yield by_terms("select rows, AND", operators(records, "select"))
    stages = ["decode", "clear", "score", "select"]
    yield by_terms("select rows, OR", operators(records, "select", "or:10"), stages)
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
    over = lambda at, s: core[s]["core"] / total(at[s]) if s in at and s in core else None
    yield table("Ao table 3, c = 1M: over the core on docids", ["method"] + SETS, [[m] + [over(at, s) for s in SETS] for m, at in rows.items()])
    yield table("the same, over the core on the same index", ["method"] + SETS, [[m] + [at[s]["speed_up"] if s in at else None for s in SETS] for m, at in rows.items()])
    yield table("Ao table 7: thousand queries/s, ms a batch", ["method"] + [s + x for s in SETS for x in (" TP", " RT")], [
        [m] + [f(at[s]) if s in at else None for s in SETS for f in (lambda r: r["queries"] / total(r) / 1e3, lambda r: total(r) * 1e3)]
        for m, at in rows.items()])
    curve = {}
    for label in ("gov raw", "gov hslrc256"):
        for row in records.at.get(("para", "c " + label), {}).get("rows", []):
            curve.setdefault(row["c"], {})[row["method"]] = row
    methods = ["is", "bs", "lr", "lr-local", "hs32", "hs16", "hslrc256"]
    each = lambda f: [[str(c)] + [f(at[m]) if m in at else None for m in methods] for c, at in sorted(curve.items())]
    yield table("Ao figure 5: thousand queries/s on gov by c", ["c"] + methods, each(lambda r: r["queries"] / total(r) / 1e3))
    yield table("Ao figure 6: us a batch", ["c"] + methods, each(lambda r: total(r) * 1e6))
    yield table("Ao figure 9b: share of kernels", ["c"] + methods, each(lambda r: r["kernels"] / total(r)))
    sms = {}
    for label, answer in records.of("para", "sms"):
        n, method = label.split()
        sms.setdefault(int(n), {})[method] = (answer["processors"], answer["rows"][0])
    yield table("Ao figure 9a: SMs, speed-up, us of kernels", ["asked", "SMs", "hs16", "kernels", "hslrc256", "kernels"], [
        [str(n), str(max(p for p, _ in at.values()))] + [x for m in ("hs16", "hslrc256") for x in
         ((at[m][1]["speed_up"], at[m][1]["kernels"] * 1e6) if m in at else (None, None))] for n, at in sorted(sms.items())])


# ---- Kernels --------------------------------------------------------------------------------------------------------

def cases_of(answer):
    return {f"{c['area']} {c['name']}": c for c in answer["cases"]}


def rate(case):
    """Thousand millions a second."""
    return case["elements"] / case["median"] / 1e9 if case else None


def core_rate(case):
    return case["elements"] / case["cpu"] / 1e9 if case and case.get("cpu") else None


def length_tables(records):
    names = {"naive": "decode qs, naive", "separate": "decode qs, Li separate", "merged": "decode qs, Li merged", "lows": "decode qs, low bits",
             "ours": "decode qs, merged, 2 blocks", "rec": "decode pfd_rec", "gaps": "decode pfd_rec, gaps", "EF literal": "decode ef128 literal l4",
             "EF": "decode ef128 l4", "rice": "decode rice"}
    rows = sorted((int(label), cases_of(a)) for label, a in records.of("lengths", "length"))
    yield table("decoding one list, G/s by length (Li 6 8 10 11, Ding 4, Griffin 12); cores", ["from"] + list(names) + ["pfd core", "rec core"], [
        [str(n)] + [rate(at.get(c)) for c in names.values()] + [core_rate(at.get("decode pfd")), core_rate(at.get("decode pfd_rec"))] for n, at in rows])
    us = lambda case: " ".join(fit(1e6 * x) for x in case["launches"]) if case else "-"
    yield table("launches of naive, separate, merged, us", ["from", "naive", "separate", "merged"], [
        [str(n)] + [us(at.get(names[k])) for k in ("naive", "separate", "merged")] for n, at in rows[4::5]])
    yield table("Li figures 6 and 13: G/s by c", ["c"] + list(names)[:5], [
        [c] + [rate(cases_of(a).get(names[k])) for k in list(names)[:5]] for c, a in records.of("lengths", "c")])
    threads = {}
    for label, a in records.of("lengths", "threads"):
        t, n = label.split()
        threads.setdefault(int(n), {})[t] = rate(cases_of(a).get(names["merged"]))
    yield table("Li figure 14: G/s of merged by threads", ["from", "128", "256", "512", "1024"], [
        [str(n)] + [at.get(t) for t in ("128", "256", "512", "1024")] for n, at in sorted(threads.items())])
    for label, a in records.of("lengths", "all"):
        yield table("all lists, G/s (Ding table 1)", ["row", "gpu", "core"], [[n, rate(c), core_rate(c)] for n, c in cases_of(a).items()])
    yield table("G/s by share of exceptions (Ao figure 8)", ["row", "0", "0.1", "0.2", "0.4"], exception_rows(records))


def exception_rows(records):
    shares = {s: cases_of(a) for s, a in records.of("lengths", "exceptions")}
    names = [n for n in shares.get("0", {}) if n.startswith("decode") and "tenth" not in n and "summed" not in n]
    return [[n] + [rate(shares.get(s, {}).get(n)) for s in ("0", "0.1", "0.2", "0.4")] for n in names]


def pair_tables(records):
    ns = lambda case: 1e9 * case["median"] / case["elements"]
    names = ["intersect bs 1:1", "intersect pmf 1 1:1", "intersect pmf 2 1:1", "intersect pmf 3 1:1", "intersect pmf 4 1:1", "intersect mpath 1:1", "intersect tile 1:1"]
    short = [n.removeprefix("intersect ").removesuffix(" 1:1") for n in names]
    line = lambda at, names: [ns(at[n]) if n in at else None for n in names]
    first = lambda at: next((c for n, c in at.items() if n.startswith("intersect")), None)
    core = lambda at: 1e9 * first(at)["cpu"] / first(at)["elements"] if first(at) else None
    yield table("Ding figure 6: ns for each docid of A, two lists of a length", ["lengths", "A"] + short + ["core"], [
        [l, str(first(a)["elements"])] + line(a, names) + [core(a)] for l, a in ((l, cases_of(a)) for l, a in records.of("pairs", "equal")) if first(a)])
    names = [names[0], names[5], names[6]]
    yield table("Griffin figure 13: ns for each docid of A", ["lengths", "A", "bs", "mpath", "tile", "core"], [
        [l, str(first(a)["elements"])] + line(a, names) + [core(a)] for l, a in ((l, cases_of(a)) for l, a in records.of("pairs", "comparable")) if first(a)])
    cores = []
    for size, answer in records.of("pairs", "core"):
        for result in answer["results"]:
            at = {(r["form"], r["method"], r["isa"]): r["time"]["median"] for r in result["rows"]}
            cores.append([size, str(result["ratio"]), at.get(("arrays", "merge", "scalar")), at.get(("arrays", "gallop", "scalar")),
                          at.get(("arrays", "skip", "scalar")), min(at.values())])
    yield table("one core, ns for each docid of A", ["B", "ratio", "merge", "gallop", "skip", "best"], cores)
    ratios = sorted((int(r), cases_of(a)) for r, a in records.of("pairs", "ratio"))
    names = ["intersect bs 1:1", "intersect mpath 1:1", "intersect skip 1:10", "intersect bp128 1:1", "intersect tile 1:1", "intersect hs16 1:100"]
    yield table("Griffin figure 8: us, B of 1.5M", ["ratio"] + [n.split()[1] for n in names] + ["core"], [
        [str(r)] + [1e6 * at[n]["median"] if n in at else None for n in names] + [1e6 * first(at)["cpu"]] for r, at in ratios if first(at)])
    sizes = sorted((int(n), cases_of(a)) for n, a in records.of("pairs", "select"))
    names = ["select bucket 10", "select sort 10", "select heap512 10", "select heap 10", "select sample 10", "select radix 10"]
    yield table("selection of drawn scores, us (Griffin figure 7)", ["n"] + [n[7:] for n in names] + ["core"], [
        [str(n)] + [1e6 * at[c]["median"] if c in at else None for c in names] + [1e6 * at[names[0]]["cpu"] if names[0] in at else None] for n, at in sizes])


def query_tables(records):
    rows = []
    for processor in ("gpu", "cpu"):
        for o in records.at.get(("queries", f"{processor} and,or,andor"), {}).get("operations", []):
            name, is_stepped = split(o["algorithm"])
            steps = steps_of(o)
            rows.append([f"{processor} {o['operation']} {name}{' stepped' if is_stepped else ''}", o["mean"]["median"], o["p50"]["median"]] +
                        [steps.get(s) for s in ("decode", "intersect", "clear", "score", "select")])
    for row in rows:
        row[0] = row[0].replace("intersect=ding,levels=1,select=heap512", "ding").replace(":10", "").replace("decode=", "")
    yield table("Ding tables 2 and 3: us a query, 25.2M documents", ["", "mean", "p50", "decode", "intersect", "clear", "score", "select"], rows)


def summarize(folder):
    records = Records(folder)
    parts = [t for tables in (para_tables, query_tables, pair_tables, length_tables, operator_tables) for t in tables(records)]
    if records.failed:
        parts.insert(0, f"## {len(records.failed)} calls failed\n" + "\n".join(records.failed[:12]) + "\n")
    return "\n".join(p for p in parts if p)
