riposte export ciff my.rip -o my.ciff.gz
riposte import ciff my.ciff.gz -o new.rip && riposte check new.rip
riposte export ciff new.rip -o - --json | cmp - <(zcat my.ciff.gz) && echo the same file
zcat my.ciff.gz | riposte import -q ciff - -o again.rip && diff -r new.rip again.rip && echo the same index
riposte export pisa my.rip -o my.pisa && ls my.pisa
riposte import pisa my.pisa -o again.rip --json >out.json && is_json out.json && cat out.json
riposte export pisa again.rip -o again/ --json | sed 's/"seconds":[^}]*/"seconds":0/'
diff -r my.pisa again && echo the same files
# Answers are those of the index that the lists come from.
for index in my.rip new.rip; do riposte search $index 'wing flow' --no-snippets -q | awk '{print $1, $2, $3}'; done
riposte search new.rip '"wing flow"'; echo $?
riposte stats new.rip | grep -E 'documents|tokens|positions|text' | head -4
# The files of other programs are given by the common part of their names.
rm again/inv.terms && riposte import pisa again/inv -o numbers.rip --codec vbyte --freqs rice --aux lr
