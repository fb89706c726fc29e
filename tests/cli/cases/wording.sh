# One of a thing, lists of names with blanks, and what there is to say of odd surroundings.
unset ${!RIPOSTE_*}
printf '{"id":"a","text":"one two two"}\n' > one.jsonl
riposte index -q one.jsonl -o one.rip
riposte search one.rip one --from 3
riposte search my.rip wing --from 5
riposte dump one.rip --term one | head -1
riposte dump one.rip --term two | head -1
riposte search one.rip one --explain --no-snippets 2>&1 | grep form
riposte search one.rip one -q --json --fields 'id, rank' | grep -o '"hits".*'
riposte check /etc; echo $?
riposte check /nosuch; echo $?
riposte index -q --stop porter one.jsonl -o no.rip; echo $?
: > none.tsv
riposte batch my.rip none.tsv; echo $?
RIPOSTE_COSTS=/nosuch riposte doctor | grep -i cost; echo ${PIPESTATUS[0]}
RIPOSTE_FOO=1 RIPOSTE_HOST=x RIPOSTE_LIBRARY=y riposte doctor | grep ^RIPOSTE_; echo ${PIPESTATUS[0]}
riposte search my.rip 'wing*' --max-memory 4K -q
for verb in $(riposte help | sed -n 's/^  \([a-z]\+\)  .*/\1/p') 'bench queries' 'bench codecs' 'bench gpu'; do
    riposte help $verb | awk -v verb="$verb" 'length > 80 { print verb ": " $0 }'
done
