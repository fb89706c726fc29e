"""Elasticsearch's read API: its answers are the library's, and what is not supported is refused by name.

The clients run where they are installed: python3-elasticsearch of Debian, and @elastic/elasticsearch in
tests/web/elastic (npm ci there)."""
import json
import os
import random
import subprocess
import sys

from check_answers import ask_library, draw_queries, words
from service import DEMO, RIPOSTE, SLOW, WORK, Service, Skipped, equal, holds, main, run

HERE = os.path.dirname(os.path.abspath(__file__))
LINKS = os.path.join(WORK, "links")  # to the index, under other names
WEB = os.path.join(HERE, "..", "web", "elastic")


def post(service, path, body, expected=200):
    data = body if isinstance(body, (str, bytes)) else json.dumps(body)
    status, headers, reply = service.request("POST", path, data,
                                             {"Content-Type": "application/json"})
    equal(expected, status, (path, body, reply))
    equal("Elasticsearch", headers["X-Elastic-Product"])
    return json.loads(reply)


def hits_of(reply):
    return [(h["_id"], "%.7f" % h["_score"]) for h in reply["hits"]["hits"]]


def search(service, query, **more):
    return post(service, "/demo/_search", {"query": query, "_source": False, **more})


def query_strings_equal_the_librarys():
    queries = draw_queries(120, seed=5)
    expected = ask_library(queries)
    with Service("--policy", "cpu") as service:
        for query, hits in zip(queries, expected):
            equal(hits, hits_of(search(service, {"query_string": {"query": query}})), query)
        both = [q for q in queries if q.replace(" ", "").isalpha() and " " in q]
        for query, hits in zip(both, ask_library(both, "--mode", "and")):
            reply = search(service, {"query_string": {"query": query, "default_operator": "AND"}})
            equal(hits, hits_of(reply), query)


def forms_equal_the_query_language():
    """Each form and the query of the language that means the same."""
    rng = random.Random(7)
    terms = words()
    cases = []
    for _ in range(12):
        a, b, c, d = (rng.choice(terms) for _ in range(4))
        m = lambda word: {"match": {"text": word}}
        cases += [
            ({"match": {"text": {"query": "%s %s" % (a, b), "operator": "and"}}}, "+%s +%s" % (a, b)),
            ({"match": {"text": {"query": "%s %s" % (a, b), "minimum_should_match": "100%"}}},
             "+%s +%s" % (a, b)),
            ({"match": {"text": {"query": a, "boost": 2.5}}}, "%s^2.5" % a),
            ({"match_phrase": {"text": {"query": "%s %s" % (a, b), "slop": 4}}}, '"%s %s"~4' % (a, b)),
            ({"match_phrase": {"text": "%s ?*%s" % (a, b)}}, '"%s %s"' % (a, b)),
            ({"prefix": {"text": a[:4]}}, "%s*" % a[:4]),
            ({"term": {"text": {"value": a}}}, a),
            ({"bool": {"must": m(a), "should": [m(b), m(c)]}}, "+%s %s %s" % (a, b, c)),
            ({"bool": {"minimum_should_match": 1, "should": [m(b), m(c)], "must": [m(a)]}},
             "+%s +(%s %s)" % (a, b, c)),
            ({"bool": {"must": [m(a)], "filter": [m(b)], "must_not": m(c)}},
             "+%s +%s^0 -%s" % (a, b, c)),
            ({"bool": {"filter": {"bool": {"should": [m(a), m(b)]}}, "should": m(c)}},
             "+(%s %s)^0 %s" % (a, b, c)),
            ({"bool": {"should": [{"bool": {"must": [m(a), m(b)], "boost": 2}}, m(d)]}},
             "(+%s +%s)^2 %s" % (a, b, d)),
            ({"bool": {"must": {"query_string": {"query": "%s OR %s" % (a, b)}}, "must_not": [m(d)]}},
             "+(%s OR %s) -%s" % (a, b, d)),
        ]
    expected = ask_library([text for _, text in cases])
    with Service("--policy", "cpu") as service:
        for (query, text), hits in zip(cases, expected):
            equal(hits, hits_of(search(service, query)), (query, text))


def words_of_a_match_mean_nothing_else():
    texts = ["wi-fi AND (radio)", 'tool" OR -file~2', "c++ *.txt a:b", "NOT AND OR", "[x TO y] \\ /etc ^2",
             "&& || !x {y}"]
    with Service("--policy", "cpu") as service:
        for text in texts:
            done = json.loads(run("search", DEMO, "--plain", "--json", "--", text))
            expected = [(h["id"], "%.7f" % h["score"]) for h in done["hits"]]
            equal(expected, hits_of(search(service, {"match": {"text": text}})), text)
            done = json.loads(run("search", DEMO, "--plain", "--mode", "and", "--json", "--", text))
            reply = search(service, {"match": {"text": {"query": text, "operator": "and"}}})
            equal([h["id"] for h in done["hits"]], [h["_id"] for h in reply["hits"]["hits"]], text)


def totals_pages_and_counts():
    with Service("--policy", "cpu") as service:
        whole = search(service, {"match": {"text": "music"}}, size=60)
        equal({"value": len(whole["hits"]["hits"]), "relation": "eq"}, whole["hits"]["total"])
        equal(whole["hits"]["hits"][0]["_score"], whole["hits"]["max_score"])
        page = search(service, {"match": {"text": "music"}}, **{"from": 5, "size": 3})
        equal(hits_of(whole)[5:8], hits_of(page))
        none = search(service, {"match": {"text": "music"}}, size=0)
        equal(whole["hits"]["total"], none["hits"]["total"])
        equal(([], None), (none["hits"]["hits"], none["hits"]["max_score"]))
        count = post(service, "/demo/_count", {"query": {"match": {"text": "music"}}})["count"]
        equal(whole["hits"]["total"]["value"], count)
        holds("total" not in search(service, {"match": {"text": "music"}},
                                    track_total_hits=False)["hits"])
        docs = service.get("stats")["docs"]
        equal(docs, post(service, "/_count", "")["count"])
        everything = post(service, "/_search", {"query": {"match_all": {}}, "from": docs - 2})
        equal((docs, 2), (everything["hits"]["total"]["value"], len(everything["hits"]["hits"])))
        status, _, body = service.request("GET", "/demo/_search?q=music+player&size=2&_source=title")
        reply = json.loads(body)
        equal((200, 2), (status, len(reply["hits"]["hits"])))
        equal(["title"], list(reply["hits"]["hits"][0]["_source"]))
        status, _, body = service.request("GET", "/_search", json.dumps({"size": 1}))
        equal((200, 1), (status, len(json.loads(body)["hits"]["hits"])))


def sources_highlights_and_score_trees():
    with Service("--policy", "cpu") as service:
        query = {"match": {"text": "music player"}}
        whole = post(service, "/_search", {"query": query, "highlight": {"fields": {"text": {}}},
                                           "explain": True, "profile": True})
        hit = whole["hits"]["hits"][0]
        document = service.get("docs/" + hit["_id"])
        equal({"title": document["title"], "text": document["text"]}, hit["_source"])
        snippet = service.get("search", q="(music player)", snippet="true")["hits"][0]["snippet"]
        marked = "".join("<em>%s</em>" % t if m else t for t, m in snippet["pieces"])
        equal([marked], hit["highlight"]["text"])
        tree = hit["_explanation"]
        equal(hit["_score"], tree["value"])
        equal(2, len(tree["details"]))
        equal({"policy", "together", "moves", "steps"}, set(whole["profile"]["shards"][0]["timeline"]))
        other = post(service, "/_search", {
            "query": query, "_source": {"excludes": ["text"]},
            "highlight": {"fields": {"*": {"fragment_size": 60}}, "pre_tags": ["<b>"],
                          "post_tags": ["</b>"], "encoder": "html"}})["hits"]["hits"][0]
        equal(["title"], list(other["_source"]))
        holds("<b>" in other["highlight"]["text"][0], other)


def many_searches_answer_each():
    with Service("--policy", "cpu") as service:
        lines = ['{}', '{"query":{"match":{"text":"music"}},"size":2}', '{"index":"none"}', '{}',
                 '{"index":"demo"}', '{"query":{"fuzzy":{"text":"a"}}}', '{"index":"demo"}', '{"size":0}']
        reply = post(service, "/_msearch", "\n".join(lines) + "\n")
        equal([200, 404, 400, 200], [r["status"] for r in reply["responses"]])
        equal(hits_of(search(service, {"match": {"text": "music"}}, size=2)),
              hits_of(reply["responses"][0]))
        holds("[fuzzy]" in reply["responses"][2]["error"]["reason"])
        words = ["music", "player", "library system", "text", "nosuchword", "data file"] * 20
        queries = [{"match": {"text": w}} for w in words] + [{"match_all": {}}]
        bodies = [json.dumps({"query": q, "size": 1 + i % 7}) for i, q in enumerate(queries)]
        reply = post(service, "/demo/_msearch", "".join("{}\n%s\n" % b for b in bodies))
        equal(len(queries), len(reply["responses"]))
        for i, (query, answer) in enumerate(zip(queries, reply["responses"])):
            equal(hits_of(search(service, query, size=1 + i % 7)), hits_of(answer), query)
        # without their documents, by the thread that has read them
        bodies = [json.dumps({"query": q, "size": 1 + i % 7, "_source": False}) for i, q in enumerate(queries)]
        short = post(service, "/demo/_msearch", "".join("{}\n%s\n" % b for b in bodies))
        for answer, other in zip(reply["responses"], short["responses"], strict=True):
            equal(hits_of(answer), hits_of(other))
        equal(256, len(post(service, "/demo/_msearch", ("{}\n" + bodies[0] + "\n") * 256)["responses"]))
        for body, words_of in (("", "no search"), ("{}\n", "no search"), ("{}", "no search"),
                               ('{"index":1}\n{}\n', "another kind"), ('{"x":1}\n{}\n', "x"),
                               ("{\n}\n", "not JSON"), ("{}\n{}\n" * 257, "more than 256")):
            error = post(service, "/demo/_msearch", body, 400)["error"]
            holds(words_of in error["reason"], (body[:20], error))


def what_is_not_supported_is_named():
    cases = [
        ({"aggs": {}}, "[aggs]"), ({"sort": []}, "[sort]"), ({"query": {"fuzzy": {}}}, "[fuzzy]"),
        ({"query": {"match": {"title": "x"}}}, "[title]"),
        ({"query": {"match": {"text": {"query": "x", "fuzziness": 1}}}}, "[fuzziness]"),
        ({"query": {"match": {"text": {"query": "x", "minimum_should_match": 2}}}}, "minimum_should"),
        ({"query": {"match": {"text": {"operator": "and"}}}}, "no query"),
        ({"query": {"match": {"text": "x", "title": "y"}}}, "second field"),
        ({"query": {"match": {"text": ""}}}, "no word"), ({"query": {"term": {"text": "a b"}}}, "one word"),
        ({"query": {"match": {"text": ["x"]}}}, "one value"),
        ({"query": {"match": {"text": "x"}, "term": {"text": "y"}}}, "second query"),
        ({"query": {"bool": {}}}, "something to look for"),
        ({"query": {"bool": {"must_not": {"match": {"text": "x"}}}}}, "something to look for"),
        ({"query": {"bool": {"must": {"match_all": {}}}}}, "[match_all]"),
        ({"query": {"bool": {"must": "x"}}}, "[must]"), ({"query": {"bool": {"must": [1]}}}, "[must]"),
        ({"query": {"bool": {"adjust_pure_negative": True}}}, "[adjust_pure_negative]"),
        ({"query": {"bool": {"should": [{"match": {"text": "x"}}] * 3, "minimum_should_match": 2}}},
         "minimum_should_match"),
        ({"query": {"query_string": {"query": "a) OR (b"}}}, "column"),
        ({"query": {"bool": {"must": {"query_string": {"query": "a) OR (b"}}}}}, "column"),
        ({"query": {"bool": {"must": {"query_string": {"query": "a b", "default_operator": "and"}}}}},
         "default_operator"),
        ({"query": {"bool": {"must": {"match": {"text": {"query": "wi-fi", "operator": "and"}}}}}},
         "several words"),
        ({"query": {"match_phrase": {"text": {"query": "a b", "slop": -1}}}}, "[slop]"),
        ({"query": {"match": {"text": {"query": "a", "boost": -1}}}}, "[boost]"),
        ({"size": -1}, "[size]"), ({"size": 10001}, "--max-k"), ({"from": 9999, "size": 2}, "--max-k"),
        ({"query": {"match": {"text": "a"}}, "size": 10001}, "--max-k"),
        ({"_source": ["body"]}, "[body]"), ({"_source": 1}, "_source"), ({"explain": "yes"}, "[explain]"),
        ({"timeout": "1h"}, "timeout"), ({"track_total_hits": "many"}, "track_total_hits"),
        ({"highlight": {"fields": {"title": {}}}}, "[title]"),
        ({"highlight": {"type": "plain"}}, "[type]"),
        ({"highlight": {"fields": {"text": {"number_of_fragments": 3}}}}, "[number_of_fragments]"),
    ]
    with Service("--policy", "cpu") as service:
        for body, words_of in cases:
            error = post(service, "/demo/_search", body, 400)
            holds(words_of in error["error"]["reason"], (body, error))
            equal(400, error["status"])
            holds(error["error"]["type"] in ("parsing_exception", "illegal_argument_exception"))
        for body in ("", "[]", "{", '{"query":', '{"size":1}x', '{"query":{"bool":{"must":[' * 40):
            post(service, "/demo/_search", body or "x", 400)
        deep = '{"query":' + '{"bool":{"must":' * 17 + '{"match":{"text":"x"}}' + "}}" * 17 + "}"
        holds("more than 16" in post(service, "/demo/_search", deep, 400)["error"]["reason"])
        post(service, "/demo/_search?q=x", {"query": {"match_all": {}}}, 400)
        for method, path, expected in (
                ("POST", "/demo/_bulk", 400), ("PUT", "/demo", 400), ("GET", "/demo", 400),
                ("GET", "/demo/_mapping", 400), ("GET", "/_nodes", 400), ("DELETE", "/demo/_doc/1", 405),
                ("PUT", "/demo/_search", 405), ("GET", "/none/_search", 404), ("GET", "/a,b/_search", 404),
                ("GET", "/demo/_search?scroll=1m", 400), ("GET", "/demo/_doc", 400),
                ("GET", "/demo/_cluster/health", 400), ("POST", "/_cat/indices", 405)):
            status, headers, body = service.request(method, path, "{}" if method == "POST" else None)
            equal(expected, status, (method, path, body))
            reason = json.loads(body)["error"]["reason"]
            holds(expected != 400 or path.split("?")[0] in reason or "scroll" in reason, reason)


def link(name):
    os.makedirs(LINKS, exist_ok=True)
    path = os.path.join(LINKS, name + ".rip")
    if not os.path.exists(path):
        os.symlink(DEMO, path)
    return path


def names_of_routes_are_no_indexes():
    for name in ("_search", "metrics", "v1", "search", "openapi.json", "queries"):
        path = link(name)
        done = subprocess.run([RIPOSTE, "serve", path, "--listen", "127.0.0.1:0"], capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=SLOW)
        equal(2, done.returncode, name)
        holds(b"rename the folder" in done.stderr, done.stderr)


def several_indexes_are_named():
    with Service("--policy", "cpu", dirs=(DEMO, link("second"))) as service:
        holds("name one" in post(service, "/_search", {}, 400)["error"]["reason"])
        reply = post(service, "/_msearch", '{"index":"demo"}\n{}\n{"index":"second"}\n{}\n')
        equal(["demo", "second"], [r["hits"]["hits"][0]["_index"] for r in reply["responses"]])
        holds("name one" in post(service, "/_msearch", "{}\n{}\n", 400)["error"]["reason"])
        _, _, body = service.request("GET", "/_cat/indices?v")
        equal(["index", "demo", "second"], [line.split()[2] for line in body.decode().splitlines()])


def the_page_and_the_root_share_a_path():
    with Service() as service:
        for accept, is_json in (("application/json", True), ("text/html,application/json", False),
                                ("*/*", False),
                                ("application/vnd.elasticsearch+json; compatible-with=8", True)):
            _, headers, body = service.request("GET", "/", headers={"Accept": accept})
            equal(is_json, headers["Content-Type"] == "application/json", accept)
            equal(is_json, "X-Elastic-Product" in headers, accept)
        equal("8.19.0", json.loads(service.request(
            "GET", "/", headers={"Accept": "application/json"})[2])["version"]["number"])


def run_client(name, command, service):
    done = subprocess.run([*command, "http://127.0.0.1:%d" % service.port], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=4 * SLOW)
    equal(0, done.returncode, (name, done.stdout[-2000:], done.stderr[-2000:]))


def the_python_client_reads():
    for python in (sys.executable, "/usr/bin/python3"):
        probe = [python, "-c", "import elasticsearch"]
        if os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0:
            with Service("--policy", "cpu") as service:
                run_client("python", [python, os.path.join(HERE, "elastic_client.py")], service)
            return
    raise Skipped("no python3-elasticsearch")


def the_javascript_client_reads():
    if not os.path.isdir(os.path.join(WEB, "node_modules", "@elastic", "elasticsearch")):
        raise Skipped("no @elastic/elasticsearch (npm ci in tests/web/elastic)")
    with Service("--policy", "cpu") as service:
        run_client("javascript", ["node", os.path.join(WEB, "client.mjs")], service)


if __name__ == "__main__":
    main([
        query_strings_equal_the_librarys,
        forms_equal_the_query_language,
        words_of_a_match_mean_nothing_else,
        totals_pages_and_counts,
        sources_highlights_and_score_trees,
        many_searches_answer_each,
        what_is_not_supported_is_named,
        names_of_routes_are_no_indexes,
        several_indexes_are_named,
        the_page_and_the_root_share_a_path,
        the_python_client_reads,
        the_javascript_client_reads,
    ])
