# In a topic nothing is syntax; with --syntax all of it is.
printf '1\t"boundary layer" -flow\n2\twing AND title:gcc (\n3\tshock? !lift [a TO b] w*g~1\n' >topics.tsv
riposte batch my.rip topics.tsv --k 2; echo $?
riposte batch my.rip topics.tsv --k 2 --plain -q | wc -l
riposte batch my.rip topics.tsv --k 2 --syntax --on-error skip; echo $?
