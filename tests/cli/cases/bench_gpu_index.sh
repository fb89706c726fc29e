riposte synth gov -o g --docs 3000 --queries 60 --codec lrc --aux lr,hs64 -q
b() { riposte bench gpu "$@" --gpu emulated --size 3000 --rounds 1; }
b g g.queries.tsv | cut -c 1-42 | sed 's/ *$//' | sort -u | wc -l
b g g.queries.tsv --cases 'para' | sed '/is left out/!s/^\(.\{20\}\).*/\1/; s/ *$//'
b g g.queries.tsv --cases 'para hs1;para p' --json > b.json; echo $?
b g g.queries.tsv --cases 'para hs' --json > b.json && is_json b.json && grep -o '"left_out":.*' b.json
b g g.queries.tsv --cases 'intersect hs4' --bucket 32 --ratio 4 --threads 64 --json > b.json && is_json b.json && echo yes
grep -o '"parameters":{[^}]*}' b.json
grep -o '"launches":\[[^]]*\]' b.json | sed 's/[0-9.]\+/N/g' | sort -u
b g --cases 'decode qs' --c 4 --lengths 100..1K | cut -c 1-42 | sed 's/ *$//'
b g --cases 'decode qs, Li;decode rice' --threads 1024 --lengths 100..1K | cut -c 1-42 | sed 's/ *$//'
b g --cases 'decode qs, Li' --threads 2048; echo $?
b g --cases 'decode qs;decode none'; echo $?
b g --cases 'select' | cut -c 1-42 | sed 's, *$,,'
b g g.queries.tsv --cases 'intersect pmf 1' --levels 4 >/dev/null; echo $?
b --cases 'decode parapfor, a' --exceptions 0.2 >/dev/null; echo $?
b g --cases 'intersect pmf' --levels 5; echo $?
b g --cases 'intersect hs' --bucket 0; echo $?
b g --cases 'intersect tile' --threads 100; echo $?
b g --cases 'intersect tile' --threads 1024; echo $?
b g --ratio 2.5; echo $?
b g --ratio 2000; echo $?
b g --cases 'decode pfd' --exceptions 0.9; echo $?
b g --cases 'decode qs' --c 0.1; echo $?
b g --cases 'decode qs' --levels 2; echo $?
b g --lengths 5..2; echo $?
b g --lengths 100M..200M; echo $?
b --lengths 1K..2K; echo $?
b nowhere; echo $?
b g nowhere.tsv; echo $?
b g g.queries.tsv --cases 'para hs16'; echo $?
b g g.queries.tsv --cases 'para hs' | cut -c 1-20 | sed 's/ *$//'
b g g.queries.tsv --cases 'decode raw;para nosuch'; echo $?
b g g.queries.tsv --cases 'para parapfor'; echo $?
b g --cases para; echo $?
b --cases 'decode raw;para bs'; echo $?
b --ratio 2 --ratio 4; echo $?
