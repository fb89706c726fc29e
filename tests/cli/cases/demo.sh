riposte demo wing --data docs.jsonl
riposte demo wing --data docs.jsonl -q >/dev/null; echo "again: $?"
riposte demo wing --data docs.jsonl --json -o other >out.json && is_json out.json && cut -c1-60 out.json
ls -d riposte-demo other
