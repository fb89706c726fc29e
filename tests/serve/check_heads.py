"""Heads that two programs may read differently are refused with 400, and the connection ends."""
from service import Service, equal, holds, main, read_all

GET = b"GET /healthz HTTP/1.1\r\n"
HOST = b"Host: 127.0.0.1\r\n"
POST = b"POST /v1/search HTTP/1.1\r\n" + HOST
BODY = b'{"q":"a"}'

SMUGGLED = {
    "two hosts": GET + HOST + HOST + b"\r\n",
    "two differing hosts": GET + HOST + b"Host: localhost\r\n\r\n",
    "no host": GET + b"\r\n",
    "length and chunks": POST + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n" + BODY,
    "two lengths": POST + b"Content-Length: 9\r\nContent-Length: 8\r\n\r\n" + BODY,
    "two equal lengths": POST + b"Content-Length: 9\r\nContent-Length: 9\r\n\r\n" + BODY,
    "length with a sign": POST + b"Content-Length: +9\r\n\r\n" + BODY,
    "length with words": POST + b"Content-Length: 9 9\r\n\r\n" + BODY,
    "length list": POST + b"Content-Length: 9, 9\r\n\r\n" + BODY,
    "negative length": POST + b"Content-Length: -1\r\n\r\n" + BODY,
    "hexadecimal length": POST + b"Content-Length: 0x9\r\n\r\n" + BODY,
    "huge length": POST + b"Content-Length: 99999999999999999999\r\n\r\n" + BODY,
    "bare LF everywhere": b"GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n",
    "bare LF in the request line": b"GET /healthz HTTP/1.1\n" + HOST + b"\r\n",
    "bare LF after a field": GET + HOST + b"A: b\nC: d\r\n\r\n",
    "bare LF after the last field": GET + HOST + b"A: b\n\r\n",
    "bare LF as the last line": GET + HOST + b"A: b\r\n\n",
    "bare CR in a field": GET + HOST + b"A: b\rC: d\r\n\r\n",
    "NUL in a value": GET + HOST + b"A: b\0c\r\n\r\n",
    "NUL at a value's end": GET + HOST + b"A: b\0\r\n\r\n",
    "NULs in a value": GET + HOST + b"A: b\0\0C: d\r\nE: f\r\n\r\n",
    "NUL in a name": GET + HOST + b"A\0B: c\r\n\r\n",
    "control in a value": GET + HOST + b"A: b\x01c\r\n\r\n",
    "folded line": GET + HOST + b"A: b\r\n c\r\n\r\n",
    "blank before the colon": GET + HOST + b"A : b\r\n\r\n",
    "blank in a name": GET + HOST + b"A b: c\r\n\r\n",
    "no colon": GET + HOST + b"nonsense\r\n\r\n",
    "blank before the first field": GET + b" Host: 127.0.0.1\r\n\r\n",
    "two blanks": b"GET  /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "tab in the request line": b"GET\t/healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "whole address": b"GET http://127.0.0.1/healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "star": b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    "fragment": b"GET /healthz#a HTTP/1.1\r\n" + HOST + b"\r\n",
    "no path": b"GET HTTP/1.1\r\n" + HOST + b"\r\n",
    "no version": b"GET /healthz\r\n" + HOST + b"\r\n",
    "version 2": b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n",
    "version 1.2": b"GET /healthz HTTP/1.2\r\n" + HOST + b"\r\n",
    "method with marks": b"GE(T /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "two tokens": GET + HOST + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
}


def smuggling_is_refused():
    refused = (b"HTTP/1.1 400 ", b"HTTP/1.0 400 ", b"HTTP/1.1 413 ", b"HTTP/1.1 505 ")
    with Service() as service:
        for name, head in SMUGGLED.items():
            # What follows must not be answered: it may be the part that was smuggled. Some heads never end for the
            # server; then the end of what the client sends ends the connection without a reply.
            got = service.raw(head + GET + HOST + b"\r\n", shut=True)
            holds(got == b"" or got.startswith(refused), (name, got[:300]))
            holds(b"200 OK" not in got, (name, got[:300]))
        equal(b"HTTP/1.1 200", service.raw(GET + HOST + b"\r\n", shut=True)[:12])
        metrics = service.request("GET", "/metrics")[2].decode()
        counted = [l for l in metrics.splitlines() if l.startswith('riposte_rejected_total{reason="head"')]
        holds(int(counted[0].split()[-1]) >= 25, counted)


def rejected_heads(service):
    metrics = service.request("GET", "/metrics")[2].decode().splitlines()
    return sum(int(l.split()[-1]) for l in metrics if l.startswith('riposte_rejected_total{reason="head"'))


def heads_that_the_http_library_refuses_count():
    with Service() as service:
        for n, length in enumerate((b"3, 3", b"+3", b"x", b"18446744073709551617"), 1):
            got = service.raw(POST + b"Content-Length: " + length + b"\r\n\r\n{} ", shut=True)
            holds(got.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 413 ")), got[:300])
            equal(n, rejected_heads(service))
        for left in (POST, POST + b"Content-Length: 3\r\n\r\n{"):  # clients that leave are not refused
            service.raw(left, shut=True)
        equal(4, rejected_heads(service))


def sound_heads_pass():
    for head in (GET + HOST + b"\r\n", GET + b"host:127.0.0.1\r\n\r\n",
                 GET + HOST + b"A:\r\nB:   c  \r\nD: e\tf\r\n\r\n", GET + b"A: b\r\n" + HOST + b"\r\n",
                 b"GET /healthz HTTP/1.0\r\n\r\n", b"\r\n" + GET + HOST + b"\r\n",
                 GET + HOST + b"Cookie: a=b; c=d\r\nX: y\r\n\r\n",
                 GET + HOST + b"Accept: a\r\nAccept: b\r\n\r\n",
                 b"GET /healthz? HTTP/1.1\r\n" + HOST + b"\r\n"):
        with Service() as service:
            got = service.raw(head, shut=True)
            holds(got.startswith(b"HTTP/1.") and got[8:12] == b" 200", (head, got))


def chunked_bodies_are_refused():
    with Service() as service:
        got = service.raw(POST + b"Transfer-Encoding: chunked\r\n\r\n9\r\n" + BODY + b"\r\n0\r\n\r\n")
        holds(got.startswith(b"HTTP/1.1 411 "), got)


def pipelines_are_answered_in_order():
    with Service() as service:
        heads = b"".join(GET[:-2] + b"\r\n" + HOST + b"X-Request-Id: r%d\r\n\r\n" % i for i in range(20))
        got = service.raw(heads + GET + HOST + b"X-Request-Id: last\r\nConnection: close\r\n\r\n")
        ids = [l.split()[1] for l in got.split(b"\r\n") if l.startswith(b"X-Request-Id")]
        equal([b"r%d" % i for i in range(20)] + [b"last"], ids)
        post = POST + b"Content-Length: 9\r\n\r\n" + BODY
        got = service.raw(post * 9 + post.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        equal(10, got.count(b"HTTP/1.1 200 OK"))


def half_closed_clients_get_all_or_nothing():
    with Service() as service:
        for _ in range(20):
            got = service.raw(POST + b"Content-Length: 9\r\n\r\n" + BODY, shut=True)
            holds(got == b"" or (got.startswith(b"HTTP/1.1 200 OK") and got.endswith(b"}")), got)
            # Half of a body is none.
            equal(b"", service.raw(POST + b"Content-Length: 9\r\n\r\n" + BODY[:4], shut=True))
        equal(200, service.request("GET", "/healthz")[0])


def expectations_are_met():
    with Service() as service, service.connect() as s:
        s.sendall(POST + b"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        got = read_all(s, lambda b: b.endswith(b"\r\n\r\n"))
        holds(got.startswith(b"HTTP/1.1 100 "), got)
        s.sendall(BODY)
        got = read_all(s, lambda b: b.endswith(b"}"))
        holds(got.startswith(b"HTTP/1.1 200 "), got)


main([smuggling_is_refused, heads_that_the_http_library_refuses_count, sound_heads_pass, chunked_bodies_are_refused,
      pipelines_are_answered_in_order, half_closed_clients_get_all_or_nothing, expectations_are_met])
