"""Each limit from both sides: at the limit a request passes, past it it is refused; and slow clients are cut."""
import json
import signal
import time

from service import SLOW, Service, equal, holds, main, path_of, read_all

HOST = b"Host: 127.0.0.1\r\n"
REQUEST = b"GET /healthz HTTP/1.1\r\n" + HOST


def head_of(bytes_wanted):
    start = REQUEST + b"A: "
    return start + b"x" * (bytes_wanted - len(start) - 4) + b"\r\n\r\n"


def heads():
    with Service() as service:
        equal(b"HTTP/1.1 200", service.raw(head_of(16384), shut=True)[:12])
        equal(b"HTTP/1.1 431", service.raw(head_of(16385), shut=True)[:12])
        # Far past it the library refuses by itself.
        got = service.raw(head_of(300000), shut=True)
        holds(got == b"" or got[9:10] == b"4", got[:100])
    with Service("--max-head", "512") as service:
        equal(b"HTTP/1.1 200", service.raw(head_of(512), shut=True)[:12])
        equal(b"HTTP/1.1 431", service.raw(head_of(513), shut=True)[:12])


def fields_of_a_head():
    with Service() as service:
        for n, status in ((63, b"200"), (64, b"400")):
            fields = b"".join(b"A%d: b\r\n" % i for i in range(n))
            equal(status, service.raw(REQUEST + fields + b"\r\n", shut=True)[9:12])


def bodies():
    search = b'{"q":"music"}'
    with Service("--max-body", "4096", "--max-msearch", "8192") as service:
        for path, body, limit in (("/v1/search", search, 4096),
                                  ("/v1/msearch", b'{"searches":[' + search + b"]}", 8192)):
            equal(200, service.request("POST", path, body + b" " * (limit - len(body)))[0])
            head = b"POST %s HTTP/1.1\r\n" % path.encode() + HOST + b"Content-Length: %d\r\n\r\n"
            got = service.raw(head % (limit + 1))
            equal(b"HTTP/1.1 413", got[:12])
            holds(b"raise --max-" in got, got)
        equal(b"HTTP/1.1 400", service.raw(REQUEST + b"Content-Length: 1\r\n\r\nx", shut=True)[:12])
    with Service() as service:
        body = search + b" " * ((1 << 20) - len(search))
        equal(200, service.request("POST", "/v1/search", body)[0])


def searches_of_one_msearch():
    with Service() as service:
        for n, status in ((256, 200), (257, 400)):
            body = json.dumps({"searches": [{"q": "music", "k": 1}] * n})
            got, _, reply = service.request("POST", "/v1/msearch", body)
            equal(status, got, reply[:200])
            if status == 200:
                equal(n, len(json.loads(reply)["answers"]))


def hits_and_queries():
    with Service() as service:
        holds(len(service.get("search", q="the", k=10000)["hits"]) > 1000)
        service.get("search", q="the", k=9000, **{"from": 1000})
        service.fails(400, "GET", path_of("search", q="the", k=9000, **{"from": 1001}))
        long = json.dumps({"q": "a" * 65536})
        equal(200, service.request("POST", "/v1/search", long)[0])
        error = json.loads(service.request("POST", "/v1/search", json.dumps({"q": "a" * 65537}))[2])
        holds("raise --max-query" in error["error"]["message"], error)
        equal("RP_LIMIT", error["error"]["code"])
        deep = "(" * 32 + "a" + ")" * 32
        service.get("search", q=deep)
        service.fails(400, "GET", path_of("search", q="(" + deep + ")"))


def connections_of_an_address():
    with Service("--max-per-address", "8") as service:
        kept = []
        for _ in range(8):
            s = service.connect()
            s.sendall(REQUEST + b"\r\n")
            equal(b"HTTP/1.1 200", read_all(s, lambda b: b.endswith(b"ok\n"))[:12])
            kept.append(s)
        with service.connect() as s:
            try:
                s.sendall(REQUEST + b"\r\n")
            except (ConnectionResetError, BrokenPipeError):
                pass
            equal(b"", read_all(s))
        kept.pop().close()
        for _ in range(200):  # until the service has seen it
            if service.raw(REQUEST + b"\r\n", shut=True)[:12] == b"HTTP/1.1 200":
                break
            time.sleep(0.05)
        else:
            holds(False, "a connection that ended still counts")
        for s in kept:
            s.close()


def dribble(service, first, piece):
    """Sends a byte every now and then until the service cuts the connection; whether it did."""
    with service.connect() as s:
        s.sendall(first)
        s.settimeout(0.02)
        end = time.monotonic() + SLOW
        while time.monotonic() < end:
            try:
                s.sendall(piece)
                if s.recv(1) == b"":
                    return True
            except (BrokenPipeError, ConnectionResetError):
                return True
            except TimeoutError:
                pass
    return False


def slow_clients_are_cut():
    post = b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: 500000\r\n\r\n"
    with Service("--head-ms", "300", "--body-ms", "300", "--idle-ms", "1000") as service:
        holds(dribble(service, b"", b"G"), "a slow request line")
        holds(dribble(service, REQUEST + b"A: ", b"x"), "a slow head")
        holds(dribble(service, post, b" "), "a slow body")
        # A second request on a kept connection has its time too.
        holds(dribble(service, REQUEST + b"\r\n" + REQUEST + b"A: ", b"x"), "a slow second head")
        with service.connect() as s:
            equal(b"", read_all(s))  # nothing at all
        equal(200, service.request("GET", "/healthz")[0])
        metrics = service.request("GET", "/metrics")[2].decode()
        slow = [l for l in metrics.splitlines() if 'reason="slow"' in l][0]
        holds(int(slow.split()[-1]) >= 4, slow)


def requests_that_have_come_are_not_slow():
    """The service stands still past the time for a head. What came meanwhile waits for it, not for the client."""
    head_seconds = 4
    with Service("--head-ms", str(1000 * head_seconds), "--log", "off") as service:
        clients = [service.connect() for _ in range(100)]
        time.sleep(0.3)
        service.process.send_signal(signal.SIGSTOP)
        try:
            for s in clients:
                s.sendall(REQUEST + b"\r\n")
            time.sleep(head_seconds + 0.5)
        finally:
            service.process.send_signal(signal.SIGCONT)
        for s in clients:
            got = read_all(s, lambda got: got.endswith(b"ok\n"))
            holds(got.startswith(b"HTTP/1.1 200"), got)
            s.close()


def good_clients_are_served_beside_slow_ones():
    with Service("--max-per-address", "200") as service:
        slow = [service.connect() for _ in range(150)]
        for s in slow:
            s.sendall(REQUEST + b"A: ")
        for _ in range(50):
            service.get("search", q="music")
        for s in slow:
            s.close()


main([heads, fields_of_a_head, bodies, searches_of_one_msearch, hits_and_queries,
      connections_of_an_address, slow_clients_are_cut, requests_that_have_come_are_not_slow,
      good_clients_are_served_beside_slow_ones])
