riposte get my.rip d1
riposte get my.rip d2 d1 --json
riposte get my.rip d1 dx d2 dy; echo $?
riposte get my.rip dx --json; echo $?
riposte get my.rip dx dy --json -q; echo $?
riposte get my.rip; echo $?
riposte get nothing.rip d1; echo $?
# A control in a text is shown, not obeyed; in JSON it is as it was.
printf '{"id":"a b","title":"t\\u001b[31m","text":"one\\ntwo\\u001b[31m\\n"}\n' >odd.jsonl
riposte index -q odd.jsonl -o odd.rip
riposte get odd.rip 'a b'
riposte get odd.rip 'a b' --json
riposte index -q --no-store my.jsonl -o none.rip 2>/dev/null || riposte index -q docs.jsonl --no-store -o none.rip
riposte get none.rip d1
head -c 3000000 /dev/zero | tr '\0' 'a' | sed 's/.*/{"id":"a","text":"&"}/' >long.jsonl
riposte index -q long.jsonl -o long.rip
riposte get long.rip a --max-memory 1M | wc -c
riposte get long.rip a --max-memory 1M >/dev/null; echo $?
riposte get long.rip a | wc -c
