"""What a search did, by timeline=true; other policies by policy=; live figures by /v1/events."""
import json
import subprocess
import time

from service import DEMO, RIPOSTE, Service, equal, holds, main, read_all

EMULATED = {"RIPOSTE_GPU": "emulated"}
LISTENERS = 32


def timeline_has_all_that_was_done():
    with Service("--policy", "griffin", env=EMULATED) as service:
        reply = service.get("search", q="music the player", mode="and", timeline="true", snippet="true")
        t = reply["timeline"]
        stages = [s["stage"] for s in t["steps"]]
        equal(["parse", "look-up", "place"], stages[:3])
        equal(["names", "snippets"], stages[-2:])
        equal(1, t["moves"])
        equal(["gpu", "cpu"], [s["processor"] for s in t["steps"] if s["stage"] == "place"])
        began = [s["began_us"] for s in t["steps"]]
        equal(sorted(began), began)
        holds(t["gpu"]["launches"] > 0 and t["gpu"]["fallback"] is None, t["gpu"])
        equal(["music", "the", "player"], [l["term"] for l in t["lists"]])
        for l in t["lists"]:
            equal({"term", "postings", "codec", "bits_a_posting", "blocks", "blocks_read",
                   "blocks_skipped", "bytes"}, set(l))
            holds(0 < l["bits_a_posting"] * l["postings"] <= 8 * l["bytes"] + l["postings"], l)
        plain = service.get("search", q="music the player", mode="and", timeline="true")
        holds("snippets" not in [s["stage"] for s in plain["timeline"]["steps"]])


def lists_say_what_was_read():
    """Blocks that are decoded and those that are passed over make up the list, unless one is decoded twice."""
    skipped = 0
    with Service("--policy", "cpu") as service:
        for q, mode in (("music", "or"), ("music the player", "and"), ("the of and to", "or"), ("+kernel the", "or"),
                        ("\"the music\"", "or"), ("the -of", "and"), ("zebra the the", "and")):
            lists = service.get("search", q=q, mode=mode, k=3, timeline="true")["timeline"]["lists"]
            holds(lists, q)
            for l in lists:
                holds(l["blocks_read"] + l["blocks_skipped"] >= l["blocks"], (q, l))
                holds(l["blocks_skipped"] <= l["blocks"], (q, l))
                skipped += l["blocks_skipped"]
        one = service.get("search", q="music", timeline="true")["timeline"]["lists"][0]
        holds(one["blocks_read"] > 0, one)
        ran = subprocess.run([RIPOSTE, "search", DEMO, "music the player", "--timeline", "--json"],
                             stdout=subprocess.PIPE, check=True)
        own = json.loads(ran.stdout)["timeline"]["lists"]
        for mine, theirs in zip(own, service.get("search", q="music the player", timeline="true")["timeline"]["lists"]):
            equal(set(theirs), set(mine))
            equal(theirs["term"], mine["term"])
            holds(mine["blocks_read"] + mine["blocks_skipped"] >= mine["blocks"], mine)
    holds(skipped > 0, "no block was passed over")
    with Service("--policy", "gpu", env=EMULATED) as service:  # nobody counts on a card
        for l in service.get("search", q="music the", mode="and", timeline="true")["timeline"]["lists"]:
            equal((None, None), (l["blocks_read"], l["blocks_skipped"]))


def an_algorithm_of_the_gpu_is_run_or_refused():
    with Service("--algorithm", "operators:select=sort,mode=stepped", env=EMULATED) as service, \
            Service("--policy", "cpu") as cpu:
        for mode in "and", "or":
            reply = service.get("search", q="music the player", mode=mode, timeline="true")
            equal("gpu", reply["processor"])
            holds("fallback" not in reply, reply)
            stages = [s["stage"] for s in reply["timeline"]["steps"]]
            holds("decode" in stages and "select" in stages, stages)
            equal(cpu.get("search", q="music the player", mode=mode)["hits"], reply["hits"])
        error = service.fails(400, "GET", "/v1/search?q=%22the+music%22")
        holds("does not answer queries of this form" in error["message"], error)
        error = service.fails(400, "GET", "/v1/search?q=music&policy=cpu")
        holds("gpu, batch, griffin" in error["message"], error)
    with Service("--policy", "griffin", "--algorithm", "operators", env=EMULATED) as service:
        reply = service.get("search", q="nowhereatall music", mode="and")
        equal(("cpu", "policy"), (reply["processor"], reply["fallback"]))


def another_policy_has_the_same_hits():
    with Service("--policy", "cpu", env=EMULATED) as service:
        own = service.get("search", q="music the player", mode="and", timeline="true")
        for policy in ("cpu", "auto", "gpu", "griffin", "share"):
            other = service.get("search", q="music the player", mode="and", timeline="true",
                                policy=policy)
            equal(policy, other["timeline"]["policy"])
            equal(own["hits"], other["hits"])
        error = service.fails(400, "GET", "/v1/search?q=a&policy=best")
        holds("there is no policy" in error["message"] and "griffin" in error["remedy"], error)
    with Service("--policy", "cpu", env={"RIPOSTE_GPU": "7"}) as service:
        service.fails(503, "GET", "/v1/search?q=music&policy=gpu")


def sample(s, got=b""):
    """The next sample of a listener, and what came after it."""
    got = read_all(s, lambda b: b"\n\n\r\n" in b.partition(b"data: ")[2]) if not got else got
    return json.loads(got.partition(b"data: ")[2].partition(b"\n\n")[0])


def listen(service):
    s = service.connect()
    s.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return s


def figures_come_live():
    with Service("--policy", "cpu") as service:
        with listen(service) as s:
            before = sample(s)
            equal("riposte.events/1", before["schema"])
            equal(len(before["bounds_us"]) + 1, len(before["queries"]["cpu"]))
            for q in ("music", "player", "text", "text"):  # the last one is in the cache
                service.get("search", q=q)
            for _ in range(120):
                now = sample(s)
                if now["cache"]["hits"] == 1:
                    break
            equal(3, sum(now["queries"]["cpu"]) - sum(before["queries"]["cpu"]))
            equal([1, 3], [now["cache"]["hits"], now["cache"]["misses"]])
            holds(now["seconds"] > before["seconds"] and now["requests"] >= 3, now)
            equal(0, now["queued"])


def listeners_are_bounded_and_let_the_service_end():
    with Service("--policy", "cpu") as service:
        many = [listen(service) for _ in range(LISTENERS)]
        for s in many:
            sample(s)
        error = service.fails(429, "GET", "/v1/events")
        holds("listen already" in error["message"], error)
        equal(200, service.request("GET", "/v1/search?q=music")[0])
        many.pop().close()
        deadline = time.monotonic() + 60
        while service.request("HEAD", "/v1/events")[0] == 429:
            holds(time.monotonic() < deadline, "a place is free again")
            time.sleep(0.1)
    for s in many:
        read_all(s)
        s.close()


main([timeline_has_all_that_was_done, lists_say_what_was_read, another_policy_has_the_same_hits,
      an_algorithm_of_the_gpu_is_run_or_refused, figures_come_live,
      listeners_are_bounded_and_let_the_service_end])
