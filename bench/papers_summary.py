"""papers_summary.py: what papers_h200.py has recorded, as tables in Markdown."""
import json
import os
import re


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
        """(rest of the label, answer) of labels that begin so, of sets with blanks between."""
        return [(label[len(begin):].strip(), out) for (s, label), answers in self.at.items()
                if s in name.split() and label.startswith(begin + " ") for out in answers]


def lines_of(head, rows):
    """A table as the pages of bench/results have them."""
    rows = [[r if isinstance(r, str) else fit(r) for r in row] for row in rows]
    line = lambda cells: re.sub(" +", " ", "| " + " | ".join(cells) + " |")
    return "\n".join([line(head), "|" + "---|" * len(head)] + [line(row) for row in rows]) + "\n"


def table(title, head, rows):
    return f"### {title}\n\n{lines_of(head, rows)}" if rows else ""


def fit(x):
    if x is None:
        return ""
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}" if abs(x) >= 1 else \
        f"{x:.3f}".replace("0.", ".", 1)


# ---- Operators ------------------------------------------------------------------------------------------------------

TERMS = ["2", "3", "4", "5+"]
STAGES = {"and": ["decode", "intersect", "score", "select"], "or": ["decode", "clear", "score", "select"],
          "andor": ["decode", "intersect", "clear", "score", "select"]}
INDEX_NAMES = {"rec": "pfd_rec"}


def split(algorithm):
    """The row's name, and whether its steps were timed."""
    name = algorithm.replace("operators:mode=stepped", "operators").replace(",mode=stepped", "")
    return name.removeprefix("operators:"), "mode=stepped" in algorithm


def steps_of(operation):
    return {s["stage"]: s["us"] for s in operation.get("steps", [])}


def phase_of(name):
    """The phase that a row names; several phases are a pipeline, and `levels` is none."""
    if "=" not in name:
        return "fused" if name == "auto" else "auto"
    phases = [option.split("=")[0] for option in name.split(",")]
    phases = [p for p in phases if p != "levels"]
    return phases[0] if len(phases) == 1 else "pipeline"


def operators(records, mode):
    """{phase: {(row, index): {terms: {mean, p50, steps}}}}"""
    out = {}
    for (name, label), answers in records.at.items():
        if name not in ("operators", "andor"):
            continue
        form, n = label.split()[:2]
        for o in [o for answer in answers for o in answer["operations"]
                  if o["operation"] == mode + ":10" and "mean" in o]:
            row, is_stepped = split(o["algorithm"])
            key = row, INDEX_NAMES.get(form, form)
            at = out.setdefault(phase_of(row), {}).setdefault(key, {}).setdefault(n, {})
            if is_stepped:
                at["steps"], at["whole"] = steps_of(o), o["mean"]["median"]
            else:
                at["mean"], at["p50"] = o["mean"]["median"], o["p50"]["median"]
    return out


def by_speed(rows):
    """By the mean of three terms."""
    return sorted(rows.items(), key=lambda r: r[1].get("3", {}).get("mean", 1e9))


def chained_cell(at):
    return f"{fit(at['mean'])} ({fit(at['p50'])})" if "mean" in at else ""


def stepped_cell(at, figure):
    """Of queries of each number of terms."""
    values = [figure(at.get(n, {})) for n in TERMS]
    return ", ".join(fit(v) or "-" for v in values) if any(values) else ""


def named(row, phase, has_index):
    """Its name without the phase that all rows of the table name."""
    name = "auto" if row[0] == "operators" else row[0].removeprefix(phase + "=")
    return [f"`{name}`"] + ([f"`{row[1]}`"] if has_index else [])


def phase_tables(title, rows, phase, stages):
    """Chained and stepped; the index is named where there are several."""
    has_index = len({index for _, index in rows}) > 1
    head, rows = ["row"] + (["index"] if has_index else []), by_speed(rows)
    chained = lines_of(head + TERMS, [named(row, phase, has_index) + [chained_cell(at.get(n, {})) for n in TERMS]
                                      for row, at in rows])
    stepped = [named(row, phase, has_index) + [stepped_cell(at, lambda of, s=stage: of.get("steps", {}).get(s))
                                               for stage in stages] + [stepped_cell(at, lambda of: of.get("whole"))]
               for row, at in rows if any("steps" in of for of in at.values())]
    text = f"## {title}\n\nChained:\n\n{chained}"
    return text + f"\nStepped, each step:\n\n{lines_of(head + stages + ['whole'], stepped)}" if stepped else text


def fused_table(found):
    """By index: ANDs, then ORs, and AND+ORs where they were asked."""
    modes = [m for m in found if found[m].get("fused")]
    rows = by_speed(found[modes[0]]["fused"]) if modes else []
    head = ["index"] + [f"{MODES[m]}, {n}" for m in modes for n in TERMS]
    return "## Fused kernels\n\n" + lines_of(head, [
        [f"`{row[1]}`"] + [chained_cell(found[m]["fused"].get(row, {}).get(n, {})) for m in modes for n in TERMS]
        for row, _ in rows]) if rows else ""


MODES = {"and": "AND", "or": "OR", "andor": "AND+OR"}
PHASES = {"and": ["intersect", "decode", "score", "select", "pipeline"], "or": ["decode", "score", "select"],
          "andor": ["intersect", "select"]}


def operator_tables(records):
    """The tables of bench/results/operators-h200.md, in its order and form."""
    found = {mode: operators(records, mode) for mode in MODES}
    yield fused_table(found)
    for mode, phases in PHASES.items():
        for phase in phases:
            rows = dict(found[mode].get(phase, {}))
            if rows and phase != "pipeline":
                rows.update(found[mode].get("auto", {}))
            title = f"{MODES[mode]}: " + ("pipelines of the papers" if phase == "pipeline" else f"rows of `{phase}`")
            yield phase_tables(title, rows, phase, STAGES[mode]) if rows else ""


# ---- PARA -----------------------------------------------------------------------------------------------------------

SETS = ["gov", "govpr", "govr", "bd", "bdr"]
FORM_NAMES = {"pp20": "parapfor, exceptions 0.2", "pp00": "parapfor, exceptions 0"}
# Ao's own, in the order of SETS
PAPER_SPEED_UP = {
    "is": [8.69, 7.67, 9.48, 2.16, 5.64], "bs": [14.59, 14.81, 14.29, 9.86, 8.70],
    "lr": [16.22, 15.86, 16.19, 9.98, 9.42], "hs32": [22.14, 22.45, 20.96, 14.19, 12.35],
    "hs16": [23.29, 23.54, 22.01, 14.67, 12.96], "parapfor, exceptions 0.2": [4.05, 4.10, 3.97, 2.65, 2.43],
    "parapfor, exceptions 0": [5.86, 5.94, 5.77, 3.87, 3.53], "lrc": [10.79, 10.68, 10.97, 7.22, 7.24],
    "lrcseg": [10.79, 10.67, 10.98, 7.24, 7.22], "seglrc": [12.07, 11.74, 12.42, 7.42, 7.93],
    "hslrc256": [14.26, 14.10, 14.21, 8.60, 8.80], "hslrc128": [14.38, 14.22, 14.24, 8.78, 8.81]}
# thousand queries a second, and milliseconds a batch
PAPER_THROUGHPUT = {
    "parapfor, exceptions 0.2": [15.9, 16.1, 15.6, 58.9, 54.0],
    "parapfor, exceptions 0": [23.0, 23.3, 22.6, 86.0, 78.3],
    "lrc": [42.3, 41.9, 43.0, 161, 161], "lrcseg": [42.3, 41.9, 43.1, 161, 160],
    "seglrc": [47.3, 46.1, 48.1, 165, 176], "hslrc256": [56.0, 55.3, 55.7, 191, 196]}
PAPER_RESPONSE = {
    "parapfor, exceptions 0.2": [7.66, 7.57, 7.81, 4.71, 5.15],
    "parapfor, exceptions 0": [5.29, 5.22, 5.38, 3.23, 3.55],
    "lrc": [2.88, 2.90, 2.83, 1.73, 1.73], "lrcseg": [2.88, 2.91, 2.83, 1.73, 1.73],
    "seglrc": [2.57, 2.64, 2.50, 1.68, 1.58], "hslrc256": [2.18, 2.20, 2.18, 1.45, 1.42]}


def total(row):
    return row["host"] + row["transfer"] + row["kernels"]


def para_rows(records, c):
    """{method: {collection: row}} at one c, the largest where it is None."""
    out = {}
    for label, answer in records.of("para search", "c"):
        collection, form = label.split()
        for row in answer["rows"]:
            if row["c"] == c or (c is None and row["c"] == max(r["c"] for r in answer["rows"])):
                out.setdefault(FORM_NAMES.get(form, row["method"]), {})[collection] = row
    return out


def para_tables(records):
    rows = para_rows(records, 1 << 20) or para_rows(records, None)
    core = rows.get("bs", {})
    yield sms_table(records)
    yield share_table(records)
    if not rows:
        return

    def cell(at, i, figure, paper, method):
        """Ours, and the paper's in parentheses."""
        if SETS[i] not in at:
            return ""
        theirs = f" ({paper[method][i]:.3g})" if method in paper else ""
        return fit(figure(at[SETS[i]])) + theirs

    def by_set(title, figure, paper):
        return table(title, ["method"] + SETS, [
            [f"`{m}`"] + [cell(at, i, figure, paper, m) for i in range(len(SETS))] for m, at in rows.items()])

    yield table("Ao: batches with c = 1M, on average", ["", *SETS], [
        [name] + [core[s][key] if s in core else None for s in SETS]
        for name, key in (("queries", "queries"), ("docids of shortest lists", "elements"), ("hits", "found"))])
    yield table("Ao: us of kernels + host + transfer, c = 1M", ["method"] + SETS, [
        [f"`{m}`"] + [" + ".join(fit(1e6 * at[s][k]) for k in ("kernels", "host", "transfer")) if s in at else ""
                      for s in SETS] for m, at in rows.items()])
    yield by_set("Ao, table 3: times as fast as a core in the same call, on the same index (the paper's)",
                 lambda r: r["speed_up"], PAPER_SPEED_UP)
    yield table("the same over a core on docids (that of `bs`)", ["method"] + SETS, [
        [f"`{m}`"] + [core[s]["core"] / total(at[s]) if s in at and s in core else None for s in SETS]
        for m, at in rows.items()])
    yield table("the core, us a batch: in the call of the method", ["method"] + SETS, [
        [f"`{m}`"] + [1e6 * at[s]["core"] if s in at else None for s in SETS] for m, at in rows.items()])
    yield by_set("Ao, table 7: thousand queries a second (the paper's)", lambda r: r["queries"] / total(r) / 1e3,
                 PAPER_THROUGHPUT)
    yield by_set("Ao, table 7: ms a batch (the paper's)", lambda r: total(r) * 1e3, PAPER_RESPONSE)
    yield from para_curves(records)


def para_curves(records):
    curve, methods = {}, ["is", "is-8", "bs", "lr", "lr-local", "hs32", "hs16", "hslrc256"]
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
    for label, answer in records.of("para sms", "sms"):
        n, method = label.split()
        row = answer["rows"][0]
        sms.setdefault(int(n), {"SMs": str(answer["processors"])})[method] = [row["speed_up"], row["kernels"] * 1e6]
    head = ["asked", "SMs"] + [x for m in methods for x in (m, "kernels")]
    return table("Ao figure 9a: SMs, speed-up, us of kernels", head,
                 [[str(n), at["SMs"]] + [x for m in methods for x in at.get(m, [None, None])]
                  for n, at in sorted(sms.items())])


def share_table(records):
    """A line for each turn and method."""
    rows, cs = [], []
    for label, answer in records.of("share", "share"):
        turn, method = label.split()
        cs = [str(r["c"]) for r in answer["rows"]]
        rows.append([method, turn] + [f'{fit(r["kernels"] / total(r))}: {fit(1e6 * r["kernels"])} + '
                                      f'{fit(1e6 * r["host"])} + {fit(1e6 * r["transfer"])}' for r in answer["rows"]])
    return table("Ao figure 9b: share of kernels by c, us of kernels + host + transfer", ["method", "turn"] + cs,
                 sorted(rows))


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


CORE_METHODS = ["merge", "binary", "gallop", "skip"]


def core_methods(result):
    """ns for each docid of A: of the plain methods on arrays, and of the fastest row."""
    at = {(r["form"], r["method"], r["isa"]): r["time"]["median"] for r in result["rows"]}
    return [at.get(("arrays", m, "scalar")) for m in CORE_METHODS] + [min(at.values())]


def comparable_tables(records):
    """A core's columns are there where the card had the same A."""
    rows, cores = [], {}
    for label, answer in records.of("comparable", "core"):
        for result in answer["results"]:
            cores[label, str(result["ratio"])] = result
    for label, answer in records.of("comparable", "card"):
        n, ratio = label.split()
        at, core = cases_of(answer), cores.get((n, ratio))
        bs, path, tile = [at.get("intersect " + name) for name in (PAIRS[0], PAIRS[5], PAIRS[6])]
        if not bs or not path:
            continue
        is_same = core and core["short"] == bs["elements"]
        ns = [1e9 * c["median"] / c["elements"] if c else None for c in (bs, path, tile)]
        of_core = core_methods(core) if is_same else [None] * (len(CORE_METHODS) + 1)
        merge, binary = of_core[:2]
        rows.append([n, ratio, str(bs["elements"]), str(core["long"]) if is_same else ""] + ns + of_core +
                    [ns[0] / ns[1]] + ([merge / ns[1], binary / ns[0], binary / merge] if is_same else [None] * 3))
    yield table("Griffin figure 13: ns for each docid of A, on the card and on a core",
                ["lengths", "ratio", "A", "B", "bs", "mpath", "tile"] + CORE_METHODS +
                ["best", "bs/mpath", "merge/mpath", "binary/bs", "binary/merge"], rows)


def core_table(answers):
    rows = [[size, str(result["ratio"])] + core_methods(result) for size, answer in answers
            for result in answer["results"]]
    return table("one core, ns for each docid of A", ["B", "ratio"] + CORE_METHODS + ["best"], rows)


def by_number(title, answers, area, names):
    us = lambda case, what: 1e6 * case[what] if case else None
    rows = sorted((int(n), cases_of(answer)) for n, answer in answers)
    return table(title, ["n"] + names + ["core"], [
        [str(n)] + [us(at.get(f"{area} {name}"), "median") for name in names] +
        [us(at.get(f"{area} {names[0]}"), "cpu")] for n, at in rows])


def pair_tables(records):
    equal = records.of("pairs", "equal") + records.of("longest", "equal")
    yield by_docid("Ding figure 6: ns for each docid of A, two lists of a length", equal, PAIRS)
    yield by_docid("Ding: ns for each docid of A, 200,000 docids, by ratio", records.of("ratios", "a"), PAIRS)
    yield core_table(records.of("pairs", "core"))
    yield by_number("Griffin figure 8: us by ratio, B of 1.5M", records.of("pairs", "ratio"), "intersect", RATIOS)
    yield by_number("selection of drawn scores, us (Griffin figure 7)", records.of("pairs", "select"), "select",
                    SELECTS)


def query_tables(records):
    """An AND by `ding` with a named decode decodes the shortest list and chosen blocks; without one that is cached."""
    rows, stages = [], ["decode", "intersect", "clear", "score", "select"]
    decoded = lambda o: next((s["elements"] for s in o.get("steps", []) if s["stage"] == "decode"), None)
    for processor in ("gpu", "cpu"):
        for o in [o for _, answer in records.of("queries", processor) for o in answer["operations"]]:
            name, is_stepped = split(o["algorithm"])
            name = name.replace("intersect=ding,levels=1,select=heap512", "ding").replace("decode=", "")
            steps = steps_of(o)
            rows.append([f"{processor} {o['operation'][:-3]} {name}{' stepped' if is_stepped else ''}",
                         o["mean"]["median"], o["p50"]["median"]] + [steps.get(s) for s in stages] + [decoded(o)])
    yield table("Ding, tables 2 and 3: us a query, 25.2M documents; postings that the step decode has decoded",
                ["", "mean", "p50"] + stages + ["postings"], rows)


def turn_tables(records):
    """Core over card, turn by turn; the last line has the medians over turns, and the best of each."""
    mean = {}
    for label, answer in records.of("ding", "turn"):
        turn, processor, mode = label.split()
        mean[mode, processor, int(turn)] = next(o["mean"]["median"] for o in answer["operations"] if "mean" in o)
    rows = []
    for mode in ("or", "andor"):
        turns = sorted(t for m, p, t in mean if (m, p) == (mode, "cpu") and (mode, "gpu", t) in mean)
        both_of = [[mean[mode, p, t] for t in turns] for p in ("cpu", "gpu")]
        rows += [[mode, str(t), c, g, c / g] for t, c, g in zip(turns, *both_of)]
        if turns:
            best, middle = [min(x) for x in both_of], [sorted(x)[len(x) // 2] for x in both_of]
            rows.append([mode, "median", *middle, middle[0] / middle[1]])
            rows.append([mode, "best", *best, best[0] / best[1]])
    yield table("Ding, table 2: OR and AND+OR in turn, us a query, mean", ["", "turn", "core", "Ding's row",
                                                                          "core over it"], rows)


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


TABLES = {"para": para_tables, "sms": para_tables, "share": para_tables, "search": para_tables,
          "ding": turn_tables, "queries": query_tables, "pairs": pair_tables, "comparable": comparable_tables,
          "longest": pair_tables, "ratios": pair_tables, "andor": operator_tables, "lengths": length_tables,
          "operators": operator_tables, "sizes": size_tables}


def summarize(folder, names):
    """Of these sets, or of all."""
    records = Records(folder)
    kinds = list(dict.fromkeys(TABLES[n] for n in TABLES if not names or n in names))
    parts = [t for tables in kinds for t in tables(records)]
    if records.failed:
        parts.insert(0, f"### {len(records.failed)} calls failed\n\n" + "\n".join(records.failed[:12]) + "\n")
    return "\n".join(p for p in parts if p)
