riposte batch my.rip topics.tsv --k 1 --json >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --json -o my.run >out.json && is_json out.json && cat out.json && wc -l <my.run
riposte batch my.rip topics.tsv --k 1 --json --total exact >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --k 1 --json --processor gpu --gpu emulated >out.json && is_json out.json && cat out.json
riposte batch my.rip topics.tsv --json --total only; echo $?
# Ids that need escapes, and ids that do not, in one answer.
printf '%s\n' '{"id":"a\"b","text":"wing"}' '{"id":"\u00e9","text":"wing wing"}' '{"id":"plain","text":"wing jet"}' >odd.jsonl
riposte index -q odd.jsonl -o odd.rip
riposte batch odd.rip topics.tsv --json >out.json && is_json out.json && cat out.json
