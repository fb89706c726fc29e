"""What requests may ask, what is refused and with which words, who may ask, and what is logged."""
import json
import os
import subprocess

from service import DEMO, RIPOSTE, SLOW, WORK, Service, equal, holds, main, path_of, run

TOKEN = "canary-token-0123456789"


def errors_have_the_programs_words():
    with Service() as service:
        for query in ("(x", "a AND", '"open', "title:x", "[a TO b]", "a^x"):
            done = subprocess.run([RIPOSTE, "search", DEMO, query, "--json"], capture_output=True)
            expected = json.loads(done.stdout)["message"]
            error = service.fails(400, "GET", path_of("search", q=query))
            equal(expected, error["message"])
            equal("RP_USAGE", error["code"])
            holds(error["column"] >= 1, error)
            equal("column %d" % error["column"], error["message"].split(":")[0])


def parameters_are_refused():
    cases = [
        ("search", "the parameter q is missing"),
        ("search?q=a&z=1", 'unknown parameter "z"'),
        ("search?q=a&q=b", "given twice"),
        ("search?q=a&k=0", "it is a number from 1"),
        ("search?q=a&k=-1", "it is a number from 1"),
        ("search?q=a&k=1e3", "it is a number from 1"),
        ("search?q=a&k=99999999999999999999", "it is a number from 1"),
        ("search?q=a&k=10001", "more than 10000; raise --max-k"),
        ("search?q=a&k=1&from=10000", "together more than 10000"),
        ("search?q=a&mode=xor", "choose from or, and, andor"),
        ("search?q=a&fields=id,body", "choose from rank"),
        ("search?q=a&fields=id,id", "twice"),
        ("search?q=a&snippet=yes", "it is true or false"),
        ("search?q=a&timeout_ms=30001", "from 1 to 30000"),
        ("search?q=%ff", "not UTF-8"),
        ("search?q=%00", "not well encoded"),
        ("search?q=%zz", "not well encoded"),
        ("search?q=a%", "not well encoded"),
        ("suggest?prefix=a&k=1001", "from 1 to 1000"),
        ("stats?x=1", "unknown parameter"),
        ("docs/a%00b", "not well encoded"),
    ]
    with Service() as service:
        for path, words in cases:
            error = service.fails(400, "GET", "/v1/" + path)
            holds(words in error["message"], (path, error))
        holds("choose from q, from, k" in service.fails(400, "GET", "/v1/search?q=a&z=1")["remedy"])
        error = service.fails(400, "GET", "/v1/search?q=" + "a" * 5000 + "&zz=1")
        holds("zz" in error["message"])


def bodies_are_refused():
    cases = [
        ("", "not JSON"),
        ("[]", "an object"),
        ('{"q":"a"', "not JSON"),
        ('{"q":"a"} x', "not JSON"),
        ('{"q":1}', "it is a string"),
        ('{"q":"a\\u0000b"}', "has a NUL"),
        ('{"q":"a","k":"1"}', "it is a number"),
        ('{"q":"a","k":1.5}', "it is a number from 1"),
        ('{"q":"a","snippet":1}', "true or false"),
        ('{"q":"a","fields":[1]}', "an array of strings"),
        ('{"q":"a","fields":["nix"]}', "choose from rank"),
        ('{"q":"a","q":"b"}', "given twice"),
        ('{"q":"a","z":{}}', "unknown parameter"),
        ("{" + '"q":' + "[" * 100, ""),
        ("[" * 100000, ""),
        (b'{"q":"\xff"}', "not JSON"),
        ('{"q":"\\ud800"}', "not JSON"),
    ]
    with Service() as service:
        for body, words in cases:
            error = service.fails(400, "POST", "/v1/search", body)
            holds(words in error["message"], (body[:40], error))
        for body, words in (('{"searches":{}}', "an array"), ('{"q":[]}', "no other key"),
                            ('{"searches":[1]}', "no object"), ('{"searches":[{}]}', "q is missing"),
                            ('{"searches":[],"x":1}', "no other key")):
            holds(words in service.fails(400, "POST", "/v1/msearch", body)["message"], body)
        service.fails(400, "POST", "/v1/search?q=a", '{"q":"a"}')
        status, _, reply = service.request("POST", "/v1/msearch", '{"searches":[]}')
        equal([], json.loads(reply)["answers"])


def places_are_refused():
    with Service() as service:
        for path in ("/nix", "/v1", "/v1/", "/v1/nix/search?q=a", "/v1/demo", "/v1/demo/nix",
                     "/v1/search/x?q=a", "/v1/docs", "/v1/docs/", "/healthz/", "//v1/search?q=a",
                     "/v1/../metrics", "/v1/docs/no-such-package", "/v1/explain?q=a&id=none"):
            service.fails(404, "GET", path)
        for method, path, allow in (("POST", "/healthz", "GET, HEAD"), ("GET", "/v1/msearch", "POST"),
                                    ("DELETE", "/v1/search", "GET, HEAD, POST"),
                                    ("PUT", "/v1/demo/docs/kwrite", "GET, HEAD")):
            status, headers, _ = service.request(method, path)
            equal((405, allow), (status, headers.get("Allow")), path)
        status, headers, body = service.request("HEAD", "/v1/search?q=music")
        equal((200, b""), (status, body))
        holds(int(headers["Content-Length"]) > 0)


def several_indexes_need_names():
    other = os.path.join(WORK, "other.rip")
    docs = os.path.join(WORK, "other.jsonl")
    with open(docs, "w") as f:
        f.write('{"id":"d1","contents":"one two"}\n{"id":"d 2/3?","contents":"two <b>three</b>"}\n')
    run("index", "-q", docs, "-o", other)
    with Service(dirs=(DEMO, other)) as service:
        service.fails(404, "GET", "/v1/search?q=two")
        equal(2, len(service.get("other/search", q="two")["hits"]))
        holds(len(service.get("demo/search", q="two")["hits"]) > 2)
        equal("two <b>three</b>", service.get("other/docs/d%202%2F3%3F")["text"])
        equal("two <b>three</b>", service.get("other/docs/d%202/3%3F")["text"])
    for bad in ("_x.rip", "search.rip", "v1", "a b.rip"):
        path = os.path.join(WORK, bad)
        run("index", "-q", docs, "-o", path)
        done = subprocess.run([RIPOSTE, "serve", path, "--listen", "127.0.0.1:0"], timeout=SLOW,
                              capture_output=True)
        equal(2, done.returncode, bad)
        holds(b"rename the folder" in done.stderr, done.stderr)
    done = subprocess.run([RIPOSTE, "serve", other, other, "--listen", "127.0.0.1:0"], timeout=SLOW,
                          capture_output=True)
    equal(2, done.returncode)
    holds(b"two indexes" in done.stderr)


def tokens_are_needed():
    path = os.path.join(WORK, "token")
    with open(path, "w") as f:
        f.write("another-token-98765\n\n" + TOKEN + "\n")
    os.chmod(path, 0o644)
    done = subprocess.run([RIPOSTE, "serve", DEMO, "--listen", "127.0.0.1:0", "--token-file", path],
                          capture_output=True, timeout=SLOW)
    equal(2, done.returncode)
    holds(b"chmod 600" in done.stderr)
    os.chmod(path, 0o600)
    right = {"Authorization": "Bearer " + TOKEN}
    for args, env in ((("--token-file", path), None), ((), {"RIPOSTE_TOKEN": TOKEN})):
        with Service("--log", "json", *args, env=env) as service:
            for headers in ({}, {"Authorization": "Bearer " + TOKEN[:-1]},
                            {"Authorization": "Bearer " + TOKEN + "x"}, {"Authorization": TOKEN},
                            {"Authorization": "Bearer "}, {"Authorization": "Basic " + TOKEN}):
                service.fails(401, "GET", "/v1/search?q=music", headers=headers)
                service.fails(401, "GET", "/metrics", headers=headers)
            equal(200, service.request("GET", "/v1/search?q=music", headers=right)[0])
            # A token is a better proof than a name.
            equal(200, service.request("GET", "/v1/search?q=a",
                                       headers={**right, "Host": "search.example"})[0])
            for open_path in ("/healthz", "/readyz"):
                equal(200, service.request("GET", open_path)[0])
            metrics = service.request("GET", "/metrics", headers=right)[2].decode()
            holds('riposte_rejected_total{reason="token"} 12\n' in metrics)
            with open("/proc/%d/cmdline" % service.process.pid) as f:
                holds(TOKEN not in f.read())
            holds(TOKEN not in metrics)
            holds(TOKEN not in service.log())


def other_machines_need_a_token():
    for address in ("0.0.0.0:0", "[::]:0"):
        done = subprocess.run([RIPOSTE, "serve", DEMO, "--listen", address], capture_output=True,
                              timeout=SLOW)
        equal(2, done.returncode)
        holds(b"--token-file" in done.stderr and b"--insecure" in done.stderr, done.stderr)
    for address in ("127.0.0.1", "127.0.0.1:x", ":7700", "127.0.0.1:65536", "nonsense.invalid:1"):
        done = subprocess.run([RIPOSTE, "serve", DEMO, "--listen", address], capture_output=True,
                              timeout=SLOW)
        equal(2, done.returncode, address)


def hosts_are_checked():
    with Service("--allow-host", "a.example,b.example") as service:
        for host, status in (("localhost", 200), ("127.0.0.1:80", 200), ("[::1]:7700", 200),
                             ("LOCALHOST:7", 200), ("a.example", 200), ("B.example:443", 200),
                             ("evil.example", 421), ("127.0.0.1.evil.example", 421),
                             ("a.example.evil", 421), ("", 421), ("localhost:7:8", 421)):
            equal(status, service.request("GET", "/healthz", headers={"Host": host})[0], host)


def requests_have_ids():
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with Service() as service:
        _, headers, _ = service.request("GET", "/healthz", headers={"X-Request-Id": "mine-1.2_3"})
        equal("mine-1.2_3", headers["X-Request-Id"])
        _, headers, _ = service.request("GET", "/healthz", headers={"traceparent": trace})
        equal("0af7651916cd43dd8448eb211c80319c", headers["X-Request-Id"])
        seen = set()
        for given in ({}, {"X-Request-Id": "a b"}, {"X-Request-Id": "x" * 65}, {"traceparent": "x"},
                      {"traceparent": "00-" + "0" * 32 + "-" + "1" * 16 + "-01"},
                      {"traceparent": "ff-" + "1" * 32 + "-" + "1" * 16 + "-01"},
                      {"traceparent": "00-" + "1" * 32 + "x" + "1" * 16 + "-01"}):
            _, headers, _ = service.request("GET", "/healthz", headers=given)
            equal(16, len(headers["X-Request-Id"]))
            seen.add(headers["X-Request-Id"])
        equal(7, len(seen))


def logs_leave_queries_out():
    canary = "zanyquery"
    paths = ["/v1/search?q=" + canary, "/v1/search?q=(" + canary, "/nix?q=" + canary, "/healthz",
             "/v1/explain?id=kwrite&q=" + canary]
    with Service("--log", "json") as service:
        for path in paths:
            service.request("GET", path, headers={"X-Request-Id": "id-7"})
        metrics = service.request("GET", "/metrics")[2].decode()
    lines = [json.loads(line) for line in service.log().splitlines()]
    equal(len(paths) + 1, len(lines))
    equal([200, 400, 404, 200, 200, 200], [line["status"] for line in lines])
    equal("id-7", lines[0]["id"])
    equal(("demo", "search", "cpu"), tuple(lines[0][k] for k in ("index", "route", "processor")))
    holds(canary not in service.log() and canary not in metrics)
    with Service("--log-queries") as service:
        service.get("search", q=canary + "\n\x1b[1m")
    equal(1, len(service.log().splitlines()))
    holds(canary in service.log() and "\x1b" not in service.log())
    with Service("--log", "off") as service:
        service.get("search", q=canary)
    equal("", service.log())


def metrics_count():
    with Service("--policy", "cpu", "--cache", "0") as service:
        for _ in range(3):
            service.get("search", q="music")
        service.fails(400, "GET", "/v1/search?q=(")
        status, headers, body = service.request("GET", "/metrics")
        equal((200, "text/plain; version=0.0.4"), (status, headers["Content-Type"]))
        text = body.decode()
        holds(text.endswith("\n"))
        for line in ('riposte_queries_total{index="demo",op="search",processor="cpu",status="ok"} 3',
                     'riposte_queries_total{index="demo",op="search",processor="none",'
                     'status="invalid"} 1',
                     'riposte_query_seconds_count{processor="cpu"} 3',
                     'riposte_query_seconds_bucket{processor="cpu",le="+Inf"} 3',
                     'riposte_index_docs{index="demo"} 3797'):
            holds(line in text.splitlines(), line)
        families = set()
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                name = line.split()[2]
                holds(name not in families, "a family comes twice: " + name)
                families.add(name)
            elif not line.startswith("#"):
                name = line.split("{")[0].split(" ")[0]
                base = name
                for suffix in ("_bucket", "_sum", "_count"):
                    if name.endswith(suffix) and name[:-len(suffix)] in families:
                        base = name[:-len(suffix)]
                holds(base in families, line)
                float(line.rsplit(" ", 1)[1])


def what_a_client_has_is_not_sent_again():
    with Service() as service:
        paths = [path_of("search", q="music"), path_of("suggest", prefix="mu"),
                 path_of("docs/kwrite"), path_of("stats"),
                 path_of("explain", q="editor", id="kwrite")]
        tags = set()
        for path in paths:
            status, headers, _ = service.request("GET", path)
            equal(200, status, path)
            tag = headers["ETag"]
            tags.add(tag)
            status, headers, body = service.request("GET", path, None, {"If-None-Match": tag})
            equal((304, tag, b""), (status, headers["ETag"], body), path)
            status, _, _ = service.request("GET", path, None, {"If-None-Match": 'W/"other"'})
            equal(200, status, path)
            equal(tag, service.request("HEAD", path)[1]["ETag"], path)
            equal(304, service.request("HEAD", path, None, {"If-None-Match": tag})[0], path)
        equal(len(paths), len(tags))
        for path in (path_of("search", q="music", timeline="true"), path_of("search", q="(x")):
            holds("ETag" not in service.request("GET", path)[1], path)
        _, headers, _ = service.request("POST", "/v1/search", '{"q":"music"}')
        holds("ETag" not in headers)


def openapi_describes_what_is_there():
    samples = {"index": "demo", "id": "kwrite", "q": "music", "prefix": "mu"}
    with Service() as service:
        api = json.loads(service.request("GET", "/openapi.json")[2])
        holds(len(api["paths"]) >= 10)
        for path, methods in api["paths"].items():
            for method, row in methods.items():
                params = {p["name"]: samples[p["name"]] for p in row["parameters"] if p["required"]}
                filled = path.format(**params)
                query = [(p["name"], params[p["name"]]) for p in row["parameters"]
                         if p["in"] == "query" and p["required"]]
                filled += "?" + "&".join("%s=%s" % q for q in query) if query else ""
                body = None
                if "requestBody" in row and "/_" in path:
                    body = "{}\n{}\n" if "_msearch" in path else "{}"
                elif "requestBody" in row:
                    body = '{"searches":[{"q":"a"}]}' if "msearch" in path else '{"q":"a"}'
                verb = "HEAD" if path == "/v1/events" else method.upper()  # it has no end
                status, headers, _ = service.request(verb, filled, body)
                if method == "delete":  # there is no query to cancel
                    equal(404, status, filled)
                    continue
                equal(200, status, filled)
                content = list(row["responses"]["200"]["content"])[0]
                holds(headers["Content-Type"].startswith(content.replace("*", "")), filled)


main([errors_have_the_programs_words, parameters_are_refused, bodies_are_refused,
      places_are_refused, several_indexes_need_names, tokens_are_needed,
      other_machines_need_a_token, hosts_are_checked, requests_have_ids, logs_leave_queries_out,
      metrics_count, what_a_client_has_is_not_sent_again,
      openapi_describes_what_is_there])
