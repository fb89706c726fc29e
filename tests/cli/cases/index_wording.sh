# Small things of messages.
riposte index docs.jsonl -o z --memory 1M; echo $?
riposte index docs.jsonl -o z --memory 1M --threads 2; echo $?
printf '[{"text":"x"}] junk\n' >junk.json
riposte index junk.json -o z; echo $?
printf 'junk\n' >junk.jsonl
riposte index junk.jsonl -o z; echo $?
echo '== many'
mkdir f
for i in $(seq 1200); do : >f/$i; done
seq -f '{"id":"x","text":"%g"}' 1500 >f/z.jsonl
riposte index f -o z | head -1
