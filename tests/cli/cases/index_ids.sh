mkdir f
printf '{"id":"a","text":"red fox"}\n{"text":"blue fox"}\n' >f/x.jsonl
echo 'grey fox' >f/y.txt
for ids in relative path number; do
    echo "== $ids"
    riposte index -q f -o ix --ids $ids && riposte search -q ix fox --no-snippets
done
echo '== as it is'
riposte index -q f -o ix && riposte search -q ix fox --no-snippets
echo '== field'
riposte index -q f -o ix --ids field; echo $?
riposte index -q f -o ix --ids name; echo $?
printf 'id,text\n,fox\n' >t.csv
riposte index -q t.csv -o ix --ids field; echo $?
