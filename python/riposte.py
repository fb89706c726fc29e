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

import contextlib
import ctypes
import ctypes.util
import operator
import os
import signal
import threading
import weakref
from collections import namedtuple
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int32, c_size_t, c_uint32, c_uint64, c_void_p)

__all__ = ["DamagedError", "Error", "Hit", "Hits", "Index", "InputError", "LimitError",
           "NoMemoryError", "NotFoundError", "Progress", "Row", "StoppedError", "UnavailableError",
           "UsageError", "build", "export_index", "import_index", "version"]


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
    _fields_ = [("docid", c_uint32), ("length", c_uint32), ("id", c_char_p), ("title", c_void_p),
                ("text", c_void_p), ("title_bytes", c_size_t), ("text_bytes", c_size_t)]


class _Hit(Structure):
    _fields_ = [("docid", c_uint32), ("fixed", c_uint32), ("score", c_double), ("name", c_char_p)]


class _GpuCounters(Structure):
    _fields_ = [(name, c_uint64) for name in (
        "launches", "uploaded_bytes", "transcoded_postings", "host_decoded_lists",
        "host_decoded_postings")]


class _Hits(Structure):
    _fields_ = [("n", c_size_t), ("at", POINTER(_Hit)), ("total", c_uint64),
                ("total_is_exact", c_bool), ("is_or_fallback", c_bool),
                ("fraction_bits", c_int32), ("processor", c_char_p), ("postings", c_uint64), ("work", c_uint64),
                ("seconds", c_double), ("memory", c_void_p), ("fallback", c_int),
                ("gpu", _GpuCounters)]


class _SearchOptions(Structure):
    _fields_ = [("k", c_size_t), ("mode", c_int), ("plain", c_bool), ("total", c_int),
                ("threads", c_size_t), ("processor", c_char_p), ("gpu", c_char_p),
                ("gpu_memory", c_uint64), ("gpu_timeout", c_uint32), ("gpu_child", c_bool),
                ("strict_processor", c_bool), ("eager_gpu", c_bool), ("algorithm", c_char_p),
                ("variant", c_char_p), ("has_k1", c_bool), ("has_b", c_bool), ("has_mu", c_bool),
                ("k1", c_double), ("b", c_double), ("mu", c_double), ("max_k", c_size_t),
                ("max_query", c_size_t), ("max_terms", c_size_t), ("max_expansions", c_size_t),
                ("max_phrase", c_size_t), ("max_slop", c_size_t), ("max_depth", c_size_t),
                ("max_memory", c_size_t), ("max_work", c_uint64)]


class _GpuState(Structure):
    _fields_ = [("is_asked", c_bool), ("is_lost", c_bool), ("answered", c_uint64), ("faults", c_uint64),
                ("returns", c_uint64), ("fault", c_char * 256)]


class _BatchQuery(Structure):
    _fields_ = [("query", c_char_p), ("query_bytes", c_size_t), ("plain", c_bool),
                ("status", c_int), ("err", _Error), ("hits", _Hits)]


class _BatchOptions(Structure):
    _fields_ = [("threads", c_size_t), ("elements", c_uint64), ("max_memory", c_size_t),
                ("goes_on", c_void_p), ("goes_on_arg", c_void_p)]


class _Progress(Structure):
    _fields_ = [("phase", c_char_p)] + [(name, c_uint64) for name in (
        "docs", "tokens", "bytes", "bytes_total", "memory", "skipped")]


_ProgressFn = CFUNCTYPE(c_bool, c_void_p, POINTER(_Progress))
_SkipFn = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
_WarnFn = CFUNCTYPE(None, c_void_p, c_char_p)


class _BuildOptions(Structure):
    _fields_ = [("codec", c_char_p), ("freqs", c_char_p), ("aux", c_char_p), ("stem", c_char_p),
                ("stop", c_char_p), ("format", c_char_p), ("id_field", c_char_p),
                ("title_field", c_char_p), ("text_field", c_char_p), ("memory", c_uint64),
                ("threads", c_uint32), ("no_positions", c_bool), ("no_store", c_bool),
                ("on_error", c_int), ("max_line", c_uint64), ("max_expand", c_uint64),
                ("max_json_depth", c_uint32), ("on_progress", _ProgressFn),
                ("progress_arg", c_void_p), ("on_skip", _SkipFn), ("skip_arg", c_void_p),
                ("ids", c_char_p), ("on_note", _WarnFn), ("note_arg", c_void_p)]


class _BuildStats(Structure):
    _fields_ = [(name, c_uint64) for name in
                ("docs", "skipped", "terms", "postings", "tokens", "bytes_in", "bytes_out", "runs",
                 "memory_peak")] + [("seconds", c_double), ("files", c_uint64),
                                    ("files_skipped", c_uint64)]


class _ImportOptions(Structure):
    _fields_ = [("codec", c_char_p), ("freqs", c_char_p), ("aux", c_char_p), ("stem", c_char_p),
                ("stop", c_char_p), ("memory", c_uint64), ("on_progress", _ProgressFn),
                ("progress_arg", c_void_p), ("on_warning", _WarnFn), ("warning_arg", c_void_p)]


class _ExportOptions(Structure):
    _fields_ = [("on_progress", _ProgressFn), ("progress_arg", c_void_p), ("on_warning", _WarnFn),
                ("warning_arg", c_void_p)]


Hit = namedtuple("Hit", "docid docno rank score")
Row = namedtuple("Row", "qid query docid docno rank score")
Progress = namedtuple("Progress", "phase docs tokens bytes bytes_total memory skipped")


class Hits(list):
    """The hits of one query, best first, with the number of documents that match as `total`;
    `total_is_exact` is false where that is a lower bound. `processor` names who answered,
    `fallback` the reason why a GPU that was asked for did not, or is None; `gpu` is a dictionary
    of what the GPU did."""

    total = 0
    total_is_exact = True
    processor = None
    fallback = None
    gpu = None


# ---- Errors --------------------------------------------------------------------------------------


class Error(Exception):
    """What went wrong, in the library's words; `status` is its name, such as RP_USAGE."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status

    def __reduce__(self):
        return type(self), (self.status, str(self))


class UsageError(Error, ValueError):
    """The call or its options make no sense."""


class InputError(Error, ValueError):
    """The input data are malformed."""


class LimitError(Error, ValueError):
    """A limit was passed."""


class NotFoundError(Error, LookupError):
    """There is no such document."""


class NoMemoryError(Error, MemoryError):
    """Memory or its budget is used up."""


class DamagedError(Error):
    """The index is damaged."""


class UnavailableError(Error):
    """The processor asked for is not there."""


class StoppedError(Error):
    """A callback stopped the work."""


_ERRORS = {"RP_USAGE": UsageError, "RP_INPUT": InputError, "RP_LIMIT": LimitError,
           "RP_NOT_FOUND": NotFoundError, "RP_NO_MEMORY": NoMemoryError, "RP_DAMAGED": DamagedError,
           "RP_UNAVAILABLE": UnavailableError, "RP_INTERRUPTED": StoppedError}


# ---- The library ---------------------------------------------------------------------------------


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
_export = _declare("rp_index_export", c_int, c_char_p, c_char_p, c_char_p,
                   POINTER(_ExportOptions), POINTER(_Error))
_fallback_name = _declare("rp_fallback_name", c_char_p, c_int)
_status_name = _declare("rp_status_name", c_char_p, c_int)
_version = _declare("rp_version", c_char_p)


def _check(status, error):
    if status != 0:
        name = _status_name(status).decode()
        raise _ERRORS.get(name, Error)(name, _text(error.text))


def _text(value):
    return value.decode("utf-8", "replace")


# ---- Python values to those of C ------------------------------------------------------------------

# ctypes would cut an integer to its size, a text at its first NUL, and take None for a pointer. Every
# value from outside passes one of these functions first.


def _whole(name, value, kind):
    """An integer that the unsigned type `kind` can hold."""
    value = operator.index(value)
    if value < 0:
        raise ValueError("%s is %d; it is at least 0" % (name, value))
    if value >= 1 << 8 * ctypes.sizeof(kind):
        raise OverflowError("%s is too large" % name)
    return value


def _real(name, value):
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError("%s is a number, not %s" % (name, type(value).__name__))
    return float(value)


def _flag(name, value):
    if value is None or isinstance(value, (str, bytes, bytearray)) or value not in (0, 1):
        raise TypeError("%s is True or False, not %r" % (name, value))
    return bool(value)


def _path(name, value):
    """The bytes of a path or a name; nothing that ends before its end."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError("%s is a str, bytes or path, not %s" % (name, type(value).__name__))
    value = os.fsencode(value)
    if b"\0" in value:
        raise ValueError("%s has a NUL in it" % name)
    return value


def _query(value):
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError("a query is str or bytes, not %s" % type(value).__name__)


_CHOICES = {"mode": ("or", "and", "andor"), "total": ("at least", "exact", "only"),
            "on_error": ("stop", "skip")}


def _choice(name, value):
    """One of the names of an enumeration, or its number."""
    names = _CHOICES[name]
    if isinstance(value, str):
        if value not in names:
            raise ValueError("%s %r; there are %s" % (name, value, ", ".join(names)))
        return names.index(value)
    value = operator.index(value)
    if not 0 <= value < len(names):
        raise ValueError("%s %d; there are %s" % (name, value, ", ".join(names)))
    return value


def _convert(name, value, kind):
    if kind is c_char_p:
        return None if value is None else _path(name, value)
    if kind is c_bool:
        return _flag(name, value)
    if kind is c_double:
        return _real(name, value)
    if kind is c_int:
        return _choice(name, value)
    return _whole(name, value, kind)


def _options(record, given):
    """The given options as values of the fields of `record`, by name."""
    known = {name: kind for name, kind in record._fields_
             if kind is not c_void_p and not name.startswith("has_") and not name.startswith("on_p")
             and name not in ("on_skip", "on_warning")}
    for name in given:
        if name not in known:
            raise TypeError("no option %r; there are %s" % (name, ", ".join(known)))
    return {name: _convert(name, value, known[name]) for name, value in given.items()}


def _fill(record, values):
    names = {name for name, _ in record._fields_}
    for name, value in values.items():
        setattr(record, name, value)
        if "has_" + name in names:
            setattr(record, "has_" + name, True)
    return record


def _search_values(given):
    """Options of a search. k=0 asks how many documents match, and for no hits."""
    values = _options(_SearchOptions, given)
    if values.get("k") == 0:
        del values["k"]
        values["total"] = _CHOICES["total"].index("only")
    return values


# ---- Callbacks -----------------------------------------------------------------------------------


class _Callbacks:
    """The caller's functions as C calls them. What one of them raises stops the work and is raised
    again when the library has returned; ctypes alone would print and forget it. Ctrl-C is kept for
    then too, and progress is always watched, so that it stops the work."""

    def __init__(self, record, functions):
        self._raised, self._signal = None, None
        self._functions = functions
        for name, function in functions.items():
            if function is not None and not callable(function):
                raise TypeError("%s is a function, not %s" % (name, type(function).__name__))
        kinds = dict(record._fields_)
        for name in ("on_progress", "on_skip", "on_warning"):
            if name in kinds:
                setattr(record, name, kinds[name](getattr(self, "_" + name)))

    def _call(self, name, *arguments):
        """Nothing may leave this function: C is below it."""
        try:
            function = self._functions.get(name)
            if function is not None and self._raised is None:
                return function(*[_text(a) if isinstance(a, bytes) else a for a in arguments])
        except BaseException as raised:
            self._raised = raised
        return None

    def _on_progress(self, _, progress):
        now = Progress(*_dict(progress.contents).values())
        now = now._replace(phase=_text(now.phase))
        is_wanted = self._call("on_progress", now) is not False
        return is_wanted and self._raised is None and self._signal is None

    def _on_skip(self, _, where, what):
        self._call("on_skip", where, what)

    def _on_warning(self, _, what):
        self._call("on_warning", what)

    def _on_signal(self, number, _):
        self._signal = number

    def run(self, function, *arguments):
        """Calls a function of the library, the last of whose arguments is an _Error."""
        handler = None
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
        error = _Error()
        try:
            if callable(handler):
                signal.signal(signal.SIGINT, self._on_signal)
            status = function(*arguments, byref(error))
        finally:
            if callable(handler):
                signal.signal(signal.SIGINT, handler)
        if self._signal is not None:
            handler(self._signal, None)
        if self._raised is not None:
            raise self._raised
        _check(status, error)


# ---- Building, importing, exporting --------------------------------------------------------------


def version():
    """The version of the library."""
    return _version().decode()


def _dict(stats):
    return {name: getattr(stats, name) for name, _ in stats._fields_}


def build(paths, directory, on_progress=None, on_skip=None, **options):
    """Indexes files and folders into `directory`; options are those of rp_build_options.

    on_progress(progress) is called now and then with a Progress, and stops the build by returning
    False; on_skip(where, what) is called for each document that on_error="skip" leaves out. What they
    raise is raised here. Returns what was built as a dictionary: docs, terms, postings and so on."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    encoded = [_path("a path", path) for path in paths]
    names = (c_char_p * len(encoded))(*encoded)
    directory = _path("directory", directory)
    record = _fill(_BuildOptions(), _options(_BuildOptions, options))
    callbacks = _Callbacks(record, {"on_progress": on_progress, "on_skip": on_skip})
    stats = _BuildStats()
    callbacks.run(_build, names, len(encoded), directory, byref(record), byref(stats))
    return _dict(stats)


def import_index(path, directory, format="ciff", on_progress=None, on_warning=None, **options):
    """Makes an index of a CIFF file, or of PISA's files (format "pisa"), in `directory`; options are
    those of rp_import_options. on_progress is as in build; on_warning(what) is told what is odd.
    Returns what was read as a dictionary."""
    arguments = _path("format", format), _path("path", path), _path("directory", directory)
    record = _fill(_ImportOptions(), _options(_ImportOptions, options))
    callbacks = _Callbacks(record, {"on_progress": on_progress, "on_warning": on_warning})
    stats = _BuildStats()
    callbacks.run(_import, *arguments, byref(record), byref(stats))
    return _dict(stats)


def export_index(directory, path, format="ciff", on_progress=None, on_warning=None):
    """Writes the index in `directory` as a CIFF file, or as a folder of PISA's files (format "pisa");
    on_progress and on_warning are as in import_index."""
    arguments = _path("format", format), _path("directory", directory), _path("path", path)
    record = _ExportOptions()
    callbacks = _Callbacks(record, {"on_progress": on_progress, "on_warning": on_warning})
    callbacks.run(_export, *arguments, byref(record))


# ---- Searching -----------------------------------------------------------------------------------


def _list(found):
    hits = Hits(Hit(found.at[i].docid, _text(found.at[i].name), i, found.at[i].score)
                for i in range(found.n))
    hits.total, hits.total_is_exact = found.total, found.total_is_exact
    hits.processor = _text(found.processor)
    hits.fallback = _text(_fallback_name(found.fallback)) if found.fallback else None
    hits.gpu = _dict(found.gpu)
    return hits


class _Handle:
    """An open index and the searchers that nobody uses at the moment.

    A searcher serves one call at a time, so a call takes one out of the idle ones, or makes one, and
    puts it back. Of the idle ones at most `max_idle` are kept, those used last. The index is closed
    by the last call that uses it, so `close` is safe while others search.

    After a fork the child has the index but none of the threads that searchers may have, so it
    forgets the idle ones and makes its own."""

    max_idle = 16
    live = weakref.WeakSet()
    gpu_is_used = False    # by this process
    is_after_gpu = False   # this process was forked from one that had used a GPU

    def __init__(self, directory, verify):
        handle, error = c_void_p(), _Error()
        _check(_open(directory, byref(_IndexOptions(verify)), byref(handle), byref(error)), error)
        self._index, self._users, self._is_open = handle, 0, True
        self._idle = []  # pairs of options and searcher, the one used last at the end
        self._lock = threading.Lock()
        self.live.add(self)

    @contextlib.contextmanager
    def index(self):
        """The index, which stays open meanwhile."""
        with self._lock:
            if not self._is_open:
                raise ValueError("the index is closed")
            self._users += 1
        try:
            yield self._index
        finally:
            with self._lock:
                self._users -= 1
                self._end()

    @contextlib.contextmanager
    def searcher(self, values):
        """A searcher with these options, which nobody else uses meanwhile."""
        key = tuple(sorted(values.items()))
        with self.index() as index:
            searcher = self._take(key) or self._make(index, values)
            try:
                yield searcher
            finally:
                self._note_gpu(searcher, values)
                with self._lock:
                    self._idle.append((key, searcher))
                    surplus = self._idle[:-self.max_idle]
                    del self._idle[:-self.max_idle]
                for _, one in surplus:
                    _searcher_free(one)

    def close(self):
        with self._lock:
            self._is_open = False
            self._end()

    def _end(self):
        """Gives everything back once the index is closed and nobody uses it."""
        if self._is_open or self._users or self._index is None:
            return
        for _, searcher in self._idle:
            _searcher_free(searcher)
        self._idle = []
        _close(self._index)
        self._index = None

    def _take(self, key):
        with self._lock:
            for i in range(len(self._idle) - 1, -1, -1):
                if self._idle[i][0] == key:
                    return self._idle.pop(i)[1]
        return None

    @staticmethod
    def _note_gpu(searcher, values):
        """The processor auto may have opened a GPU meanwhile."""
        if not _Handle.gpu_is_used and values.get("processor") in (None, b"auto"):
            state = _GpuState()
            _get_gpu_state(searcher, byref(state))
            _Handle.gpu_is_used = _Handle.gpu_is_used or state.is_asked

    def _make(self, index, values):
        is_auto = values.get("processor") in (None, b"auto")
        if values.get("processor") == b"gpu" or (is_auto and values.get("strict_processor")):
            if self.is_after_gpu:
                raise UnavailableError("RP_UNAVAILABLE", "this process was forked from one that had "
                                       "used a GPU; use the cpu here, or start it by spawn")
            _Handle.gpu_is_used = True
        elif is_auto and self.is_after_gpu:
            values = dict(values, processor=b"cpu")
        searcher, error = c_void_p(), _Error()
        _check(_searcher_new(index, byref(_fill(_SearchOptions(), values)), byref(searcher),
                             byref(error)), error)
        return searcher

    @classmethod
    def after_fork(cls):
        """In the child, which has one thread: no call of another thread is under way any more."""
        cls.is_after_gpu = cls.is_after_gpu or cls.gpu_is_used
        for handle in list(cls.live):
            handle._lock, handle._idle, handle._users = threading.Lock(), [], 0


os.register_at_fork(after_in_child=_Handle.after_fork)


class Index:
    """An open index. Any number of threads may use it at once, and so may a process forked from this
    one, but for a GPU that was used before the fork. It keeps a few searchers, so that searches
    with the same options need not make one each."""

    def __init__(self, directory, verify=False):
        self._handle = _Handle(_path("directory", directory), _flag("verify", verify))
        weakref.finalize(self, self._handle.close)

    def close(self):
        """Gives everything back, at the end of the searches that are going on. A second call does
        nothing; any other call then raises ValueError."""
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def info(self):
        """What the index holds, as a dictionary."""
        info = _Info()
        with self._handle.index() as index:
            _get_info(index, byref(info))
            return {name: _text(v) if isinstance(v, bytes) else v
                    for name, v in _dict(info).items()}

    def __len__(self):
        return self.info["docs"]

    def document(self, docid):
        """A document's id, length, title and text, as a dictionary."""
        docid = _whole("docid", docid, c_uint32)
        document, error = _Document(), _Error()
        with self._handle.index() as index:
            _check(_get_document(index, docid, byref(document), byref(error)), error)
        try:
            return {"docid": document.docid, "docno": _text(document.id),
                    "length": document.length,
                    "title": _text(ctypes.string_at(document.title, document.title_bytes)),
                    "text": _text(ctypes.string_at(document.text, document.text_bytes))}
        finally:
            _document_free(byref(document))

    def gpu_state(self, **options):
        """What became of the GPU that the last search with these options used, as a dictionary:
        is_asked, is_lost, answered, faults, returns, fault."""
        state = _GpuState()
        with self._handle.searcher(_search_values(options)) as searcher:
            _get_gpu_state(searcher, byref(state))
        return dict(_dict(state), fault=_text(state.fault))

    def _hits(self, query, values):
        text, hits, error = _query(query), _Hits(), _Error()
        with self._handle.searcher(values) as searcher:
            _check(_searcher_search(searcher, text, len(text), byref(hits), byref(error)), error)
        try:
            return _list(hits)
        finally:
            _hits_free(byref(hits))

    def _hits_of_many(self, queries, batch, values):
        """The hits of each query, in their order; the first that cannot be answered raises."""
        texts = [_query(query) for query in queries]
        asked, error = (_BatchQuery * len(texts))(), _Error()
        for one, text in zip(asked, texts):
            one.query, one.query_bytes = text, len(text)
        with self._handle.searcher(values) as searcher:
            _check(_searcher_batch(searcher, asked, len(texts), byref(batch), None, byref(error)),
                   error)
        try:
            for one in asked:
                _check(one.status, one.err)
            return [_list(one.hits) for one in asked]
        finally:
            for one in asked:
                _hits_free(byref(one.hits))

    def search(self, queries, workers=1, elements=0, **options):
        """One query as text gives its Hits, best first. Several, as texts, (qid, query) pairs,
        dictionaries with qid and query, or a data frame of these, give rows for all of them; a data
        frame gives a data frame. Options are those of rp_search_options: k, mode, k1, b, ...
        With k=0 there are no hits, only their total.
        Several are answered at once: by so many workers, and on a GPU in groups of so many elements
        of their shortest lists (0: as rp_batch_options has it)."""
        values = _search_values(options)
        batch = _BatchOptions(_whole("workers", workers, c_size_t),
                              _whole("elements", elements, c_uint64))
        if isinstance(queries, (str, bytes)):
            return self._hits(queries, values)
        is_frame = hasattr(queries, "to_dict") and hasattr(queries, "columns")
        asked = []
        for number, one in enumerate(queries.to_dict("records") if is_frame else queries, 1):
            if isinstance(one, (str, bytes)):
                asked.append((str(number), one))
            elif isinstance(one, dict):
                asked.append((one["qid"], one["query"]))
            else:
                qid, query = one
                asked.append((qid, query))
        hits = self._hits_of_many([query for _, query in asked], batch, values)
        rows = [Row(qid, query, *hit) for (qid, query), found in zip(asked, hits) for hit in found]
        return type(queries)(rows, columns=Row._fields) if is_frame else rows

    def batch(self, queries, **options):
        """The same as search for several queries, with every query taken as plain words unless
        told otherwise."""
        options.setdefault("plain", True)
        return self.search(list(queries) if not hasattr(queries, "columns") else queries, **options)
