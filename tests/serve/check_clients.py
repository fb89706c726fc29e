"""What clients may ask besides searches: gzip, other origins, running queries; and the log of slow ones."""
import gzip
import json
import os
import subprocess
import threading

from service import DEMO, RIPOSTE, SLOW, WORK, Service, equal, holds, main, path_of

HEAVY = " ".join("%s*" % c for c in ("con", "pro", "int", "sup"))


def replies_are_compressed():
    path = path_of("search", q="music player", snippet="true", k=20)
    with Service("--policy", "cpu") as service:
        _, headers, plain = service.request("GET", path)
        holds("Content-Encoding" not in headers and "Accept-Encoding" in headers["Vary"])
        for accept, is_packed in (("gzip", True), ("br, gzip;q=0.5", True), ("deflate", False), ("*", True),
                                  ("gzip;q=0", False), ("GZIP", True), ("", False), ("identity,,", False)):
            _, headers, body = service.request("GET", path, None, {"Accept-Encoding": accept})
            equal(is_packed, headers.get("Content-Encoding") == "gzip", accept)
            equal(plain, gzip.decompress(body) if is_packed else body, accept)
        for path in ("/", "/metrics", "/openapi.json"):
            _, headers, body = service.request("GET", path, None, {"Accept-Encoding": "gzip"})
            equal("gzip" if len(body) and body[:2] == b"\x1f\x8b" else None, headers.get("Content-Encoding"))
        _, headers, body = service.request("GET", "/healthz", None, {"Accept-Encoding": "gzip"})
        equal((b"ok\n", None), (body, headers.get("Content-Encoding")))


def other_origins_are_let_in():
    asks = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    with Service() as service:
        equal(405, service.request("OPTIONS", "/v1/search", None, asks)[0])
        _, headers, _ = service.request("GET", "/v1/stats", None, asks)
        holds("Access-Control-Allow-Origin" not in headers)
    with Service("--allow-origin", "https://a.example,https://b.example") as service:
        status, headers, body = service.request("OPTIONS", "/v1/search", None, asks)
        equal((204, b"", "https://a.example"), (status, body, headers["Access-Control-Allow-Origin"]))
        holds("POST" in headers["Access-Control-Allow-Methods"])
        holds("Authorization" in headers["Access-Control-Allow-Headers"] and "Origin" in headers["Vary"])
        _, headers, _ = service.request("GET", "/v1/stats", None, asks)
        equal("https://a.example", headers["Access-Control-Allow-Origin"])
        for origin in ("https://c.example", "https://a.example.org", "https://a.exampl", "null", ""):
            status, headers, _ = service.request("GET", "/v1/stats", None, {"Origin": origin})
            holds(status == 200 and "Access-Control-Allow-Origin" not in headers, origin)
        equal(405, service.request("OPTIONS", "/v1/search", None, {"Origin": "null"})[0])
    with Service("--allow-origin", "*", "--log", "off", env={"RIPOSTE_TOKEN": "0123456789abcdef"}) as service:
        equal(204, service.request("OPTIONS", "/v1/search", None, asks)[0])
        equal(401, service.request("GET", "/v1/stats", None, asks)[0])


def running_queries_are_cancelled():
    body = json.dumps({"searches": [{"q": HEAVY, "k": 1000, "timeout_ms": 30000}] * 256})
    with Service("--threads", "1", "--policy", "cpu", "--log", "off", "--log-queries") as service:
        equal([], service.get("queries")["queries"])
        for i in range(200):
            answers = []
            asks = threading.Thread(
                target=lambda: answers.extend(json.loads(service.request(
                    "POST", "/v1/msearch", body, {"X-Request-Id": "many"})[2])["answers"]))
            asks.start()
            while asks.is_alive():
                listed = service.get("queries")["queries"]
                for one in listed[:3]:
                    equal(("many", 256), (one["request"], one["searches"]))
                    service.request("DELETE", "/v1/demo/queries/%d" % one["id"])
            asks.join()
            ended = [a for a in answers if "error" in a]
            equal({"RP_INTERRUPTED"} if ended else set(), {a["error"]["code"] for a in ended})
            if ended:
                break
        holds(ended, "no query was cancelled")
        equal([], service.get("queries")["queries"])
        for bad in ("0", "999999999", "x", "-1", "99999999999999999999999"):
            service.fails(404, "DELETE", "/v1/queries/" + bad)
        equal(405, service.request("DELETE", "/v1/queries")[0])
    with Service("--log", "off") as service:
        holds("query" not in json.dumps(service.get("queries")["queries"]))


def those_who_wait_for_a_late_one_ask_themselves():
    """Equal queries with a millisecond each: whatever becomes of the first, all get an answer."""
    with Service("--threads", "1", "--policy", "cpu", "--log", "off") as service:
        seen = []

        def ask():
            for i in range(20):
                status, _, body = service.request(
                    "GET", path_of("search", q="%s w%d" % (HEAVY, i), k=5000, timeout_ms=1))
                seen.append((status, status == 200 and "hits" in json.loads(body)))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal(160, len(seen))
        holds({s for s, _ in seen} <= {200, 429, 504}, seen)


def slow_queries_are_logged():
    with Service("--policy", "cpu", "--slow-ms", "1", "--log", "off", "--cache", "0") as service:
        for i in range(100):
            service.get("search", q=HEAVY, k=5000, snippet="true", fields="id,text")
            lines = [json.loads(l) for l in service.log().splitlines()]
            if lines:
                break
        line = lines[0]
        holds(line["seconds"] >= 0.001 and line["work"] > 0 and line["processor"] == "cpu", line)
        holds({"reason", "queued_us", "estimated_us", "took_us", "moves", "postings"} <= set(line))
        holds("query" not in line and "con*" not in service.log())
    with Service("--policy", "cpu", "--log", "off") as service:
        service.get("search", q=HEAVY)
        equal("", service.log())


def settings_come_from_flag_variable_file_or_default():
    path = os.path.join(WORK, "serve.conf")

    def write(text):
        with open(path, "w") as f:
            f.write(text)

    def doctor(*args, env=None):
        done = subprocess.run([RIPOSTE, "doctor", "--settings", "--json", *args], capture_output=True,
                              env={**os.environ, **(env or {})})
        return done.returncode, {r["name"]: r for r in json.loads(done.stdout)["rows"]} if not done.returncode else 0

    write("# mine\n\n  slow-ms = 70000 \nlog=off\nlog-queries = true\nqueue = 5\n")
    rc, rows = doctor("--config", path, env={"RIPOSTE_QUEUE": "9"})
    equal(0, rc)
    text = lambda name: json.dumps(rows[name])
    holds("70000 (line 3)" in text("slow-ms") and "9 (RIPOSTE_QUEUE)" in text("queue"), rows)
    holds("64M (default)" in text("cache") and "not set" in text("token-file"), rows)
    with Service("--config", path) as service:  # log=off
        service.get("search", q="music")
        equal("", service.log())
    with Service(env={"RIPOSTE_CONFIG": path, "RIPOSTE_LOG": "json"}) as service:
        service.get("search", q="music")
        equal("music", json.loads(service.log().splitlines()[0])["query"])
    with Service("--log", "text", env={"RIPOSTE_CONFIG": path, "RIPOSTE_LOG": "json"}) as service:
        service.get("search", q="music")
        holds('"music"' in service.log() and not service.log().startswith("{"))
    for text_of, line, words in (("cach = 1M\n", 1, b"unknown setting"), ("\ncache = lots\n", 2, b"not a size"),
                                 ("\n\nlisten\n", 3, b"no setting"), ("queue=1\nqueue=2", 2, b"set it once"),
                                 ("insecure = maybe", 1, b"neither true"), ("config = x", 1, b"unknown setting"),
                                 ("quiet = true", 1, b"unknown setting")):
        write(text_of)
        done = subprocess.run([RIPOSTE, "serve", DEMO, "--config", path], capture_output=True, timeout=SLOW)
        holds(done.returncode in (2, 3) and words in done.stderr, done.stderr)
        holds(b"serve.conf:%d:" % line in done.stderr, done.stderr)
        holds(doctor("--config", path)[0] in (2, 3))


def timelines_are_of_the_answer():
    with Service("--policy", "cpu") as service:
        for _ in range(2):  # never from the cache
            reply = service.get("search", q="music player", timeline="true")
            timeline = reply["timeline"]
            equal("cpu", timeline["policy"])
            holds(timeline["steps"], timeline)
            for step in timeline["steps"]:
                holds(step["began_us"] >= 0 and step["took_us"] >= 0, step)
                holds({"stage", "processor"} <= set(step))
            placed = [s for s in timeline["steps"] if "reason" in s]
            holds(placed and placed[0]["processor"] == "cpu", timeline)
        plain = service.get("search", q="music player")
        equal(reply["hits"], plain["hits"])
        holds("timeline" not in plain)


if __name__ == "__main__":
    main([replies_are_compressed, other_origins_are_let_in, running_queries_are_cancelled,
          those_who_wait_for_a_late_one_ask_themselves, slow_queries_are_logged,
          settings_come_from_flag_variable_file_or_default, timelines_are_of_the_answer])
