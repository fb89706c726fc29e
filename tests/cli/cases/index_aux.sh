# Names of auxiliary data; what stats says of them; answers are as without.
riposte index docs.jsonl --aux lr,hs16 -q -o aux.rip
riposte check aux.rip
riposte stats aux.rip
riposte stats aux.rip --json >out.json && is_json out.json && cat out.json
riposte search aux.rip wing
riposte index docs.jsonl --aux lr,hs12 -q -o no.rip; echo $?
[ -e no.rip ] || echo none
