riposte synth; echo $?
riposte synth gov; echo $?
riposte synth gow -o new.rip; echo $?
riposte synth gov -o new.rip --docs 99; echo $?
riposte synth gov -o new.rip --order page; echo $?
riposte synth gov -o new.rip --docs 1000 --codec zip; echo $?
riposte synth gov -o new.rip --memory 20M --queries 100; echo $?
riposte synth gov -o new.rip --docs 1000 --queries-out nowhere/q.tsv; echo $?
[ ! -e new.rip ] && [ ! -e new.rip.queries.tsv ]
