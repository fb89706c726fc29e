for verb in index search batch stats check demo help version completion; do
    riposte help $verb
    echo "== $verb: $?"
done
