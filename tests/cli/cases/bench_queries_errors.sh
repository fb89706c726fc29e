riposte bench queries my.rip topics.tsv --modes xor; echo $?
riposte bench queries my.rip topics.tsv --k 10,0; echo $?
riposte bench queries my.rip topics.tsv --k ''; echo $?
riposte bench queries my.rip topics.tsv --algorithms swift 2>&1 | head -n 1
riposte bench queries my.rip topics.tsv --algorithms auto$(printf ',operators:levels=2%.0s' $(seq 128)) --processors gpu; echo $?
riposte bench queries my.rip topics.tsv --query-threads 0; echo $?
riposte bench queries my.rip topics.tsv --query-threads ''; echo $?
riposte bench queries my.rip topics.tsv --words 5-2; echo $?
riposte bench queries my.rip topics.tsv --words 2-5x; echo $?
riposte bench queries my.rip topics.tsv --words 0; echo $?
riposte bench queries my.rip topics.tsv --rounds 65; echo $?
riposte bench queries my.rip topics.tsv --words 9; echo $?
riposte bench queries my.rip nowhere.tsv; echo $?
riposte bench queries nowhere.rip topics.tsv; echo $?
printf '1\tfine\n2\t"open\n' >bad.tsv
riposte bench queries my.rip bad.tsv; echo $?
riposte bench queries my.rip bad.tsv --plain --rounds 1 -q >/dev/null; echo $?
riposte bench queries my.rip topics.tsv --rounds 1 --plot no/where.svg; echo $?
