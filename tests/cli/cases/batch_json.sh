riposte batch my.rip topics.tsv --k 1 --json >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --json -o my.run >out.json && is_json out.json && cat out.json && wc -l <my.run
