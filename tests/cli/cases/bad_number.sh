for k in 0 -1 ten 1.5 '' 99999999999999999999 0x10 ' 3' 3x; do
    riposte search my.rip wing --k "$k"; echo $?
done
for k1 in nan inf 1,2 0x1p3 -0.5 '' 1e; do
    riposte search my.rip wing --k1 "$k1"; echo $?
done
riposte search my.rip wing --b 1.5; echo $?
riposte index docs.jsonl -o new.rip --threads 0; echo $?
riposte index docs.jsonl -o new.rip --threads 5000; echo $?
