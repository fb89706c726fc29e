riposte synth gov -o g --docs 3000 --queries 60 --codec lrc --aux lr,hs64 -q
b() { riposte bench para g g.queries.tsv --gpu emulated --batches 2 --rounds 1 "$@"; }
b --c 500,1K | sed 's/ *[0-9.]\+$//; s/ \+[0-9.]\+//5g'
b --c 1K..2K --methods bs,lrc --json > b.json && is_json b.json && echo yes
b --methods hs16; echo $?
b --methods bs,parapfor; echo $?
b --methods swift 2>&1 | head -n 1
b --c 0; echo $?
b --c 4K..2K; echo $?
b --c '1K;'; echo $?
b --sms 0; echo $?
b --sms 2; echo $?
b --sms 100000; echo $?
b --methods bs,is,bs; echo $?
b --c 1K --c 2K; echo $?
riposte bench para g nowhere.tsv; echo $?
riposte bench para nowhere g.queries.tsv; echo $?
riposte bench para my.rip topics.tsv --gpu nothing; echo $?
