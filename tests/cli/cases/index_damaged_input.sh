# Each with its file and line; the index that was there stays.
riposte index -q docs.jsonl -o ix
printf '[{"id":1,"text":"x"},\n{"id":2,"text":"y"}' >cut.json
printf '{"id":1,"text":"x"}\n{"id":2,\n' >cut.jsonl
printf '{\n"id":1,\n"text":"x\n"}\n' >newline.json
printf 'id,text\n1,a\n2,"open\n3,b\n' >open.csv
printf 'id\ttext\n1\ta\n' >good.tsv
printf '1\ta\nno tab\n' >bad.tsv
printf '<DOC><DOCNO>1</DOCNO>x</DOC>\n<DOC>\n<DOCNO>2' >open.trec
printf '<mediawiki>\n<page>\n<title>x</title>' >open.xml
printf 'Dear all,\n' >no.mbox
echo text | gzip | head -c 15 >cut.txt.gz
for file in cut.json cut.jsonl newline.json open.csv good.tsv bad.tsv open.trec open.xml no.mbox cut.txt.gz; do
    riposte index -q $file -o new; echo "$file $?"
done
riposte index -q --format gitlog docs.jsonl -o new; echo $?
riposte search -q ix jet --no-snippets
echo '== skipped'
riposte index open.csv cut.jsonl cut.json -o new --on-error skip | head -2
