# Numbers that documents without an id get, beside ids.
printf '{"id":"2","text":"fox one"}\n{"text":"fox two"}\n{"text":"fox three"}\n' >a.jsonl
riposte index a.jsonl -o x | head -1
riposte search -q x fox --no-snippets
printf '{"text":"fox one"}\n{"id":"1","text":"fox two"}\n' >b.jsonl
riposte index b.jsonl -o x | head -1
riposte search -q x fox --no-snippets
echo '== even where the other name is taken'
printf '{"text":"fox one"}\n{"id":"##1","text":"fox"}\n{"id":"1","text":"fox two"}\n{"id":"#1","text":"fox"}\n' >c.jsonl
riposte index c.jsonl -o x | head -1
riposte search -q x fox --no-snippets
riposte get x '###1' | head -1
echo '== the same id twice is an error all the same'
printf '{"text":"fox"}\n{"id":"1","text":"fox"}\n{"id":"1","text":"fox"}\n' >d.jsonl
riposte index d.jsonl -o x; echo $?
echo '== threads'
for i in $(seq 3000); do printf '{"text":"fox %s"}\n{"id":"%s","text":"fox"}\n' $i $((3000 - i)); done >e.jsonl
riposte index e.jsonl -o x | head -1
riposte index -q e.jsonl -o y --threads 4
for file in terms lists docs text; do cmp x/$file.* y/$file.* && echo same; done
