# What the papers' models say of lists: a term's line, its points, sizes of buckets.
seq 1 400 | sed 's/.*/{"id":"&","text":"all wing"}/; 3~3s/ wing//' | riposte index -q --format jsonl - -o line.rip
riposte stats line.rip --regression wing --every 60
riposte stats line.rip --regression wing --every 0 | tail -1
riposte stats line.rip --buckets
riposte stats line.rip --regression wing --buckets --term all | wc -l
riposte stats line.rip --regression wing --buckets --every 100 --json >out.json && is_json out.json && grep -o '"regression".*' out.json | cut -c1-700
riposte stats line.rip --regression nothing; echo $?
riposte stats line.rip --buckets --term nothing; echo $?
riposte stats my.rip --buckets; echo $?
