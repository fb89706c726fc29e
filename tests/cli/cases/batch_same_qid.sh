# A run with two answers to one qid is no run.
printf '1\twing\n2\tflow\n\n1\tjet\n3\tlayer\n' >twice.tsv
riposte batch -q my.rip twice.tsv -o my.run; echo $?
[ -e my.run ] || echo no run
riposte batch my.rip twice.tsv -o my.run --on-error skip && cut -d' ' -f1 my.run | uniq
printf '{"query":"wing"}\n{"qid":1,"query":"flow"}\n' | riposte batch -q my.rip - -o my.run; echo $?
printf '<top>\n<num> 7\n<title> wing\n</top>\n<top>\n<num> 7\n<title> flow\n</top>\n' | riposte batch -q my.rip - -o my.run; echo $?
printf 'a\001b\twing\n' | riposte batch -q my.rip -; echo $?
