"""riposte load URL: what it counts is what the service did. No time is asserted."""
import json
import os
import socket
import subprocess
import threading

from service import RIPOSTE, SLOW, WORK, Service, equal, holds, main, read_all

TOKEN = "canary-token-0123456789"


def queries(texts=("music player", "text editor", '"file system"', "+audio -video", "a%20b&c=d?#é")):
    path = os.path.join(WORK, "load-queries-%d.tsv" % os.getpid())
    with open(path, "w", encoding="utf-8") as f:
        f.writelines("%d\t%s\n" % (i, t) for i, t in enumerate(texts))
    return path


def load(url, *args, rc=0, env=None, path=None):
    done = subprocess.run([RIPOSTE, "load", url, path or queries(), *args], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=2 * SLOW, env={**os.environ, **(env or {})})
    equal(rc, done.returncode, (args, done.stdout, done.stderr))
    return done


def figures(service, *args, name="", **rest):
    return json.loads(load("http://127.0.0.1:%d%s" % (service.port, name), *args, "--json", **rest).stdout)


def counted(service, name):
    lines = service.request("GET", "/metrics")[2].decode().splitlines()
    return sum(int(l.split()[-1]) for l in lines if l.startswith(name))


def open_loops_ask_what_they_say():
    with Service("--policy", "cpu", "--log", "off") as service:
        f = figures(service, "--rate", "400", "--seconds", "0.5", "--connections", "8")
        equal((200, 200, 0, 0, 0), tuple(f[k] for k in ("requests", "answered", "partial", "refused", "failed")))
        equal({"200": 200}, f["statuses"])
        equal(200, counted(service, "riposte_queries_total"))
        holds(f["p50"] <= f["p99"] <= f["most"] and f["reply_bytes"] > 200 * 100, f)
        f = figures(service, "--rate", "400", "--seconds", "0.5", "--poisson", "--generators", "3", name="/v1/demo")
        equal((200, 3), (f["answered"], f["generators"]))
        text = load("http://127.0.0.1:%d/" % service.port, "--rate", "100", "--seconds", "0.1").stdout.decode()
        holds("intended arrival" in text and text.splitlines()[1].split()[1] == "10", text)


def closed_loops_and_msearch():
    with Service("--policy", "cpu", "--log", "off") as service:
        f = figures(service, "--closed", "--seconds", "0.3", "--connections", "32", "--mode", "and", "--k", "3")
        holds(f["answered"] >= 32 and f["failed"] == 0 and f["answered"] == f["requests"], f)
        equal(f["answered"], counted(service, "riposte_queries_total"))
        f = figures(service, "--msearch", "32", "--rate", "20", "--seconds", "0.5", "--connections", "4")
        equal((10, 0), (f["answered"], f["failed"]))
        # An address that is too long is sent as a body.
        f = figures(service, "--rate", "20", "--seconds", "0.1", path=queries(["a" * 20000]))
        equal((2, 0), (f["answered"], f["failed"]))


def other_statuses_are_counted():
    with Service("--policy", "cpu", "--log", "off", env={"RIPOSTE_TOKEN": TOKEN}) as service:
        done = load("http://127.0.0.1:%d" % service.port, "--rate", "50", "--seconds", "0.1", "--json", rc=1)
        equal({"401": 5}, json.loads(done.stdout)["statuses"])
        equal(5, figures(service, "--rate", "50", "--seconds", "0.1", env={"RIPOSTE_TOKEN": TOKEN})["answered"])
        path = os.path.join(WORK, "load-token")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
            f.write(TOKEN + "\n")
        equal(5, figures(service, "--rate", "50", "--seconds", "0.1", "--token-file", path)["answered"])
        done = load("http://127.0.0.1:%d/v1/nothing" % service.port, "--rate", "50", "--seconds", "0.1", "--json",
                    rc=1, env={"RIPOSTE_TOKEN": TOKEN})
        equal({"404": 5}, json.loads(done.stdout)["statuses"])
        holds(b"canary" not in done.stdout + done.stderr)


def play(replies):
    """A server of one connection after the other, each answered with some bytes and then ended."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(SLOW)

    def serve():
        for bytes_out in replies:
            s = listener.accept()[0]
            with s:
                read_all(s, lambda b: b"\r\n\r\n" in b)
                s.sendall(bytes_out)
        listener.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return "http://127.0.0.1:%d" % listener.getsockname()[1], thread


def bad_servers_are_survived():
    sound = b"HTTP/1.1 %d x\r\nConnection: close\r\nContent-Length: 25\r\n\r\n" + b'{"x":1,"is_partial":%s}'
    replies = [sound % (200, b"true"), b"", b"nonsense\r\n\r\n", sound % (429, b"true"),
               b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (sound % (200, b"null")) * 2]
    url, thread = play(replies)
    done = load(url, "--rate", "60", "--seconds", "0.1", "--connections", "1", "--json")
    f = json.loads(done.stdout)
    thread.join(SLOW)
    equal((6, 2, 1, 1, 3), tuple(f[k] for k in ("requests", "answered", "partial", "refused", "failed")))
    equal((3, {"200": 2, "429": 1}), (f["lost"], f["statuses"]))
    done = load(url, rc=4)
    holds(b"no connection: Connection refused" in done.stderr, done.stderr)


def connections_take_turns():
    """None is idle while others are asked again and again: a service would end it."""
    asked, begun, listener = [0, 0, 0], threading.Barrier(4), socket.create_server(("127.0.0.1", 0))
    reply = b"HTTP/1.1 200 x\r\nContent-Length: 26\r\n\r\n" + b'{"x":11,"is_partial":null}'

    def serve(i):
        s = listener.accept()[0]
        begun.wait(SLOW)
        with s:
            while read_all(s, lambda b: b.endswith(b"\r\n\r\n")):
                asked[i] += 1
                s.sendall(reply)

    threads = [threading.Thread(target=serve, args=(i,), daemon=True) for i in range(3)]
    for t in threads:
        t.start()
    threading.Thread(target=begun.wait, daemon=True).start()
    load("http://127.0.0.1:%d" % listener.getsockname()[1], "--rate", "60", "--seconds", "0.2", "--connections", "3",
         "--generators", "1", "--json")
    for t in threads:
        t.join(SLOW)
    listener.close()
    holds(sum(asked) == 12 and min(asked) > 0, asked)


main([open_loops_ask_what_they_say, closed_loops_and_msearch, other_statuses_are_counted, bad_servers_are_survived,
      connections_take_turns])
