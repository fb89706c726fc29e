# The byte order mark of UTF-8 is no part of the text, whatever file it begins; that of UTF-16 is refused but by index.
mark() { printf '\xEF\xBB\xBF'; cat; }
riposte batch -q my.rip topics.tsv >expected
mark <topics.tsv | riposte batch -q my.rip - | cmp - expected && echo tsv
sed 's/\t/:/' topics.tsv | mark | riposte batch -q my.rip - | cmp - expected && echo pisa
awk -F'\t' 'NF { gsub(/"/, "\\\""); printf "{\"qid\":\"%s\",\"query\":\"%s\"}\n", $1, $2 }' topics.tsv | mark |
    riposte batch -q my.rip - | cmp - expected && echo jsonl
awk -F'\t' 'NF { printf "<top>\n<num> Number: %s\n<title> %s\n\n</top>\n", $1, $2 }' topics.tsv | mark | gzip |
    riposte batch -q my.rip - | cmp - expected && echo trec
awk '{ print $1, 0, $3, $4 == 1 }' expected >qrels
riposte eval qrels expected >plain
mark <qrels >marked.qrels; mark <expected >marked.run
riposte eval marked.qrels marked.run | cmp - plain && echo qrels and run
printf 'd6\nd5\nd4\nd3\nd2\nd1\n' | tee map | mark >marked.map
riposte reorder -q my.rip -o a.rip --by map --map map && riposte reorder -q my.rip -o b.rip --by map --map marked.map
diff -r a.rip b.rip && echo map
printf '1\n3\n2\n6\n5\n4\n' | tee scores | mark >marked.scores
riposte reorder -q my.rip -o a.rip --by rank --scores scores && riposte reorder -q my.rip -o b.rip --by rank --scores marked.scores
cmp a.rip/lists.*.rp b.rip/lists.*.rp && echo scores
mark <docs.jsonl | riposte index -q --format jsonl - -o marked.rip && cmp my.rip/lists.*.rp marked.rip/lists.*.rp && echo index
printf 'the\nwing\n' | tee stop | mark >marked.stop
riposte index -q docs.jsonl --stop stop -o a.rip && riposte index -q docs.jsonl --stop marked.stop -o b.rip
cmp a.rip/lists.*.rp b.rip/lists.*.rp && echo stop words
riposte export -q pisa my.rip -o out && mark <out/inv.terms >x && mv x out/inv.terms && mark <out/inv.documents >x && mv x out/inv.documents
riposte import -q pisa out -o a.rip && riposte search -q a.rip 'wing' --k 1 | awk '{print $1, $3}'
for code in UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
    mark <topics.tsv | iconv -f UTF-8 -t $code >other
    riposte batch my.rip other; echo $?
done
riposte eval other expected; echo $?
mark <docs.jsonl | iconv -f UTF-8 -t UTF-16LE >other.jsonl
riposte index other.jsonl -o c.rip; echo $?
[ -e c.rip ] || echo no index
