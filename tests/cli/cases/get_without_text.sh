# An index that stores no text says so; the answer is not an empty document.
riposte index -q --no-store docs.jsonl -o ids.rip
riposte get ids.rip d1; echo $?
riposte get ids.rip d1 --json
riposte get ids.rip nobody; echo $?
