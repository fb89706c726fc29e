"""Answers over HTTP are those of the library: documents, order and scores."""
import http.client
import json
import os
import random

from service import DEMO, SLOW, WORK, Service, equal, holds, main, path_of, run

THOROUGH = os.environ.get("RIPOSTE_THOROUGH")
QUERIES = 5000 if THOROUGH else 300
ON_CARD = 5000 if THOROUGH else 40


def words():
    """Terms of the index, frequent and rare."""
    found = []
    for letter in "abcdefghilmnoprstuvw":
        terms = json.loads(run("suggest", DEMO, letter, "--k", "60", "--json"))["terms"]
        found += [t["term"] for t in terms if t["term"].isalpha() and len(t["term"]) > 2]
    return found


def draw_queries(n, seed=1):
    """Queries of all shapes."""
    rng = random.Random(seed)
    terms = words()
    pick = lambda: rng.choice(terms)
    shapes = [
        pick,
        lambda: " ".join(pick() for _ in range(rng.randint(2, 5))),
        lambda: "+%s +%s" % (pick(), pick()),
        lambda: "+%s -%s %s" % (pick(), pick(), pick()),
        lambda: '"%s %s"~%d' % (pick(), pick(), rng.randint(1, 8)),
        lambda: "(%s OR %s) AND %s" % (pick(), pick(), pick()),
        lambda: "%s^2.5 %s" % (pick(), pick()),
        lambda: "%s* %s" % (pick()[:4], pick()),
        lambda: "%s~1" % pick(),
        lambda: "%s NOT %s" % (pick(), pick()),
        lambda: "xq%s %s" % (pick(), pick()),
    ]
    return [shapes[i % len(shapes)]() for i in range(n)]


def ask_library(queries, *args):
    """Hits of each query, as (id, score with 7 decimals), by one run of the program."""
    path = os.path.join(WORK, "topics.tsv")
    with open(path, "w") as f:
        f.writelines("%d\t%s\n" % (i, q) for i, q in enumerate(queries))
    answers = [[] for _ in queries]
    for line in run("batch", DEMO, path, "--format", "tsv", "--syntax", *args).splitlines():
        qid, _, docno, _, score, _ = line.split()
        answers[int(qid)].append((docno, score))
    return answers


def hits_of(reply):
    return [(h["id"], "%.7f" % h["score"]) for h in reply["hits"]]


def compare(service, queries, expected, **params):
    """Asks over one connection, each query three times in a row, so that the last answers are from the cache, if any."""
    found = 0
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=SLOW)
    for query, hits in zip(queries, expected):
        for _ in range(3):
            connection.request("GET", path_of("search", q=query, **params))
            reply = connection.getresponse()
            body = reply.read()
            equal(200, reply.status, body)
            equal(hits, hits_of(json.loads(body)), query)
        found += len(hits) > 0
    connection.close()
    holds(found > len(queries) // 3, "most queries have no hits")


def cache_hits(service):
    lines = service.request("GET", "/metrics")[2].decode().splitlines()
    return sum(int(l.split()[-1]) for l in lines if l.startswith("riposte_cache_hits_total"))


def answers_equal_the_librarys():
    queries = draw_queries(QUERIES)
    expected = ask_library(queries)
    with Service("--policy", "cpu", "--log", "off") as service:
        compare(service, queries, expected)
        holds(cache_hits(service) >= QUERIES, "hardly an answer was from the cache")
    with Service("--policy", "cpu", "--log", "off", "--cache", "0") as service:
        compare(service, queries, expected)


def modes_equal_the_librarys():
    queries = [q for q in draw_queries(120, seed=2) if " " in q and q.replace(" ", "").isalpha()]
    with Service("--policy", "cpu") as service:
        for mode in ("and", "andor"):
            expected = ask_library(queries, "--mode", mode, "--k", "5")
            for query, hits in zip(queries, expected):
                equal(hits, hits_of(service.get("search", q=query, mode=mode, k=5)), query)


def emulated_card_gives_the_same():
    queries = draw_queries(ON_CARD, seed=3)
    expected = ask_library(queries)
    with Service("--policy", "gpu", "--cache", "0", "--log", "off", env={"RIPOSTE_GPU": "emulated"}) as service:
        compare(service, queries[:len(queries) // 3], expected)
    with Service("--policy", "gpu", env={"RIPOSTE_GPU": "emulated"}) as service:
        compare(service, queries, expected)
        holds(cache_hits(service) >= ON_CARD, "hardly an answer was from the cache")
        reply = service.get("search", q="+music +player", timeline="true")
        equal("gpu", reply["processor"])
        equal("gpu", reply["timeline"]["policy"])
        steps = reply["timeline"]["steps"]
        place = [s for s in steps if s["stage"] == "place"][0]
        equal("gpu", place["processor"])
        holds(place["reason"] and place["took_us"] >= 0, steps)
        holds("timeline" not in service.get("search", q="+music +player"))


def get_post_and_msearch_agree():
    queries = draw_queries(60, seed=4)
    with Service("--policy", "cpu") as service:
        body = json.dumps({"searches": [{"q": q, "k": 7, "mode": "or"} for q in queries]})
        status, _, reply = service.request("POST", "/v1/msearch", body)
        equal(200, status)
        many = json.loads(reply)["answers"]
        equal(len(queries), len(many))
        for query, answer in zip(queries, many):
            got = hits_of(service.get("search", q=query, k=7))
            equal(got, hits_of(answer), query)
            status, _, reply = service.request("POST", "/v1/search",
                                               json.dumps({"q": query, "k": 7}))
            equal(got, hits_of(json.loads(reply)), query)


def without_seconds(answer):
    return {key: value for key, value in answer.items() if key != "seconds"}


def each_search_of_an_msearch_has_its_own_answer():
    """In their order, whoever answers them and wherever they fail; texts with escapes, words that no document has."""
    queries = draw_queries(200, seed=6)
    searches = [{"q": q, "k": 1 + i % 30, "from": i % 3} for i, q in enumerate(queries)]
    searches[0] = {"q": "("}
    searches[3] = {"q": "musik \"\u00e9\u20ac\U0001f3b5\\ \n", "k": 3}
    searches[4] = {"q": "nosuchword", "k": 3}
    searches[5] = {"q": "player", "k": 4, "fields": ["fixed", "id"], "mode": "and"}
    searches[90] = {"q": "a )"}
    searches[-1] = {"q": "player", "k": 10 ** 9}
    with_text = [dict(s, fields="id,score,title") for s in searches[:40]]
    with Service("--policy", "cpu") as service:
        for many in (searches, with_text):
            status, _, reply = service.request("POST", "/v1/msearch", json.dumps({"searches": many}))
            equal(200, status)
            answers = json.loads(reply)["answers"]
            equal(len(many), len(answers))
            for search, answer in zip(many, answers):
                status, _, reply = service.request("POST", "/v1/search", json.dumps(search))
                alone = {k: v for k, v in json.loads(reply).items() if k not in ("schema", "index")}
                if status != 200:
                    equal(status, answer.pop("status"), search)
                equal(without_seconds(alone), without_seconds(answer), search)


def pages_are_of_one_answer():
    with Service("--policy", "cpu") as service:
        whole = service.get("search", q="system library", k=30)
        pages = []
        for at in range(0, 30, 7):
            page = service.get("search", q="system library", k=7, **{"from": at})
            equal(at, page["from"])
            equal(list(range(at + 1, at + 1 + len(page["hits"]))), [h["rank"] for h in page["hits"]])
            pages += page["hits"]
        equal(whole["hits"], pages[:30])


def fields_equal_the_programs():
    fields = "rank,id,docid,score,fixed,length,title,snippet,text"
    query = '"text editor" -latex'
    expected = json.loads(run("search", DEMO, query, "--json", "--fields", fields))
    with Service("--policy", "cpu") as service:
        got = service.get("search", q=query, fields=fields)
        equal(expected["hits"], got["hits"])
        short = service.get("search", q=query)
        equal(["rank", "id", "docid", "score", "fixed"], list(short["hits"][0]))
        shown = service.get("search", q=query, snippet="true")["hits"][0]
        equal("".join(p[0] for p in shown["snippet"]["pieces"]), shown["snippet"]["text"])
        holds(any(p[1] for p in shown["snippet"]["pieces"]))
        post = {"q": query, "fields": ["id", "title"]}
        status, _, reply = service.request("POST", "/v1/search", json.dumps(post))
        equal({"id", "title"}, set(json.loads(reply)["hits"][0]))


def corrections_are_given():
    with Service("--policy", "cpu") as service:
        reply = service.get("search", q="musik playerr")
        equal(["music", "player"], [c["instead"] for c in reply["corrections"]])
        holds("corrections" not in service.get("search", q="music player"))


def documents_terms_and_scores():
    with Service("--policy", "cpu") as service:
        document = json.loads(run("get", DEMO, "kwrite", "--json"))["documents"][0]
        got = service.get("docs/kwrite")
        equal(document, {k: got[k] for k in document})
        equal(document["text"], service.get("demo/docs/kw%72ite")["text"])
        terms = json.loads(run("suggest", DEMO, "mus", "--json"))["terms"]
        equal(terms, service.get("suggest", prefix="mus")["terms"])
        hit = service.get("search", q="text editor", k=1)["hits"][0]
        tree = service.get("explain", q="text editor", id=hit["id"])["explain"]
        equal(hit["fixed"], tree[0]["fixed"])
        equal(0, tree[0]["level"])
        stats = json.loads(run("stats", DEMO, "--json"))
        got = service.get("stats")
        equal(stats["docs"], got["docs"])
        equal(stats["postings"], got["postings"])


if __name__ == "__main__":
    main([answers_equal_the_librarys, modes_equal_the_librarys, emulated_card_gives_the_same,
          get_post_and_msearch_agree,
      each_search_of_an_msearch_has_its_own_answer, pages_are_of_one_answer, fields_equal_the_programs,
          corrections_are_given, documents_terms_and_scores])
