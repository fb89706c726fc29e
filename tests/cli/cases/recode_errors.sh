# What was in the folder stays.
riposte index -q --codec raw docs.jsonl -o old.rip && cp -r old.rip before
riposte recode my.rip; echo $?
riposte recode my.rip -o old.rip --codec optpd; echo $?
riposte recode my.rip -o old.rip --codec optpfd:exceptions=1; echo $?
riposte recode my.rip -o old.rip --freqs zip; echo $?
riposte recode my.rip -o old.rip --memory 1M; echo $?
riposte recode nothing -o old.rip; echo $?
riposte recode nothing -o new.rip --codec vbyte; echo $?
mkdir full && echo >full/notes.txt
riposte recode my.rip -o full --codec vbyte; echo $?
riposte recode my.rip --codec vbyte -o nowhere/new.rip; echo $?
printf 'x' | dd of=my.rip/lists.00000001.rp bs=1 seek=70 conv=notrunc 2>/dev/null
riposte recode my.rip -o old.rip --codec vbyte; echo $?
riposte recode my.rip -o new.rip --codec vbyte --json 2>/dev/null | cut -c1-60
diff -r before old.rip && [ ! -e new.rip ]
