"""What the parts of test_serve.sh share: a service on a free port, requests, and counting."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import traceback
import urllib.parse

RIPOSTE = os.environ["RIPOSTE"]
WORK = sys.argv[1]
DEMO = os.path.join(WORK, "demo.rip")
SLOW = 60  # seconds after which a wait counts as for ever, also on a busy machine


class Service:
    """A running `riposte serve`; its log goes to a file."""

    def __init__(self, *args, dirs=(DEMO,), env=None):
        self.log_path = os.path.join(WORK, "log-%d-%d" % (os.getpid(), len(os.listdir(WORK))))
        self.log_file = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [RIPOSTE, "serve", *dirs, "--listen", "127.0.0.1:0", "--timeout-ms", "30000", *args],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log_file,
            env={**os.environ, **(env or {})})
        line = self.process.stdout.readline().decode()
        match = re.search(r":(\d+)$", line.strip())
        if not match:
            self.process.wait(SLOW)
            raise RuntimeError("no service: " + self.log())
        self.port = int(match.group(1))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(SLOW)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log_file.close()
        if kind is None:  # a sanitizer ends it otherwise
            equal(0, self.process.returncode, self.log()[-3000:])

    def log(self):
        with open(self.log_path, "rb") as f:
            return f.read().decode("utf-8", "replace")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=SLOW)

    def request(self, method, path, body=None, headers=None):
        """(status, headers, body) of one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SLOW)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()

    def get(self, name, **params):
        """The JSON of a GET that succeeds."""
        status, _, body = self.request("GET", path_of(name, **params))
        equal(200, status, body)
        return json.loads(body)

    def fails(self, expected, method, path, body=None, headers=None):
        """The error object of a request that fails with a status."""
        status, _, reply = self.request(method, path, body, headers)
        equal(expected, status, (path, reply))
        error = json.loads(reply)["error"]
        equal({"code", "message", "column", "remedy"}, set(error))
        return error

    def raw(self, data, shut=False):
        """All that comes back for some bytes, until the other side ends or has nothing to add."""
        with self.connect() as s:
            try:
                s.sendall(data)
                if shut:
                    s.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the service ended the connection before it had all
            return read_all(s)


def read_all(s, enough=None):
    """What a socket gives until its end; or until `enough` says so."""
    got = b""
    while not (enough and enough(got)):
        try:
            piece = s.recv(65536)
        except ConnectionResetError:
            break
        if not piece:
            break
        got += piece
    return got


def path_of(name, **params):
    query = urllib.parse.urlencode(params)
    return "/v1/" + name + ("?" + query if query else "")


def run(*args, env=None):
    """The standard output of a verb; fails if it does."""
    done = subprocess.run([RIPOSTE, *args], stdin=subprocess.DEVNULL, capture_output=True,
                          env={**os.environ, **(env or {})})
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode()


def equal(expected, got, what=""):
    if expected != got:
        raise AssertionError("expected %r, got %r %r" % (expected, got, what))


def holds(fact, what=""):
    if not fact:
        raise AssertionError(repr(what))


class Skipped(Exception):
    """Of a test that lacks what it needs: why."""


def main(tests):
    """Runs functions, each of which is a test; a name on the command line picks it."""
    chosen = sys.argv[2:]
    bad = 0
    for test in tests:
        if chosen and test.__name__ not in chosen:
            continue
        try:
            test()
            print("ok serve_" + test.__name__, flush=True)
        except Skipped as why:
            print("skip serve_%s: %s" % (test.__name__, why), flush=True)
        except Exception:
            bad += 1
            print("not ok serve_" + test.__name__)
            traceback.print_exc(file=sys.stdout)
            sys.stdout.flush()
    sys.exit(1 if bad else 0)
