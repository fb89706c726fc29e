# The same topics in every form give the same run; threads and compression change nothing.
riposte batch -q my.rip topics.tsv >expected
sed 's/\t/:/' topics.tsv >topics.pisa
awk -F'\t' 'NF { printf "<top>\n<num> Number: %s\n<title> %s\n\n</top>\n", $1, $2 }' topics.tsv >topics.trec
awk -F'\t' 'NF { printf "<topic number=\"%s\">\n<query>%s</query></topic>\n", $1, $2 }' topics.tsv >topics.xml
awk -F'\t' 'NF { gsub(/"/, "\\\""); printf "{\"qid\":\"%s\",\"query\":\"%s\"}\n", $1, $2 }' topics.tsv >topics.jsonl
for f in pisa trec xml jsonl; do riposte batch -q my.rip topics.$f | cmp - expected && echo $f; done
gzip -k topics.tsv && riposte batch -q my.rip topics.tsv.gz --threads 3 | cmp - expected && echo compressed
riposte batch -q my.rip topics.tsv --run-format msmarco --k 1 | head -2
riposte batch -q my.rip topics.tsv --format pisa; echo $?
riposte batch -q my.rip topics.tsv --format yaml; echo $?
echo 'words alone' | riposte batch -q my.rip -; echo $?
