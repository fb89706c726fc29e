"""The cache: kept and fresh replies are equal, however a query is spelled; what is partial is not kept."""
import json
import os
import random
import threading

from check_answers import draw_queries
from service import DEMO, WORK, Service, equal, holds, main, path_of, run

HEAVY = " ".join("%s*" % c for c in ("con", "pro", "int", "sup"))


def metric(service, name):
    text = service.request("GET", "/metrics")[2].decode()
    return int([l for l in text.splitlines() if l.startswith(name + " ")][0].split()[1])


def counts(service):
    return tuple(metric(service, "riposte_cache_%s_total" % n) for n in ("hits", "misses", "joined"))


def body_of(service, method, path, body=None):
    status, headers, reply = service.request(method, path, body)
    reply = json.loads(reply)
    reply.pop("seconds", None)
    reply.pop("took", None)
    return status, headers.get("ETag"), reply


def kept_replies_equal_fresh_ones():
    """Each request twice with a cache and once without: all three replies are the same."""
    rng = random.Random(3)
    requests = []
    for query in draw_queries(90, seed=11):
        params = {"q": query, "k": rng.choice((1, 5, 10)), "from": rng.choice((0, 0, 3))}
        if rng.random() < 0.5:
            params["snippet"] = "true"
        if rng.random() < 0.4:
            params["mode"] = rng.choice(("and", "andor", "or"))
        if rng.random() < 0.3:
            params["fields"] = rng.choice(("id", "rank,title", "text,score"))
        requests.append(("GET", path_of("search", **params), None))
        body = {"query": {"query_string": {"query": query}}, "size": params["k"], "explain": True,
                "highlight": {"fields": {"text": {}}}}
        requests.append(("POST", "/_search", json.dumps(body)))
        requests.append(("POST", "/_count", json.dumps({"query": body["query"]})))
    with Service("--policy", "cpu", "--log", "off") as kept, \
            Service("--policy", "cpu", "--log", "off", "--cache", "0") as fresh:
        tag = lambda reply: (reply[0], reply[2])  # ETags differ from service to service
        for request in requests:
            first, again = body_of(kept, *request), body_of(kept, *request)
            equal(first, again, request)
            equal(tag(body_of(fresh, *request)), tag(first), request)
        hits, misses, _ = counts(kept)
        holds(hits >= 3 * 80 and misses <= len(requests), (hits, misses))
        equal((0, 0, 0), counts(fresh))


def the_emulated_card_keeps_the_same():
    queries = draw_queries(22, seed=12)
    with Service("--policy", "gpu", "--gpu", "emulated", "--log", "off") as card, \
            Service("--policy", "cpu", "--log", "off", "--cache", "0") as cpu:
        for query in queries:
            expected = cpu.get("search", q=query)["hits"]
            for _ in range(2):
                equal(expected, card.get("search", q=query)["hits"], query)
        holds(counts(card)[0] >= len(queries) // 2)


def spelling_does_not_matter():
    same = [("music player", "  MUSIC   player ", "(music) player", "music (player)", "musiC OR player"),
            ("+music +player", "music AND player", "music && player", "+music +player^1"),
            ('"text editor"', '"Text  EDITOR"', '"text editor"~0'),
            ("music -video", "music NOT video", "music !video")]
    with Service("--policy", "cpu") as service:
        for group in same:
            hits, misses, _ = counts(service)
            replies = [service.get("search", q=q, snippet="true") for q in group]
            equal((hits + len(group) - 1, misses + 1), counts(service)[:2], group)
            for query, reply in zip(group, replies):
                equal(query, reply["query"])
                equal(replies[0]["hits"], reply["hits"])
        hits, misses, _ = counts(service)
        for q in ("xqmusic", "xqmusic*", "xqmusik", "music^2", "music player video", "player music"):
            service.get("search", q=q)
        for params in ({"k": 3}, {"k": 3, "from": 1}, {"mode": "and"}, {"fields": "id"}, {"fields": "id,rank"},
                       {"fields": "rank,id"}, {"snippet": "true", "fields": "id"}):
            service.get("search", q="music player", **params)
        equal((hits, misses + 13), counts(service)[:2])
        service.get("search", q="music player", timeline="true")
        equal((hits, misses + 13), counts(service)[:2])


def slips_are_corrected_from_the_cache_too():
    with Service("--policy", "cpu") as service:
        for query in ("musik player", "muzic player", "musik* player", "+musik +player", "+musuc +player"):
            first = service.get("search", q=query)
            equal(first.get("corrections"), service.get("search", q=query).get("corrections"))
            word = query.split()[0].strip("+")
            equal("*" not in word, any(c["word"] == word for c in first.get("corrections", [])), first)


def new_generations_are_missed():
    path, docs = os.path.join(WORK, "kept.rip"), os.path.join(WORK, "kept.jsonl")

    def publish(n):
        with open(docs, "w") as f:
            f.writelines('{"id":"d%d","contents":"word"}\n' % i for i in range(n))
        run("index", "-q", docs, "-o", path)

    publish(1)
    with Service("--log", "off", dirs=(path,)) as service:
        for n in range(1, 4):
            while service.get("stats")["generation"] < n:
                pass
            for _ in range(3):
                reply = service.get("search", q="word")
                equal((n, n), (reply["generation"], len(reply["hits"])))
            publish(n + 1)
        hits, misses, _ = counts(service)  # a reply may be kept just before the old ones are forgotten
        holds(3 <= misses <= 6 and hits + misses == 9, (hits, misses))


def partial_answers_are_not_kept():
    with Service("--threads", "1", "--policy", "cpu", "--log", "off") as service:
        paths = [path_of("search", q=HEAVY + " x%d^2" % i, timeout_ms=1, k=1000) for i in range(200)]
        partial = []

        def ask(own):
            for path in own:
                status, _, body = service.request("GET", path)
                if status == 200 and json.loads(body)["is_partial"]:
                    partial.append(path)

        threads = [threading.Thread(target=ask, args=(paths[i::16],)) for i in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for path in partial:
            reply = json.loads(service.request("GET", path.replace("timeout_ms=1&", "timeout_ms=30000&"))[2])
            holds(not reply["is_partial"])


def equal_queries_fly_once():
    """Rounds of equal queries at once: each round is one miss, whoever comes when."""
    rounds, clients = 30, 8
    with Service("--policy", "cpu", "--log", "off") as service:
        barrier = threading.Barrier(clients)
        replies = [[None] * clients for _ in range(rounds)]

        def ask(client):
            for n in range(rounds):
                barrier.wait()
                replies[n][client] = service.get("search", q="%s word%d" % (HEAVY, n), k=50)["hits"]

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(clients)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for n in range(rounds):
            holds(all(r == replies[n][0] for r in replies[n]))
        hits, misses, joined = counts(service)
        equal(rounds * clients, misses + hits + joined)
        equal(rounds, misses, (hits, joined))


def memory_is_bounded():
    with Service("--policy", "cpu", "--cache", "200K", "--log", "off") as service:
        for i in range(400):
            service.get("search", q="music word%d" % i, snippet="true")
            service.get("search", q="player", snippet="true")
        holds(metric(service, "riposte_cache_bytes") <= 200 << 10)
        holds(metric(service, "riposte_cache_declined_total") > 0)
        holds(metric(service, "riposte_cache_hits_total") >= 399, counts(service))


if __name__ == "__main__":
    main([kept_replies_equal_fresh_ones, the_emulated_card_keeps_the_same, spelling_does_not_matter,
          slips_are_corrected_from_the_cache_too, new_generations_are_missed, partial_answers_are_not_kept,
          equal_queries_fly_once, memory_is_bounded])
