# A first row in which no name is known is a document, and a note says so.
printf 'name,phone\nann,5\n' >a.csv
printf 'gene\tvalue\nTP53\t5\n' >b.tsv
printf 'name;phone\nann;5\n' >c.csv
printf '1\tred fox\n2\tblue fox\n' >d.tsv
for file in a.csv b.tsv c.csv d.tsv; do
    riposte index $file -o x 2>&1 | sed -n '1,2p' | grep -v SIZE
done
echo '== names of fields that are not there'
printf 'id,text\n1,fox\n' >t.csv
printf 'id\ttext\n1\tfox\n' >t.tsv
printf '{"id":"a","text":"fox"}\n{"id":"b","text":"fox"}\n' >t.jsonl
for file in t.csv t.tsv t.jsonl; do
    for field in text title id; do
        echo "== $file --$field-field"
        riposte index $file -o x --$field-field nosuch 2>&1 >out; head -1 out
        rm -rf x out
    done
done
echo '== skip'
riposte index t.csv -o x --text-field nosuch --on-error skip | head -2
echo '== in a folder'
mkdir f && cp t.* f
riposte index f -o x --text-field nosuch | head -1
