# Nothing in a document can steer a terminal or break a line.
printf '{"id":"a\\u202eb","title":"two\\nlines\\u001b[31m\\u0007","text":"fox \\u009b5m and \\u202eright to left\\tend"}\n' >bad.jsonl
riposte index -q bad.jsonl -o new.rip && riposte search -q new.rip fox
riposte search -q new.rip fox --json >out.json && is_json out.json && cat out.json
