"""Riposte from Python: open an index, search it, build, import and export.

Needs nothing but Python 3.8 and libriposte.so; the library is found beside this file, in the build
folder of a checkout, or where the system looks (RIPOSTE_LIBRARY names it outright).

    import riposte
    index = riposte.Index("my.rip")
    for hit in index.search("boundary layer", k=10):
        print(hit.docno, hit.score)

`search` on a list (or a data frame) of queries gives rows shaped as PyTerrier has them:
qid, query, docid, docno, rank, score.
"""

import ctypes
import ctypes.util
import os
import threading
from collections import namedtuple
from ctypes import (POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32,
                    c_size_t, c_uint32, c_uint64, c_void_p)

__all__ = ["Error", "Hit", "Index", "build", "export_index", "import_index", "version"]


class _Error(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 256)]


class _IndexOptions(Structure):
    _fields_ = [("verify", c_bool)]


class _Info(Structure):
    _fields_ = ([(name, c_uint64) for name in
                 ("docs", "terms", "postings", "tokens", "total_docs", "total_tokens")]
                + [("average_length", c_double), ("generation", c_uint64)]
                + [(name, c_char_p) for name in ("codec", "freqs", "stem", "stop")]
                + [("format_version", c_uint32), ("has_positions", c_bool), ("has_text", c_bool)]
                + [(name, c_uint64) for name in
                   ("bytes_terms", "bytes_lists", "bytes_positions", "bytes_docs", "bytes_text",
                    "bytes_total", "bytes_aux")])


class _Document(Structure):
    _fields_ = [("docid", c_uint32), ("length", c_uint32), ("id", c_char_p), ("title", c_char_p),
                ("text", c_char_p), ("title_bytes", c_size_t), ("text_bytes", c_size_t)]


class _Hit(Structure):
    _fields_ = [("docid", c_uint32), ("fixed", c_uint32), ("score", c_double), ("name", c_char_p)]


class _Hits(Structure):
    _fields_ = [("n", c_size_t), ("at", POINTER(_Hit)), ("total", c_uint64),
                ("total_is_exact", c_bool), ("is_or_fallback", c_bool),
                ("fraction_bits", c_int32), ("processor", c_char_p), ("postings", c_uint64),
                ("seconds", c_double), ("memory", c_void_p)]


class _SearchOptions(Structure):
    _fields_ = [("k", c_size_t), ("mode", c_int), ("plain", c_bool), ("total", c_int),
                ("threads", c_size_t), ("processor", c_char_p), ("gpu", c_char_p),
                ("gpu_memory", c_uint64), ("gpu_timeout", c_uint32), ("gpu_child", c_bool), ("algorithm", c_char_p),
                ("variant", c_char_p), ("has_k1", c_bool), ("has_b", c_bool), ("has_mu", c_bool),
                ("k1", c_double), ("b", c_double), ("mu", c_double), ("max_k", c_size_t),
                ("max_query", c_size_t), ("max_terms", c_size_t), ("max_expansions", c_size_t),
                ("max_phrase", c_size_t), ("max_slop", c_size_t), ("max_depth", c_size_t),
                ("max_memory", c_size_t), ("max_postings", c_uint64)]


class _GpuState(Structure):
    _fields_ = [("is_lost", c_bool), ("answered", c_uint64), ("faults", c_uint64),
                ("returns", c_uint64), ("fault", c_char * 256)]


class _BatchQuery(Structure):
    _fields_ = [("query", c_char_p), ("query_bytes", c_size_t), ("plain", c_bool),
                ("status", c_int), ("err", _Error), ("hits", _Hits)]


class _BatchOptions(Structure):
    _fields_ = [("threads", c_size_t), ("elements", c_uint64), ("max_memory", c_size_t),
                ("goes_on", c_void_p), ("goes_on_arg", c_void_p)]


class _BuildOptions(Structure):
    _fields_ = [("codec", c_char_p), ("freqs", c_char_p), ("aux", c_char_p), ("stem", c_char_p),
                ("stop", c_char_p), ("format", c_char_p), ("id_field", c_char_p),
                ("title_field", c_char_p), ("text_field", c_char_p), ("memory", c_uint64),
                ("threads", c_uint32), ("no_positions", c_bool), ("no_store", c_bool),
                ("on_error", c_int), ("max_line", c_uint64), ("max_expand", c_uint64),
                ("max_json_depth", c_uint32), ("on_progress", c_void_p),
                ("progress_arg", c_void_p), ("on_skip", c_void_p), ("skip_arg", c_void_p)]


class _BuildStats(Structure):
    _fields_ = [(name, c_uint64) for name in
                ("docs", "skipped", "terms", "postings", "tokens", "bytes_in", "bytes_out", "runs",
                 "memory_peak")] + [("seconds", c_double)]


class _ImportOptions(Structure):
    _fields_ = [("codec", c_char_p), ("freqs", c_char_p), ("aux", c_char_p), ("stem", c_char_p),
                ("stop", c_char_p), ("memory", c_uint64), ("on_progress", c_void_p),
                ("progress_arg", c_void_p), ("on_warning", c_void_p), ("warning_arg", c_void_p)]


Hit = namedtuple("Hit", "docid docno rank score")
Row = namedtuple("Row", "qid query docid docno rank score")

_MODES = {"or": 0, "and": 1, "andor": 2}


class Error(Exception):
    """What went wrong, in the library's words; `status` is its name, such as RP_USAGE."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("RIPOSTE_LIBRARY")
    if named:
        yield named
        return
    for folder in (here, os.path.join(here, "..", "build")):
        if os.path.isdir(folder):
            for name in sorted(os.listdir(folder)):
                if name.startswith("libriposte.so"):
                    yield os.path.join(folder, name)
    found = ctypes.util.find_library("riposte")
    if found:
        yield found


def _load():
    tried = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
    raise ImportError("libriposte.so is not found; run 'make so' or set RIPOSTE_LIBRARY"
                      + "".join("\n  " + t for t in tried))


_lib = _load()


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, arguments
    return function


_open = _declare("rp_index_open", c_int, c_char_p, POINTER(_IndexOptions), POINTER(c_void_p),
                 POINTER(_Error))
_close = _declare("rp_index_close", None, c_void_p)
_get_info = _declare("rp_index_get_info", None, c_void_p, POINTER(_Info))
_get_document = _declare("rp_index_get_document", c_int, c_void_p, c_uint32, POINTER(_Document),
                         POINTER(_Error))
_document_free = _declare("rp_document_free", None, POINTER(_Document))
_searcher_new = _declare("rp_searcher_new", c_int, c_void_p, POINTER(_SearchOptions),
                         POINTER(c_void_p), POINTER(_Error))
_searcher_free = _declare("rp_searcher_free", None, c_void_p)
_searcher_search = _declare("rp_searcher_search", c_int, c_void_p, c_char_p, c_size_t,
                            POINTER(_Hits), POINTER(_Error))
_get_gpu_state = _declare("rp_searcher_get_gpu_state", None, c_void_p, POINTER(_GpuState))
_searcher_batch = _declare("rp_searcher_batch", c_int, c_void_p, POINTER(_BatchQuery), c_size_t,
                           POINTER(_BatchOptions), c_void_p, POINTER(_Error))
_hits_free = _declare("rp_hits_free", None, POINTER(_Hits))
_build = _declare("rp_index_build", c_int, POINTER(c_char_p), c_size_t, c_char_p,
                  POINTER(_BuildOptions), POINTER(_BuildStats), POINTER(_Error))
_import = _declare("rp_index_import", c_int, c_char_p, c_char_p, c_char_p,
                   POINTER(_ImportOptions), POINTER(_BuildStats), POINTER(_Error))
_export = _declare("rp_index_export", c_int, c_char_p, c_char_p, c_char_p, c_void_p,
                   POINTER(_Error))
_status_name = _declare("rp_status_name", c_char_p, c_int)
_version = _declare("rp_version", c_char_p)


def _check(status, error):
    if status != 0:
        raise Error(_status_name(status).decode(), error.text.decode("utf-8", "replace"))


def _bytes(value):
    return None if value is None else os.fsencode(value)


def version():
    """The version of the library."""
    return _version().decode()


def _fill(options, given):
    known = {name: kind for name, kind in options._fields_}
    for name, value in given.items():
        if name not in known:
            raise TypeError("no option %r; there are %s" % (name, ", ".join(known)))
        if name == "mode":
            if value not in _MODES:
                raise ValueError("mode %r; there are %s" % (value, ", ".join(_MODES)))
            value = _MODES[value]
        elif known[name] is c_char_p:
            value = _bytes(value)
        setattr(options, name, value)
        if "has_" + name in known:
            setattr(options, "has_" + name, True)
    return options


def build(paths, directory, **options):
    """Indexes files and folders into `directory`; options are those of rp_build_options.

    Returns what was built as a dictionary: docs, terms, postings, seconds and so on."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    names = (c_char_p * len(paths))(*[_bytes(p) for p in paths])
    error, stats = _Error(), _BuildStats()
    _check(_build(names, len(paths), _bytes(directory), byref(_fill(_BuildOptions(), options)),
                  byref(stats), byref(error)), error)
    return _dict(stats)


def _dict(stats):
    return {name: getattr(stats, name) for name, _ in stats._fields_}


def _list(hits):
    return [Hit(hits.at[i].docid, hits.at[i].name.decode("utf-8", "replace"), i, hits.at[i].score)
            for i in range(hits.n)]


def import_index(path, directory, format="ciff", **options):
    """Makes an index of a CIFF file, or of PISA's files (format "pisa"), in `directory`; options are
    those of rp_import_options. Returns what was read as a dictionary."""
    error, stats = _Error(), _BuildStats()
    _check(_import(format.encode(), _bytes(path), _bytes(directory),
                   byref(_fill(_ImportOptions(), options)), byref(stats), byref(error)), error)
    return _dict(stats)


def export_index(directory, path, format="ciff"):
    """Writes the index in `directory` as a CIFF file, or as a folder of PISA's files (format "pisa")."""
    error = _Error()
    _check(_export(format.encode(), _bytes(directory), _bytes(path), None, byref(error)), error)


class Index:
    """An open index. Any thread may search it; each has a searcher of its own inside."""

    def __init__(self, directory, verify=False):
        handle, error = c_void_p(), _Error()
        self._handle = None
        _check(_open(_bytes(directory), byref(_IndexOptions(verify)), byref(handle),
                     byref(error)), error)
        self._handle = handle
        self._searchers = {}
        self._lock = threading.Lock()

    def close(self):
        """Gives everything back. No search may be going on."""
        if self._handle:
            for searcher in self._searchers.values():
                _searcher_free(searcher)
            self._searchers.clear()
            _close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self.close()

    def _opened(self):
        if not self._handle:
            raise ValueError("the index is closed")
        return self._handle

    @property
    def info(self):
        """What the index holds, as a dictionary."""
        info = _Info()
        _get_info(self._opened(), byref(info))
        values = {name: getattr(info, name) for name, _ in info._fields_}
        return {name: v.decode() if isinstance(v, bytes) else v for name, v in values.items()}

    def __len__(self):
        return self.info["docs"]

    def document(self, docid):
        """A document's id, length, title and text, as a dictionary."""
        document, error = _Document(), _Error()
        _check(_get_document(self._opened(), docid, byref(document), byref(error)), error)
        try:
            return {"docid": document.docid, "docno": document.id.decode("utf-8", "replace"),
                    "length": document.length,
                    "title": document.title.decode("utf-8", "replace"),
                    "text": document.text.decode("utf-8", "replace")}
        finally:
            _document_free(byref(document))

    def _searcher(self, options):
        key = (threading.get_ident(), tuple(sorted(options.items())))
        with self._lock:
            searcher = self._searchers.get(key)
        if searcher is None:
            searcher, error = c_void_p(), _Error()
            _check(_searcher_new(self._opened(), byref(_fill(_SearchOptions(), options)),
                                 byref(searcher), byref(error)), error)
            with self._lock:
                self._searchers[key] = searcher
        return searcher

    def _hits(self, query, options):
        text = query.encode() if isinstance(query, str) else bytes(query)
        hits, error = _Hits(), _Error()
        _check(_searcher_search(self._searcher(options), text, len(text), byref(hits),
                                byref(error)), error)
        try:
            return _list(hits)
        finally:
            _hits_free(byref(hits))

    def gpu_state(self, **options):
        """What became of the GPU that this thread's searches with these options use, as a dictionary:
        is_lost, answered, faults, returns, fault."""
        state = _GpuState()
        _get_gpu_state(self._searcher(options), byref(state))
        return dict(_dict(state), fault=state.fault.decode("utf-8", "replace"))

    def _hits_of_many(self, queries, workers, elements, options):
        """The hits of each query, in their order; the first that cannot be answered raises."""
        texts = [q.encode() if isinstance(q, str) else bytes(q) for q in queries]
        asked, error = (_BatchQuery * len(texts))(), _Error()
        for one, text in zip(asked, texts):
            one.query, one.query_bytes = text, len(text)
        _check(_searcher_batch(self._searcher(options), asked, len(texts),
                               byref(_BatchOptions(workers, elements)), None, byref(error)), error)
        try:
            for one in asked:
                _check(one.status, one.err)
            return [_list(one.hits) for one in asked]
        finally:
            for one in asked:
                _hits_free(byref(one.hits))

    def search(self, queries, workers=1, elements=0, **options):
        """One query as text gives its hits, best first. Several, as texts, (qid, query) pairs,
        dictionaries with qid and query, or a data frame of these, give rows for all of them; a data
        frame gives a data frame. Options are those of rp_search_options: k, mode, k1, b, ...
        Several are answered at once: by so many workers, and on a GPU in groups of so many elements
        of their shortest lists (0: as rp_batch_options has it)."""
        self._opened()
        if isinstance(queries, (str, bytes)):
            return self._hits(queries, options)
        is_frame = hasattr(queries, "to_dict") and hasattr(queries, "columns")
        asked = []
        for number, one in enumerate(queries.to_dict("records") if is_frame else queries, 1):
            if isinstance(one, (str, bytes)):
                asked.append((str(number), one))
            elif isinstance(one, dict):
                asked.append((one["qid"], one["query"]))
            else:
                asked.append(tuple(one))
        hits = self._hits_of_many([query for _, query in asked], workers, elements, options)
        rows = [Row(qid, query, *hit) for (qid, query), found in zip(asked, hits) for hit in found]
        return type(queries)(rows, columns=Row._fields) if is_frame else rows

    def batch(self, queries, **options):
        """The same as search for several queries, with every query taken as plain words unless
        told otherwise."""
        options.setdefault("plain", True)
        return self.search(list(queries) if not hasattr(queries, "columns") else queries, **options)
