# A folder is replaced as a whole, and only if it is one of ours; leftovers of killed exports are removed.
riposte index -q docs.jsonl --stem porter -o stemmed.rip
riposte export -q pisa my.rip -o out && riposte export -q pisa stemmed.rip -o out
riposte export -q pisa stemmed.rip -o fresh && diff -r out fresh && echo replaced
mkdir out.riposte.3.tmp && touch out.riposte.3.tmp/inv.docs out.riposte.5.tmp
riposte export -q pisa my.rip -o out && ls -d out*
touch my.ciff.riposte.{0..15}.tmp
riposte export -q ciff my.rip -o my.ciff && ls -d my.ciff*
touch out/notes
riposte export pisa my.rip -o out; echo $?
ls -d out*
touch file
riposte export pisa my.rip -o file; echo $?
riposte export pisa my.rip -o -; echo $?
riposte export pisa my.rip -o no/such; echo $?
mkdir busy.riposte.{0..15}.tmp && touch busy.riposte.{0..15}.tmp/x
for i in {0..15}; do exec {fd}<busy.riposte.$i.tmp; flock -n $fd || exit 1; done
riposte export pisa my.rip -o busy; echo $?
ls -d busy* | wc -l
