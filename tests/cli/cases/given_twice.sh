# An option that takes one value may be given once: which of two is meant, nobody knows. Flags may be repeated.
riposte search my.rip wing --k 1 --k 2; echo $?
riposte search my.rip wing --mode and --k 1 --mode=and; echo $?
riposte index docs.jsonl -o a.rip --output b.rip; echo $?
riposte index docs.jsonl -o a.rip -o a.rip; echo $?
riposte search my.rip wing --fields id,title,id --json; echo $?
riposte load my.rip topics.tsv --policy cpu,gpu,cpu; echo $?
riposte search my.rip wing --k 1 -q -q --quiet --no-snippets --no-snippets; echo $?
