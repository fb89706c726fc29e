# A query of stop words or punctuation alone has nothing to search for, and this is said.
riposte index -q docs.jsonl -o stop.rip --stop lucene
for q in 'the of and' '"the of"' '(the OR -wing)' '...' '???' '😀' '"..."'; do
    riposte search stop.rip "$q"; echo $?
done
riposte search stop.rip 'the of' --json
riposte search stop.rip 'the xyzzy'
riposte search stop.rip 'xyzzy*'
