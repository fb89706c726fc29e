# The simulated accelerator on an index and on an image. Cycles are sim's own tests' business.
printf '1\twing lift\n2\tjet\n3\tnosuchterm\n4\twing lift jet\n' >q.tsv
riposte sim my.rip q.tsv; echo $?
riposte recode -q my.rip -o iiu.rip --codec iiu
riposte export -q iiu my.rip -o my.iiu
for path in iiu.rip my.iiu; do
    riposte sim $path q.tsv | sed -n '1,3p' | cut -f1-4,10
    riposte sim -q $path q.tsv --mode or --set dl=free,cores=1 --config hbm | sed -n '2p' | cut -f1-4,10
done
riposte sim -q my.iiu q.tsv --mode single | sed -n '2,9p' | cut -f1-4,10
riposte sim -q my.iiu q.tsv | sed -n 's/  *dl=/ dl=/gp'
riposte sim -q my.iiu q.tsv --json | grep -o '"dl":"[a-z0-9]*"\|"results":[0-9]*,"cycles\|"status":"[A-Z]*"'
riposte sim -q my.iiu q.tsv --set dl=line | grep '^left out'
riposte sim -q my.iiu q.tsv --set dl=line --json | grep -o '"left_out":{[^}]*}'
printf 'one dl=free\n' >list; riposte sim -q my.iiu q.tsv --sweep list | grep -o '"left_out":{[^}]*}'
riposte sim my.iiu q.tsv --sweep list >/dev/null
riposte sim -q my.iiu q.tsv --set dl=line | sed -n '/^block readers/,$p' | sed 's/[0-9.][0-9.]*/N/g'
riposte sim -q my.iiu q.tsv --set dl=line --json | grep -o '"mode":"[a-z]*"\|"bytes":{[^}]*}'
riposte sim --list-configs | sed -n '1,15p'
riposte sim --list-configs | grep '  topk \|  standard '
riposte sim --list-configs --json >l.json && is_json l.json && grep -o '{"name":"mode".[^}]*}' l.json
for name in ddr4 hbm hbm2-pc hbm3 ddr5 scm core ideal extended; do
    riposte sim -q my.iiu q.tsv --config $name --set dl=line | sed -n '2p' | cut -f1-4,10
done
# Another memory than the configuration's: keys of the first one go with it.
riposte sim -q my.iiu q.tsv --config hbm --set dl=line,memory=ideal | sed -n '2p' | cut -f1-4,10
riposte sim -q my.iiu q.tsv --set dl=line --trace t.json >/dev/null && grep -o '"name":"query [^"]*"' t.json | sort -u
riposte sim -q my.iiu q.tsv --set dl=line --trace p.html >/dev/null
riposte sim -q my.iiu q.tsv --set dl=line --json >r.json
# What each unit did adds up to its counters, in the trace and on the page.
python3 - <<'END'
import json, re
page = open("p.html").read()
data = json.loads(re.search("const data = (.*);\n", page).group(1))
events = [e for e in json.load(open("t.json"))["traceEvents"] if e["pid"] == 1]
names = {e["tid"]: e["args"]["name"].split()[0] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
by_event, by_page = {}, {}
for e in events:
    for name, cycles in e["args"].items() if e["ph"] == "X" else ():
        key = names[e["tid"]], name
        by_event[key] = by_event.get(key, 0) + cycles
for unit in data["units"]:
    for i, cycles in enumerate(unit["cycles"]):
        key = unit["name"].split()[0], data["classes"][i % len(data["classes"])]
        by_page[key] = by_page.get(key, 0) + cycles
units = json.load(open("r.json"))["runs"][0]["units"]
pairs = [(kind, name, cycles) for kind, classes in units.items() for name, cycles in classes.items()]
print(len(pairs), all(by_event.get(p[:2], 0) == p[2] == by_page[p[:2]] for p in pairs), "http" in page)
END
# Extensions give the same documents; with topk each lane keeps its best.
riposte export -q iiu my.rip -o ones.iiu --max 1 --bounds
for keys in dl=free dl=free,ranges=3 dl=free,ranges=64,cores=2,mode=inter dl=line,topk=2,cores=1,ranges=2; do
    riposte sim -q ones.iiu q.tsv --mode or --set $keys | sed -n '2p' | cut -f1-4,10
done
riposte sim -q ones.iiu q.tsv --mode single --set dl=line,topk=2,threshold=on,cores=1 | sed -n '2,3p' | cut -f1-4,10
# An index's metadata may lie in two lines: its ORs are cut too.
riposte recode -q my.rip -o ones.rip --codec iiu
for keys in dl=free dl=free,ranges=3; do
    riposte sim -q ones.rip q.tsv --mode or --set $keys | sed -n '2p' | cut -f1-4,10
done
