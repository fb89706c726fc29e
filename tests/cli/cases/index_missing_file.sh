riposte index no-such.jsonl -o new.rip
echo $?
riposte index no-such.jsonl -o new.rip --json
