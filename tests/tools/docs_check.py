"""docs_check.py CHECK DOCUMENT...: are the documents that a newcomer reads true? Prints faults, a line each.

CHECK is one of
  lines      no line over 120 columns outside tables
  sentences  no sentence over 40 words
  commands   every block "sh" or "python" runs, in order, in one scratch folder for each document; where a block without
             a language follows, it is what the commands print, but for times and sizes. Lines that begin with "make"
             are not run here. With UPDATE=1 the blocks are rewritten.
  names      every file that is named exists
  figures    every number of a table with a column "results" is in the results file that its row links to, and no
             other sentence has a measured figure
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.realpath(os.environ.get("B", os.path.join(ROOT, "build")))
MEASURED = re.compile(r"\b[0-9][0-9.,]*(?: ?(?:us|ms|ns|%|GB/s)| (?:times|queries a second|documents/s))(?![a-z])")
KINDS = r"(?:c|h|S|py|md|sh|txt|cu|cuh|def|json|awk|pc\.in|map)"
# Files that readers make themselves, or that a build makes.
OF_READERS = re.compile(r"^(?:build/|/usr/|my\.|notes|demo\.rip|topics|answers?\.|NEW\.|prog\.c|x\.|liblab\.a|_)|[*<]")


def blocks(text):
    """(language, content, line of its first line, line behind its last) of each fenced block."""
    found, begin, language = [], None, None
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("```") and begin is None:
            begin, language = number + 1, line[3:].strip()
        elif line.startswith("```"):
            found.append((language, "\n".join(lines[begin:number]), begin, number))
            begin = None
    return found


def prose(text):
    """Paragraphs and list items, each on one line, without code, tables and headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    kept = [line for line in text.split("\n") if not line.startswith(("|", "#"))]
    joined = re.sub(r"\n(?=[^\n-])(?!\s*\n)", " ", "\n".join(kept))
    joined = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", joined)
    return [line.strip("- ") for line in joined.split("\n") if line.strip()]


def check_lines(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 120 and not line.startswith("|"):
            yield "%s:%d: %d columns" % (path, number, len(line))


def check_sentences(path, text):
    for paragraph in prose(text):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`\"[])", paragraph):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > 40:
                yield "%s: %d words: %s..." % (path, len(words), " ".join(words[:8]))


def plain(output):
    """Output without what differs from run to run."""
    output = re.sub(r"[0-9.:,]+ (?:ms|s|min)\b", "TIME", output)
    output = re.sub(r"at most [0-9.]+ [KMG]iB", "at most SIZE", output)
    return re.sub(r"[0-9.]+ [KM]?i?B written", "SIZE written", output)


def run_block(language, content, folder):
    environment = dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", PYTHONPATH=os.path.join(ROOT, "python"),
                       PYTHONDONTWRITEBYTECODE="1")
    if language == "sh":
        content = "\n".join(line for line in content.split("\n") if not re.match(r"(make|pip) ", line))
        command = ["bash", "-euc", content]
    else:
        libraries = [n for n in os.listdir(BUILD) if re.match(r"libriposte\.so\.[0-9.]+$", n)]
        environment["RIPOSTE_LIBRARY"] = os.path.join(BUILD, libraries[0] if libraries else "no library")
        command = [sys.executable, "-c", content]
    return subprocess.run(command, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)


def check_commands(path, text):
    found, edits = blocks(text), []
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(BUILD, os.path.join(folder, "build"))
        os.symlink(os.path.join(ROOT, "data"), os.path.join(folder, "data"))
        for i, (language, content, begin, end) in enumerate(found):
            if language not in ("sh", "python"):
                continue
            done = run_block(language, content, folder)
            if done.returncode != 0:
                yield "%s:%d: ends with %d: %s" % (path, begin + 1, done.returncode, done.stderr.strip()[-300:])
            is_told = i + 1 < len(found) and found[i + 1][0] == "" and found[i + 1][2] - end <= 3
            if is_told and plain(done.stdout.rstrip("\n")) != plain(found[i + 1][1]):
                edits.append((found[i + 1][2], found[i + 1][3], done.stdout.rstrip("\n")))
                if not os.environ.get("UPDATE"):
                    yield "%s:%d: prints otherwise:\n%s" % (path, begin + 1, done.stdout)
    if edits and os.environ.get("UPDATE"):
        lines = text.split("\n")
        for begin, end, output in reversed(edits):
            lines[begin:end] = output.split("\n")
        with open(path, "w") as out:
            out.write("\n".join(lines))


def all_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def check_names(path, text):
    """A name with a folder is one of the repository, or of src; a bare name is that of any file."""
    files = set(all_files())
    bare = {os.path.basename(name) for name in files}
    folders = {name[:i] for name in files for i in range(len(name)) if name[i] == "/"}
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for name in re.findall(r"`([A-Za-z0-9_./<*>-]+)`", text):
        is_file = re.search(r"[a-z0-9]\.%s$" % KINDS, name)
        is_folder = re.match(r"(?:src|include|docs|tests|bench|tools|python|examples|data|fuzz)(?:/|$)", name)
        if OF_READERS.search(name) or not (is_file or is_folder):
            continue
        name = name.rstrip("/")
        if name not in files and "src/" + name not in files and name not in folders and name not in bare:
            yield "%s: there is no %s" % (path, name)


def numbers_of(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for one in value for number in numbers_of(one)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [float(value)]
    return [float(n) for n in re.findall(r"\d+(?:\.\d+)?", value)] if isinstance(value, str) else []


def words_of(value):
    """Every text of a results file, so that versions and years are found too."""
    return json.dumps(value)


def check_row(path, cells):
    link = re.search(r"\]\(([^)]+\.json)\)", cells[-1])
    if not link:
        yield "%s: no results file: %s" % (path, cells[0])
        return
    with open(os.path.join(ROOT, os.path.dirname(path), link.group(1))) as text:
        results = json.load(text)
    for key in ("date", "commit", "machine", "command"):
        if not results.get(key):
            yield "%s: no %s" % (link.group(1), key)
    known = numbers_of(results)
    for shown in re.findall(r"\d+(?:\.\d+)*", " ".join(cells[1:-1])):
        if shown in words_of(results):
            continue
        digits = len(shown.partition(".")[2])
        if not any(round(number, digits) == float(shown) for number in known):
            yield "%s: %s is not in %s" % (path, shown, link.group(1))


def check_figures(path, text):
    is_results = False
    for line in text.split("\n"):
        if not line.startswith("|"):
            is_results = False
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[-1] == "results":
            is_results = True
        elif is_results and not line.startswith("|--"):
            yield from check_row(path, cells)
    for paragraph in prose(text):
        for figure in MEASURED.findall(paragraph):
            yield "%s: a figure outside the table of results: %s" % (path, figure)


CHECKS = {"lines": check_lines, "sentences": check_sentences, "commands": check_commands, "names": check_names,
          "figures": check_figures}


def main(check, *paths):
    os.chdir(ROOT)
    faults = 0
    for path in paths:
        with open(path) as document:
            text = document.read()
        for fault in CHECKS[check](path, text):
            print(fault)
            faults += 1
    return faults > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
