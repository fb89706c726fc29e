"""Every public name of riposte.py with wrong arguments: a value or an exception, never a signal.

misuse.py FOLDER: calls everything from four threads, then again in a child that was forked while
these searched. test_python.py runs it as a process of its own, whose end by a signal it can see, and
keeps TABLE whole. FOLDER becomes the current one; FOLDER/log has the call that each thread made last.
"""

import faulthandler
import inspect
import os
import sys
import threading

if not os.environ.get("RIPOSTE_INSTALLED"):  # tests of what is installed take that
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import riposte  # noqa: E402

THREADS = 4
DOCS = """{"id":"a","title":"One","text":"the boundary layer of a wing"}
{"id":"b","title":"Two","text":"the wing and the jet"}
"""


def explode(*_):
    raise ZeroDivisionError


VALUES = (None, True, -1, 0, 1, 5, 2**31, 2**32 + 5, 2**63, 2**64, -2**63, 10**400, 1.5, -0.5, 1e300,
          float("nan"), float("inf"), float("-inf"), 1j, "", "wing", "a\0b", "\udc80", b"", b"\xff",
          b"a\0b", bytearray(b"x"), [], [None], [5], [("1", None)], [("1",)], [("1", b"wing", 2)],
          ["wing", b"\xff"], {}, {"qid": 1}, [{"qid": 1}], [{"id": "a", "text": "wing"}, 5],
          [{"id": 1.5, "text": object()}], ["title", "snippet"], object(), range(3), explode, int, len)

# What a call may raise. ctypes.ArgumentError, SystemError and their like are not among them: they
# come from calls that should have been refused before.
EXPECTED = (TypeError, ValueError, OverflowError, LookupError, MemoryError, riposte.Error,
            ZeroDivisionError)


def _index(method):
    return lambda world: getattr(world["index"], method)


def _module(name):
    return lambda world: getattr(riposte, name)


# By name: how to get the function, arguments that work, and the record of its options.
TABLE = {
    "version": (_module("version"), {}, None),
    "build": (_module("build"), {"source": "docs.jsonl", "directory": "new"}, riposte._BuildOptions),
    "import_index": (_module("import_index"), {"path": "out.ciff", "directory": "new"},
                     riposte._ImportOptions),
    "export_index": (_module("export_index"), {"directory": "ix", "path": "new.ciff"},
                     riposte._ExportOptions),
    "Index": (_module("Index"), {"directory": "ix"}, None),
    "Index.search": (_index("search"), {"queries": "wing"}, riposte._SearchOptions),
    "Index.batch": (_index("batch"), {"queries": ["wing"]}, riposte._SearchOptions),
    "Index.gpu_state": (_index("gpu_state"), {}, riposte._SearchOptions),
    "Index.document": (_index("document"), {"docid": 0}, None),
    "Index.get": (_index("get"), {"docno": "a"}, None),
    "Index.suggest": (_index("suggest"), {"prefix": "w"}, None),
    "Index.correct": (_index("correct"), {"query": "wong"}, riposte._SearchOptions),
    "Index.snippet": (_index("snippet"), {"query": "wing", "docid": 0}, riposte._SearchOptions),
    "Index.explain": (_index("explain"), {"query": "wing", "docid": 0}, riposte._SearchOptions),
    "Index.__repr__": (_index("__repr__"), {}, None),
    "Index.info": (lambda world: lambda: world["index"].info, {}, None),
    "Index.close": (lambda world: riposte.Index("ix").close, {}, None),
    "Index.__len__": (_index("__len__"), {}, None),
    "Index.__enter__": (_index("__enter__"), {}, None),
    "Index.__exit__": (lambda world: riposte.Index("ix").__exit__, {}, None),
    "Hit": (_module("Hit"), dict.fromkeys(riposte.Hit._fields, 0), None),
    "Row": (_module("Row"), dict.fromkeys(riposte.Row._fields, 0), None),
    "Progress": (_module("Progress"), dict.fromkeys(riposte.Progress._fields, 0), None),
    "Hits": (_module("Hits"), {}, None),
    "Correction": (_module("Correction"), dict.fromkeys(riposte.Correction._fields, 0), None),
    "Snippet": (_module("Snippet"), {"text": "a", "pieces": [("a", False)]}, None),
    "Step": (_module("Step"), dict.fromkeys(riposte.Step._fields, 0), None),
    "Explanation": (_module("Explanation"), dict.fromkeys(riposte.Explanation._fields, 0), None),
}
TABLE.update({name: (_module(name), {"status": "RP_IO", "text": "x"}, None) for name, kind
              in vars(riposte).items() if isinstance(kind, type) and issubclass(kind, riposte.Error)})

# These write files: the threads share them out, where each makes all of the other calls.
SHARED = ("build", "import_index", "export_index")


def public_names():
    """What riposte.py gives to others: its own names without an underscore, and those of Index."""
    own = [name for name, value in vars(riposte).items() if not name.startswith("_")
           and getattr(value, "__module__", None) == "riposte"]
    plain = ("__init__", "__module__", "__doc__", "__dict__", "__weakref__")
    methods = ["Index." + name for name in vars(riposte.Index)
               if (not name.startswith("_") or name.startswith("__")) and name not in plain]
    return set(own + methods)


def parameters(function, record):
    """The names that a call may have: those of the signature, and the fields of the options."""
    try:
        signature = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of C
        signature = ()
    names = [p.name for p in signature if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return names + [name for name, _ in (record._fields_ if record else ())]


def cases():
    """(name of the function, arguments by name, arguments by place), all there are."""
    world = {"index": riposte.Index("ix")}
    for name, (get, good, record) in TABLE.items():
        yield name, good, ()
        for count in range(12):
            yield name, {}, (None,) * count
        for parameter in parameters(get(world), record):
            for value in VALUES:
                yield name, dict(good, **{parameter: value}), ()


def make_calls(world, number, all_cases, failures):
    """The calls of one thread. Those that write do so below a name of its own."""
    log = os.open("log%d" % number, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for i, (name, arguments, places) in enumerate(all_cases):
        if name in SHARED and i % THREADS != number:
            continue
        arguments = {k: "%s%d" % (v, number) if isinstance(v, str) and v.startswith("new") else v
                     for k, v in arguments.items()}
        os.pwrite(log, ("%s %r %r" % (name, arguments, places))[:300].ljust(300).encode() + b"\n", 0)
        try:
            TABLE[name][0](world)(*places, **arguments)
        except EXPECTED:
            pass
        except BaseException as unexpected:
            failures.append("%s %r %r: %r" % (name, arguments, places, unexpected))
    os.close(log)


def call_all(world):
    """From several threads at once; what was raised and is not expected."""
    failures, all_cases = [], list(cases())
    threads = [threading.Thread(target=make_calls, args=(world, n, all_cases, failures))
               for n in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if [hit.docno for hit in world["index"].search("wing", k=1)] != ["b"]:
        failures.append("the index does not answer as before")
    return failures


def call_after_fork(world):
    """The same in a child, forked while threads search with threads of their own."""
    index, is_over = world["index"], threading.Event()

    def search():
        while not is_over.is_set():
            index.search(["wing", "jet"], workers=2, threads=2)
            index.search("the wing", mode="and", processor="gpu", gpu="emulated")

    threads = [threading.Thread(target=search) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    index.search(["wing", "jet"], workers=2, threads=2)
    child = os.fork()
    if child == 0:
        failures = ["no result"]
        try:
            failures = call_all(world)
            print("\n".join(failures), flush=True)
        finally:
            os._exit(len(failures) > 0)
    is_over.set()
    for thread in threads:
        thread.join()
    _, status = os.waitpid(child, 0)
    return [] if status == 0 else ["after fork: wait status %d" % status]


def main(folder):
    faulthandler.enable()
    faulthandler.dump_traceback_later(240, exit=True)
    os.chdir(folder)
    with open("docs.jsonl", "w") as out:
        out.write(DOCS)
    riposte.build("docs.jsonl", "ix")
    riposte.export_index("ix", "out.ciff")
    world = {"index": riposte.Index("ix")}
    failures = call_all(world) + call_after_fork(world)
    print("\n".join(failures))
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
