riposte import; echo $?
riposte import ciff; echo $?
riposte import cif my.ciff -o new.rip; echo $?
riposte export xyz my.rip -o new; echo $?
riposte import ciff nothing -o new.rip; echo $?
riposte import pisa nothing -o new.rip; echo $?
riposte import ciff docs.jsonl -o new.rip; echo $?
riposte import ciff docs.jsonl -o new.rip --memory 1M; echo $?
riposte export -q ciff my.rip -o my.ciff && head -c 300 my.ciff >cut.ciff
riposte import ciff cut.ciff -o new.rip; echo $?
riposte import ciff cut.ciff -o new.rip --json 2>/dev/null | cut -c1-120
riposte export ciff nothing -o new.ciff; echo $?
riposte export ciff my.rip -o nowhere/new.ciff; echo $?
riposte export pisa my.rip -o -; echo $?
riposte export -q pisa my.rip -o my.pisa && printf '\377\377\377\377' | dd of=my.pisa/inv.docs bs=1 seek=8 conv=notrunc 2>/dev/null
riposte import pisa my.pisa -o new.rip; echo $?
ls -d new* 2>/dev/null
# What was in the folder stays.
cp -r my.rip before && riposte import ciff cut.ciff -o my.rip; diff -r before my.rip
