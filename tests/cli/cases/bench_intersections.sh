# Figures differ from run to run: what is printed is held to its form.
tiny="--size 3000 --codec bp128,bitmap --ratios 1,64 --repeats 1"
table() { sed -E -e 's/ on .*/ on MACHINE/' -e 's/[0-9]+\.[0-9]+/N/g' -e 's/ +/ /g'; }
riposte bench intersections $tiny -q >out.txt || echo failed
table <out.txt | head -n 6
RIPOSTE_SIMD=scalar riposte bench intersections $tiny --ranks -q | table | grep -v MACHINE
riposte bench intersections $tiny -q --json >out.json || echo failed
is_json out.json && echo json
for key in schema version machine command seed size results ratio sought found rounds rows form bits method isa chosen \
    over_merge time unit median low high best samples; do
    grep -q "\"$key\":" out.json || echo "no $key"
done
riposte bench intersections --ratios 4,x -q; echo $?
riposte bench intersections --codec bp129 -q; echo $?
