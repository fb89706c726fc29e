# An id twice: an error in a file that was named, and in a folder another id.
printf '{"id":"a","text":"red fox"}\n{"id":"a","text":"blue fox"}\n' >x.jsonl
riposte index x.jsonl -o ix; echo $?
riposte index x.jsonl -o ix --on-error skip | head -2
riposte index -q x.jsonl -o ix --ids number && riposte search -q ix fox --no-snippets
echo '== in a folder'
mkdir f
cp x.jsonl f/x.jsonl
cp x.jsonl f/y.jsonl
riposte index f -o ix | head -1; riposte search -q ix fox --no-snippets
