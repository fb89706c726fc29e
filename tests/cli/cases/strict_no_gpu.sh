# Without a card --strict-processor ends with exit code 6, whoever was asked for but the cpu.
riposte doctor | grep -q '^gpu.*CUDA driver' || { echo "skip: there is a CUDA driver"; exit 77; }
unset RIPOSTE_GPU
for processor in auto gpu; do
    riposte search my.rip jet --strict-processor --processor $processor; echo "exit $?"
    riposte batch my.rip topics.tsv --strict-processor --processor $processor; echo "exit $?"
done
riposte bench queries my.rip topics.tsv --processors gpu --strict-processor; echo "exit $?"
