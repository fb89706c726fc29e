"""Riposte from Python: build an index, open it, search it, import and export.

Needs nothing but Python 3.8 and libriposte.so; the library is found beside this file, in the build
folder of a checkout, or where the system looks (RIPOSTE_LIBRARY names it outright).

    import riposte
    riposte.build([{"id": "a", "title": "Wings", "text": "the boundary layer of a wing"}], "my.rip")
    index = riposte.Index("my.rip")
    for hit in index.search("boundary layer", k=10, fields=["title", "snippet"]):
        print(hit.rank, hit.docno, hit.score, hit.fields["title"], hit.fields["snippet"])

`search` on a list (or a data frame) of queries gives rows for all of them:
qid, query, docid, docno, rank, score. Ranks begin with 1.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import ctypes.util
import itertools
import operator
import os
import re
import signal
import threading
import weakref
from collections.abc import Iterable, Mapping
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double,
                    c_float, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p)
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

__all__ = ["Correction", "DamagedError", "Error", "Explanation", "Hit", "Hits", "Index",
           "InputError", "LimitError", "NoMemoryError", "NotFoundError", "Progress", "Row",
           "Snippet", "Step", "StoppedError", "UnavailableError", "UsageError", "build", "export_index",
           "import_index", "version"]

# The release that this file belongs to; the library is to be of the same one.
__version__ = "0.1.0"

Path = Union[str, bytes, "os.PathLike[Any]"]


# ---- Records of the library -----------------------------------------------------------------------


class _Error(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 256)]


class _Options(Structure):
    """A record of options begins with its size, by which the library knows its release."""

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(self), **values)


class _IndexOptions(_Options):
    _fields_ = [("size", c_size_t), ("verify", c_bool)]


class _Info(Structure):
    _fields_ = ([(name, c_uint64) for name in
                 ("docs", "terms", "postings", "tokens", "total_docs", "total_tokens")]
                + [("average_length", c_double), ("generation", c_uint64)]
                + [(name, c_char_p) for name in ("codec", "freqs", "stem", "stop")]
                + [("format_version", c_uint32), ("has_positions", c_bool), ("has_text", c_bool)]
                + [(name, c_uint64) for name in
                   ("bytes_terms", "bytes_lists", "bytes_positions", "bytes_docs", "bytes_text",
                    "bytes_total", "bytes_aux")]
                + [("token_rule", c_char_p), ("drops_possessive", c_bool),
                   ("folds_accents", c_bool), ("costs", c_char_p)])


class _Document(Structure):
    _fields_ = [("docid", c_uint32), ("length", c_uint32), ("id", c_char_p), ("title", c_void_p),
                ("text", c_void_p), ("title_bytes", c_size_t), ("text_bytes", c_size_t)]


class _Hit(Structure):
    _fields_ = [("docid", c_uint32), ("fixed", c_uint32), ("score", c_double), ("name", c_char_p)]


class _GpuCounters(Structure):
    _fields_ = [(name, c_uint64) for name in (
        "launches", "uploaded_bytes", "transcoded_postings", "host_decoded_lists",
        "host_decoded_postings")]


class _IiuCounters(Structure):
    _fields_ = [("operations", c_uint64), ("cycles", c_uint64), ("memory_bytes", c_uint64),
                ("hits_are_cpus", c_bool)]


class _QueryStep(Structure):
    _fields_ = [("stage", c_char_p), ("processor", c_char_p), ("began_us", c_double),
                ("us", c_double), ("elements", c_uint64), ("bytes", c_uint64), ("reason", c_char_p),
                ("queued_us", c_double), ("estimated_us", c_double)]


class _ListRead(Structure):
    _fields_ = [("term", c_char_p), ("blocks", c_uint64)]


class _Hits(Structure):
    _fields_ = [("n", c_size_t), ("at", POINTER(_Hit)), ("total", c_uint64),
                ("total_is_exact", c_bool), ("is_or_fallback", c_bool), ("is_partial", c_bool),
                ("has_unknown", c_bool), ("has_no_words", c_bool), ("fraction_bits", c_int32),
                ("processor", c_char_p), ("postings", c_uint64),
                ("work", c_uint64), ("seconds", c_double), ("memory", c_void_p), ("fallback", c_int),
                ("gpu", _GpuCounters), ("iiu", _IiuCounters), ("n_steps", c_size_t),
                ("steps", POINTER(_QueryStep)), ("n_reads", c_size_t), ("reads", POINTER(_ListRead))]


class _SearchOptions(_Options):
    _fields_ = [("size", c_size_t), ("k", c_size_t), ("mode", c_int), ("plain", c_bool),
                ("total", c_int), ("threads", c_size_t), ("processor", c_char_p), ("gpu", c_char_p),
                ("gpu_memory", c_uint64), ("gpu_timeout", c_uint32), ("gpu_child", c_bool),
                ("strict_processor", c_bool), ("eager_gpu", c_bool), ("algorithm", c_char_p),
                ("variant", c_char_p), ("has_k1", c_bool), ("has_b", c_bool), ("has_mu", c_bool),
                ("k1", c_double), ("b", c_double), ("mu", c_double), ("max_k", c_size_t),
                ("max_query", c_size_t), ("max_terms", c_size_t), ("max_expansions", c_size_t),
                ("max_phrase", c_size_t), ("max_slop", c_size_t), ("max_depth", c_size_t),
                ("max_memory", c_size_t), ("max_work", c_uint64), ("from", c_size_t),
                ("trace", c_bool)]


class _GpuState(Structure):
    _fields_ = [("is_asked", c_bool), ("is_lost", c_bool), ("answered", c_uint64),
                ("faults", c_uint64), ("returns", c_uint64), ("fault", c_char * 256)]


class _BatchQuery(Structure):
    _fields_ = [("query", c_char_p), ("query_bytes", c_size_t), ("plain", c_bool),
                ("status", c_int), ("err", _Error), ("hits", _Hits)]


class _BatchOptions(_Options):
    _fields_ = [("size", c_size_t), ("threads", c_size_t), ("elements", c_uint64),
                ("max_memory", c_size_t), ("goes_on", c_void_p), ("goes_on_arg", c_void_p)]


class _Progress(Structure):
    _fields_ = [("phase", c_char_p)] + [(name, c_uint64) for name in (
        "docs", "tokens", "bytes", "bytes_total", "memory", "skipped")]


_ProgressFn = CFUNCTYPE(c_bool, c_void_p, POINTER(_Progress))
_SkipFn = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
_WarnFn = CFUNCTYPE(None, c_void_p, c_char_p)


class _BuildOptions(_Options):
    _fields_ = [("size", c_size_t), ("codec", c_char_p), ("freqs", c_char_p), ("aux", c_char_p),
                ("stem", c_char_p),
                ("stop", c_char_p), ("format", c_char_p), ("id_field", c_char_p),
                ("title_field", c_char_p), ("text_field", c_char_p), ("memory", c_uint64),
                ("threads", c_uint32), ("no_positions", c_bool), ("no_store", c_bool),
                ("on_error", c_int), ("max_line", c_uint64), ("max_expand", c_uint64),
                ("max_json_depth", c_uint32), ("on_progress", _ProgressFn),
                ("progress_arg", c_void_p), ("on_skip", _SkipFn), ("skip_arg", c_void_p),
                ("tokens", c_char_p), ("keep_possessive", c_bool), ("no_fold", c_bool),
                ("ids", c_char_p), ("on_note", _WarnFn), ("note_arg", c_void_p)]


class _BuildStats(Structure):
    _fields_ = [(name, c_uint64) for name in
                ("docs", "skipped", "terms", "postings", "tokens", "bytes_in", "bytes_out", "runs",
                 "memory_peak")] + [("seconds", c_double), ("files", c_uint64),
                                    ("files_skipped", c_uint64)]


class _ImportOptions(_Options):
    _fields_ = [("size", c_size_t), ("codec", c_char_p), ("freqs", c_char_p), ("aux", c_char_p),
                ("stem", c_char_p),
                ("stop", c_char_p), ("memory", c_uint64), ("on_progress", _ProgressFn),
                ("progress_arg", c_void_p), ("on_warning", _WarnFn), ("warning_arg", c_void_p),
                ("tokens", c_char_p), ("drop_possessive", c_bool), ("fold", c_bool)]


class _ExportOptions(_Options):
    _fields_ = [("size", c_size_t), ("on_progress", _ProgressFn), ("progress_arg", c_void_p),
                ("on_warning", _WarnFn),
                ("warning_arg", c_void_p), ("iiu_max", c_uint32), ("iiu_fixed", c_uint32),
                ("iiu_paper_cost", c_bool), ("iiu_bounds", c_bool), ("iiu_paired", c_bool),
                ("iiu_bp128", c_bool)]


class _Mark(Structure):
    _fields_ = [("begin", c_uint32), ("end", c_uint32)]


class _Snippet(Structure):
    _fields_ = [("text", c_void_p), ("n_marks", c_size_t), ("marks", POINTER(_Mark))]


class _Suggestion(Structure):
    _fields_ = [("term", c_char_p), ("df", c_uint32)]


class _Suggestions(Structure):
    _fields_ = [("n", c_size_t), ("at", POINTER(_Suggestion)), ("memory", c_void_p)]


class _Correction(Structure):
    _fields_ = [("word", c_char_p), ("instead", c_char_p), ("edits", c_uint32), ("df", c_uint32)]


class _Corrections(Structure):
    _fields_ = [("n", c_size_t), ("at", POINTER(_Correction)), ("memory", c_void_p)]


class _ExplainNode(Structure):
    _fields_ = [("level", c_uint32), ("matches", c_bool), ("fixed", c_uint32), ("score", c_double),
                ("label", c_char * 96), ("tf", c_uint32), ("df", c_uint32), ("weight", c_float),
                ("norm", c_float)]


class _Explanation(Structure):
    _fields_ = [("n", c_size_t), ("at", POINTER(_ExplainNode))]


# ---- What calls return ----------------------------------------------------------------------------


class _HitValues(NamedTuple):
    docid: int
    docno: str
    rank: int
    score: float


class Hit(_HitValues):
    """A document that was found: its number and its id, its rank from 1, and its score. `fields` has
    what `search(..., fields=...)` asked for, by name."""

    fields: Dict[str, Any] = {}


class _RowValues(NamedTuple):
    qid: Any
    query: Any
    docid: int
    docno: str
    rank: int
    score: float


class Row(_RowValues):
    """A hit of one query of several. `fields` is as that of a Hit."""

    fields: Dict[str, Any] = {}


class Progress(NamedTuple):
    """How far a build is: its phase ("reading", "merging"), what it has read, and bytes in use."""

    phase: str
    docs: int
    tokens: int
    bytes: int
    bytes_total: int
    memory: int
    skipped: int


class Snippet(NamedTuple):
    """A part of a document that shows the words of a query. `pieces` are its parts in order, each
    with whether it is such a word; as a str, words stand in brackets."""

    text: str
    pieces: List[Tuple[str, bool]]

    def __str__(self) -> str:
        return "".join("[%s]" % text if is_word else text for text, is_word in self.pieces)


class Correction(NamedTuple):
    """A word of a query that no document has, as it was written, and the one that was perhaps meant:
    its term is so many edits away, and in `df` documents."""
    word: str
    instead: str
    edits: int
    df: int


class Explanation(NamedTuple):
    """Why a document has its score: what one part of the query adds, and its own parts. `tf` and
    `df` are of a term or a phrase; as a str it is a tree, a part a line."""

    label: str
    matches: bool
    score: float
    tf: int
    df: int
    weight: float
    norm: float
    parts: List["Explanation"]

    def _lines(self) -> List[str]:
        lines, rest = [], [(0, self)]
        while rest:
            level, part = rest.pop()
            lines.append("%s%.4f  %s%s" % ("  " * level, part.score, part.label,
                                           "" if part.matches else " (no match)"))
            rest.extend((level + 1, one) for one in reversed(part.parts))
        return lines

    def __str__(self) -> str:
        return "\n".join(self._lines())


class Step(NamedTuple):
    """What was done for a query: `stage` ("search", or a part of it) on a processor, when it began
    and how long it took, in microseconds; postings decoded, and bytes copied to a device."""

    stage: str
    processor: Optional[str]
    began_us: float
    us: float
    elements: int
    bytes: int


class Hits(List[Hit]):
    """The hits of one query, best first, with the number of documents that match as `total`;
    `total_is_exact` is false where that is a lower bound, and `has_no_words` is true where all of the
    query are stop words or punctuation. `processor` names who answered,
    `fallback` the reason why a GPU that was asked for did not, or is None; `gpu` is a dictionary
    of what the GPU did, `iiu` of what the simulated accelerator did. With the option trace, `steps`
    is a list of what was done, a Step each."""

    total: int = 0
    total_is_exact: bool = True
    has_no_words: bool = False
    processor: Optional[str] = None
    fallback: Optional[str] = None
    gpu: Optional[Dict[str, int]] = None
    iiu: Optional[Dict[str, int]] = None
    steps: List[Step] = []

    def __repr__(self) -> str:
        return "<riposte.Hits: %d of %s%d%s>" % (
            len(self), "" if self.total_is_exact else "at least ", self.total,
            "".join("\n  %d. %s  %.4f" % (hit.rank, hit.docno, hit.score) for hit in self
                    if isinstance(hit, Hit)))


# ---- Errors --------------------------------------------------------------------------------------


class Error(Exception):
    """What went wrong, in the library's words; `status` is its name, such as RP_USAGE."""

    def __init__(self, status: str, text: str) -> None:
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


def _release(text):
    """Releases with the same first two numbers have the same records."""
    return text.split(".")[:2]


def _record_name(record):
    """_GpuState is rp_gpu_state."""
    name = {"_Info": "_IndexInfo"}.get(record.__name__, record.__name__)
    return "rp" + re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name[1:])


def _other_records(library):
    """Records that this library lays out in another way: it is older or newer, of the same release."""
    library.rp_record_bytes.restype, library.rp_record_bytes.argtypes = c_size_t, [c_char_p]
    records = [r for r in globals().values()
               if isinstance(r, type) and issubclass(r, Structure) and hasattr(r, "_fields_")]
    return [name for name, record in ((_record_name(r), r) for r in records)
            if library.rp_record_bytes(name.encode()) != ctypes.sizeof(record)]


def _load():
    """The first library that can be loaded, is of this file's release and has its records."""
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            library.rp_version.restype = c_char_p
            found = library.rp_version().decode()
            is_ours = _release(found) == _release(__version__)
            others = _other_records(library) if is_ours else []
        except (OSError, AttributeError) as error:
            tried.append(str(error))
            continue
        if is_ours and not others:
            return library
        tried.append("%s: version %s, but riposte.py is of version %s" % (path, found, __version__)
                     if not is_ours else
                     "%s: of another build than riposte.py; other sizes: %s" % (path, ", ".join(others)))
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
_find = _declare("rp_index_find", c_int, c_void_p, c_char_p, POINTER(c_uint32), POINTER(_Error))
_suggest = _declare("rp_index_suggest", c_int, c_void_p, c_char_p, c_size_t, POINTER(_Suggestions),
                    POINTER(_Error))
_suggestions_free = _declare("rp_suggestions_free", None, POINTER(_Suggestions))
_searcher_correct = _declare("rp_searcher_correct", c_int, c_void_p, c_char_p, c_size_t,
                             POINTER(_Corrections), POINTER(_Error))
_corrections_free = _declare("rp_corrections_free", None, POINTER(_Corrections))
_get_document_start = _declare("rp_index_get_document_start", c_int, c_void_p, c_uint32, c_size_t,
                               POINTER(_Document), POINTER(_Error))
_searcher_snippet = _declare("rp_searcher_snippet", c_int, c_void_p, c_char_p, c_size_t,
                             POINTER(_Document), c_size_t, POINTER(_Snippet), POINTER(_Error))
_snippet_free = _declare("rp_snippet_free", None, POINTER(_Snippet))
_searcher_explain = _declare("rp_searcher_explain", c_int, c_void_p, c_char_p, c_size_t, c_uint32,
                             POINTER(_Explanation), POINTER(_Error))
_explanation_free = _declare("rp_explanation_free", None, POINTER(_Explanation))
_builder_new = _declare("rp_builder_new", c_int, c_char_p, POINTER(_BuildOptions), POINTER(c_void_p),
                        POINTER(_Error))
_builder_add = _declare("rp_builder_add", c_int, c_void_p, c_char_p, c_size_t, c_char_p, c_size_t,
                        c_char_p, c_size_t, POINTER(_Error))
_builder_finish = _declare("rp_builder_finish", c_int, c_void_p, POINTER(_BuildStats),
                           POINTER(_Error))
_builder_free = _declare("rp_builder_free", None, c_void_p)
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
        raise _ERRORS.get(name, Error)(name, _in_python(_text(error.text)))


def _text(value):
    return value.decode("utf-8", "replace")


def _in_python(text):
    """A message of the library, with options named as the calls here have them."""
    return _OPTION.sub(lambda option: _SPELLED[option[1]] + ('="%s"' % option[2] if option[2] else ""),
                       text)


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
            "on_error": ("auto", "skip", "stop")}


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
             and name not in ("size", "on_skip", "on_warning", "on_note")}
    for name in given:
        if name not in known:
            raise TypeError("no option %r; there are %s" % (name, ", ".join(
                "start" if one == "from" else one for one in known)))
    return {name: _convert(name, value, known[name]) for name, value in given.items()}


def _fill(record, values):
    names = {name for name, _ in record._fields_}
    for name, value in values.items():
        setattr(record, name, value)
        if "has_" + name in names:
            setattr(record, "has_" + name, True)
    return record


def _search_values(given):
    """Options of a search. k=0 asks how many documents match, and for no hits. The option that C
    calls `from`, which is a word of Python, is `start` here."""
    if "from" in given:
        raise TypeError("no option 'from'; it is called start")
    if "start" in given:
        given = dict(given)
        given["from"] = given.pop("start")
    values = _options(_SearchOptions, given)
    if values.get("k") == 0:
        del values["k"]
        values["total"] = _CHOICES["total"].index("only")
    return values


# Options by the names that the program has for them, which the library's messages use.
_SPELLED = {name.replace("_", "-"): "start" if name == "from" else name
            for record in (_SearchOptions, _BuildOptions, _ImportOptions)
            for name, _ in record._fields_}
_OPTION = re.compile("(?<![^ (])--(%s)(?![a-z-])(?:=([a-z]+))?" % "|".join(_SPELLED))


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
        for name in ("on_progress", "on_skip", "on_warning", "on_note"):
            if name in kinds:
                setattr(record, name, kinds[name](getattr(self, "_" + name)))

    def _call(self, name, *arguments):
        """Nothing may leave this function: C is below it."""
        try:
            function = self._functions.get(name)
            if function is not None and self._raised is None:
                return function(*[_in_python(_text(a)) if isinstance(a, bytes) else a
                                  for a in arguments])
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

    def _on_note(self, _, what):
        self._call("on_note", what)

    def tell(self, name, *arguments):
        """Calls a function from Python: what it raises goes on at once."""
        function = self._functions.get(name)
        return None if function is None else function(*arguments)

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


def version() -> str:
    """The version of the library."""
    return _version().decode()


def _dict(stats):
    return {name: getattr(stats, name) for name, _ in stats._fields_}


# The names that a document's fields have, unless options name others; as in JSONL.
_FIELDS = {"id": ("id", "_id", "docno", "docid"), "title": ("title",),
           "text": ("text", "contents", "content", "body")}
_EVERY = 4096  # documents between two reports of progress
_NAMES_SHOWN = 24  # of fields that are not indexed


def _decode_windows_1252(error):
    """Bytes that are not UTF-8, each read as files are: the five that Windows-1252 leaves open are
    controls."""
    part = error.object[error.start:error.end]
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in part), error.end


codecs.register_error("riposte_windows_1252", _decode_windows_1252)


def _choose_ids(ids):
    """Whether documents have the id of their field, their number, or None: the field or else the
    number."""
    if ids in ("relative", "path"):
        raise UsageError("RP_USAGE", "ids=%r is of files; documents have ids \"field\" or \"number\"" % ids)
    if ids not in (None, "field", "number"):
        raise UsageError("RP_USAGE", "ids cannot be %r; documents have \"field\" or \"number\"" % ids)
    return ids


class _DocumentReader:
    """Reads id, title and text of dictionaries by the rules that lines of JSONL have, and keeps what
    there is to say about them: `dropped` are names of fields that were not indexed."""

    def __init__(self, record):
        self.names = dict(_FIELDS)
        for field in _FIELDS:
            name = getattr(record, field + "_field")
            if name:
                self.names[field] = (_text(name),)
        self.ids = _choose_ids(_text(record.ids) if record.ids else None)
        self.dropped, self.foreign, self.where = set(), set(), ""
        for name in ("format", "max_json_depth"):
            if getattr(record, name):
                raise UsageError("RP_USAGE", "%s is an option for files; documents have none" % name)

    def _bytes(self, field, value):
        """A field's text as UTF-8; several texts follow each other on lines of their own."""
        if isinstance(value, (list, tuple)):
            return b"\n".join(self._bytes(field, one) for one in value)
        if isinstance(value, str):
            return value.encode()
        if not isinstance(value, (bytes, bytearray)):
            raise TypeError("the %s of %s is a str or a list of them, not %s"
                            % (field, self.where, type(value).__name__))
        try:
            value.decode()
            return bytes(value)
        except UnicodeDecodeError:
            self.foreign.add(self.where)
            return value.decode("utf-8", "riposte_windows_1252").encode()

    def _missing(self, field, remedy):
        return InputError("RP_INPUT", "no %s; looked for %s; %s"
                          % (field, " ".join(self.names[field]), remedy))

    def _drop(self, document, used):
        """Fields that are there and not indexed. Weights of terms are no text, and an index without
        them would answer wrongly."""
        for name in document:
            if name in used or document[name] is None:
                continue
            if name == "vector" and isinstance(document[name], Mapping):
                raise InputError("RP_INPUT", "field \"vector\" has weights of terms; impacts are not "
                                 "supported yet")
            if len(self.dropped) <= _NAMES_SHOWN:
                self.dropped.add(str(name))

    def _find(self, document, field):
        """The name that the document has for a field; a field that is None is not there."""
        for name in self.names[field]:
            if document.get(name) is not None:
                return name
        return None

    def read(self, document, number):
        """Id, title and text. `number` is that of the document."""
        self.where = "document %d" % number
        if not isinstance(document, Mapping):
            raise TypeError("%s is a dictionary, not %s" % (self.where, type(document).__name__))
        used = {field: self._find(document, field) for field in self.names}
        self._drop(document, used.values())
        if used["id"] is None and self.ids == "field":
            raise self._missing("id", "leave ids out to have such documents numbered")
        if used["text"] is None and used["title"] is None:
            raise self._missing("text", "name the field with text_field")
        values = {field: "" if name is None else document[name] for field, name in used.items()}
        if used["id"] is None or self.ids == "number":
            values["id"] = number
        if isinstance(values["id"], int) and not isinstance(values["id"], bool):
            values["id"] = str(values["id"])
        return [self._bytes(field, values[field]) for field in ("id", "title", "text")]

    def notes(self):
        """What there is to say at the end, as of files."""
        if len(self.foreign) > 1:
            yield "%d documents: not UTF-8, read as Windows-1252" % len(self.foreign)
        elif self.foreign:
            yield "%s: not UTF-8, read as Windows-1252" % self.foreign.pop()
        if self.dropped:
            shown = sorted(self.dropped)[:_NAMES_SHOWN]
            yield "fields that are not indexed: %s%s; text_field names the one to index" % (
                ", ".join('"%s"' % name for name in shown),
                " and more" if len(self.dropped) > len(shown) else "")


def _add_documents(documents, builder, reader, is_lenient, callbacks):
    """How many were left out. on_error decides about what the library calls bad input."""
    error, skipped, count = _Error(), 0, 0
    for number, document in enumerate(documents, 1):
        try:
            id_, title, text = reader.read(document, number)
            _check(_builder_add(builder, id_, len(id_), title, len(title), text, len(text),
                                byref(error)), error)
        except (InputError, LimitError, UnicodeEncodeError) as bad:
            if not is_lenient:
                raise InputError("RP_INPUT", "document %d: %s" % (number, bad)) from None
            skipped += 1
            callbacks.tell("on_skip", "document %d" % number, str(bad))
        count = number
        if number % _EVERY == 0:
            now = Progress("reading", count - skipped, 0, 0, 0, 0, skipped)
            if callbacks.tell("on_progress", now) is False:
                raise StoppedError("RP_INTERRUPTED", "interrupted")
    return skipped


def _build_from_documents(documents, directory, record, callbacks):
    builder, stats, reader = c_void_p(), _BuildStats(), _DocumentReader(record)
    callbacks.run(_builder_new, directory, byref(record), byref(builder))
    try:
        is_lenient = record.on_error == _CHOICES["on_error"].index("skip")
        skipped = _add_documents(documents, builder, reader, is_lenient, callbacks)
        callbacks.run(_builder_finish, builder, byref(stats))
    finally:
        _builder_free(builder)
    for note in reader.notes():
        callbacks.tell("on_note", note)
    return dict(_dict(stats), skipped=skipped)


def build(source: Union[Path, Iterable[Path], Iterable[Mapping[str, Any]]], directory: Path,
          on_progress: Optional[Callable[[Progress], Any]] = None,
          on_skip: Optional[Callable[[str, str], Any]] = None,
          on_note: Optional[Callable[[str], Any]] = None, **options: Any) -> Dict[str, Any]:
    """Indexes files and folders, or documents, into the folder `directory`.

    `source` is a path, several paths, or any iterable of dictionaries with "id", "title" and "text"
    (other names by the options id_field, title_field, text_field; a document without an id has its
    number, from 1, unless ids="field"). A dictionary follows the rules of a line of JSONL: one without
    text and title is refused, and so is a "vector". Documents are read one by one, so a generator takes
    no more memory than a file.

    Options are those of rp_build_options: codec, stem, stop, memory, threads (of files), on_error.
    on_progress(progress) is called now and then with a Progress, and stops the build by returning
    False; on_skip(where, what) is called for each document that on_error="skip" leaves out;
    on_note(what) is called at the end with what there is to say about the input: files that were skipped, a
    line a reason, and fields that were not indexed. What they raise is raised here. Returns what was built as
    a dictionary: docs, terms, postings and so on."""
    if isinstance(source, Mapping):
        raise TypeError("a document stands in a list: build([document], directory)")
    if not isinstance(source, (str, bytes, os.PathLike, Iterable)):
        raise TypeError("source is a path, several paths or dictionaries, not %s"
                        % type(source).__name__)
    items = iter([source] if isinstance(source, (str, bytes, os.PathLike)) else source)
    directory = _path("directory", directory)
    record = _fill(_BuildOptions(), _options(_BuildOptions, options))
    callbacks = _Callbacks(record, {"on_progress": on_progress, "on_skip": on_skip,
                                    "on_note": on_note})
    first = list(itertools.islice(items, 1))
    items = itertools.chain(first, items)
    if first and isinstance(first[0], Mapping):
        return _build_from_documents(items, directory, record, callbacks)
    encoded = [_path("a path", path) for path in items]
    names = (c_char_p * len(encoded))(*encoded)
    stats = _BuildStats()
    callbacks.run(_build, names, len(encoded), directory, byref(record), byref(stats))
    return _dict(stats)


def import_index(path: Path, directory: Path, format: str = "ciff",
                 on_progress: Optional[Callable[[Progress], Any]] = None,
                 on_warning: Optional[Callable[[str], Any]] = None, **options: Any) -> Dict[str, Any]:
    """Makes an index of a CIFF file, or of PISA's files (format "pisa"), in `directory`; options are
    those of rp_import_options. on_progress is as in build; on_warning(what) is told what is odd.
    Returns what was read as a dictionary."""
    arguments = _path("format", format), _path("path", path), _path("directory", directory)
    record = _fill(_ImportOptions(), _options(_ImportOptions, options))
    callbacks = _Callbacks(record, {"on_progress": on_progress, "on_warning": on_warning})
    stats = _BuildStats()
    callbacks.run(_import, *arguments, byref(record), byref(stats))
    return _dict(stats)


def export_index(directory: Path, path: Path, format: str = "ciff",
                 on_progress: Optional[Callable[[Progress], Any]] = None,
                 on_warning: Optional[Callable[[str], Any]] = None, **options: Any) -> None:
    """Writes the index in `directory` as a CIFF file, as a folder of PISA's files (format "pisa"), or as
    a memory image of the accelerator IIU (format "iiu"); options are those of rp_export_options, all of
    them of images. on_progress and on_warning are as in import_index."""
    arguments = _path("format", format), _path("directory", directory), _path("path", path)
    record = _fill(_ExportOptions(), _options(_ExportOptions, options))
    callbacks = _Callbacks(record, {"on_progress": on_progress, "on_warning": on_warning})
    callbacks.run(_export, *arguments, byref(record))


# ---- Searching -----------------------------------------------------------------------------------


def _list(found, start):
    """The hits of a query, after so many better ones."""
    hits = Hits(Hit(found.at[i].docid, _text(found.at[i].name), start + i + 1, found.at[i].score)
                for i in range(found.n))
    hits.total, hits.total_is_exact = found.total, found.total_is_exact
    hits.has_no_words = found.has_no_words
    hits.processor = _text(found.processor)
    hits.fallback = _text(_fallback_name(found.fallback)) if found.fallback else None
    hits.gpu = _dict(found.gpu)
    hits.iiu = _dict(found.iiu)
    hits.steps = [Step(_text(one.stage), _text(one.processor), one.began_us, one.us, one.elements,
                       one.bytes) for one in found.steps[:found.n_steps]]
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
        options = _IndexOptions(verify=verify)
        _check(_open(directory, byref(options), byref(handle), byref(error)), error)
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


# What `search(..., fields=...)` can ask for. Snippets look at a megabyte of the title and the text.
_HIT_FIELDS = ("title", "text", "length", "snippet")
_START = 1 << 20


def _field_names(fields):
    if fields is None:
        return ()
    if isinstance(fields, (str, bytes)):
        raise TypeError("fields is a list of names, not %s" % type(fields).__name__)
    names = tuple(fields)
    for name in names:
        if name not in _HIT_FIELDS:
            raise ValueError("no field %r; there are %s" % (name, ", ".join(_HIT_FIELDS)))
    return names


def _tree(nodes):
    """The nodes of a score, in depth-first order, as a tree; the first is its root."""
    path = []
    for node in nodes:
        part = Explanation(_text(node.label), node.matches, node.score, node.tf, node.df,
                           node.weight, node.norm, [])
        del path[node.level:]
        if path:
            path[-1].parts.append(part)
        path.append(part)
    return path[0]


def _pieces(snippet):
    text, end, pieces = ctypes.string_at(snippet.text) if snippet.text else b"", 0, []
    for mark in snippet.marks[:snippet.n_marks]:
        pieces += [(text[end:mark.begin], False), (text[mark.begin:mark.end], True)]
        end = mark.end
    pieces.append((text[end:], False))
    return Snippet(_text(text), [(_text(piece), is_word) for piece, is_word in pieces if piece])


def _texts(document):
    return {"title": _text(ctypes.string_at(document.title, document.title_bytes)),
            "text": _text(ctypes.string_at(document.text, document.text_bytes))}


def _pairs(queries):
    """Queries of any kind as pairs of qid and query."""
    if not isinstance(queries, Iterable):
        raise TypeError("queries are a text, or several queries, not %s" % type(queries).__name__)
    asked = []
    for number, one in enumerate(queries, 1):
        if isinstance(one, (str, bytes)):
            asked.append((str(number), one))
        elif isinstance(one, dict):
            asked.append((one["qid"], one["query"]))
        else:
            qid, query = one
            asked.append((qid, query))
    return asked


class Index:
    """An open index. Any number of threads may use it at once, and so may a process forked from this
    one, but for a GPU that was used before the fork. It keeps a few searchers, so that searches
    with the same options need not make one each."""

    def __init__(self, directory: Path, verify: bool = False) -> None:
        self._handle = _Handle(_path("directory", directory), _flag("verify", verify))
        self._name = os.fsdecode(directory)
        weakref.finalize(self, self._handle.close)

    def __repr__(self) -> str:
        try:
            docs = len(self)
        except ValueError:
            return "<riposte.Index %r, closed>" % self._name
        return "<riposte.Index %r: %d document%s>" % (self._name, docs, "" if docs == 1 else "s")

    def close(self) -> None:
        """Gives everything back, at the end of the searches that are going on. A second call does
        nothing; any other call then raises ValueError."""
        self._handle.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    @property
    def info(self) -> Dict[str, Any]:
        """What the index holds, as a dictionary."""
        info = _Info()
        with self._handle.index() as index:
            _get_info(index, byref(info))
            return {name: _text(v) if isinstance(v, bytes) else v
                    for name, v in _dict(info).items()}

    def __len__(self) -> int:
        return self.info["docs"]

    @contextlib.contextmanager
    def _document(self, docid, max_bytes=None):
        """The library's record of a document; of a long one, its start."""
        document, error = _Document(), _Error()
        with self._handle.index() as index:
            if max_bytes is None:
                status = _get_document(index, docid, byref(document), byref(error))
            else:
                status = _get_document_start(index, docid, max_bytes, byref(document), byref(error))
            _check(status, error)
        try:
            yield document
        finally:
            _document_free(byref(document))

    def document(self, docid: int) -> Dict[str, Any]:
        """A document's number, id, length, title and text, as a dictionary: docid, docno, length,
        title, text. `docid` is that of a hit; LookupError where there is none."""
        with self._document(_whole("docid", docid, c_uint32)) as document:
            return {"docid": document.docid, "docno": _text(document.id),
                    "length": document.length, **_texts(document)}

    def get(self, docno: Union[str, bytes, int]) -> Dict[str, Any]:
        """The document whose id this is, as `document` has it; LookupError where there is none. As in
        documents, an integer is the id of its digits."""
        docid, error = c_uint32(), _Error()
        is_number = isinstance(docno, int) and not isinstance(docno, bool)
        name = _path("docno", str(docno) if is_number else docno)
        with self._handle.index() as index:
            _check(_find(index, name, byref(docid), byref(error)), error)
        return self.document(docid.value)

    def suggest(self, prefix: Union[str, bytes], k: int = 10) -> List[Tuple[str, int]]:
        """The k terms in the most documents of those that begin so, each with that number."""
        found, error = _Suggestions(), _Error()
        prefix, k = _path("prefix", prefix), _whole("k", k, c_size_t)
        with self._handle.index() as index:
            _check(_suggest(index, prefix, k, byref(found), byref(error)), error)
        try:
            return [(_text(one.term), one.df) for one in found.at[:found.n]]
        finally:
            _suggestions_free(byref(found))

    def correct(self, query: Union[str, bytes], **options: Any) -> List[Correction]:
        """Words of the query that no document has, each with the term that was perhaps meant. Options
        are those of search."""
        text, found, error = _query(query), _Corrections(), _Error()
        with self._handle.searcher(_search_values(options)) as searcher:
            _check(_searcher_correct(searcher, text, len(text), byref(found), byref(error)), error)
        try:
            return [Correction(_text(one.word), _text(one.instead), one.edits, one.df)
                    for one in found.at[:found.n]]
        finally:
            _corrections_free(byref(found))

    def gpu_state(self, **options: Any) -> Dict[str, Any]:
        """What became of the GPU that the last search with these options used, as a dictionary:
        is_asked, is_lost, answered, faults, returns, fault."""
        state = _GpuState()
        with self._handle.searcher(_search_values(options)) as searcher:
            _get_gpu_state(searcher, byref(state))
        return dict(_dict(state), fault=_text(state.fault))

    def snippet(self, query: Union[str, bytes], docid: int, max_bytes: int = 240,
                **options: Any) -> Snippet:
        """The part of a document that shows the words of the query best; empty where the index
        stores no text. Options are those of search."""
        docid, max_bytes = _whole("docid", docid, c_uint32), _whole("max_bytes", max_bytes, c_size_t)
        text, values = _query(query), _search_values(options)
        with self._document(docid, _START) as document:
            return self._snippet_of(document, text, max_bytes, values)

    def _snippet_of(self, document, text, max_bytes, values):
        snippet, error = _Snippet(), _Error()
        with self._handle.searcher(values) as searcher:
            _check(_searcher_snippet(searcher, text, len(text), byref(document), max_bytes,
                                     byref(snippet), byref(error)), error)
        try:
            return _pieces(snippet)
        finally:
            _snippet_free(byref(snippet))

    def explain(self, query: Union[str, bytes], docid: int, **options: Any) -> Explanation:
        """Why a document has its score for the query: a tree of what each part adds. Print it."""
        docid, text, error = _whole("docid", docid, c_uint32), _query(query), _Error()
        found = _Explanation()
        with self._handle.searcher(_search_values(options)) as searcher:
            _check(_searcher_explain(searcher, text, len(text), docid, byref(found), byref(error)),
                   error)
        try:
            return _tree(found.at[:found.n])
        finally:
            _explanation_free(byref(found))

    def _read_fields(self, query, docid, names, values):
        """Those fields of a document, by name."""
        with self._document(docid, None if "text" in names else _START) as document:
            found = dict(_texts(document), length=document.length)
            if "snippet" in names:
                found["snippet"] = self._snippet_of(document, _query(query), 0, values)
        return {name: found[name] for name in names}

    def _with_fields(self, query, hits, names, values):
        for hit in hits if names else ():
            hit.fields = self._read_fields(query, hit.docid, names, values)
        return hits

    def _hits(self, query, values):
        text, hits, error = _query(query), _Hits(), _Error()
        with self._handle.searcher(values) as searcher:
            _check(_searcher_search(searcher, text, len(text), byref(hits), byref(error)), error)
        try:
            return _list(hits, values.get("from", 0))
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
            return [_list(one.hits, values.get("from", 0)) for one in asked]
        finally:
            for one in asked:
                _hits_free(byref(one.hits))

    def search(self, queries: Any, workers: int = 1, elements: int = 0,
               fields: Optional[Iterable[str]] = None, **options: Any) -> Any:
        """One query as text gives its Hits, best first. Several, as texts, (qid, query) pairs,
        dictionaries with qid and query, or a data frame of these, give rows for all of them; a data
        frame gives a data frame. Options are those of rp_search_options: k, mode, k1, b, ...
        With k=0 there are no hits, only their total. The hits begin after `start` better ones, and
        their ranks after that number.
        `fields` are what each hit has in its `fields` beside: some of "title", "text", "length" and
        "snippet" (a Snippet); in a data frame they are columns.
        Several are answered at once: by so many workers, and on a GPU in groups of so many elements
        of their shortest lists (0: as rp_batch_options has it)."""
        values, names = _search_values(options), _field_names(fields)
        batch = _BatchOptions(threads=_whole("workers", workers, c_size_t),
                              elements=_whole("elements", elements, c_uint64))
        if isinstance(queries, (str, bytes)):
            return self._with_fields(queries, self._hits(queries, values), names, values)
        is_frame = hasattr(queries, "to_dict") and hasattr(queries, "columns")
        asked = _pairs(queries.to_dict("records") if is_frame else queries)
        rows = []
        found = self._hits_of_many([query for _, query in asked], batch, values)
        for (qid, query), hits in zip(asked, found):
            for hit in self._with_fields(query, hits, names, values):
                rows.append(Row(qid, query, *hit))
                if names:
                    rows[-1].fields = hit.fields
        if is_frame:
            return type(queries)([row + tuple(row.fields.values()) for row in rows],
                                 columns=Row._fields + names)
        return rows

    def batch(self, queries: Any, **options: Any) -> Any:
        """The same as search for several queries, with every query taken as plain words unless
        `plain` is False."""
        options.setdefault("plain", True)
        return self.search(list(queries) if not hasattr(queries, "columns") else queries, **options)
