#!/usr/bin/env python3
"""iiu_plots.py: Table 2 and Figures 14 to 20 of bench/results/iiu.md as plots.

usage: bench/iiu_plots.py [bench/results/iiu.md]

Reads the tables, and writes beside them one SVG file for each collection: iiu-NAME.svg. Needs nothing but Python.
"""
import html
import math
import os
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 380, 250, 46, 34, 62
COLORS = {"single": "#2166ac", "and": "#b2182b", "or": "#1b7837"}
DASHES = {"line": "", "charge4": "6 3", "free": "2 3"}
FADES = {"6 3": "0.65", "2 3": "0.35"}
OTHERS = ("#2166ac", "#b2182b", "#1b7837", "#762a83")


def read_tables(path):
    """(collection, title, header, rows) of each table under a heading of a figure."""
    collection, title, rows = "", None, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                collection = line[3:].strip()
            elif line.startswith("#### Figure"):
                title = line[5:].strip()
            elif line.startswith("|") and title:
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            elif rows:
                yield collection, title, rows[0], rows[2:]
                title, rows = None, []
    if rows:
        yield collection, title, rows[0], rows[2:]


def read_sizes(path):
    """Table 2, bits a posting of indexes: one table for each collection. A cell of it is "bits, ratio"."""
    rows, is_here = [], False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                is_here = line.startswith("## Table 2")
            elif is_here and re.match(r"\| .* \| [0-9.]+, ", line) and ", image" not in line:
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    for i, collection in enumerate(("gitlog-500k", "ccnews (synthetic)")):
        yield collection, "Table 2: bits a posting, directory included", ["scheme", "bits"], [
            [re.match(r"`?(\w+)", row[0]).group(1), row[i + 1].split(",")[0]] for row in rows]


def number(text):
    match = re.match(r"-?[0-9.,]+", text)
    return float(match.group().replace(",", "")) if match else None


def series_of(header, rows):
    """Names of the x axis and lines (name, color, dash, values): a line a row, or a line a column."""
    if header[1] == "dl":
        return header[2:], [("%s, %s" % (row[0], row[1]), COLORS[row[0]], DASHES[row[1]],
                             [number(cell) for cell in row[2:]]) for row in rows]
    return [row[0] for row in rows], [(name, OTHERS[i % len(OTHERS)], "", [number(row[i + 1]) for row in rows])
                                      for i, name in enumerate(header[1:])]


def text(x, y, words, size=10, anchor="start", more=""):
    return '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s"%s>%s</text>' % (
        x, y, size, anchor, more, html.escape(words))


def split_title(title):
    head, _, rest = title.partition(":")
    words, lines = (rest or head).split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 58:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return head if rest else "", lines[:2]


def bars(x0, y0, title, names, lines):
    """Groups of bars on a logarithmic scale."""
    values = [v for line in lines for v in line[3] if v]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    width, height = WIDTH - LEFT - 22, HEIGHT - TOP - BOTTOM
    out = begin_plot(x0, y0, title)
    for power in range(low, high + 1):
        y = TOP + height - height * (power - low) / (high - low)
        out.append('<path class="grid" d="M%d %.1fh%d"/>' % (LEFT, y, width))
        out.append(text(LEFT - 4, y + 3, "%g" % 10 ** power, 9, "end"))
    group = width / len(names)
    for i, name in enumerate(names):
        out.append(text(LEFT + group * (i + 0.5), TOP + height + 13, name[:20], 8, "middle"))
        for k, (_, color, dash, line) in enumerate(lines):
            if line[i]:
                size = height * (math.log10(line[i]) - low) / (high - low)
                out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="%s"/>' % (
                    LEFT + group * (i + 0.1 + 0.8 * k / len(lines)), TOP + height - size, 0.7 * group / len(lines), size,
                    color, FADES.get(dash, "1")))
    for i, (name, color, dash, _) in enumerate(lines):
        x, y = LEFT + 110 * (i // 3), TOP + height + 26 + 11 * (i % 3)
        out.append('<rect x="%d" y="%d" width="10" height="8" fill="%s" fill-opacity="%s"/>' % (
            x, y - 8, color, FADES.get(dash, "1")))
        out.append(text(x + 14, y, name[:24], 8))
    return out + ["</g>"]


def begin_plot(x0, y0, title):
    head, words = split_title(title)
    out = ['<g transform="translate(%d %d)">' % (x0, y0), text(4, 12, "%s. %s" % (head, words[0]) if head else words[0])]
    return out + [text(4, 25, line) for line in words[1:]]


def plot(x0, y0, title, header, rows):
    names, lines = series_of(header, rows)
    if any(word in title for word in ("baselines", "Figure 20", "Table 2")):
        keep = [i for i, name in enumerate(names) if name != "gain"]
        lines = [(name, color, dash, [v[i] for i in keep]) for name, color, dash, v in lines if "gain" not in name]
        return bars(x0, y0, title, [names[i] for i in keep], lines)
    top = max((v for line in lines for v in line[3] if v is not None), default=1) or 1
    width, height = WIDTH - LEFT - 22, HEIGHT - TOP - BOTTOM
    out = begin_plot(x0, y0, title)
    for i in range(5):
        y = TOP + height - height * i / 4
        out.append('<path class="grid" d="M%d %.1fh%d"/>' % (LEFT, y, width))
        out.append(text(LEFT - 4, y + 3, "%.3g" % (top * i / 4), 9, "end"))
    step = width / max(1, len(names) - 1)
    for i, name in enumerate(names):
        out.append(text(LEFT + step * i, TOP + height + 13, name[:12], 8, "middle"))
    for i, (name, color, dash, values) in enumerate(lines):
        points = ["%.1f %.1f" % (LEFT + step * k, TOP + height - height * v / top)
                  for k, v in enumerate(values) if v is not None]
        if points:
            out.append('<path fill="none" stroke="%s" stroke-width="1.6" stroke-dasharray="%s" d="M%s"/>' % (
                color, dash, "L".join(points)))
        x, y = LEFT + 110 * (i // 3), TOP + height + 26 + 11 * (i % 3)
        out.append('<path stroke="%s" stroke-width="1.6" stroke-dasharray="%s" d="M%d %dh18"/>' % (color, dash, x, y - 3))
        out.append(text(x + 22, y, name[:22], 8))
    return out + ["</g>"]


def write_page(path, collection, tables):
    n = len(tables)
    height = (n + 1) // 2 * HEIGHT + 26
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'font-family="sans-serif">' % (2 * WIDTH, height, 2 * WIDTH, height),
           "<style>text{fill:#222}.page{fill:#fff}.grid{stroke:#ddd;fill:none}"
           "@media(prefers-color-scheme:dark){text{fill:#ddd}.page{fill:#1c1c1c}.grid{stroke:#444}}</style>",
           '<rect class="page" width="100%" height="100%"/>', text(4, 16, collection, 13, "start", ' font-weight="bold"')]
    for i, (title, header, rows) in enumerate(tables):
        out += plot(i % 2 * WIDTH, 26 + i // 2 * HEIGHT, title, header, rows)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "bench/results/iiu.md"
    pages = {}
    for collection, title, header, rows in [*read_sizes(path), *read_tables(path)]:
        pages.setdefault(collection, []).append((title, header, rows))
    for collection, tables in pages.items():
        write_page(os.path.join(os.path.dirname(path), "iiu-%s.svg" % collection.split(" ")[0]), collection, tables)


if __name__ == "__main__":
    main()
