# Queries by an executor: the same hits, whatever the policy; what was decided, and why.
unset RIPOSTE_GPU RIPOSTE_COSTS
same() { sed -E 's/ +[0-9.]+ us/ T us/g; s/in [0-9.]+ ms/in TIME/' "$@"; }
riposte search my.rip "flow layer" --no-snippets -q >direct
for policy in auto cpu gpu better batch ding-queues ding-steal ding-deadline griffin; do
    riposte search my.rip "flow layer" --no-snippets -q --policy $policy --gpu emulated | cmp - direct
done
for policy in gpu griffin split; do
    riposte search my.rip "+flow +layer -wing" --no-snippets -q --policy $policy --gpu emulated --gpu-child >child
    riposte search my.rip "+flow +layer -wing" --no-snippets -q | cmp - child
done
riposte search my.rip "flow layer" --k 1 --policy cpu 2>err; same err
riposte search my.rip "flow layer" --no-snippets -q --processor gpu --gpu emulated --deadline 60000 | cmp - direct
echo -- timeline
riposte search my.rip flow --k 1 --no-snippets --timeline --policy cpu 2>err; same err
riposte search my.rip flow --k 1 --no-snippets --timeline --processor gpu --gpu emulated 2>err; same err
riposte search my.rip flow -q --timeline --policy cpu --json >out.json && is_json out.json &&
    grep -o '"timeline":.*"hits"' out.json | sed -E 's/("[a-z]+_us":)[0-9.]+/\1T/g'
echo -- deadline
riposte search my.rip flow --policy cpu --deadline 0.000001; echo $?
riposte search my.rip flow --policy auto --deadline 0.000001; echo $?
riposte search my.rip flow --policy cpu --deadline 0.000001 --json -q >out.json; echo $?
is_json out.json && grep -o '"is_partial":[a-z]*' out.json
riposte search my.rip flow --deadline 60000 --json -q | grep -o '"is_partial":[a-z]*'
echo -- a batch
printf '1\twing lift\n2\tflow layer plate\n3\tnowhere flow\n4\twing\n5\tboundary layer\n' >q.tsv
riposte batch my.rip q.tsv -q >direct
for policy in auto cpu gpu batch ding-steal; do
    riposte batch my.rip q.tsv -q --policy $policy --gpu emulated --threads 2 | cmp - direct
done
riposte batch my.rip q.tsv --policy cpu -o a.run; cmp a.run direct
riposte batch my.rip q.tsv -q --policy auto --gpu emulated --gpu-child | cmp - direct
riposte batch my.rip q.tsv --policy batch --gpu emulated --json -o a.run | grep -o '"policy".*"on_card":5'
riposte batch my.rip q.tsv --policy cpu --deadline 0.000001 -q; echo $?
riposte batch my.rip q.tsv --policy auto --deadline 0.000001 -q -o a.run; echo $? $(wc -c <a.run)
riposte batch my.rip q.tsv --policy cpu --deadline 0.000001 -q --json | grep -o '{"qid":"1"[^}]*}'
echo -- bench
bench() { riposte bench queries my.rip q.tsv --rounds 1 --k 10 --modes and -q "$@"; }
RIPOSTE_GPU=emulated bench --policy cpu,gpu | grep ' policy '
bench --policy cpu --deadline 0.000001 | grep ' policy '
bench --policy cpu --json >out.json && is_json out.json && grep -o '"policy":"cpu","late":0' out.json
