# Nothing to index is worth a warning.
: >empty.jsonl
riposte index empty.jsonl -o ix; echo $?
mkdir folder
riposte index folder -o ix; echo $?
riposte index - -o ix </dev/null; echo $?
printf '\177ELF\1\1' >program
riposte index program -o ix; echo $?
riposte index -q empty.jsonl -o ix; echo $?
