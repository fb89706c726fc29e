# Each verb's usage line ends with its options, and no letter stands for two options.
for verb in $(riposte help --json | grep -o '"name":"[a-z ]*","summary"' | cut -d'"' -f4 | tr ' ' '+'); do
    riposte help ${verb/+/ } >help.txt
    sed -n '/^usage:/{n;p}' help.txt | grep -q '\[options\]$' || echo "$verb: $(sed -n '/^usage:/{n;p}' help.txt)"
    grep -o '^  -[a-zA-Z],' help.txt | sort | uniq -d | sed "s/^/$verb: twice /"
done
riposte help dump | sed -n 4p
riposte help eval | grep -e --per-query -e --quiet
riposte help eval --json | grep -o '"letter":"q"' | wc -l
riposte completion fish | grep -c "from eval.* -s q"
