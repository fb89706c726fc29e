printf '1 0 a 1\n' >qrels
printf '1 Q0 a 1 2.5 t\n' >run
printf '1 0 a\n' >three
riposte eval three run; echo $?
riposte eval qrels three; echo $?
riposte eval qrels run -m ndgc_cut_10; echo $?
riposte eval qrels run -m P_0 --json; echo $?
riposte eval qrels nowhere; echo $?
riposte eval qrels; echo $?
riposte eval qrels run --persistence 1; echo $?
