riposte search my.rip wing | true
echo "${PIPESTATUS[0]}"
riposte batch my.rip topics.tsv | true
echo "${PIPESTATUS[0]}"
