# What was in the folder stays.
riposte index -q --codec raw docs.jsonl -o old.rip && cp -r old.rip before
riposte reorder my.rip; echo $?
riposte reorder my.rip -o old.rip --by size; echo $?
riposte reorder my.rip -o old.rip --by map; echo $?
riposte reorder my.rip -o old.rip --by rank; echo $?
riposte reorder my.rip -o old.rip --by map --map nothing; echo $?
echo nobody >ids.txt
riposte reorder my.rip -o old.rip --by map --map ids.txt; echo $?
: >ids.txt
riposte reorder my.rip -o old.rip --by map --map ids.txt; echo $?
printf '3\n2\nfour\n' >scores.txt
riposte reorder my.rip -o old.rip --by rank --scores scores.txt; echo $?
riposte reorder my.rip -o old.rip --memory 1M; echo $?
riposte reorder nothing -o new.rip; echo $?
printf 'x' | dd of=my.rip/docs.00000001.rp bs=1 seek=70 conv=notrunc 2>/dev/null
riposte reorder my.rip -o old.rip --by random; echo $?
diff -r before old.rip && [ ! -e new.rip ]
