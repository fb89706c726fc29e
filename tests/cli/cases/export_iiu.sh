# The memory image of IIU: options, what they are not for, and that one index gives one image.
riposte export iiu my.rip -o a.iiu
riposte recode -q my.rip -o other.rip --codec iiu && riposte export -q iiu other.rip -o b.iiu && cmp a.iiu b.iiu && echo same
for options in "--max 1" "--max 2047" "--fixed 128" "--paper-cost" "--bounds" "--paired" "--bp128"; do
    riposte export --json iiu my.rip -o c.iiu $options
done
head -c 5 a.iiu | tail -c 4; echo
riposte export iiu my.rip -o d.iiu --max 2048; echo $?
riposte export iiu my.rip -o d.iiu --max 0; echo $?
riposte export iiu my.rip -o d.iiu --max 9 --fixed 128; echo $?
riposte export iiu my.rip -o d.iiu --bp128 --fixed 64; echo $?
riposte export iiu my.rip -o d.iiu --bp128 --paper-cost; echo $?
riposte export ciff my.rip -o d.ciff --paper-cost; echo $?
riposte import iiu a.iiu -o e.rip; echo $?
ls -d [a-e].*
