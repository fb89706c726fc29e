riposte batch my.rip topics.tsv -o my.run -q
head -1 topics.tsv | cut -f1 >qid
awk -v q="$(cat qid)" '$1 == q { print $1, 0, $3, (NR % 3) }' my.run >qrels
riposte eval qrels my.run; echo $?
riposte eval qrels my.run -q -m map,P_5,num_rel_ret --complete; echo $?
riposte eval qrels my.run -m map,ndcg_cut_10,rbp --json >out; echo $?; is_json out && cut -c1-60 out
gzip -k qrels && riposte eval qrels.gz - -m map <my.run; echo $?
