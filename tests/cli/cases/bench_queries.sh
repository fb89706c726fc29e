# Figures differ from run to run: what is printed is held to its form. Energy is printed only where the machine meters it.
printf '1\twing lift\n2\tflow layer plate\n3\tnowhere flow\n4\twing\n5\tboundary layer\n' >q.tsv
table() { sed -E -e '/ queries took .* J of /d' -e 's/ on .*/ on MACHINE/' -e 's/[0-9]+\.[0-9]+/N/g' -e 's/ +[0-9]+ +[0-9]+$/ R P/' -e 's/ +/ /g'; }
riposte bench queries my.rip q.tsv --rounds 2 --k 10,count >out.txt || echo failed
table <out.txt | sed -E 's/^(or|and):count .*/\1:count row/; s/^(or|and):10 .*/\1:10 row/'
riposte bench queries my.rip q.tsv --modes or --k 10 --algorithms all --rounds 1 -q >out.txt
grep -q ' tree ' out.txt && grep -c '^or:10 *1 ' out.txt
riposte bench queries my.rip q.tsv --modes and,phrase,andor --k count --rounds 1 -q --per-query lines.tsv >/dev/null
cut -f 1,2,4 lines.tsv
riposte bench queries my.rip q.tsv --modes or --k 10 --query-threads 1,2 --rounds 1 -q --per-query lines.tsv | grep -o 'wall time'
cut -f 1 lines.tsv | sort | uniq -c
echo -- chosen
riposte bench queries my.rip q.tsv --words 2-3 --known --modes or --k 10 --rounds 1 -q --per-query lines.tsv >/dev/null
cut -f 1,2,4 lines.tsv
riposte bench queries my.rip q.tsv --words 2 --min-hits 1 --modes or --k 10 --rounds 1 -q --per-query lines.tsv >/dev/null
cut -f 2 lines.tsv
riposte bench queries my.rip q.tsv --sample 2 --seed 7 --modes or --k 10 --rounds 1 -q --per-query lines.tsv >/dev/null
wc -l <lines.tsv
echo -- json
riposte bench queries my.rip q.tsv --threads 2 --names --rounds 2 --json -q --plot plot.svg >out.json || echo failed
is_json out.json && echo json
for key in version machine command queries_read queries rounds threads clock query_threads names operations operation \
    algorithm answers_all place postings mean p50 p95 p99 throughput pool_of_one pool pool_over_one unit median low \
    high best samples; do
    grep -q "\"$key\":" out.json || echo "no $key"
done
grep -o '"command":"[^"]*"' out.json
grep -c '<polyline' plot.svg
if command -v xmllint >/dev/null; then xmllint --noout plot.svg || echo bad; fi
