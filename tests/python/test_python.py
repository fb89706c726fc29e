"""Tests of python/riposte.py against the library: layouts, answers, errors.

With RIPOSTE_INSTALLED they are of the riposte that Python finds by itself, such as that of a wheel."""

import ctypes
import inspect
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
if not os.environ.get("RIPOSTE_INSTALLED"):
    sys.path.insert(0, os.path.join(ROOT, "python"))
import misuse  # noqa: E402
import riposte  # noqa: E402

STRUCTS = {"rp_error": riposte._Error, "rp_index_options": riposte._IndexOptions,
           "rp_index_info": riposte._Info, "rp_document": riposte._Document,
           "rp_hit": riposte._Hit, "rp_hits": riposte._Hits,
           "rp_query_step": riposte._QueryStep,
           "rp_gpu_counters": riposte._GpuCounters,
           "rp_batch_query": riposte._BatchQuery, "rp_batch_options": riposte._BatchOptions,
           "rp_search_options": riposte._SearchOptions, "rp_gpu_state": riposte._GpuState,
           "rp_build_options": riposte._BuildOptions,
           "rp_import_options": riposte._ImportOptions, "rp_build_stats": riposte._BuildStats,
           "rp_export_options": riposte._ExportOptions, "rp_progress": riposte._Progress,
           "rp_snippet": riposte._Snippet, "rp_explain_node": riposte._ExplainNode,
           "rp_explanation": riposte._Explanation, "rp_suggestion": riposte._Suggestion,
           "rp_suggestions": riposte._Suggestions, "rp_correction": riposte._Correction,
           "rp_corrections": riposte._Corrections}

DOCS = """{"id":"a","title":"One","text":"the boundary layer of a wing"}
{"id":"b","title":"Two","text":"the wing and the jet"}
{"id":"c","title":"Three","text":"caf\\u00e9 layer"}
"""


class TestRiposte(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.docs = os.path.join(cls.folder.name, "docs.jsonl")
        cls.path = os.path.join(cls.folder.name, "my.rip")
        with open(cls.docs, "w") as out:
            out.write(DOCS)
        cls.stats = riposte.build(cls.docs, cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_layouts_are_the_headers(self):
        """The compiler's offset of every field and size of every struct."""
        lines = []
        for name, struct in STRUCTS.items():
            lines.append('printf("%%s %%zu\\n", "%s", sizeof(%s));' % (name, name))
            for field, _ in struct._fields_:
                lines.append('printf("%%s.%%s %%zu\\n", "%s", "%s", offsetof(%s, %s));'
                             % (name, field, name, field))
        source = os.path.join(self.folder.name, "layout.c")
        program = os.path.join(self.folder.name, "layout")
        with open(source, "w") as out:
            out.write("#include <stdio.h>\n#include <riposte/riposte.h>\nint main(void) { %s }\n"
                      % " ".join(lines))
        subprocess.run(["cc", "-I", os.path.join(ROOT, "include"), source, "-o", program],
                       check=True)
        got = dict(line.split() for line in
                   subprocess.run([program], check=True, capture_output=True,
                                  text=True).stdout.splitlines())
        for name, struct in STRUCTS.items():
            self.assertEqual(int(got[name]), ctypes.sizeof(struct), name)
            for field, _ in struct._fields_:
                self.assertEqual(int(got[name + "." + field]), getattr(struct, field).offset,
                                 name + "." + field)

    def test_build_says_what_it_did(self):
        self.assertEqual(self.stats["docs"], 3)
        self.assertGreater(self.stats["postings"], 8)

    def test_info_and_document(self):
        with riposte.Index(self.path, verify=True) as index:
            self.assertEqual(len(index), 3)
            self.assertEqual(index.info["codec"], "auto")
            self.assertTrue(index.info["has_positions"])
            document = index.document(2)
            self.assertEqual((document["docno"], document["title"]), ("c", "Three"))
            self.assertIn("caf\u00e9", document["text"])
            with self.assertRaises(riposte.Error):
                index.document(3)

    def test_one_query(self):
        index = riposte.Index(self.path)
        hits = index.search("wing layer", k=2)
        self.assertEqual([h.docno for h in hits][0], "a")
        self.assertEqual([h.rank for h in hits], [1, 2])
        self.assertGreaterEqual(hits[0].score, hits[1].score)
        self.assertEqual([h.docno for h in index.search("wing layer", mode="and")], ["a"])
        self.assertEqual([h.docno for h in index.search('"boundary layer"')], ["a"])
        self.assertEqual(index.search("nothing"), [])

    def test_scores_are_the_programs(self):
        index = riposte.Index(self.path)
        program = os.environ.get("RIPOSTE", os.path.join(ROOT, "build", "riposte"))
        if not os.path.exists(program):
            self.skipTest("the program is not built")
        out = subprocess.run([program, "batch", "-q", self.path, "-"], input="1\twing layer\n",
                             check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in out.splitlines()]
        hits = index.search("wing layer")
        self.assertEqual([r[2] for r in rows], [h.docno for h in hits])
        for row, hit in zip(rows, hits):
            self.assertAlmostEqual(float(row[4]), hit.score, places=6)

    def test_there_and_back(self):
        for form, name in (("ciff", "my.ciff.gz"), ("pisa", "my")):
            path = os.path.join(self.folder.name, name)
            back = os.path.join(self.folder.name, form + ".rip")
            riposte.export_index(self.path, path, form)
            self.assertEqual(riposte.import_index(path, back, form)["docs"], 3)
            self.assertEqual(riposte.Index(back).search("wing layer"),
                             riposte.Index(self.path).search("wing layer"))
        with self.assertRaises(riposte.Error):
            riposte.import_index(self.docs, os.path.join(self.folder.name, "no.rip"))

    def test_images(self):
        """Of docs/format.md, "IIU images": flags of an image's head."""
        path = os.path.join(self.folder.name, "my.iiu")
        for options, flags, largest in (({}, 0, 256), ({"iiu_max": 2047}, 0, 2047),
                                        ({"iiu_paper_cost": True}, 1, 256), ({"iiu_fixed": 5}, 2, 5),
                                        ({"iiu_bounds": True, "iiu_paired": True}, 12, 256),
                                        ({"iiu_bp128": True}, 18, 128)):
            riposte.export_index(self.path, path, "iiu", **options)
            with open(path, "rb") as image:
                head = image.read(64)
            self.assertEqual(head[:8], b"\x89IIU1\r\n\x1a")
            self.assertEqual((int.from_bytes(head[12:16], "little"), int.from_bytes(head[20:24], "little")),
                             (flags, largest), options)
        for wrong in ({"iiu_max": 4, "iiu_fixed": 4}, {"iiu_max": 2048}, {"iiu_bp128": True, "iiu_fixed": 64}):
            with self.assertRaises(riposte.UsageError):
                riposte.export_index(self.path, path, "iiu", **wrong)
        with self.assertRaises(TypeError):
            riposte.export_index(self.path, path, "iiu", max=4)

    def test_rows(self):
        index = riposte.Index(self.path)
        pairs = index.search([("7", "jet"), ("8", "layer")], k=1)
        self.assertEqual([(r.qid, r.query, r.docno, r.rank) for r in pairs][0],
                         ("7", "jet", "b", 1))
        dicts = index.search([{"qid": "7", "query": "jet"}, {"qid": "8", "query": "layer"}], k=1)
        self.assertEqual(pairs, dicts)
        self.assertEqual([r.qid for r in index.search(["jet", "layer"], k=1)], ["1", "2"])
        self.assertEqual(len(index.batch(["jet ("])), 1)

    def test_many_at_once(self):
        index = riposte.Index(self.path)
        queries = ["jet", "wing layer", "nowhere", "boundary"] * 20
        want = [(str(i), q, *hit) for i, q in enumerate(queries, 1) for hit in index.search(q)]
        for options in ({}, {"workers": 3}, {"processor": "gpu", "gpu": "emulated", "elements": 5}):
            self.assertEqual([tuple(row) for row in index.search(queries, **options)], want)
        with self.assertRaises(riposte.Error) as caught:
            index.search(["jet", "("], workers=2)
        self.assertEqual(caught.exception.status, "RP_USAGE")

    def test_errors(self):
        with self.assertRaises(riposte.Error) as caught:
            riposte.Index(os.path.join(self.folder.name, "nowhere"))
        self.assertIn("nowhere", str(caught.exception))
        index = riposte.Index(self.path)
        with self.assertRaises(riposte.Error) as caught:
            index.search("(")
        self.assertEqual(caught.exception.status, "RP_USAGE")
        with self.assertRaises(TypeError):
            index.search("wing", kk=1)
        with self.assertRaises(ValueError):
            index.search("wing", mode="xor")
        index.close()
        with self.assertRaises(ValueError):
            index.search("wing")

    def test_fallbacks(self):
        """Why a GPU did not answer, and what it did; strict_processor makes it an error."""
        gpu = dict(processor="gpu", gpu="emulated")
        index = riposte.Index(self.path)
        hits = index.search("the wing", mode="and", **gpu)
        self.assertEqual((hits.processor, hits.fallback), ("gpu", None))
        self.assertEqual((hits.gpu["launches"], hits.gpu["host_decoded_lists"]), (1, 0))
        hits = index.search("wing -jet", **gpu)
        self.assertEqual((hits.processor, hits.fallback), ("cpu", "form"))
        with self.assertRaises(riposte.UnavailableError) as caught:
            index.search("wing -jet", strict_processor=True, **gpu)
        self.assertIn("form", str(caught.exception))
        self.assertIsNone(index.search("wing -jet").fallback)

    def test_steps(self):
        """What was done for a query is there where it was asked for."""
        index = riposte.Index(self.path)
        self.assertEqual(index.search("wing layer").steps, [])
        steps = index.search("wing layer", processor="cpu", trace=True).steps
        self.assertEqual([(one.stage, one.processor) for one in steps],
                         [(stage, "cpu") for stage in ("parse", "look-up", "search", "names")])
        self.assertTrue(steps[2].us > 0 and steps[2].began_us >= 0 and steps[2].elements > 0)
        steps = index.search("wing -jet", processor="gpu", gpu="emulated", trace=True).steps
        done = [one.processor for one in steps if one.stage not in ("parse", "look-up", "names")]
        self.assertEqual(done, ["gpu", "cpu"])

    def test_gpu_in_a_child(self):
        """The same hits, from a process that is gone with the index."""
        gpu = dict(mode="and", processor="gpu", gpu="emulated", gpu_child=True)
        with riposte.Index(self.path) as index:
            self.assertEqual(index.search("the wing", **gpu), index.search("the wing", mode="and"))
            state = index.gpu_state(**gpu)
            self.assertEqual((state["answered"], state["faults"], state["is_lost"]), (1, 0, False))
            self.assertEqual(state["fault"], "")
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_threads(self):
        index, failures = riposte.Index(self.path), []

        def ask():
            for _ in range(200):
                if [h.docno for h in index.search("boundary", k=1)] != ["a"]:
                    failures.append(1)
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])


    def test_snippets(self):
        with riposte.Index(self.path) as index:
            snippet = index.snippet("cafe\u0301 boundary layer wing", 0)
            self.assertEqual("".join(text for text, _ in snippet.pieces), snippet.text)
            self.assertEqual([text for text, is_word in snippet.pieces if is_word],
                             ["boundary", "layer", "wing"])
            self.assertIn("the [boundary] [layer] of a [wing]", str(snippet))
            self.assertIn("[caf\u00e9] [layer]", str(index.snippet("caf\u00e9 layer", 2)))
            self.assertLessEqual(len(index.snippet("wing", 0, max_bytes=10).text), 10)
            with self.assertRaises(LookupError):
                index.snippet("wing", 3)
            with self.assertRaises(riposte.UsageError):
                index.snippet("(", 0)

    def test_explain(self):
        with riposte.Index(self.path) as index:
            for query in ("wing", "wing layer", "wing AND (layer OR jet)", '"boundary layer" wing'):
                for hit in index.search(query):
                    why = index.explain(query, hit.docid)
                    self.assertAlmostEqual(why.score, hit.score)
                    self.assertTrue(why.matches)
            why = index.explain("wing layer", 0)
            self.assertEqual([part.label for part in why.parts], ["term wing", "term layer"])
            self.assertAlmostEqual(sum(part.score for part in why.parts), why.score)
            self.assertEqual((why.parts[0].tf, why.parts[0].df), (1, 2))
            self.assertEqual(str(why).splitlines()[1].split(None, 1)[1], "term wing")
            self.assertIn("(no match)", str(index.explain("jet", 0)))

    def test_fields(self):
        with riposte.Index(self.path) as index:
            hits = index.search("layer wing", fields=["title", "text", "length", "snippet"])
            self.assertEqual(hits, index.search("layer wing"))
            self.assertEqual(hits[0].fields["title"], "One")
            self.assertEqual(hits[0].fields["text"], "the boundary layer of a wing")
            self.assertEqual(hits[0].fields["length"], 7)
            self.assertIn("[layer]", str(hits[0].fields["snippet"]))
            self.assertEqual(index.search("wing")[0].fields, {})
            rows = index.search([("7", "jet"), ("8", "caf\u00e9")], fields=["title"])
            self.assertEqual([row.fields for row in rows], [{"title": "Two"}, {"title": "Three"}])
            again = pickle.loads(pickle.dumps(rows))
            self.assertEqual((again, again[0].fields), (rows, rows[0].fields))
            for bad, error in ((["colour"], ValueError), ("title", TypeError), (5, TypeError)):
                with self.assertRaises(error):
                    index.search("wing", fields=bad)

    def test_the_total_is_exact_where_all_hits_are_there(self):
        with riposte.Index(self.path) as index:
            hits = index.search("wing layer", k=5)
            self.assertEqual((len(hits), hits.total, hits.total_is_exact), (3, 3, True))
            self.assertEqual([index.search(query).has_no_words for query in ("...", "nowhere")],
                             [True, False])

    def test_messages_name_what_python_has(self):
        """No option of the program is in them, and nothing that is missing goes unsaid."""
        with riposte.Index(self.path) as index:
            for options, said in (({"k": 10**6}, "raise max_k"), ({"nowhere": 1}, " start,")):
                with self.assertRaises((riposte.LimitError, TypeError)) as caught:
                    index.search("wing", **options)
                self.assertIn(said, str(caught.exception))
                self.assertNotIn("--", str(caught.exception))
                self.assertNotIn(" from,", str(caught.exception))
            for call, said in ((lambda: index.search(None), "queries are a text, or several"),
                               (lambda: index.search(5), "not int"),
                               (lambda: riposte.build(None, "x"), "source is a path"),
                               (lambda: riposte.build(5, "x"), "not int")):
                with self.assertRaises(TypeError) as caught:
                    call()
                self.assertIn(said, str(caught.exception))

    def test_get_and_suggest(self):
        with riposte.Index(self.path) as index:
            for docid in range(3):
                document = index.document(docid)
                self.assertEqual(index.get(document["docno"]), document)
            with self.assertRaises(LookupError):
                index.get("nobody")
            self.assertEqual(index.suggest("w"), [("wing", 2)])
            self.assertEqual(len(index.suggest("", k=2)), 2)
            self.assertEqual(index.suggest("nothing"), [])
            with self.assertRaises(riposte.LimitError):
                index.suggest("w", k=10**6)

    def test_correct(self):
        with riposte.Index(self.path) as index:
            found = index.correct("wong layer bondary -jett w*g zzzzzz")
            self.assertEqual(found, [("wong", "wing", 1, 2), ("bondary", "boundary", 1, 1)])
            self.assertEqual((found[0].instead, found[0].edits), ("wing", 1))
            self.assertEqual(index.correct("wing"), [])
            with self.assertRaises(riposte.UsageError):
                index.correct("(wing")

    def test_pages(self):
        """Pages put together are the whole, with the ranks of the whole."""
        with riposte.Index(self.path) as index:
            whole = index.search("wing layer", k=3)
            self.assertEqual([hit for start in range(3)
                              for hit in index.search("wing layer", k=1, start=start)], whole)
            rows = index.search(["wing layer"], k=2, start=1)
            self.assertEqual([row.rank for row in rows], [2, 3])
            with self.assertRaises(TypeError):
                index.search("wing", **{"from": 1})
            with self.assertRaises(riposte.LimitError):
                index.search("wing", start=10**9)

    def test_data_frames(self):
        class Frame:
            """As much of a data frame as search uses."""

            def __init__(self, rows, columns):
                self.rows, self.columns = rows, columns

            def to_dict(self, _):
                return [dict(zip(self.columns, row)) for row in self.rows]

        with riposte.Index(self.path) as index:
            found = index.search(Frame([("7", "jet")], ("qid", "query")), fields=["title"])
        self.assertIsInstance(found, Frame)
        self.assertEqual(found.columns, riposte.Row._fields + ("title",))
        self.assertEqual((found.rows[0][0], found.rows[0][-1]), ("7", "Two"))

    def test_repr(self):
        index = riposte.Index(self.path)
        self.assertEqual(repr(index), "<riposte.Index %r: 3 documents>" % self.path)
        hits = index.search("jet", total="exact")
        self.assertRegex(repr(hits), r"^<riposte.Hits: 1 of 1\n  1\. b  [0-9.]+>$")
        self.assertRegex(repr(hits[0]), r"^Hit\(docid=1, docno='b', rank=1, score=[0-9.]+\)$")
        index.close()
        self.assertEqual(repr(index), "<riposte.Index %r, closed>" % self.path)

    def test_every_name_is_described(self):
        """A sentence for each, and types for the arguments and the result of each call."""
        names = [(name, getattr(riposte, name)) for name in riposte.__all__]
        names += [("Index." + name, value) for name, value in vars(riposte.Index).items()
                  if not name.startswith("_") and callable(value)]
        for name, value in names:
            self.assertTrue((value.__doc__ or "").strip().endswith((".", ")")), name)
            if inspect.isfunction(value):
                signature = inspect.signature(value)
                for parameter in signature.parameters.values():
                    self.assertTrue(parameter.annotation is not parameter.empty
                                    or parameter.name == "self", "%s: %s" % (name, parameter.name))
                self.assertIsNot(signature.return_annotation, signature.empty, name)


class TestDocuments(unittest.TestCase):
    """Indexes of dictionaries."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "my.rip")

    def test_the_same_as_from_a_file(self):
        docs = os.path.join(os.path.dirname(self.path), "docs.jsonl")
        with open(docs, "w") as out:
            out.write(DOCS)
        documents = [{"id": "a", "title": "One", "text": "the boundary layer of a wing"},
                     {"_id": "b", "title": "Two", "contents": "the wing and the jet"},
                     {"docno": "c", "title": b"Three", "text": ["caf\u00e9", "layer"]}]
        riposte.build(docs, self.path)
        stats = riposte.build(documents, self.path + "2")
        self.assertEqual((stats["docs"], stats["skipped"]), (3, 0))
        for query in ("wing", "layer", "caf\u00e9 jet", '"boundary layer"'):
            with riposte.Index(self.path) as one, riposte.Index(self.path + "2") as two:
                self.assertEqual(one.search(query), two.search(query))

    def test_ten_thousand(self):
        """From a generator, then searched from two threads and a forked child."""
        documents = ({"id": "doc%d" % i, "title": "number %d" % i,
                      "text": "wing jet " + " ".join("word%d" % (i % n) for n in range(1, 20))}
                     for i in range(10000))
        seen = []
        stats = riposte.build(documents, self.path, on_progress=seen.append)
        self.assertEqual(stats["docs"], 10000)
        self.assertEqual([p.docs for p in seen if p.phase == "reading"][:2], [4096, 8192])
        index, failures = riposte.Index(self.path), []
        want = {i: ["doc%d" % i] for i in range(0, 10000, 97)}

        def ask():
            for i, docnos in want.items():
                if [h.docno for h in index.search("title%d OR \"number %d\"" % (i, i), k=1)] != docnos:
                    failures.append(i)
        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        child = os.fork()
        if child == 0:
            with_failures = 1
            try:
                ask()
                with_failures = len(failures) > 0
            finally:
                os._exit(with_failures)
        for thread in threads:
            thread.join()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(failures, [])

    def test_ids(self):
        riposte.build([{"text": "one"}, {"id": 77, "text": "two"}, {"id": None, "text": "three"},
                       {"name": "x", "text": "four"}], self.path)
        with riposte.Index(self.path) as index:
            self.assertEqual([index.document(i)["docno"] for i in range(4)], ["1", "77", "3", "4"])
        riposte.build([{"name": "x", "says": "four"}], self.path, id_field="name", text_field="says")
        with riposte.Index(self.path) as index:
            self.assertEqual([hit.docno for hit in index.search("four")], ["x"])

    def test_notes(self):
        folder, notes = os.path.dirname(self.path), []
        with open(os.path.join(folder, "docs.jsonl"), "w") as out:
            out.write('{"id": "a", "text": "wing", "colour": "red"}\n')
        riposte.build(os.path.join(folder, "docs.jsonl"), self.path, on_note=notes.append)
        self.assertTrue(any("colour" in note for note in notes), notes)

    def test_bad_documents(self):
        good, skipped = {"id": "a", "text": "wing"}, []
        bad = [{"id": "", "text": "b"}, {"id": "a\nb", "text": "b"}, {"id": "d", "text": "\udc80"}]
        for one in bad:
            with self.assertRaises(riposte.InputError) as caught:
                riposte.build([good, one], self.path)
            self.assertIn("document 2", str(caught.exception))
            self.assertFalse(os.path.exists(self.path))
        stats = riposte.build([*bad, good], self.path, on_error="skip",
                              on_skip=lambda where, what: skipped.append(where))
        self.assertEqual((stats["docs"], stats["skipped"]), (1, 3))
        self.assertEqual(skipped, ["document 1", "document 2", "document 3"])
        for wrong in ([good, "a path"], [good, None], good, [{"id": 1.5, "text": "x"}],
                      [{"id": "a", "text": 5}], [{"id": "a", "text": {}}], [{"id": True, "text": ""}]):
            with self.assertRaises(TypeError):
                riposte.build(wrong, self.path)

    def test_fields_that_are_not_indexed(self):
        """They are named once, as those of a file are; weights of terms are an error."""
        def notes_of(documents, **options):
            notes = []
            riposte.build(documents, self.path, on_note=notes.append, **options)
            return notes

        self.assertEqual(notes_of([{"id": "a", "text": "x", "year": 1, "by": None},
                                   {"id": "b", "text": "x", "body": "y", "year": 2, 5: "z"}]),
                         ['fields that are not indexed: "5", "body", "year"; text_field names the one '
                          'to index'])
        self.assertEqual(notes_of([{"id": "a", "text": "x"}]), [])
        self.assertEqual(notes_of([{"id": "a", "vector": "x"}], text_field="vector"), [])
        self.assertIn('"f23" and more', notes_of([dict({"id": "a", "text": "x"}, **{
            "f%02d" % i: 1 for i in range(30)})])[0])
        weights = [{"id": "1", "text": "x", "year": 1, "vector": {"a": 2.5}}]
        with self.assertRaises(riposte.InputError) as caught:
            riposte.build(weights, self.path)
        self.assertIn("document 1: field \"vector\" has weights of terms", str(caught.exception))
        self.assertEqual(riposte.build(weights, self.path, on_error="skip")["skipped"], 1)

    def test_options_of_documents(self):
        """They are heeded as from a file, or refused."""
        def ids_of(documents, **options):
            riposte.build(documents, self.path, **options)
            with riposte.Index(self.path) as index:
                return [index.document(i)["docno"] for i in range(len(index))]

        two = [{"id": "a", "text": "x"}, {"text": "y"}]
        self.assertEqual(ids_of(two), ["a", "2"])
        self.assertEqual(ids_of(two, ids="number"), ["1", "2"])
        self.assertEqual(ids_of(two, ids="field", on_error="skip"), ["a"])
        with self.assertRaises(riposte.InputError) as caught:
            ids_of(two, ids="field")
        self.assertIn("document 2: no id; looked for id _id docno docid", str(caught.exception))
        for wrong in ({"ids": "foo"}, {"ids": "path"}, {"ids": "relative"}, {"format": "csv"},
                      {"max_json_depth": 5}):
            with self.assertRaises(riposte.UsageError):
                ids_of(two, **wrong)
        for empty, options in (({"id": "1", "text": "words"}, {"text_field": "txt"}), ({}, {}),
                               ({"txt": "words"}, {}), ({"text": None}, {})):
            with self.assertRaises(riposte.InputError) as caught:
                ids_of([empty], **options)
            self.assertIn("no text; looked for", str(caught.exception))
        self.assertEqual(ids_of([{"title": "x"}, {"text": ""}]), ["1", "2"])

    def test_bytes_that_are_not_utf8(self):
        """They are read as those of files are."""
        notes = []
        riposte.build([{"id": "a", "text": b"words caf\xe9 \x93q\x94 \x81"},
                       {"id": "b", "text": "caf\u00e9".encode()}], self.path, on_note=notes.append)
        self.assertEqual(notes, ["document 1: not UTF-8, read as Windows-1252"])
        with riposte.Index(self.path) as index:
            self.assertEqual(index.get("a")["text"], "words caf\u00e9 \u201cq\u201d \x81")
            self.assertEqual(len(index.search("caf\u00e9")), 2)

    def test_documents_by_integer_ids(self):
        riposte.build([{"id": 5, "text": "x"}], self.path)
        with riposte.Index(self.path) as index:
            self.assertEqual(index.get(5), index.get("5"))
            with self.assertRaises(TypeError):
                index.get(True)

    def test_failures_leave_the_old_index(self):
        riposte.build([{"id": "old", "text": "wing"}], self.path)

        def failing():
            yield {"id": "new", "text": "wing"}
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            riposte.build(failing(), self.path)
        with self.assertRaises(riposte.StoppedError):
            riposte.build(({"id": str(i), "text": ""} for i in range(5000)), self.path,
                          on_progress=lambda progress: False)
        with riposte.Index(self.path) as index:
            self.assertEqual([hit.docno for hit in index.search("wing")], ["old"])
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["my.rip"])

    def test_no_documents(self):
        self.assertEqual(riposte.build(iter([]), self.path)["docs"], 0)


@unittest.skipUnless(shutil.which("cc"), "no compiler")
class TestVersions(unittest.TestCase):
    """riposte.py takes no library of another release."""

    def load(self, *versions, records=None):
        """What it says of a folder that has libraries of these versions, with these sizes of records."""
        rows = "".join('if (!strcmp(name, "%s")) return %d; ' % row for row in (records or {}).items())
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(riposte.__file__, os.path.join(folder, "riposte.py"))
            for i, version in enumerate(versions):
                source = ('#include <string.h>\nconst char *rp_version(void) { return "%s"; }\n'
                          'size_t rp_record_bytes(const char *name) { %sreturn 0; }' % (version, rows))
                subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o",
                                os.path.join(folder, "libriposte.so.%d" % i)],
                               input=source, text=True, check=True)
            environment = {k: v for k, v in os.environ.items() if k != "RIPOSTE_LIBRARY"}
            done = subprocess.run([sys.executable, "-c", "import riposte"], cwd=folder, text=True,
                                  capture_output=True, env=environment)
            return done.stderr

    def test_another_release_is_refused(self):
        major, minor, patch = riposte.__version__.split(".")
        for other in ("9.0.0", "%s.%d.%s" % (major, int(minor) + 1, patch)):
            said = self.load(other)
            self.assertIn("version %s, but riposte.py is of version %s" % (other, riposte.__version__),
                          said)
            self.assertIn("ImportError", said)

    def test_another_patch_is_taken(self):
        """The library is loaded, and then lacks functions that a true one has."""
        major, minor, _ = riposte.__version__.split(".")
        said = self.load("9.0.0", "%s.%s.77" % (major, minor), records=self.records())
        self.assertIn("undefined symbol: rp_", said)
        self.assertNotIn("ImportError", said)

    def records(self):
        return {riposte._record_name(r): ctypes.sizeof(r) for r in vars(riposte).values()
                if isinstance(r, type) and issubclass(r, riposte.Structure) and hasattr(r, "_fields_")}

    def test_another_build_of_the_release_is_refused(self):
        """Its records have other sizes: it would write beyond ours."""
        self.assertGreater(len(self.records()), 20)
        self.assertEqual(riposte._other_records(riposte._lib), [])
        said = self.load(riposte.__version__, records=dict(self.records(), rp_hits=96, rp_error=8))
        self.assertIn("of another build than riposte.py; other sizes: rp_error, rp_hits", said)
        self.assertIn("ImportError", said)

    def test_the_version_is_that_of_the_headers(self):
        header = os.path.join(ROOT, "include", "riposte", "riposte.h")
        if not os.path.exists(header):
            self.skipTest("no headers here")
        with open(header) as text:
            self.assertIn('#define RP_VERSION "%s"' % riposte.__version__, text.read())
        self.assertEqual(riposte.version(), riposte.__version__)


class TestMisuse(unittest.TestCase):
    """What cannot be right raises, and kills nothing."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.docs = cls.write("docs.jsonl", DOCS)
        cls.path = os.path.join(cls.folder.name, "my.rip")
        riposte.build(cls.docs, cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w") as out:
            out.write(text)
        return path

    def test_no_name_is_forgotten(self):
        self.assertEqual(misuse.public_names(), set(misuse.TABLE))
        self.assertEqual({n for n in misuse.public_names() if "." not in n}, set(riposte.__all__))
        with mock.patch.object(riposte, "planted", misuse.explode, create=True):
            with mock.patch.object(misuse.explode, "__module__", "riposte"):
                self.assertIn("planted", misuse.public_names())

    def test_everything_with_wrong_arguments(self):
        """In four threads, and in a forked child, as a process of its own."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, misuse.__file__, folder], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            last = subprocess.run("cat log*", shell=True, cwd=folder, capture_output=True).stdout
        self.assertEqual(done.returncode, 0, done.stdout + "last calls:\n" + repr(last))

    def test_text_with_a_nul(self):
        docs = self.write("nul.jsonl", '{"id":"n","title":"a\\u0000b","text":"one\\u0000two"}\n')
        riposte.build(docs, self.path + "nul")
        document = riposte.Index(self.path + "nul").document(0)
        self.assertEqual((document["title"], document["text"]), ("a\0b", "one\0two"))

    def test_numbers_do_not_wrap(self):
        index = riposte.Index(self.path)
        for docid in (2**32, 2**32 + 1, 2**64, 10**400):
            with self.assertRaises(OverflowError):
                index.document(docid)
        with self.assertRaises(ValueError):
            index.document(-1)
        with self.assertRaises(LookupError):
            index.document(3)
        with self.assertRaises(TypeError):
            index.document(1.0)
        for option in ("k", "threads", "max_terms", "gpu_timeout"):
            with self.assertRaises(OverflowError):
                index.search("wing", **{option: 2**64 + 10})
        for option in ("k1", "b", "mu"):
            for value in (-1, float("nan"), float("inf")):
                with self.assertRaises(ValueError):
                    index.search("wing", **{option: value})

    def test_k_is_0(self):
        """The total, and no hits."""
        index = riposte.Index(self.path)
        hits = index.search("wing", k=0)
        self.assertEqual((hits, hits.total, hits.total_is_exact), ([], 2, True))
        self.assertEqual(index.search(["wing", "jet"], k=0), [])
        hits = index.search("wing", k=1, total="exact")
        self.assertEqual((len(hits), hits.total), (1, 2))

    def test_searchers_are_few(self):
        """Of a thousand sets of options the index keeps a few searchers, those used last."""
        live, most = set(), 0
        new, free = riposte._searcher_new, riposte._searcher_free

        def count_new(index, options, out, error):
            status = new(index, options, out, error)
            live.add(out._obj.value)
            return status

        def count_free(searcher):
            live.remove(searcher.value)
            free(searcher)

        with mock.patch.multiple(riposte, _searcher_new=count_new, _searcher_free=count_free):
            with riposte.Index(self.path) as index:
                for k in range(1, 1001):
                    index.search("wing", k=k)
                    most = max(most, len(live))
                before = set(live)
                index.search("wing", k=1000)  # it is kept
                self.assertEqual(live, before)
            self.assertLessEqual(most, riposte._Handle.max_idle + 1)
            self.assertEqual(live, set())

    def test_closed_while_others_search(self):
        """Whoever has begun ends; whoever comes later is refused; nothing is freed under a search."""
        for _ in range(20):
            index, refused = riposte.Index(self.path), []

            def ask():
                try:
                    while True:
                        self.assertEqual(len(index.search(["wing", "jet"], workers=2)), 3)
                except ValueError:
                    refused.append(1)
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for t in threads:
                t.start()
            index.close()
            index.close()
            for t in threads:
                t.join()
            self.assertEqual(len(refused), 4)

    def test_callbacks(self):
        seen, skipped = [], []
        docs = self.write("bad.jsonl", DOCS + "nonsense\n" + DOCS)
        riposte.build(docs, self.path + "cb", on_progress=seen.append, on_error="skip",
                      on_skip=lambda where, what: skipped.append((where, what)))
        self.assertEqual(len(skipped), 4)
        self.assertTrue(skipped[0][0].endswith("bad.jsonl:4"))
        self.assertTrue(all(isinstance(p, riposte.Progress) and isinstance(p.phase, str)
                            for p in seen))
        with self.assertRaises(ZeroDivisionError):
            riposte.build(docs, self.path + "cb", on_error="skip", on_skip=misuse.explode)
        for function in (riposte.build, riposte.import_index, riposte.export_index):
            with self.assertRaises(TypeError):
                function(self.docs, self.path + "no", on_progress=5)

    def test_notes(self):
        notes = []
        text = self.write("extra.jsonl", '{"id": 1, "text": "wing", "year": 2020}\n')
        riposte.build(text, self.path + "nt", on_note=notes.append)
        self.assertEqual(len(notes), 1)
        self.assertIn('"year"', notes[0])
        with self.assertRaises(ZeroDivisionError):
            riposte.build(text, self.path + "nt", on_note=misuse.explode)
        riposte.build([text, self.docs], self.path + "nt", ids="number")
        with self.assertRaises(riposte.UsageError):
            riposte.build(text, self.path + "nt", ids="name")

    def test_callbacks_stop_the_work(self):
        many = self.write("many.tsv", "".join("%d\tword%d wing\n" % (i, i) for i in range(50000)))
        with self.assertRaises(riposte.StoppedError):
            riposte.build(many, self.path + "no", on_progress=lambda progress: False)
        with self.assertRaises(ZeroDivisionError):
            riposte.build(many, self.path + "no", on_progress=misuse.explode)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                riposte.build(many, self.path + "no", on_progress=lambda progress:
                              os.kill(os.getpid(), signal.SIGINT))
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertFalse(os.path.exists(self.path + "no"))

    def test_end_of_the_interpreter(self):
        """Whatever is open then, and whoever still searches."""
        program = """
import sys, threading
sys.path.insert(0, %r)
import riposte
index = riposte.Index(%r)
kept = [index, index.search, riposte.Index(%r)]
kept.append(kept)
def ask():
    while True:
        index.search(["wing", "jet"], workers=2)
for _ in range(4):
    threading.Thread(target=ask, daemon=True).start()
index.search("wing")
""" % (os.path.join(ROOT, "python"), self.path, self.path)
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_after_fork(self):
        """The index answers in the child; a GPU that the parent used is refused there."""
        gpu = dict(mode="and", processor="gpu", gpu="emulated")
        index = riposte.Index(self.path)
        many = dict(workers=2, threads=2)
        before = index.search(["wing", "jet"], **many)
        index.search("the wing", **gpu)
        child = os.fork()
        if child == 0:
            is_good = False
            try:
                is_good = index.search(["wing", "jet"], **many) == before
                index.search("the wing", **gpu)
                is_good = False
            except riposte.UnavailableError:
                index.close()
            finally:
                os._exit(0 if is_good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(index.search(["wing", "jet"], **many), before)
        self.assertEqual(len(index.search("the wing", **gpu)), 2)

    def test_auto_after_fork(self):
        """The processor auto is the cpu in the child of a process that used a GPU."""
        auto = dict(mode="and", gpu="emulated", eager_gpu=True)
        index = riposte.Index(self.path)
        before = index.search("the wing", **auto)
        self.assertTrue(index.gpu_state(**auto)["is_asked"])
        self.assertFalse(index.gpu_state(gpu="emulated")["is_asked"])
        child = os.fork()
        if child == 0:
            is_good = False
            try:
                is_good = index.search("the wing", **auto) == before
                is_good = is_good and not index.gpu_state(**auto)["is_asked"]
            finally:
                os._exit(0 if is_good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
