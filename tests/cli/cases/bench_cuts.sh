# Figures differ from run to run: what is printed is held to its form.
printf '1\twing lift\n2\tflow layer plate\n3\tnowhere flow\n4\twing\n5\tboundary layer flow wing\n' >q.tsv
export RIPOSTE_GPU=emulated
table() { sed -E -e 's/[0-9]+\.[0-9]+/N/g' -e 's/ +[0-9]+$/ W/' -e 's/ +/ /g'; }
riposte bench cuts my.rip q.tsv --plain --rounds 1 -q | table
echo -- pairs
riposte bench cuts my.rip --pairs 1 --longer 4 --rounds 1 -q | table | grep -v -e ^micro -e ^wins
riposte bench cuts my.rip --sample 3 --rounds 1 -q --json >out.json || echo failed
is_json out.json && echo json
for key in schema version machine rounds left_out groups group queries cpu gpu better best_cut best wins; do
    grep -q "\"$key\":" out.json || echo "no $key"
done
riposte bench cuts my.rip --pairs 1 --longer 1000000000 -q; echo $?
riposte bench cuts my.rip q.tsv --pairs 1 -q; echo $?
printf '1\twing\n' >one.tsv
riposte bench cuts my.rip one.tsv -q; echo $?
