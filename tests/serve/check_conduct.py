"""Conduct under load, at the end, and while an index is replaced."""
import json
import os
import shutil
import signal
import socket
import subprocess
import threading

from service import DEMO, RIPOSTE, SLOW, WORK, Service, equal, holds, main, path_of, read_all, run

HOST = b"Host: 127.0.0.1\r\n"
HEAVY = " ".join("%s*" % c for c in ("con", "pro", "int", "sup"))


def drain_answers_what_has_come():
    body = b'{"q":"music","k":3}'
    head = b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(body)
    for number in (signal.SIGTERM, signal.SIGINT):
        with Service() as service, service.connect() as begun, service.connect() as idle:
            begun.sendall(head + body[:5])
            idle.sendall(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
            read_all(idle, lambda b: b.endswith(b"ok\n"))
            holds(any(b"riposte_http_in_flight 2\n" in service.request("GET", "/metrics")[2] for _ in range(20000)),
                  "the head of the first one is not read")
            service.process.send_signal(number)
            holds(wait_for_refusal(service), "it still takes connections")
            begun.sendall(body[5:])
            got = read_all(begun)
            holds(got.startswith(b"HTTP/1.1 200") and b"Connection: close" in got, got[:200])
            equal(3, len(json.loads(got.split(b"\r\n\r\n", 1)[1])["hits"]))
            equal(0, service.process.wait(SLOW))
            equal(b"", read_all(idle))


def wait_for_refusal(service):
    for _ in range(2000):
        try:
            with service.connect() as s:
                s.settimeout(0.05)
                try:
                    s.recv(1)
                except (TimeoutError, ConnectionResetError):
                    pass
        except OSError:
            return True
    return False


def ports_are_given_and_taken():
    with Service() as service:
        done = subprocess.run([RIPOSTE, "serve", DEMO, "--listen", "127.0.0.1:%d" % service.port],
                              capture_output=True, timeout=SLOW)
        equal(4, done.returncode)
        holds(b"choose another --listen" in done.stderr, done.stderr)
    equal(0, service.process.returncode)


def full_queues_refuse():
    """With a queue for one, many at once are too many."""
    with Service("--queue", "1", "--threads", "1", "--log", "off", "--cache", "0") as service:
        expected = service.get("search", q=HEAVY, timeout_ms=30000)["hits"]
        refused, seen = [], []

        def ask():
            for _ in range(4):
                status, headers, body = service.request("GET", path_of("search", q=HEAVY, timeout_ms=30000))
                if status == 429:
                    refused.append((headers.get("Retry-After"), json.loads(body)["error"]["code"]))
                else:
                    equal(200, status)
                    seen.append(json.loads(body)["hits"])

        for _ in range(50):
            threads = [threading.Thread(target=ask) for _ in range(24)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            if refused:
                break
        holds(refused, "nobody was refused")
        equal({("1", "RP_BUSY")}, set(refused))
        holds(all(hits == expected for hits in seen))
        metrics = service.request("GET", "/metrics")[2].decode()
        line = [l for l in metrics.splitlines() if l.startswith('riposte_rejected_total{reason="queue"}')]
        equal(len(refused), int(line[0].split()[-1]))


def late_answers_are_marked():
    """Of many heavy queries on one core with a millisecond each, the last ones cannot be whole."""
    with Service("--threads", "1", "--policy", "cpu") as service:
        expected = service.get("search", q=HEAVY, timeout_ms=30000)["hits"]
        body = json.dumps({"searches": [{"q": HEAVY, "timeout_ms": 1}] * 256})
        status, _, reply = service.request("POST", "/v1/msearch", body)
        equal(200, status)
        whole = 0
        for answer in json.loads(reply)["answers"]:
            if "error" in answer:
                holds(answer["status"] in (429, 504), answer)
            elif answer["is_partial"]:
                holds(len(answer["hits"]) <= 10)
            else:
                whole += 1
                equal(expected, answer["hits"])
        holds(whole < 256, "no search was late")


def new_generations_are_taken_over():
    """While clients ask, the index is replaced: no request is lost, and each answer is of one generation."""
    path = os.path.join(WORK, "live.rip")
    docs = os.path.join(WORK, "live.jsonl")

    def publish(n):
        with open(docs, "w") as f:
            for i in range(n):
                f.write('{"id":"d%d","contents":"word"}\n' % i)
        run("index", "-q", docs, "-o", path)

    publish(1)
    bad, stop = [], threading.Event()
    with Service("--log", "off", dirs=(path,)) as service:
        def ask():
            while not stop.is_set():
                status, _, body = service.request("GET", path_of("search", q="word", k=100))
                reply = json.loads(body)
                if status != 200 or len(reply["hits"]) != reply["generation"]:
                    bad.append(body)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for t in threads:
            t.start()
        for n in range(2, 6):
            publish(n)
            while service.get("search", q="word")["generation"] < n and not bad:
                pass
        stop.set()
        for t in threads:
            t.join()
        equal([], bad)
        holds(b"\nriposte_reloads_total 4\n" in service.request("GET", "/metrics")[2])
        # What is published and cannot be opened is left alone.
        shutil.rmtree(path)
        equal(5, len(service.get("search", q="word")["hits"]))


def many_clients_at_once():
    with Service("--policy", "cpu", "--log", "off") as service:
        expected = service.get("search", q="music player")["hits"]
        bad = []

        def ask():
            with service.connect() as s:
                for _ in range(50):
                    s.sendall(b"GET /v1/search?q=music+player HTTP/1.1\r\n" + HOST + b"\r\n")
                    got = read_all(s, lambda b: b.endswith(b"]}"))
                    if json.loads(got.split(b"\r\n\r\n", 1)[1])["hits"] != expected:
                        bad.append(got)

        threads = [threading.Thread(target=ask) for _ in range(64)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal([], bad)


def clients_that_leave_hurt_nobody():
    with Service("--log", "off") as service:
        for i in range(200):
            with service.connect() as s:
                request = b"GET /v1/search?q=%s HTTP/1.1\r\n" % HEAVY.replace(" ", "+").encode() + HOST + b"\r\n"
                s.sendall(request[:i % len(request) + 1] if i % 2 else request)
        service.get("search", q="music")


def the_service_manager_is_told():
    """As systemd listens: by a socket with a path, by one without, and not at all."""
    path = os.path.join(WORK, "notify-%d" % os.getpid())
    for name, address in ((path, path), ("@" + path[1:], b"\0" + path[1:].encode())):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(address)
            manager.settimeout(SLOW)
            with Service("--log", "off", env={"NOTIFY_SOCKET": name}) as service:
                equal(b"READY=1", manager.recv(100))
                equal(200, service.request("GET", "/readyz")[0])
                service.process.send_signal(signal.SIGTERM)
                equal(b"STOPPING=1", manager.recv(100))
                equal(0, service.process.wait(SLOW))
    for nowhere in (path + "-none", "relative", "", "@", "/" + "x" * 200):
        with Service("--log", "off", env={"NOTIFY_SOCKET": nowhere}) as service:
            equal(200, service.request("GET", "/healthz")[0])


main([drain_answers_what_has_come, ports_are_given_and_taken, full_queues_refuse,
      late_answers_are_marked, new_generations_are_taken_over, many_clients_at_once,
      clients_that_leave_hurt_nobody, the_service_manager_is_told])
