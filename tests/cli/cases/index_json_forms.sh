printf '[\n {"id": 1, "text": "red fox"},\n {"id": 2, "text": ["blue", "fox"]}\n]\n' >array.json
printf '{\n "id": 1,\n "text": "red fox"\n}\n{\n "text": "blue fox"\n}' >objects.json
printf '["red fox", "blue fox"]' >strings.json
for from in array objects strings; do
    echo "== $from"
    riposte index -q $from.json -o ix && riposte search -q ix 'red OR blue' --no-snippets
done
echo '== fields that are not indexed'
printf '{"id":1,"text":"red fox","year":2020,"author":"x","body":"no"}\n' >more.jsonl
riposte index more.jsonl -o ix | head -1
echo '== impacts'
printf '{"id":1,"contents":"fox","vector":{"fox":1.5}}\n' >vector.jsonl
riposte index vector.jsonl -o ix; echo $?
