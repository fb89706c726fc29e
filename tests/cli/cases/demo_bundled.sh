[ -e "$ROOT/data/demo.jsonl.gz" ] || { echo "skip: no data/demo.jsonl.gz"; exit 77; }
riposte demo --data "$ROOT/data/demo.jsonl.gz" | grep -c 'riposte search\|^ *[1-5]  '
