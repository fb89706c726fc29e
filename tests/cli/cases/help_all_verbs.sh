for verb in index search batch stats check bench 'bench codecs' demo help version completion; do
    riposte help $verb
    echo "== $verb: $?"
done
