"""The read calls of Elasticsearch's Python client against a service: elastic_client.py URL."""
import sys

import elasticsearch

QUERY = {"match": {"text": {"query": "music player", "operator": "and"}}}


def check(expected, got):
    if expected != got:
        raise SystemExit("expected %r, got %r" % (expected, got))


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise SystemExit("%s was not raised" % kind.__name__)


client = elasticsearch.Elasticsearch(sys.argv[1])
check(True, client.ping())
check("8.19.0", client.info()["version"]["number"])
check("green", client.cluster.health()["status"])
check("demo", client.cat.indices(format="json")[0]["index"])
found = client.search(index="demo", query=QUERY, size=3, highlight={"fields": {"text": {}}})
check(3, len(found["hits"]["hits"]))
check("eq", found["hits"]["total"]["relation"])
check(found, {**client.search(body={"query": QUERY, "size": 3, "highlight": {"fields": {"text": {}}}}),
              "took": found["took"]})
check(found["hits"]["total"]["value"], client.count(index="demo", body={"query": QUERY})["count"])
first = found["hits"]["hits"][0]
document = client.get(index="demo", id=first["_id"])
check((True, first["_source"]), (document["found"], document["_source"]))
check(True, client.exists(index="demo", id=first["_id"]))
check(False, client.exists(index="demo", id="no such id"))
refused(elasticsearch.NotFoundError, lambda: client.get(index="demo", id="no such id"))
many = client.msearch(body=[{"index": "demo"}, {"query": QUERY, "size": 3}, {}, {"size": 0}])
check([200, 200], [r["status"] for r in many["responses"]])
check(first["_id"], many["responses"][0]["hits"]["hits"][0]["_id"])
refused(elasticsearch.RequestError, lambda: client.search(index="demo", query={"fuzzy": {"text": "a"}}))
refused(elasticsearch.NotFoundError, lambda: client.search(index="none"))
refused(elasticsearch.TransportError, lambda: client.index(index="demo", id="1", document={"text": "x"}))
