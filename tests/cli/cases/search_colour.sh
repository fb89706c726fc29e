command -v script >/dev/null || { echo "skip: no script"; exit 77; }
on_terminal() { script -qc "stty cols 60; $*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'; }
on_terminal "$RIPOSTE" search my.rip jet -q
NO_COLOR=1 on_terminal "$RIPOSTE" search my.rip jet -q
TERM=dumb on_terminal "$RIPOSTE" search my.rip jet -q
printf '{"id":"a","title":"\\u009b5m\\u202e","text":"fox"}\n' >bad.jsonl
riposte index -q bad.jsonl -o new.rip
on_terminal "$RIPOSTE" search new.rip fox --json | grep -o '"title":"[^"]*"'
