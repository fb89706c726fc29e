for mode in or and andor; do
    riposte search my.rip 'wing flow' --mode $mode --no-snippets
done
