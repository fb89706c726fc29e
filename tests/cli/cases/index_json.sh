riposte index docs.jsonl -o new.rip --json >out.json && is_json out.json && cat out.json
