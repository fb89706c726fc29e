# The first query that the GPU does not answer ends the batch, and no run is written. Lists of any codec are decoded on the GPU.
gpu='--processor gpu --gpu emulated'
head -n 1 topics.tsv >one.tsv
riposte batch my.rip one.tsv $gpu --mode and --k 1 --strict-processor -q; echo "exit $?"
riposte batch my.rip one.tsv $gpu --k 10001 --max-k 10001 --strict-processor; echo "exit $?"
riposte batch my.rip topics.tsv --syntax $gpu --mode and --strict-processor -o my.run; echo "exit $?"
riposte synth gov --docs 2000 --queries 20 --codec lrc -o lrc.rip -q
riposte batch lrc.rip lrc.rip.queries.tsv $gpu --mode and --strict-processor --on-error skip -o my.run; echo "exit $?"
ls my.run 2>/dev/null
riposte batch lrc.rip lrc.rip.queries.tsv $gpu --mode and --json -o my.run | grep -o '"gpu":{.*'
riposte batch lrc.rip lrc.rip.queries.tsv $gpu --total exact --json -o my.run | grep -o '"gpu":{.*'
riposte batch lrc.rip lrc.rip.queries.tsv $gpu --json --gpu-child -o my.run | grep -o '"gpu":{.*'
