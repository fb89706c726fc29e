printf 'a\tred fox\nb\tblue fox\n' >docs.tsv
printf '<DOC>\n<DOCNO> T1 </DOCNO>\n<TEXT>\ngreen fox\n</TEXT>\n</DOC>\n' >docs.trec
mkdir folder && echo 'brown fox' >folder/one.txt && echo 'grey fox' >folder/two.txt
gzip -k docs.tsv
for from in docs.tsv docs.tsv.gz docs.trec folder; do
    echo "== $from"
    riposte index -q "$from" -o new.rip && riposte search -q new.rip fox --no-snippets
done
echo "== standard input"
riposte index -q - -o new.rip <docs.jsonl && riposte search -q new.rip jet --no-snippets
echo "== format by name"
riposte index -q --format text docs.tsv -o new.rip && riposte search -q new.rip fox --no-snippets
