riposte index docs.jsonl -o new.rip --memory 100K
echo $?
ls -d new.rip 2>/dev/null
riposte index docs.jsonl -o new.rip --memory 100K --json 2>/dev/null | cut -c1-55
