# Figures differ from run to run: what is printed is held to its form.
tiny="--size 3000 --codec bp128,bitmap --ratios 1,64 --repeats 1"
table() { sed -E -e 's/ on .*/ on MACHINE/' -e 's/[0-9]+\.[0-9]+/N/g' -e 's/ +/ /g'; }
riposte bench intersections $tiny -q >out.txt || echo failed
table <out.txt | head -n 6
RIPOSTE_SIMD=scalar riposte bench intersections $tiny --ranks -q | table | grep -v MACHINE
riposte bench intersections $tiny -q --json >out.json || echo failed
is_json out.json && echo json
for key in schema version machine command seed size results ratio short long sought found rounds rows form bits method isa chosen \
    over_merge time unit median low high best samples; do
    grep -q "\"$key\":" out.json || echo "no $key"
done
riposte bench intersections --ratios 4,x -q; echo $?
riposte bench intersections --codec bp129 -q; echo $?
riposte synth gov -o g --docs 3000 --queries 60 -q
b() { riposte bench intersections "$@" --codec bp128 --repeats 1 -q; }
b g g.queries.tsv --ratios 1,4 --lengths 50..1K >out.txt; echo $?
table <out.txt | grep '^riposte bench\|^1:\| binary '
# The card has the same pair.
short() { grep -o '"short":[0-9]*' | cut -d : -f 2; }
elements() { grep -o '"elements":[0-9]*' | tail -n 1 | cut -d : -f 2; }
for of in g.queries.tsv ""; do
    b g $of --ratios 4 --lengths 50..1K --json >core.json
    riposte bench gpu g $of --gpu emulated --rounds 1 --size 1000000 --cases 'intersect bs 1:1' --ratio 4 \
        --lengths 50..1K --json >card.json
    test "$(short <core.json)" = "$(elements <card.json)" && echo same
done
b --lengths 1K..2K; echo $?
b g --lengths 2K..1K; echo $?
b g --lengths 100M..200M; echo $?
b g --seed 3; echo $?
b --size 12000001; echo $?
b nowhere; echo $?
b g nowhere.tsv; echo $?
