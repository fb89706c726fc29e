for freqs in bp128 rice interpolative; do
    riposte index -q --codec vbyte --freqs $freqs docs.jsonl -o new.rip && riposte check new.rip
    riposte stats new.rip | grep -E 'codec|freq'
    riposte search -q new.rip 'wing flow' --no-snippets
done
riposte index -q --codec iiu --freqs rice docs.jsonl -o other.rip; echo $?
riposte index -q --freqs ricee docs.jsonl -o other.rip; echo $?
riposte index -q --freqs raw docs.jsonl -o other.rip; echo $?
[ ! -e other.rip ]
