riposte synth gov -o g.rip --docs 3000 --queries 20
riposte check g.rip
head -3 g.rip.queries.tsv
riposte batch -q g.rip g.rip.queries.tsv --k 2 | head -4
riposte synth -q gov -o h.rip --docs 3000 --queries 20 --threads 3 --memory 100M && diff -r g.rip h.rip && cmp g.rip.queries.tsv h.rip.queries.tsv && echo the same
riposte synth ccnews -o c.rip --docs 2000 --queries 5 --order random --codec ef128 --aux lr,hs16 --queries-out asked.tsv --seed 7 --json >out.json && is_json out.json && cat out.json
wc -l <asked.tsv
riposte stats c.rip | grep -E 'documents  |codec|positions'
