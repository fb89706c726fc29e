# !, && and ||; a '?' or '!' at the end of a word, and a ':' that no word follows, are punctuation.
for q in 'wing !lift' 'wing&&lift' 'lift || shock' 'wing !(lift || jet)' 'wing! lift?' 'wing: lift' 'wing::lift' '12:30 wing' 'http://wing'; do
    echo "== $q"
    riposte search my.rip "$q" --no-snippets -q
done
riposte search my.rip '!wing'; echo $?
riposte search my.rip 'wing &&'; echo $?
riposte search my.rip '|| wing'; echo $?
