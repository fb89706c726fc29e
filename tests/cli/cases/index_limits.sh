# Each limit on both sides. 4G: the memory does not bound a document more tightly than --max-line.
size=$(head -1 docs.jsonl | tr -d '\n' | wc -c)
head -1 docs.jsonl >one.jsonl
riposte index -q one.jsonl -o new.rip --memory 4G --max-line $size; echo $?
riposte index -q one.jsonl -o new.rip --memory 4G --max-line $((size - 1)); echo $?
echo '{"id":"n","text":"x","a":[[[[]]]]}' >deep.jsonl
riposte index -q deep.jsonl -o new.rip --memory 4G --max-json-depth 5; echo $?
riposte index -q deep.jsonl -o new.rip --memory 4G --max-json-depth 4; echo $?
yes | head -c 80000000 | gzip >yes.gz
riposte index -q yes.gz -o new.rip --memory 4G --max-expand 500; echo $?
