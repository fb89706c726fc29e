# Carriage returns, empty lines, no newline at the end, an empty query, a second tab.
printf '1\tjet\r\n\n  \n2\tlift\tangle\n3\t\n4\tshock' >odd.tsv
riposte batch my.rip odd.tsv --k 1; echo $?
: >empty.tsv
riposte batch my.rip empty.tsv; echo $?
