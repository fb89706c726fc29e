riposte bench codecs --codec bp129; echo $?
riposte bench codecs --order ''; echo $?
riposte bench codecs --lists U10K,W5; echo $?
riposte bench codecs --lists U13M; echo $?
riposte bench codecs --isa sse; echo $?
riposte bench codecs --order backwards; echo $?
riposte bench codecs --lists real; echo $?
riposte bench codecs --repeats 0; echo $?
riposte bench codecs --codec interpolative --isa avx2; echo $?
riposte bench codecs nowhere.rip; echo $?
riposte bench codecs my.rip --min-length 100000 --repeats 1 -q >/dev/null; echo $?
riposte bench codecs --lists U1K --plot no/where.svg; echo $?
