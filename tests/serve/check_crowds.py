"""Limits of RELIABILITY from both sides that check_limits.py has not, crowds of bad clients beside a good one, and that
no token and no query is to be seen. RIPOSTE_THOROUGH=1: 10,000 connections, and the good client's times are printed."""
import json
import os
import random
import socket
import subprocess
import time

from service import DEMO, RIPOSTE, SLOW, WORK, Service, equal, holds, main, path_of, read_all

HOST = b"Host: 127.0.0.1\r\n"
REQUEST = b"GET /healthz HTTP/1.1\r\n" + HOST
THOROUGH = os.environ.get("RIPOSTE_THOROUGH")
ADDRESSES, EACH = (40, 249) if THOROUGH else (8, 30)
TOKEN = "canary-token-0123456789"


def from_address(service, address):
    s = socket.socket()
    s.settimeout(SLOW)
    s.bind((address, 0))
    s.connect(("127.0.0.1", service.port))
    return s


def is_answered(s, path=b"/healthz"):
    """Whether a request on a connection that stays open gets a 200."""
    try:
        s.sendall(b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        return read_all(s, lambda b: b.endswith((b"ok\n", b"]}")))[:12] == b"HTTP/1.1 200"
    except OSError:
        return False


def an_address_has_256_connections():
    with Service("--log", "off") as service:
        kept = [from_address(service, "127.0.0.9") for _ in range(256)]
        holds(all(is_answered(s) for s in kept), "one of 256 was refused")
        holds(not is_answered(from_address(service, "127.0.0.9")), "the 257th passed")
        holds(is_answered(from_address(service, "127.0.0.10")), "another address was refused")
        for s in kept:
            s.close()


def all_addresses_have_a_limit():
    with Service("--log", "off", "--max-connections", "12", "--http-threads", "1") as service:
        kept = [from_address(service, "127.0.0.%d" % (2 + i)) for i in range(12)]
        holds(all(is_answered(s) for s in kept), "one of 12 was refused")
        late = from_address(service, "127.0.0.99")
        late.sendall(REQUEST + b"\r\n")
        late.settimeout(0.3)
        try:
            equal(b"", late.recv(100))  # it may be ended
        except TimeoutError:  # or wait until there is room
            kept.pop().close()
            late.settimeout(SLOW)
            equal(b"HTTP/1.1 200", read_all(late, lambda b: b.endswith(b"ok\n"))[:12])
        for s in kept + [late]:
            s.close()


def limits_of_queries():
    words = lambda n: " ".join("w%d" % i for i in range(n))
    nested = lambda n: '{"q":' + "[" * n + "]" * n + "}"
    with Service("--log", "off") as service:
        ask = lambda q: service.request("POST", "/v1/search", json.dumps({"q": q}))
        for passes, fails, what in ((words(1024), words(1025), "terms"),
                                    ('"%s"' % words(64), '"%s"' % words(65), "phrase"),
                                    ('"a b"~10000', '"a b"~10001', "slop")):
            equal(200, ask(passes)[0], what)
            status, _, body = ask(fails)
            equal(400, status, what)
            holds(json.loads(body)["error"]["message"], what)
        equal(200, service.request("GET", path_of("search", q="a", timeout_ms=30000))[0])
        service.fails(400, "GET", path_of("search", q="a", timeout_ms=30001))
        service.fails(400, "POST", "/v1/search", nested(200))
        elastic = lambda n: service.request("POST", "/_search", '{"query":' + '{"bool":{"must":' * n +
                                            '{"match":{"text":"music"}}' + "}}" * n + "}")
        equal((200, 400, 400), tuple(elastic(n)[0] for n in (16, 17, 200)))
    with Service("--log", "off", "--max-expansions", "40") as service:
        counts = {}
        for prefix in ("mus", "musi", "co", "con", "a", "b"):
            status, _, body = service.request("GET", path_of("search", q=prefix + "*"))
            terms = len(service.get("suggest", prefix=prefix, k=1000)["terms"])
            equal(200 if terms <= 40 else 400, status, (prefix, terms, body))
            counts[status] = counts.get(status, 0) + 1
        equal({200, 400}, set(counts))


def slow_clients_in_time_are_served():
    body = b'{"q":"music"}'
    with Service("--log", "off") as service, service.connect() as s:
        for piece in (b"POST /v1/search HTTP/1.1\r\n", HOST, b"Content-Length: %d\r\n" % len(body), b"\r\n"):
            s.sendall(piece)
            time.sleep(0.05)
        for i in range(len(body)):
            s.sendall(body[i:i + 1])
        holds(read_all(s, lambda b: b.endswith(b"}")).startswith(b"HTTP/1.1 200"))


BAD = (b"", b"G", REQUEST + b"A: ", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n{",
       b"GET /healthz HTTP/1.1\n\n", b"\xff\xfe\0" * 9, REQUEST + b"Host: b\r\n\r\n",
       b"GET /v1/docs/%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\n" + HOST + b"\r\n",
       b"GET /v1/search?q=%ff%fe HTTP/1.1\r\n" + HOST + b"\r\n", (REQUEST + b"\r\n") * 30)


def good_times(service, n):
    """Seconds of n searches, one after the other on one connection, each of which must be answered."""
    times = []
    with from_address(service, "127.0.1.1") as s:
        for i in range(n):
            begin = time.monotonic()
            holds(is_answered(s, b"/v1/search?q=music+%d" % i), "the good client was refused")
            times.append(time.monotonic() - begin)
    return sorted(times)


def a_good_client_is_served_in_a_crowd():
    rng = random.Random(1)
    crowd = []
    n = 2000 if THOROUGH else 50
    with Service("--log", "off", "--head-ms", "600000", "--body-ms", "600000", "--idle-ms", "600000") as service:
        before = good_times(service, n)
        for address in range(ADDRESSES):
            for _ in range(EACH):
                s = from_address(service, "127.0.0.%d" % (2 + address))
                try:
                    s.sendall(rng.choice(BAD))
                except OSError:
                    pass  # what came before it was refused
                crowd.append(s)
        during = good_times(service, n)
        if THOROUGH:
            p99 = [t[int(n * 0.99)] * 1e6 for t in (before, during)]
            print("# %d connections from %d addresses: the good client's p99 was %.0f us alone and %.0f us beside "
                  "them, %.2f times" % (len(crowd), ADDRESSES, p99[0], p99[1], p99[1] / p99[0]), flush=True)
        for s in crowd:
            s.close()
        good_times(service, n)
        metrics = service.request("GET", "/metrics")[2].decode()
        refused = [l for l in metrics.splitlines() if 'rejected_total{reason="head"' in l][0]
        holds(int(refused.split()[-1]) >= ADDRESSES * EACH // 20, refused)


def no_canary_is_seen():
    query = "canaryquery"
    path = os.path.join(WORK, "canary-token")
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
        f.write(TOKEN + "\n")
    topics = os.path.join(WORK, "canary.tsv")
    with open(topics, "w") as f:
        f.write("1\t%s\n" % query)
    sent = {"Authorization": "Bearer " + TOKEN}
    with Service("--log", "json", "--slow-ms", "1", "--token-file", path) as service:
        for where in ("/v1/search?q=" + query, "/v1/search?q=(" + query, "/v1/explain?id=kwrite&q=" + query,
                      "/?q=" + query, "/nowhere/" + query):
            service.request("GET", where, None, sent)
        service.request("POST", "/v1/msearch", json.dumps({"searches": [{"q": query}]}), sent)
        service.request("POST", "/_search", json.dumps({"query": {"match": {"text": query}}}), sent)
        service.request("GET", "/v1/stats", None, {"Authorization": "Bearer wrong-" + TOKEN})
        with subprocess.Popen([RIPOSTE, "load", "http://127.0.0.1:%d" % service.port, topics, "--rate", "50",
                               "--seconds", "0.5", "--token-file", path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as load:
            argv = open("/proc/%d/cmdline" % load.pid, "rb").read()
            out = load.stdout.read()
        equal(0, load.returncode, out)
        argv += open("/proc/%d/cmdline" % service.process.pid, "rb").read()
        metrics = b"".join(service.request("GET", p, None, sent)[2] for p in ("/metrics", "/v1/stats", "/v1/queries"))
        for seen in (service.log().encode(), metrics, argv, out):
            holds(TOKEN.encode() not in seen and query.encode() not in seen, seen[-500:])
        holds(len(service.log().splitlines()) >= 30)


main([an_address_has_256_connections, all_addresses_have_a_limit, limits_of_queries, slow_clients_in_time_are_served,
      a_good_client_is_served_in_a_crowd, no_canary_is_seen])
