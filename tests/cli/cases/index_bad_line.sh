sed '3s/.*/{"id":"d3","text":/' docs.jsonl >bad.jsonl
riposte index bad.jsonl -o new.rip; echo $?
riposte index bad.jsonl -o new.rip --json; echo $?
ls -d new.rip 2>/dev/null
riposte index bad.jsonl -o new.rip --on-error=skip; echo $?
riposte index bad.jsonl -o new.rip --on-error skip --json -q; echo $?
