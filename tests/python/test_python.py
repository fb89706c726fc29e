"""Tests of python/riposte.py against the library: layouts, answers, errors."""

import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "python"))
import riposte  # noqa: E402

STRUCTS = {"rp_error": riposte._Error, "rp_index_options": riposte._IndexOptions,
           "rp_index_info": riposte._Info, "rp_document": riposte._Document,
           "rp_hit": riposte._Hit, "rp_hits": riposte._Hits,
           "rp_batch_query": riposte._BatchQuery, "rp_batch_options": riposte._BatchOptions,
           "rp_search_options": riposte._SearchOptions, "rp_gpu_state": riposte._GpuState,
           "rp_build_options": riposte._BuildOptions,
           "rp_import_options": riposte._ImportOptions, "rp_build_stats": riposte._BuildStats}

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
        self.assertEqual([h.rank for h in hits], [0, 1])
        self.assertGreaterEqual(hits[0].score, hits[1].score)
        self.assertEqual([h.docno for h in index.search("wing layer", mode="and")], ["a"])
        self.assertEqual([h.docno for h in index.search('"boundary layer"')], ["a"])
        self.assertEqual(index.search("nothing"), [])

    def test_scores_are_the_programs(self):
        index = riposte.Index(self.path)
        program = os.environ.get("RIPOSTE", os.path.join(ROOT, "build", "riposte"))
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

    def test_rows(self):
        index = riposte.Index(self.path)
        pairs = index.search([("7", "jet"), ("8", "layer")], k=1)
        self.assertEqual([(r.qid, r.query, r.docno, r.rank) for r in pairs][0],
                         ("7", "jet", "b", 0))
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


if __name__ == "__main__":
    unittest.main()
