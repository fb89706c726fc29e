riposte index docs.jsonl -o new.rip --max-line 100; echo $?
echo '{"id":"n","text":"x","a":[[[[]]]]}' >deep.jsonl
riposte index -q deep.jsonl -o new.rip --max-json-depth 5; echo $?
riposte index -q deep.jsonl -o new.rip --max-json-depth 4; echo $?
