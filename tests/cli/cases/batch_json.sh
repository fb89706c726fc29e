riposte batch my.rip topics.tsv --k 1 --json >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --json -o my.run >out.json && is_json out.json && cat out.json && wc -l <my.run
riposte batch my.rip topics.tsv --k 1 --json --total exact >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --k 1 --json --processor gpu --gpu emulated >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --json --total only; echo $?
