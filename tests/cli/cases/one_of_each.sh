# One document is no "1 documents".
echo '{"id":"a","text":"wing"}' >one.jsonl
riposte index one.jsonl -o one.rip
riposte index -q one.jsonl -o two.rip --on-error skip
riposte search one.rip wing
riposte stats one.rip --term wing
riposte check one.rip
riposte recode one.rip -o one.rip | head -n 1
riposte export ciff one.rip -o one.ciff
riposte import ciff one.ciff -o in.rip | head -n 1
riposte synth gov --docs 100 --queries 1 -o synth.rip -q | sed 's/^[0-9,]* documents, .*/documents/; s/[0-9.]\+ terms and [0-9,]* postings/N terms and N postings/'
