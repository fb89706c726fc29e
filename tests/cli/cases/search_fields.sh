riposte search my.rip wing --json --fields id,title,text
riposte search my.rip wing --json --fields text,id,rank --k 1
riposte search my.rip wing --json --fields snippet --k 1
riposte search my.rip wing --fields id; echo $?
riposte search my.rip wing --json --fields id,tittle -q; echo $?
riposte search my.rip wing --json --fields '' -q; echo $?
# A text that does not fit is an error, and no half of it is shown.
head -c 3000000 /dev/zero | tr '\0' 'a' | sed 's/.*/{"id":"a","text":"wing &"}/' >long.jsonl
riposte index -q long.jsonl -o long.rip
riposte search long.rip wing --json --fields id,text --max-memory 1M -q; echo $?
riposte search long.rip wing --json --fields id,text | wc -c
