command -v script >/dev/null || { echo "skip: no script"; exit 77; }
on_terminal() { script -qc "stty cols 60; $*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'; }
on_terminal "$RIPOSTE" search my.rip jet -q
NO_COLOR=1 on_terminal "$RIPOSTE" search my.rip jet -q
TERM=dumb on_terminal "$RIPOSTE" search my.rip jet -q
