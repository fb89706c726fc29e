#!/usr/bin/env python3
"""pisa_tokens.py: the documents of a PISA collection as a file of tokens with frequencies, for a peer that indexes text.

usage: bench/pisa_tokens.py FOLDER >TOKENS

FOLDER is what `riposte export pisa` wrote. A document is a line: its id, a tab, and word|frequency for each of its
words. One more word, which no query has, fills a document up to its length, so that scores depend on the same lengths.
bench/peers/lucene/IndexPeer reads it with --freqs.
"""
import array
import os
import sys

FILL = b" ~fill|"


def values(folder, name):
    out = array.array("I")
    with open(os.path.join(folder, name), "rb") as file:
        out.frombytes(file.read())
    return out


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: bench/pisa_tokens.py FOLDER >TOKENS")
    folder = sys.argv[1]
    docs, freqs, sizes = (values(folder, "inv." + name) for name in ("docs", "freqs", "sizes"))
    with open(os.path.join(folder, "inv.terms"), "rb") as file:
        terms = file.read().split(b"\n")
    n_docs = docs[1]
    lines = [bytearray() for _ in range(n_docs)]
    left = list(sizes[1:])
    at, at_freqs = 2, 0
    for term in terms:
        if at == len(docs):
            break
        n = docs[at]
        word = b" " + term + b"|"
        endings = {}
        for doc, freq in zip(docs[at + 1:at + 1 + n], freqs[at_freqs + 1:at_freqs + 1 + n]):
            ending = endings.get(freq)
            if ending is None:
                ending = endings[freq] = word + b"%d" % freq
            lines[doc] += ending
            left[doc] -= freq
        at, at_freqs = at + 1 + n, at_freqs + 1 + n
    with open(os.path.join(folder, "inv.documents"), "rb") as file:
        for name, line, rest in zip(file, lines, left):
            fill = FILL + b"%d" % rest if rest > 0 else b""
            sys.stdout.buffer.write(name.rstrip(b"\n") + b"\t" + (line + fill)[1:] + b"\n")


if __name__ == "__main__":
    main()
