# Topics of many chunks, which are read, answered and written at the same time: the run is that of the same topics by
# hundreds, each of which is one chunk.
words=(wing jet flow boundary layer shock heat lift body the of gcc)
awk -v words="${words[*]}" 'BEGIN {
    n = split(words, w, " ")
    for (i = 1; i <= 20000; i++) printf "q%d\t%s %s\n", i, w[i * 7 % n + 1], w[i * 5 % 11 + 1]
}' >many.tsv
for format in trec msmarco; do
    split -l 1000 many.tsv part.
    for part in part.*; do riposte batch my.rip "$part" --run-format $format -q; done >"want.$format"
    for threads in 1 2 16; do
        riposte batch my.rip many.tsv --run-format $format --threads $threads -q -o my.run; echo "$?"
        cmp my.run "want.$format"
        riposte batch my.rip many.tsv --run-format $format --threads $threads -q | cmp - "want.$format"
    done
done
wc -l <want.trec
riposte batch my.rip - --threads 2 -q <many.tsv | cmp - want.trec
riposte batch my.rip many.tsv --threads 2 --policy cpu -q | cmp - want.trec
riposte batch my.rip many.tsv --threads 2 --processor gpu --gpu emulated -q | cmp - want.trec
# The same topics in other forms.
tr '\t' ':' <many.tsv >many.pisa
awk -F'\t' '{ printf "{\"qid\":\"%s\",\"query\":\"%s\"}\n", $1, $2 }' many.tsv >many.jsonl
awk -F'\t' '{ printf "<top>\n<num> Number: %s\n<title> %s\n</top>\n", $1, $2 }' many.tsv >many.trec
for topics in many.pisa many.jsonl many.trec; do riposte batch my.rip $topics --threads 2 -q | cmp - want.trec; done
# What is wrong far behind ends the run, or is left out, under its line.
sed '12345s/\t/ /' many.tsv >bad.tsv
riposte batch my.rip bad.tsv --threads 2 -q -o bad.run; echo "$?"
[ -e bad.run ] && echo 'a run in spite of it'
riposte batch my.rip bad.tsv --threads 2 -q | cmp - <(sed '/^q12345 /,$d' want.trec)
riposte batch my.rip bad.tsv --threads 2 --on-error skip -o skipped.run 2>&1 | head -n 1
cmp skipped.run <(sed '/^q12345 /d' want.trec)
{ cat many.tsv; echo 'q7	wing'; } >twice.tsv
riposte batch my.rip twice.tsv --threads 16 -q -o bad.run; echo "$?"
# Blank lines are no topics.
sed 's/$/\n\n/' many.tsv >blanks.tsv
riposte batch my.rip blanks.tsv --threads 2 -q | cmp - want.trec
# A reader that goes away, and a device that is full.
riposte batch my.rip many.tsv --threads 2 -q | head -n 1
echo "${PIPESTATUS[0]}"
[ -c /dev/full ] || exit 0
riposte batch my.rip many.tsv --threads 2 -q -o /dev/full 2>&1; echo "$?"
riposte batch my.rip many.tsv --threads 2 -q 2>&1 >/dev/full; echo "$?"
