echo '{"key":"x1","name":"A title","words":"some words"}' >odd.jsonl
riposte index -q odd.jsonl -o new.rip; echo $?
riposte index -q odd.jsonl -o new.rip --id-field key --title-field name --text-field words &&
    riposte search -q new.rip words
