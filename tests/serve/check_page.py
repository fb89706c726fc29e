"""The page for people: it works without JavaScript, escapes everything, and its links lead on."""
import html
import html.parser
import os
import re
import urllib.parse

from service import WORK, Service, equal, holds, main, run

MODULE = '<script type="module" src="/app.js"></script>'
EVIL = '<script>alert(1)</script>" onload="x'


def hit_links(page):
    """Addresses of the hits' documents."""
    return [l["href"] for l in page.links if "&doc=" in l["href"]]


def ids_of(links):
    return [urllib.parse.parse_qs(urllib.parse.urlsplit(l).query)["doc"][0] for l in links]


class Page(html.parser.HTMLParser):
    """Tags that are open, links, labels, and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.links, self.tags, self.text = [], [], [], ""
        self.feed(text)
        equal([], self.stack)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        holds(not any(name.startswith("on") or name == "style" for name in attrs), (tag, attrs))
        if tag == "a":
            self.links.append(attrs)
        if tag not in ("meta", "link", "input", "br"):
            self.stack.append(tag)

    def handle_endtag(self, tag):
        equal(tag, self.stack.pop())

    def handle_data(self, data):
        self.text += data

    def has(self, tag):
        return any(t == tag for t, _ in self.tags)


def show(service, expected=200, **params):
    status, headers, body = service.request("GET", "/?" + urllib.parse.urlencode(params))
    equal(expected, status, body)
    equal("text/html; charset=utf-8", headers["Content-Type"])
    holds(headers["Content-Security-Policy"].startswith("default-src 'self'"))
    equal("nosniff", headers["X-Content-Type-Options"])
    holds(len(body) < 60 * 1024)
    text = body.decode()
    equal(1, text.count(MODULE), text)
    holds("<script" not in text.replace(MODULE, "") and "javascript:" not in text, text)
    return Page(text)


def page_shows_hits_and_marks():
    with Service("--policy", "cpu") as service:
        page = show(service, q='"text editor" -latex')
        hits = service.get("search", q='"text editor" -latex', fields="id,title")["hits"]
        shown = hit_links(page)
        equal([h["id"] for h in hits], ids_of(shown))
        holds(page.has("mark") and hits[0]["title"] in page.text)
        for href in shown:
            equal(200, service.request("GET", href)[0], href)
        empty = show(service)
        holds(empty.has("form") and not hit_links(empty))
        for tag, attrs in page.tags:
            holds(tag != "img")
        holds(dict(page.tags[0][1]).get("lang") == "en", "the language is named")


def pages_follow_each_other():
    with Service("--policy", "cpu") as service:
        seen, href = [], "/?q=system"
        for _ in range(3):
            page = Page(service.request("GET", href)[2].decode())
            seen += ids_of(hit_links(page))
            href = [l["href"] for l in page.links if l.get("rel") == "next"][0]
        expected = service.get("search", q="system", k=30)["hits"]
        equal([h["id"] for h in expected], seen)
        back = [l["href"] for l in page.links if l.get("rel") == "prev"][0]
        holds("from=10" in back, back)


def words_nobody_has_are_corrected():
    with Service() as service:
        page = show(service, q="musik")
        link = [l["href"] for l in page.links if "q=music&" in l["href"]][0]
        holds("Did you mean" in page.text and "q=music&" in link, link)
        holds(show(service, q="music").has("mark"))
        holds("did you mean" not in show(service, q="...").text.lower())
        holds("has no words to search for" in show(service, q="...").text)


def mistakes_are_shown_at_their_column():
    with Service() as service:
        page = show(service, 400, q="music (player")
        holds("column 7: '(' is never closed" in page.text, page.text)
        holds(re.search(r"\n {6}\^", page.text), page.text)
        show(service, 404, q="a", index="nix")
        service.fails(400, "GET", "/?q=a&z=1")


def markup_is_escaped():
    docs = os.path.join(WORK, "evil.jsonl")
    index = os.path.join(WORK, "evil.rip")
    with open(docs, "w") as f:
        f.write('{"id":"<b>&\\"id","title":"word %s","contents":"word %s &amp; <i>"}\n' %
                ((EVIL.replace('"', '\\"'),) * 2))
    run("index", "-q", docs, "-o", index)
    with Service(dirs=(index,)) as service:
        page = show(service, q="word")
        holds(EVIL in page.text and not page.has("b") and not page.has("i"), page.text)
        href = hit_links(page)[0]
        equal(200, service.request("GET", href)[0], href)
        shown = show(service, doc='<b>&"id', q="word")
        holds(EVIL in shown.text and not shown.has("b") and not shown.has("i"), shown.text)
        page = show(service, q="word " + EVIL.replace('"', "").replace("(", "").replace(")", ""))
        show(service, 400, q=EVIL + " (")
        value = [a["value"] for t, a in page.tags if t == "input"][0]
        holds(value.startswith("word <script>"), value)


def documents_are_shown_with_their_marks():
    with Service("--policy", "cpu") as service:
        hit = service.get("search", q="music player", k=1)["hits"][0]["id"]
        text = service.get("docs/" + urllib.parse.quote(hit, safe=""))["text"]
        page = show(service, doc=hit, q="music player")
        holds(text in page.text and page.has("mark") and "Back to the hits" in page.text)
        page = show(service, doc=hit)
        holds(text in page.text and not page.has("mark"))
        show(service, 404, doc="nobody")


def files_of_the_page_are_there():
    with Service() as service:
        for name, kind in (("style.css", "text/css"), ("app.js", "text/javascript"),
                           ("timeline.js", "text/javascript"), ("dashboard.js", "text/javascript")):
            status, headers, body = service.request("GET", "/" + name)
            equal(200, status, name)
            equal(kind + "; charset=utf-8", headers["Content-Type"])
            with open(os.path.join(os.path.dirname(__file__), "../../web", name), "rb") as f:
                equal(f.read(), body)


def help_has_examples_of_the_index():
    with Service() as service:
        page = show(service)
        queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(l["href"]).query)["q"][0]
                   for l in page.links if "/?q=" in l["href"]]
        holds(len(queries) >= 8, queries)
        for q in queries:
            holds(service.get("search", q=q)["hits"], q)
    docs, index = os.path.join(WORK, "bare.jsonl"), os.path.join(WORK, "bare.rip")
    with open(docs, "w") as f:
        f.write('{"id":"1","contents":"some words"}\n')
    run("index", "-q", "--no-store", docs, "-o", index)
    with Service(dirs=(index,)) as service:
        holds("Syntax" in show(service).text)


def every_field_has_a_label():
    with Service() as service:
        text = service.request("GET", "/")[2].decode()
        for field in re.findall(r"<(?:input|select) [^>]*>", text):
            before = text[:text.index(field)]
            holds(before.rindex("<label") > before.rfind("</label"), field)
        holds(html.unescape(text).count("<h1>") == 1)


main([page_shows_hits_and_marks, pages_follow_each_other, words_nobody_has_are_corrected,
      mistakes_are_shown_at_their_column, markup_is_escaped, documents_are_shown_with_their_marks,
      files_of_the_page_are_there, help_has_examples_of_the_index, every_field_has_a_label])
