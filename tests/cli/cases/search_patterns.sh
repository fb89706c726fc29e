# Wildcards and fuzzy words.
for q in 'w?ng' 'w*g' 'l*t' 'wint~1' 'wnig~2' 'wing~1 -lif?' '(w*g && l?ft) || sho?k' 'boundry~1 layr~1'; do
    echo "== $q"
    riposte search my.rip "$q" --no-snippets -q
done
riposte search my.rip 'w?ng' --k 1 --explain -q
for q in 'a*' 'a?b~1' 'a~' 'a~3' '?a' '*a' 'a**'; do
    riposte search my.rip "$q" --max-expansions 2; echo $?
done
