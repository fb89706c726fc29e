riposte reorder my.rip -o new.rip --by length | sed -E 's/ in .*//'
riposte check new.rip && riposte search -q new.rip 'wing flow' --no-snippets
riposte reorder -q my.rip -o a.rip --by random --seed 3 && riposte reorder -q my.rip -o b.rip --by random --seed 3 --threads 2 &&
    diff -r a.rip b.rip && echo the same
sed -E 's/.*"id": ?"([^"]*)".*/\1/' docs.jsonl >ids.txt
tac ids.txt | gzip >map.gz && riposte reorder -q a.rip -o b.rip --by map --map map.gz
tac docs.jsonl | riposte index -q - -o built.rip
for f in lists terms positions docs; do
    cmp b.rip/$f.00000002.rp built.rip/$f.00000001.rp && echo $f as built
done
awk '{ print $0 "\t" NR }' ids.txt >scores.tsv && riposte reorder -q a.rip -o c.rip --by rank --scores scores.tsv
for f in lists terms positions docs; do cmp c.rip/$f.00000001.rp built.rip/$f.00000001.rp && echo $f as built; done
riposte reorder -q my.rip -o my.rip --by url --codec optpfd && riposte check my.rip && riposte stats my.rip | grep -E 'codec|gener'
riposte reorder my.rip -o my.rip --json >out.json && is_json out.json && sed -E 's/("(bytes_[a-z]*|memory_peak)":)[0-9]+/\10/g; s/"seconds":[0-9.]+/"seconds":0/' out.json
